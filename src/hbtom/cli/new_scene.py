"""``hbtom scene``."""

from __future__ import annotations

from pathlib import Path

import click

from hbtom.errors import located
from hbtom.files import check_target, file_bytes, write_whole
from hbtom.observe.tracks.scene_file import Columns
from hbtom.observe.tracks.scene_template import template
from hbtom.observe.tracks.track_reading import read_tracks


def new(track: str | None, out: str, overwrite: bool) -> None:
    """Write a scene file to fill in."""
    target = Path(out)
    check_target(target, overwrite=overwrite, kinds=(".toml",))
    tracks = None
    if track is not None:
        with located(file=track):
            tracks = read_tracks(file_bytes(Path(track), "a track"), Path(track).suffix, Columns())
    write_whole(target, template(tracks).encode())
    click.echo(f"written to {target}; now describe in it what is where")
