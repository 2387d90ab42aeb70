"""The watched agent: its track, the body part whose position is used, and its likely positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput, Place, few
from hbtom.observe.tracks.points import Individual, Tracks
from hbtom.observe.tracks.scene_file import Scene

_MIDDLE = ("centre", "center", "centroid", "body", "middle", "thorax", "spine", "back")


def watched(tracks: Tracks, scene: Scene, notes: list[str]) -> tuple[Individual, Floats]:
    """Return the track of the agent, and the positions of the body part that is used."""
    names, wanted = list(tracks.seen), scene.agent.track
    if wanted is None and len(names) > 1:
        problem = f"there are {len(names)} tracks: {listed(names)}"
        hint = f'say in the scene which one to judge: [agent] track = "{names[0]}"'
        raise BadInput(problem, hint=hint, place=Place(field="agent.track"))
    if wanted is not None and wanted not in names:
        hint = f"there are {listed(names)}"
        raise BadInput(f"there is no track '{wanted}'", hint=hint, place=Place(field="agent.track"))
    seen = tracks.seen[wanted or names[0]]
    part = scene.agent.part
    if part is not None and part not in seen.parts:
        hint = f"there are {listed(list(seen.parts))}"
        raise BadInput(
            f"there is no body part '{part}'", hint=hint, place=Place(field="agent.part")
        )
    if part is None:
        part = central_part(seen)
        if len(seen.parts) > 1:
            which = f"the body part '{part}' (1 of {len(seen.parts)})"
            notes.append(f"{which} is the agent's position; to change it, set [agent] part")
    if not (tracks.timed or seen.trial):
        _check_numbers(seen, scene, notes)
    return seen, seen.parts[part]


def _check_numbers(seen: Individual, scene: Scene, notes: list[str]) -> None:
    """Refuse trials whose frames are off by one from the track's; note other mismatches."""
    first, last = seen.number.min(), seen.number.max()
    spans = [(number, span.frames) for number, span in enumerate(scene.trials, 1) if span.frames]
    for number, (begin, end) in spans:
        if first - 1 in (begin, end) or last + 1 in (begin, end):
            wrong = begin if begin in (first - 1, last + 1) else end
            hint = f"the track has frames {first:g} to {last:g}"
            place = Place(trial=number, field="frames")
            raise BadInput(f"there is no frame {wrong:g}", hint=hint, place=place)
        if begin < first or end > last:
            has = f"the track has only {first:g} to {last:g}"
            notes.append(f"trial {number} has frames {begin:g} to {end:g}, but {has}")


def central_part(seen: Individual) -> str:
    """Return the body part whose name suggests the middle, or else the one lost least often."""
    named = next((part for word in _MIDDLE for part in seen.parts if word in part.casefold()), None)
    lost = {part: int(np.isnan(places).sum()) for part, places in seen.parts.items()}
    return named if named is not None else min(lost, key=lost.__getitem__)


def listed(names: Sequence[str]) -> str:
    return few(f"'{name}'" for name in names)


def likely_positions(
    places: Floats, tracks: Tracks, scene: Scene, notes: list[str]
) -> Annotated[Floats, "row 2"]:
    """Return positions; NaN where they are unlikely."""
    least = tracks.cutoff if scene.track.likelihood is None else scene.track.likelihood
    path = places[:, :2].copy()
    unlikely = (places[:, 2] < least) & ~np.isnan(path).any(axis=1)
    path[unlikely | np.isnan(path).any(axis=1)] = np.nan
    if unlikely.any():
        share = f"{unlikely.sum()} of {len(path)} positions"
        notes.append(
            f"left out: {share} less likely than {least:g}; to change it, set [track] likelihood"
        )
    return path
