"""A scene file to fill in."""

from __future__ import annotations

import json
import math

import numpy as np

from hbtom.observe.from_arrays import ROUND
from hbtom.observe.tracks.agent_track import central_part
from hbtom.observe.tracks.points import Individual, Tracks

_TEXT = """\
# Where a track was recorded. Lengths are in the units below; x and y are as in the track.

size = {size}  # width and height of the world{measured}
units = "px"  # of this file: px, mm, cm or m
{corner}  # where the world begins, if not at (0, 0)
# y = "up"  # y grows upwards in the track; by default downwards, as in videos
# scale = 1.0  # pixels of the model's world in one unit; by default the longer side is 200 pixels
walls = [
  # [100, 0, 10, 120],  # x, y, width, height
]

[agent]
name = "agent"
{track}  # which one to judge, if there are several: {tracks}
{part}  # body part whose position is the agent's: {parts}
# radius = {radius}  # by default 5 % of the longer side

[track]
# units = "px"  # if they differ from those of this file
# per_unit = 12.5  # units of the track in one unit of this file, such as pixels in a centimetre
# likelihood = 0.6  # positions that are less likely are left out
# noise = 1.5  # jitter, in units of the track; by default measured in still frames
# pace = 2.0  # how far the agent walks in a frame; by default measured

# [track.columns]  # of plain tables with names other than frame, time, id, x, y
# x = "pos x"
# y = "pos y"
# trial = "trial"  # rows with the same value form a trial

[[objects]]  # what the agent may want; one section for each object
name = "food"
at = {at}
# radius = {radius}

# [[trials]]  # the last one is judged; without any, the whole track is one trial
# frames = {frames}  # first and last, as numbered in the file; times if it has times
# name = "test"  # instead of frames, if a column names the trials
# agent = "other"  # if this trial shows another agent
# objects = [{{name = "food", at = {at}}}]  # if they are elsewhere; the same goes for walls
"""

_TINIEST = 1e-300  # smaller numbers have few digits left


def template(tracks: Tracks | None = None) -> str:
    """Return a scene file to fill in, with the names and the size of a track if one is given."""
    names = [] if tracks is None else list(tracks.seen)
    first = None if tracks is None else tracks.seen[names[0]]
    usual, ends = ("", [0, 299]) if first is None else (central_part(first), _ends(first))
    parts = [] if tracks is None else [*tracks.seen[names[0]].parts]
    size, corner = ([200, 200], [0, 0]) if tracks is None else _extent(tracks)
    return _TEXT.format(
        size=size,
        corner=f"corner = {corner}" if any(corner) else "# corner = [0, 0]",
        measured="" if tracks is None else "; this is the area that the track covers",
        track=f"track = {json.dumps(names[0])}" if len(names) > 1 else '# track = "mouse"',
        tracks=_listed(names),
        frames=ends,
        part=f"part = {json.dumps(usual)}" if len(parts) > 1 else '# part = "nose"',
        parts=_listed(parts),
        radius=_short(ROUND * max(size)),
        at=[_short(side / 2 + low) for side, low in zip(size, corner, strict=True)],
    )


def _ends(seen: Individual) -> list[float]:
    """Return the numbers or times of the first and the last frame."""
    number = seen.number[np.isfinite(seen.number)]
    if not len(number):
        return [0, 299]
    ends = (float(f"{end:.6g}") for end in (number.min(), number.max()))
    return [int(end) if end == int(end) else end for end in ends]


def _listed(names: list[str]) -> str:
    return ", ".join(map(json.dumps, names[:20])) if any(names) else "their names in the file"


def _extent(tracks: Tracks) -> tuple[list[float], list[float]]:
    """Return the extent of the positions, rounded to two digits, and its corner, at most (0, 0).

    Without positions, the extent is that of the model's world.
    """
    every = [part[:, :2] for one in tracks.seen.values() for part in one.parts.values()]
    places = np.concatenate(every)
    places = places[np.isfinite(places).all(axis=1)]
    if not len(places):
        return [200, 200], [0, 0]
    corner = [-_rounded_up(-low) for low in places.min(axis=0).tolist()]
    ends = [_rounded_up(high) for high in places.max(axis=0).tolist()]
    sides = [end - low for end, low in zip(ends, corner, strict=True)]
    return [_short(one or max(sides) or 1.0) for one in sides], [_short(one) for one in corner]


def _rounded_up(value: float) -> float:
    """Return a number rounded up to two digits; 0 if it is not positive, or tiny."""
    if value <= _TINIEST:
        return 0.0
    digit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return math.ceil(value / digit) * digit


def _short(value: float) -> float:
    """Return a number with few digits; whole numbers as integers."""
    rounded = float(f"{value:.6g}")
    return int(rounded) if rounded == int(rounded) else rounded
