"""Simple shapes for things: the same in figures, movies and notebooks.

A glyph is a polygon in the square from -1 to 1, with y downwards. It touches all four sides, so
that the box around a drawn thing is the box in the benchmark's file. Other agents are discs, and
boards are rotated boxes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, frozen
from hbtom.observe import Episode, Other, Trial
from hbtom.observe.bodies import OtherKind
from hbtom.world.stages import at_frame

Polygon = Annotated[Floats, "corner 2"]

JUMP = 8.0  # pixels; an agent that moves farther in one frame has been put there
_INSET = 9.0  # pixels from the edge of the world to the sign of an observer outside
_BLUNT = 0.12  # half the width of a tip, so that it is visible even with few pixels
_ROUND = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)


def _mirrored(*quarter: tuple[float, float]) -> Polygon:
    """Return a symmetric polygon, given the corners of its lower right quarter from x to y."""
    right_below = np.array(quarter)
    left_below = right_below[::-1] * (-1, 1)
    half = np.concatenate([right_below, left_below])
    return frozen(np.concatenate([half, -half]))


DISC = frozen(np.stack([np.cos(_ROUND), np.sin(_ROUND)], axis=1))
TRIANGLE = frozen([(-_BLUNT, -1), (_BLUNT, -1), (1, 1), (-1, 1)])
SQUARE = _mirrored((1, 1))
OBJECTS: tuple[Polygon, ...] = (  # a square comes last: it looks like a piece of wall
    _mirrored((1, _BLUNT), (_BLUNT, 1)),  # diamond
    _mirrored((1, 0.38), (0.38, 0.38), (0.38, 1)),  # cross
    frozen([(-1, -1), (1, -1), (0.3, 0), (1, 1), (-1, 1), (-0.3, 0)]),  # hourglass
    _mirrored((1, _BLUNT), (0.3, 0.3), (_BLUNT, 1)),  # star
    _mirrored((1, 0.5), (_BLUNT, 1)),  # hexagon
    _mirrored((1, 0.5), (0.5, 1)),  # octagon
    SQUARE,
)
AGENTS: tuple[Polygon, ...] = (
    DISC,
    frozen([(-_BLUNT, -1), (_BLUNT, -1), (1, -0.2), (0.6, 1), (-0.6, 1), (-1, -0.2)]),  # pentagon
    frozen([(-1, -1), (1, -1), (1, 0), (_BLUNT, 1), (-_BLUNT, 1), (-1, 0)]),  # shield
)
CAMERA = frozen([(-6, -3.6), (2, -3.6), (2, -1), (6, -3.4), (6, 3.4), (2, 1), (2, 3.6), (-6, 3.6)])

CALLED: dict[OtherKind, str] = {
    "agent": "other agent",
    "door": "door",
    "occluder": "occluder",
    "paddle": "paddle",
}


def turned(image: str) -> Polygon:
    """Return the triangle of a key or a lock, rotated as its image says: ``triangle90.png``."""
    found = re.search(r"(\d+)\.\w+$", image)
    quarters = int(found[1]) // 90 % 4 if found else 0
    corners = TRIANGLE
    for _ in range(quarters):
        corners = corners[:, ::-1] * (-1, 1)  # clockwise, as y points downwards
    return corners


def mask(glyph: Polygon, side: int) -> Annotated[Bools, "row column"]:
    """Return which pixels of a square of ``side`` pixels have their centre inside a glyph."""
    middles = (np.arange(side) + 0.5) * (2.0 / side) - 1.0
    x, y = middles[None, :], middles[:, None]
    inside = np.zeros((side, side), dtype=bool)
    corners = glyph * (1.0 + 1e-9)  # points on an edge are inside, on all sides alike
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if y0 != y1:  # does a ray to the right cross this edge?
            crosses = (y0 > y) != (y1 > y)
            inside ^= crosses & (x < x0 + (x1 - x0) * (y - y0) / (y1 - y0))
    return inside


def kinds(episode: Episode) -> list[OtherKind]:
    """Return the kinds of other things in an episode, in alphabetical order."""
    return sorted({other.kind for trial in episode for other in trial.others})


def shape(other: Other, frame: int) -> Polygon:
    """Return the outline of another thing in a frame, around its position."""
    outline = (DISC if other.kind == "agent" else SQUARE) * np.array(other.size) / 2
    turn = np.radians(other.angle[frame])
    towards = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    return outline @ towards


def seen_from_to(other: Other) -> tuple[int, int]:
    """Return the first and last frame in which another thing is present; 0 and -1 if never."""
    there = np.flatnonzero(~np.isnan(other.angle))
    return (int(there[0]), int(there[-1])) if len(there) else (0, -1)


def outline(other: Other, frame: int) -> Polygon:
    """Return the outline of another thing where it is in a frame."""
    return other.path[frame] + shape(other, frame)


def seen_at(trial: Trial, frame: int) -> Trial:
    """Return a trial whose world is as seen in a frame.

    Unlike :func:`hbtom.world.stages.at_frame`, this ignores what the agent notices.
    """
    return at_frame(replace(trial, still=False) if trial.still else trial, frame)


def camera_place(camera: tuple[float, float], size: tuple[float, float]) -> tuple[Polygon, Polygon]:
    """Return where the observer's sign is drawn, at the edge of the world, and its rotation."""
    place = np.clip(np.array(camera), _INSET, np.array(size) - _INSET)
    towards = np.array(size) / 2 - place
    towards = towards / max(np.hypot(*towards), 1e-9)
    return place, np.array([towards, (-towards[1], towards[0])])


def walked(path: Annotated[Floats, "frame 2"]) -> Annotated[Floats, "point 2"]:
    """Return the points of a path, with a gap (NaN) where something jumps."""
    steps = np.hypot(*np.diff(path, axis=0).T)
    jumps = np.flatnonzero(steps > JUMP) + 1
    return np.insert(path, jumps, np.nan, axis=0)
