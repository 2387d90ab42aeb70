"""The looks of entities: invented shapes, colours, and when two drawn shapes touch.

An agent stops when its drawn shape meets the drawn shape of its goal, not when their bounding
squares meet. Every invented shape is a lobed disc with a certain number, depth and rotation of
lobes. This reproduces the range of contact distances in real files.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from hbtom.arrays import Bools
from hbtom.bench.synth.geometry import Point, Rng
from hbtom.observe import Identity

AGENT_R = 6
OBJECT_R = 9
KEY_R = 8
LOCK_R = 10

HOME = Identity("./shapes/home.png", (255, 105, 180))

COLOURS = (
    (245, 222, 179), (0, 255, 255), (0, 0, 128), (255, 0, 255), (255, 140, 0),
    (70, 130, 180), (128, 128, 0), (220, 20, 60), (123, 104, 238), (0, 191, 255),
    (139, 69, 19), (218, 165, 32), (199, 21, 133), (47, 79, 79), (255, 215, 0),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outline:
    """A lobed disc, as fractions of the entity's radius."""

    mean: float
    depth: float
    lobes: int
    turn: float


AGENT_SHAPES: dict[str, Outline] = {
    "acorn": Outline(0.87, 0.06, 1, 0.4),
    "beetle": Outline(0.85, 0.08, 4, 0.0),
    "comet": Outline(0.84, 0.09, 3, 1.1),
    "drop": Outline(0.85, 0.08, 1, 2.2),
    "lantern": Outline(0.86, 0.07, 2, 0.8),
    "pebble": Outline(0.89, 0.04, 2, 2.0),
    "shuttle": Outline(0.83, 0.10, 2, 0.2),
    "sprout": Outline(0.85, 0.08, 5, 0.6),
}
OBJECT_SHAPES: dict[str, Outline] = {
    "anvil": Outline(0.69, 0.10, 4, 0.8),
    "bobbin": Outline(0.68, 0.11, 2, 0.0),
    "buoy": Outline(0.73, 0.06, 3, 0.5),
    "chalice": Outline(0.68, 0.11, 3, 1.6),
    "crumpet": Outline(0.74, 0.04, 6, 0.0),
    "fern": Outline(0.68, 0.11, 5, 0.3),
    "gourd": Outline(0.69, 0.10, 1, 1.0),
    "hinge": Outline(0.67, 0.12, 2, 1.5),
    "paddle": Outline(0.67, 0.12, 1, 2.6),
    "saddle": Outline(0.70, 0.09, 2, 0.7),
    "turret": Outline(0.71, 0.08, 4, 0.0),
    "whisk": Outline(0.68, 0.11, 1, 4.0),
}


def agent_looks(rng: Rng, n: int) -> list[Identity]:
    """Identities of n agents that differ in both image and colour."""
    return _looks(rng, "agents", tuple(AGENT_SHAPES), n)


def object_looks(rng: Rng, n: int) -> list[Identity]:
    """Identities of n goal objects that differ in both image and colour."""
    return _looks(rng, "objects", tuple(OBJECT_SHAPES), n)


def key_and_lock(rng: Rng) -> tuple[Identity, Identity]:
    """A key, which is a triangle, and a lock with a slot for it, in the same rotation."""
    turn = 90 * int(rng.integers(4))
    key, lock = f"./shapes/triangle{turn}.png", f"./shapes/triangle_slot{turn}.png"
    return Identity(key, (128, 0, 0)), Identity(lock, (0, 128, 0))


def shapes_touch(
    agent: Identity, agent_at: Point, thing: Identity, thing_at: Point, r: int
) -> bool:
    """Whether the shapes drawn around these two centres overlap."""
    dx, dy = agent_at[0] - thing_at[0], agent_at[1] - thing_at[1]
    reach = AGENT_R + r
    if abs(dx) >= reach or abs(dy) >= reach:
        return False
    return bool(_contact(_outline(agent), _outline(thing), r)[dy + reach, dx + reach])


def _looks(rng: Rng, kind: str, names: tuple[str, ...], n: int) -> list[Identity]:
    shapes = rng.choice(len(names), size=n, replace=False)
    colours = rng.choice(len(COLOURS), size=n, replace=False)
    return [
        Identity(f"./shapes/train/{kind}/{names[i]}.png", COLOURS[j])
        for i, j in zip(shapes, colours, strict=True)
    ]


_TRIANGLE = Outline(0.68, 0.16, 3, 0.5)


def _outline(look: Identity) -> Outline:
    name = look.image.rsplit("/", 1)[-1].removesuffix(".png")
    return AGENT_SHAPES.get(name) or OBJECT_SHAPES.get(name) or _TRIANGLE


def _mask(outline: Outline, r: int) -> Bools:
    """The pixels of the drawn shape in its bounding square."""
    y, x = np.mgrid[0 : 2 * r, 0 : 2 * r] - (r - 0.5)
    angle = np.arctan2(y, x)
    rim = r * (outline.mean + outline.depth * np.cos(outline.lobes * angle + outline.turn))
    return np.asarray(np.hypot(x, y) <= rim, dtype=bool)


@lru_cache(maxsize=512)
def _contact(agent: Outline, thing: Outline, r: int) -> Bools:
    """Overlap of two shapes for every offset of their centres."""
    a, b = _mask(agent, AGENT_R), _mask(thing, r)
    reach = AGENT_R + r
    canvas = np.zeros((4 * reach, 4 * reach), dtype=bool)
    canvas[2 * reach - r : 2 * reach + r, 2 * reach - r : 2 * reach + r] = b
    first, last = reach - AGENT_R, 3 * reach - AGENT_R
    under = sliding_window_view(canvas, a.shape)[first : last + 1, first : last + 1]
    return np.asarray((under & a).any(axis=(2, 3)), dtype=bool)
