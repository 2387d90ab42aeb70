"""Several trials in the form that kernels take: the walls of all in one array, and so on.

To call a kernel costs more than most kernels need for a trial. So they take all trials of an
episode at once, and know the rows at which the walls, frames and so on of each trial begin.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part
from hbtom.observe.events import Track
from hbtom.observe.trial import Trial


class Layout(NamedTuple):
    """The layout of a trial's world: lengths and places in pixels, boxes as x, y, width, height.

    The items are the objects and then, if there is one, the key.
    """

    width: float
    height: float
    walls: Annotated[Floats, "wall 4"]
    barrier: Annotated[Floats, "block 4"]
    items: Annotated[Floats, "item 3"]  # x, y, radius
    lock: Annotated[Floats, "lock 2"]  # x, y of the lock; no row without one
    radius: float  # of the agent
    objects: int  # how many of the items are objects


class Scenes(NamedTuple):
    """The layouts and tracks of several trials, one after the other in each array."""

    first: Annotated[Ints, "1+trial 8"]  # where each trial begins in each array: see ``_COUNTED``
    numbers: Annotated[Floats, "trial 3"]  # width and height of the world, radius of the agent
    walls: Annotated[Floats, "wall 4"]
    barrier: Annotated[Floats, "block 4"]
    items: Annotated[Floats, "item 3"]
    lock: Annotated[Floats, "lock 2"]
    path: Annotated[Floats, "frame 2"]  # of the agents, without gaps
    barrier_left: Annotated[Floats, "frame"]
    key_path: Annotated[Floats, "frame 2"]
    lock_there: Annotated[Bools, "frame"]


# The columns of ``Scenes.first``
_WALLS, _BARRIER, _ITEMS, _LOCK, _PATH, _KEY_PATH, _LOCK_THERE, _OBJECTS = range(8)
_NOWHERE, _NEVER = np.empty((0, 2)), np.empty(0, dtype=np.bool_)


def scenes_of(trials: Sequence[Trial]) -> Scenes:
    """Return trials in the form that kernels take."""
    counts, numbers, items, locks = [0] * 8, list[float](), list[float](), list[float]()
    keys, shown = list[Floats](), list[Bools]()
    for one in trials:
        things, key, lock, there = one.items, one.key_path, one.lock, one.lock_there
        held, open_ = 0 if key is None else len(key), 0 if there is None else len(there)
        counts += len(one.walls), len(one.barrier), len(things), lock is not None
        counts += len(one.path), held, open_, len(one.objects)
        numbers += *one.size, one.agent.radius
        for thing in things:
            items += *thing.centre, thing.radius
        if key is not None:
            keys.append(key)
        if lock is not None and there is not None:
            locks += lock.centre
            shown.append(there)
    return Scenes(
        np.array(counts).reshape(-1, 8).cumsum(axis=0),
        np.array(numbers, dtype=np.float64).reshape(-1, 3),
        np.concatenate([one.walls for one in trials]),
        np.concatenate([one.barrier for one in trials]),
        np.array(items, dtype=np.float64).reshape(-1, 3),
        np.array(locks, dtype=np.float64).reshape(-1, 2),
        np.concatenate([one.whole_path for one in trials]),
        np.concatenate([one.barrier_left for one in trials]),
        np.concatenate(keys) if keys else _NOWHERE,
        np.concatenate(shown) if shown else _NEVER,
    )


def scene_of_path(path: Annotated[Floats, "frame 2"]) -> Scenes:
    """Return a path alone: a scene in which nothing else is known."""
    first, (boxes, items) = np.zeros((2, 8), dtype=np.int64), (np.empty((0, 4)), np.empty((0, 3)))
    first[1, _PATH] = len(path)
    still = np.empty((0, 2)), np.zeros(len(path)), np.empty((0, 2)), _NEVER
    return Scenes(first, np.zeros((1, 3)), boxes, boxes, items, still[0], path, *still[1:])


@part
def layout_at(scenes: Scenes, trial: int) -> Layout:
    """Return the layout of one trial."""
    first, last, numbers = scenes.first[trial], scenes.first[trial + 1], scenes.numbers[trial]
    return Layout(
        numbers[0],
        numbers[1],
        scenes.walls[first[_WALLS] : last[_WALLS]],
        scenes.barrier[first[_BARRIER] : last[_BARRIER]],
        scenes.items[first[_ITEMS] : last[_ITEMS]],
        scenes.lock[first[_LOCK] : last[_LOCK]],
        numbers[2],
        last[_OBJECTS] - first[_OBJECTS],
    )


@part
def track_at(scenes: Scenes, trial: int) -> Track:
    """Return everything that moves or vanishes in one trial."""
    first, last = scenes.first[trial], scenes.first[trial + 1]
    return Track(
        scenes.path[first[_PATH] : last[_PATH]],
        scenes.key_path[first[_KEY_PATH] : last[_KEY_PATH]],
        scenes.barrier_left[first[_PATH] : last[_PATH]],
        scenes.lock_there[first[_LOCK_THERE] : last[_LOCK_THERE]],
    )
