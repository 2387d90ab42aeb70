"""Convert trials as arrays into the inputs of networks."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.neural.drawing import draw
from hbtom.neural.nets.batch import Batch
from hbtom.neural.operations import Array
from hbtom.neural.tensors import (
    BARRIER,
    COLOUR,
    HEIGHT,
    KIND,
    OBJECT,
    OTHER,
    SHAPE,
    THERE,
    WALL,
    WIDTH,
    Pictures,
    Tensors,
)

THINGS, BOXES = 6, 40  # most things and boxes that the set transformer sees in a trial
EDGE = 0.004  # a box that ends closer to the edge of the world belongs to the walls around it


def steps_there(seen: Tensors) -> Annotated[Array, "episode trial step"]:
    """Return which steps exist."""
    return np.arange(seen.actions.shape[-2]) < seen.steps[..., None]


def see_pictures(seen: Tensors) -> Batch:
    """Return the input of a network that looks at pictures."""
    return {**see_steps(seen), "pictures": pictures_of(seen)}


def see_steps(seen: Tensors) -> Batch:
    """Return the input that all networks share."""
    return {"there": steps_there(seen), "actions": seen.actions.astype(np.float16)}


def pictures_of(seen: Tensors) -> Annotated[Pictures, "episode trial frame 84 84 3"]:
    """Draw all frames."""
    return np.stack([draw(*one) for one in zip(seen.things, seen.places, strict=True)])


def see_things(seen: Tensors) -> Batch:
    """Return the input of the set transformer."""
    kinds = seen.things[..., KIND]
    are_things = (kinds >= OTHER) & (kinds <= OBJECT)
    is_box = ((kinds == BARRIER) | (kinds == WALL)) & ~_around(seen)
    things, places = _first(seen, are_things, THINGS)
    boxes, where = _first(seen, is_box, BOXES)
    sizes = boxes[..., [WIDTH, HEIGHT]]
    barrier = boxes[..., KIND, None] == BARRIER
    middle = where.max(axis=-3)[..., :2]  # a box stands still; once it is gone, its place is 0
    return {
        **see_steps(seen),
        "agent": seen.places[..., 0, :2].astype(np.float16),
        "agent_look": _looks(seen.things[..., 0, :]),
        "things": places.astype(np.float16),
        "looks": _looks(things) * (things[..., KIND] > 0),
        "boxes": np.concatenate([middle, sizes, barrier], axis=-1, dtype=np.float16),
        "standing": (where[..., THERE] > 0) & (boxes[..., None, :, KIND] > 0),
    }


def _around(seen: Tensors) -> Annotated[Array, "episode trial thing"]:
    """Return which things touch the edges of the world."""
    middle = seen.places.max(axis=-3)[..., :2]
    half = seen.things[..., [WIDTH, HEIGHT]] / 2
    return ((middle - half < EDGE) | (middle + half > 1 - EDGE)).any(axis=-1)


def _first(seen: Tensors, wanted: Array, count: int) -> tuple[Array, Array]:
    """Return the first of the wanted things, and their places; zeros if there are fewer."""
    order = np.argsort(~wanted, axis=-1, kind="stable")[..., :count]
    kept = np.take_along_axis(wanted, order, -1)
    things = np.take_along_axis(seen.things, order[..., None], -2) * kept[..., None]
    where = order[..., None, :, None]
    places = np.take_along_axis(seen.places, where, -2) * kept[..., None, :, None]
    lacking = [(0, 0)] * (things.ndim - 2) + [(0, count - order.shape[-1]), (0, 0)]
    return np.pad(things, lacking), np.pad(places, [*lacking[:-2], (0, 0), *lacking[-2:]])


def _looks(things: Array) -> Annotated[Array, "..."]:
    """Return a number for the look of each thing, from colour and shape."""
    colour = np.rint(255 * things[..., COLOUR]).astype(np.int32)
    shape = things[..., SHAPE].astype(np.int32) + 1
    return shape + 128 * (colour @ np.array([1, 256, 65536], dtype=np.int32))
