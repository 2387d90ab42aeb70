"""Tracks: files of trackers become episodes, with a scene file that says what is where."""

from __future__ import annotations

import os
from pathlib import Path

from hbtom.errors import BadInput, located
from hbtom.files import file_bytes
from hbtom.observe.episode import Episode

SUFFIXES = (".csv", ".tsv", ".h5", ".hdf5")


def is_track(name: str) -> bool:
    """Return whether this is the name of a track."""
    return name.lower().endswith(SUFFIXES)


def find_scene(track: Path) -> Path | None:
    """Return the scene file of a track: of the same name, or scene.toml beside or above it."""
    beside = (track.with_suffix(".toml"), track.parent / "scene.toml")
    return next(
        (one for one in (*beside, track.parent.parent / "scene.toml") if one.is_file()), None
    )


def load_track(path: Path, scene: str | os.PathLike[str] | None = None) -> Episode:
    """Read an episode from a track; by default, with the scene file next to it."""
    from hbtom.observe.tracks.scene_file import read_scene
    from hbtom.observe.tracks.track_building import build
    from hbtom.observe.tracks.track_reading import read_tracks

    with located(file=str(path)):
        data = file_bytes(path, "a track")
        described = find_scene(path) if scene is None else Path(scene)
        if described is None:
            hint = "name its scene file with --scene; 'hbtom scene new' writes one to fill in"
            raise BadInput("a track needs a scene", hint=hint)
        known = read_scene(described)
        return build(read_tracks(data, path.suffix, known.track.columns), known, str(path))
