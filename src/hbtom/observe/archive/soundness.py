"""Check a column at a time whether all trials of a record batch are sound.

If they are, they would pass :func:`hbtom.observe.checks.check_trial`, which takes longer than
reading a trial but says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.observe.archive.columns import filled, numbers, starts, there
from hbtom.observe.checks import DEEP, KEY_FARTHEST, MOST_FRAMES, MOST_OBJECTS
from hbtom.observe.fields import FARTHEST, LARGEST_WORLD


def sound(rows: Any) -> bool:
    """Return whether all rows contain trials that can be judged, with nothing unusual."""
    # Stops at the first failure, since later checks rely on earlier ones.
    plain = not filled(rows, "others") and not filled(rows, "changes")
    return plain and all(found.all() for found in _found(rows))


def _found(rows: Any) -> Iterator[Any]:
    """Yield truth values that should all be true."""
    width, height = numbers(rows.column("width")), numbers(rows.column("height"))
    frames = _counts(rows, "path_x")
    yield (width > 0) & (width <= LARGEST_WORLD) & (height > 0) & (height <= LARGEST_WORLD)
    yield (frames > 0) & (frames <= MOST_FRAMES)
    yield _counts(rows, "path_y") == frames
    for name in ("barrier_left", "key_path_x", "key_path_y", "lock_there"):
        if filled(rows, name):
            yield (_counts(rows, name) == frames) | ~there(rows, name)
    for name, other in (("key", "key_path_x"), ("key", "key_path_y"), ("lock", "lock_there")):
        yield there(rows, name) == there(rows, other)
    for name, most in (("path_x", width), ("path_y", height)):
        at = starts(rows, name)
        yield _within(_values(rows, name), at[:-1] - at[0], most)
    yield np.isnan(_values(rows, "path_x")) == np.isnan(_values(rows, "path_y"))
    yield from _blocks(rows)
    yield from _bodies(rows, width, height)
    if filled(rows, "key"):
        yield from _key_path(rows)
    if filled(rows, "barrier_left"):
        yield _between(_values(rows, "barrier_left"), 0, 1)


def _between(values: Floats, least: float, most: float) -> Any:
    """Return whether all numbers are between two others; NaN is not."""
    return (values.min(initial=most) >= least) & (values.max(initial=least) <= most)


def _within(values: Floats, at: Ints, most: Floats) -> Any:
    """Return whether the numbers of lists that begin at ``at`` are from 0 to the list's limit.

    NaN means that the agent was not seen; a path of NaN alone is not sound.
    """
    if _between(values, 0, most.min(initial=LARGEST_WORLD)):  # as usual, and there is no NaN
        return np.True_
    return (np.fmin.reduceat(values, at) >= 0) & (np.fmax.reduceat(values, at) <= most)


def _counts(rows: Any, name: str) -> Ints:
    return np.diff(starts(rows, name))


def _values(rows: Any, name: str) -> Floats:
    """Return the numbers of all lists in a column."""
    at = starts(rows, name)
    values: Floats = numbers(rows.column(name).values)
    return values[at[0] : at[-1]]


def _firsts(rows: Any, name: str) -> tuple[Floats, Floats]:
    """Return where the path of each row begins, for rows that have one."""
    present = there(rows, f"{name}_x")
    x, y = (
        numbers(rows.column(path).values)[starts(rows, path)[:-1][present]]
        for path in (f"{name}_x", f"{name}_y")
    )
    return x, y


def _blocks(rows: Any) -> Iterator[Any]:
    for name in filter(partial(filled, rows), ("walls", "barrier")):
        x, y, width, height = map(numbers, rows.column(name).values.flatten())
        for extent in (width, height):
            yield _between(extent, 0, FARTHEST)
        for corner in (x, y):
            yield _between(corner, -FARTHEST, FARTHEST)
        if name == "walls":
            at = starts(rows, name)
            counts, part = np.diff(at), slice(at[0], at[-1])
            x, y, width, height = x[part], y[part], width[part], height[part]
            at_x, at_y = (first.repeat(counts) for first in _firsts(rows, "path"))
            deep = (x + DEEP < at_x) & (at_x < x + width - DEEP)
            yield ~(deep & (y + DEEP < at_y) & (at_y < y + height - DEEP))


def _bodies(rows: Any, width: Floats, height: Floats) -> Iterator[Any]:
    counts = _counts(rows, "objects")
    yield (counts >= 1) & (counts <= MOST_OBJECTS)
    at = starts(rows, "objects")
    objects = rows.column("objects").values[int(at[0]) : int(at[-1])]
    yield from _inside(objects, width.repeat(counts), height.repeat(counts))
    for name, path in (("agent", "path"), ("key", "key_path"), ("lock", "")):
        present = there(rows, name)
        if not present.any():
            continue
        bodies = rows.column(name).drop_null()
        yield from _inside(bodies, width[present], height[present])
        if path:
            _, _, x, y, _ = bodies.flatten()
            for here, first in zip((x, y), _firsts(rows, path), strict=True):
                yield numbers(here) == first


def _inside(bodies: Any, width: Floats, height: Floats) -> Iterator[Any]:
    _, colour, *places = bodies.flatten()
    x, y, radius = map(numbers, places)
    yield (x >= 0) & (x <= width) & (y >= 0) & (y <= height)
    yield (radius > 0) & (radius <= LARGEST_WORLD)
    yield np.isfinite(numbers(colour.values))


def _key_path(rows: Any) -> Iterator[Any]:
    x, y = (_values(rows, name) for name in ("key_path_x", "key_path_y"))
    nowhere = np.isnan(x)
    yield nowhere == np.isnan(y)
    yield nowhere | ((np.abs(x) <= KEY_FARTHEST) & (np.abs(y) <= KEY_FARTHEST))
