"""Pictures of 84 x 84 pixels, drawn from positions.

A trial is two arrays (:mod:`hbtom.neural.tensors`): *things* say what each thing looks like, and
*places* where it is in each frame. Boxes are painted first, and then round things, the last one
first, so that the agent is on top. Edges are smooth: a pixel that a thing covers in part takes on
a part of its colour.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.neural.tensors import (
    COLOUR,
    HEIGHT,
    KEY,
    KIND,
    OBJECT,
    SHAPE,
    SHAPES,
    THERE,
    WALL,
    WIDTH,
    Numbers,
    Pictures,
    Places,
    Things,
)

SIDE = 84  # pixels
FLOOR = 255  # in each of three colours
_NUMBER = np.arange(SHAPES)
LOBES = (1 + _NUMBER % 8).astype(np.float32)  # of the outline of each shape
TURN = (2 * np.pi * (_NUMBER // 8) / 8).astype(np.float32)
TINY = 0.01  # the least radius, in pixels
RIM, DEPTH = 0.84, 0.14  # of the radius: where the outline is, and how far its lobes reach


def draw(things: Things, places: Places) -> Pictures:
    """Return a picture of every frame of these trials: ``[trial, frame, 84, 84, 3]``.

    Things that do not move, the stage, are painted once for all frames in which they are the same.
    """
    kinds = np.where(things[..., KIND] > 0, things[..., KIND], WALL)
    movers, rounds = (int((kinds <= last).sum(axis=1).max()) for last in (KEY, OBJECT))
    still = places[:, :, movers:]
    begins = np.ones(places.shape[:2], dtype=bool)
    begins[:, 1:] = (still[:, 1:] != still[:, :-1]).any(axis=(2, 3))
    trial, frame = np.nonzero(begins)
    looks, at = things[trial], places[trial, frame]
    stages = _boxes(looks, at)
    for slot in reversed(range(movers, rounds)):
        _blit(stages, looks[:, slot], at[:, slot])
    pictures = stages[np.cumsum(begins) - 1]
    looks = np.repeat(things, places.shape[1], axis=0)
    at = places.reshape(-1, *places.shape[2:])
    for slot in reversed(range(movers)):
        _blit(pictures, looks[:, slot], at[:, slot])
    return pictures.reshape(*places.shape[:2], SIDE, SIDE, 3)


def _boxes(
    looks: Annotated[Numbers, "picture thing 7"], at: Annotated[Numbers, "picture thing 3"]
) -> Annotated[Pictures, "picture 84 84 3"]:
    """Paint all boxes on the floor, equal ones once; where two overlap, it is darker."""
    slots = (looks[..., KIND] > OBJECT).any(axis=0)
    looks, at = looks[:, slots], at[:, slots]
    known: dict[bytes, int] = {}
    both = zip(looks, at, strict=True)
    same = [known.setdefault(one.tobytes() + two.tobytes(), len(known)) for one, two in both]
    first = np.unique(same, return_index=True)[1]
    looks, at = looks[first], at[first]
    across = _covered(at[..., 0], looks[..., WIDTH])
    down = _covered(at[..., 1], looks[..., HEIGHT])
    tint = 255 * looks[..., COLOUR] - FLOOR
    tint *= (at[..., THERE] * (looks[..., KIND] > OBJECT))[..., None]
    pictures = np.empty((len(looks), SIDE, SIDE, 3), dtype=np.uint8)
    for number in range(len(looks)):  # one by one, because that fits into a processor's cache
        tinted = across[number, :, :, None] * tint[number, :, None, :]
        painted = down[number].T @ tinted.reshape(len(tinted), 3 * SIDE)
        painted += FLOOR + 0.5
        pictures[number] = np.maximum(painted, 0, out=painted).reshape(SIDE, SIDE, 3)
    return pictures[same]


def _covered(middle: Numbers, length: Numbers) -> Numbers:
    """Return how much of each pixel of a row an interval covers."""
    pixel = np.arange(SIDE, dtype=np.float32)
    first, last = (SIDE * (middle + sign * length / 2)[..., None] for sign in (-1, 1))
    return np.clip(np.minimum(last, pixel + 1) - np.maximum(first, pixel), 0, 1)


def _blit(
    pictures: Annotated[Pictures, "picture 84 84 3"],
    looks: Annotated[Numbers, "picture 7"],
    at: Annotated[Numbers, "picture 3"],
) -> None:
    """Paint one round thing on each picture, in place."""
    number = np.flatnonzero((looks[:, KIND] <= OBJECT) & (at[:, THERE] > 0))
    if not len(number):
        return
    centre, look = SIDE * at[number, :2], looks[number]
    radius = np.clip(SIDE / 2 * look[:, [WIDTH, HEIGHT]], TINY, SIDE)
    reach = int(np.ceil(radius.max())) + 1
    near = np.floor(centre)[..., None] + np.arange(-reach, reach + 1, dtype=np.float32)
    away = (near + np.float32(0.5) - centre[..., None]) / radius[..., None]
    share = _share(away[:, 0, None, :], away[:, 1, :, None], look[:, SHAPE], radius.min(axis=1))
    inside = (near >= 0) & (near < SIDE)
    share *= inside[:, 0, None, :] & inside[:, 1, :, None]
    which, row, column = np.nonzero(share)
    pixel = near.astype(np.int64)
    places = number[which], pixel[which, 1, row], pixel[which, 0, column]
    ground = pictures[places].astype(np.float32)
    tint = share[which, row, column, None] * (255 * look[which, COLOUR] - ground)
    pictures[places] = (ground + tint + np.float32(0.5)).astype(np.uint8)


def _share(x: Numbers, y: Numbers, shape: Numbers, radius: Numbers) -> Numbers:
    """Return how much of each pixel a lobed disc covers; ``x`` and ``y`` are in radii."""
    lobes, turn = (table[shape.astype(int)][:, None, None] for table in (LOBES, TURN))
    rim = RIM + DEPTH * np.cos(lobes * np.arctan2(y, x) + turn)
    inward = (rim - np.hypot(x, y)) * radius[:, None, None]
    return np.clip(inward + np.float32(0.5), 0, 1)
