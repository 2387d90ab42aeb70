"""Check a column at a time whether all trials of a record batch are sound.

If they are, they would pass :func:`hbtom.observe.checks.check_trial`, which takes longer than
reading a trial but says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.observe.archive.columns import has_changes, has_others, numbers, starts, truths
from hbtom.observe.checks import DEEP, KEY_FARTHEST, MOST_FRAMES, MOST_OBJECTS
from hbtom.observe.fields import FARTHEST, LARGEST_WORLD


def sound(rows: Any) -> bool:
    """Return whether all rows contain trials that can be judged, with nothing unusual."""
    # Stops at the first failure, since later checks rely on earlier ones.
    plain = not has_others(rows) and not has_changes(rows)
    return plain and all(found.all() for found in _found(rows))


def _found(rows: Any) -> Iterator[Any]:
    """Yield truth values that should all be true."""
    width, height = numbers(rows.column("width")), numbers(rows.column("height"))
    frames = _counts(rows, "path_x")
    yield (width > 0) & (width <= LARGEST_WORLD) & (height > 0) & (height <= LARGEST_WORLD)
    yield (frames > 0) & (frames <= MOST_FRAMES)
    for name in ("path_y", "barrier_left", "key_path_x", "key_path_y", "lock_there"):
        yield (_counts(rows, name) == frames) | ~_there(rows, name)
    for name, other in (("key", "key_path_x"), ("key", "key_path_y"), ("lock", "lock_there")):
        yield _there(rows, name) == _there(rows, other)
    for name, most in (("path_x", width), ("path_y", height)):
        at = starts(rows, name)
        values, at = _values(rows, name), at[:-1] - at[0]
        # NaN means that the agent was not seen; a path of NaN alone is not sound.
        yield (np.fmin.reduceat(values, at) >= 0) & (np.fmax.reduceat(values, at) <= most)
    yield np.isnan(_values(rows, "path_x")) == np.isnan(_values(rows, "path_y"))
    yield from _blocks(rows)
    yield from _bodies(rows, width, height)
    yield from _key_path(rows)
    left = _values(rows, "barrier_left")
    yield (left >= 0) & (left <= 1)


def _counts(rows: Any, name: str) -> Ints:
    return np.diff(starts(rows, name))


def _values(rows: Any, name: str) -> Floats:
    """Return the numbers of all lists in a column."""
    at = starts(rows, name)
    values: Floats = numbers(rows.column(name).values)
    return values[at[0] : at[-1]]


def _there(rows: Any, name: str) -> Any:
    return truths(rows.column(name).is_valid())


def _firsts(rows: Any, name: str) -> tuple[Floats, Floats]:
    """Return where the path of each row begins, for rows that have one."""
    there = _there(rows, f"{name}_x")
    x, y = (
        numbers(rows.column(path).values)[starts(rows, path)[:-1][there]]
        for path in (f"{name}_x", f"{name}_y")
    )
    return x, y


def _blocks(rows: Any) -> Iterator[Any]:
    for name in ("walls", "barrier"):
        x, y, width, height = map(numbers, rows.column(name).values.flatten())
        for extent in (width, height):
            yield (extent >= 0) & (extent <= FARTHEST)
        for corner in (x, y):
            yield np.abs(corner) <= FARTHEST
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
        there = _there(rows, name)
        bodies = rows.column(name).drop_null()
        yield from _inside(bodies, width[there], height[there])
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
