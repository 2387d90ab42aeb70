"""Make trials from rows, a column at a time: one array contains all paths, and a trial has a slice.

Python works once per trial and once per body, but never once per frame or wall. The result equals
what was written, bit for bit, and arrays are read-only, as from every reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from hbtom.arrays import Floats, Ints, frozen, read_only
from hbtom.errors import BadInput
from hbtom.observe.archive.columns import arrow, filled, numbers, starts, there, truths
from hbtom.observe.archive.soundness import sound
from hbtom.observe.bodies import Body, Identity, Other
from hbtom.observe.checks import check_trial, mark_checked
from hbtom.observe.trial import Trial

_NO_BLOCKS = frozen(np.empty((0, 4)))


def trials(rows: Any) -> list[Trial | BadInput]:
    """Return the trial in each row of a record batch, or the error if it cannot be read."""
    if sound(rows):
        whole = not np.isnan(numbers(rows.column("path_x").values)).any()
        return [mark_checked(trial, whole=whole) for trial in _built(rows)]
    return [_alone(rows.take([index])) for index in range(rows.num_rows)]


def _alone(row: Any) -> Trial | BadInput:
    try:
        (trial,) = _built(row)
        check_trial(trial)
    except BadInput as error:
        return error
    return trial


def _built(rows: Any) -> Iterable[Trial]:
    frames = np.diff(starts(rows, "path_x"))
    values = {
        "size": _pairs(rows, "width", "height"),
        "walls": _blocks(rows, "walls"),
        "barrier": _blocks(rows, "barrier"),
        "objects": _objects(rows),
        "agent": list(_made(rows.column("agent"))),
        "path": _points(rows, "path_x", "path_y", frames),
        "barrier_left": _left(rows, frames),
        "key": _body(rows, "key"),
        "key_path": _points(rows, "key_path_x", "key_path_y", frames),
        "lock": _body(rows, "lock"),
        "lock_there": _a_frame(rows, "lock_there", frames),
        "warnings": _warnings(rows),
        "others": _others(rows),
    }
    given = {name: column for name, column in values.items() if column is not None}
    each = zip(*given.values(), strict=True)
    made = [Trial.made_of(zip(given, row, strict=True)) for row in each]
    changed = filled(rows, "changes")
    return map(_changed, made, rows.column("changes").to_pylist()) if changed else made


# Columns of numbers. If a column is empty, the result is None, and trials have the field's default.


def _pairs(rows: Any, one: str, other: str) -> Iterator[tuple[float, float]]:
    """Return two columns of numbers as one of pairs."""
    return zip(*(numbers(rows.column(name)).tolist() for name in (one, other)), strict=True)


def _slices(rows: Any, name: str, values: Any) -> list[Any]:
    """Return the part of the values that belongs to each row, or None if the row is null."""
    column = rows.column(name)
    at = starts(rows, name).tolist()
    parts = list(map(values.__getitem__, map(slice, at, at[1:])))
    if column.null_count:
        present = there(rows, name).tolist()
        return [part if valid else None for part, valid in zip(parts, present, strict=True)]
    return parts


def _a_frame(rows: Any, name: str, frames: Ints) -> list[Any] | None:
    """Return the values of each row, which must have one value per frame."""
    if not filled(rows, name):
        return None
    _check(rows, name, frames)
    values = rows.column(name).values
    truth = str(values.type) == "bool"
    return _slices(rows, name, read_only(truths(values) if truth else numbers(values)))


def _points(rows: Any, x: str, y: str, frames: Ints) -> list[Floats | None] | None:
    """Return the positions of each row, ``[frame, 2]``, from a column for x and one for y."""
    _check(rows, x, frames)
    _check(rows, y, frames)
    present = there(rows, x)
    if not np.array_equal(present, there(rows, y)):
        raise BadInput(f"'{x}' and '{y}' must come together")
    if not present.any():
        return None
    across, down = (numbers(rows.column(name).values) for name in (x, y))
    return _slices(rows, x, read_only(np.stack((across, down), axis=1)))


def _check(rows: Any, name: str, frames: Ints) -> None:
    present = there(rows, name)
    if not np.array_equal(np.diff(starts(rows, name))[present], frames[present]):
        raise BadInput(f"'{name}' needs one value for each frame of 'path_x'")


def _left(rows: Any, frames: Ints) -> list[Floats]:
    """Return how much of the barrier is left in each row; zeros if there is none."""
    nothing = read_only(np.zeros(frames.max(initial=0)))
    given = _a_frame(rows, "barrier_left", frames) or [None] * rows.num_rows
    each = zip(given, frames.tolist(), strict=True)
    return [nothing[:count] if left is None else left for left, count in each]


def _blocks(rows: Any, name: str) -> list[Floats]:
    """Return the blocks of each row, ``[block, 4]``."""
    if not filled(rows, name):
        return [_NO_BLOCKS] * rows.num_rows
    fields = rows.column(name).values.flatten()
    return _slices(rows, name, read_only(np.stack([numbers(one) for one in fields], axis=1)))


# Columns of bodies and texts


def _body(rows: Any, name: str) -> list[Body | None] | None:
    """Return the body of each row, or None if there is none."""
    if not filled(rows, name):
        return None
    column = rows.column(name)
    if not column.null_count:
        return list(_made(column))
    bodies = _made(column.drop_null())
    return [next(bodies) if valid else None for valid in there(rows, name).tolist()]


def _objects(rows: Any) -> list[tuple[Body, ...]]:
    return _slices(rows, "objects", tuple(_made(rows.column("objects").values)))


def _warnings(rows: Any) -> list[tuple[str, ...]] | None:
    if not filled(rows, "warnings"):
        return None
    return _slices(rows, "warnings", tuple(rows.column("warnings").values.to_pylist()))


def _made(column: Any) -> Iterator[Body]:
    image, colour, *places = column.flatten()
    x, y, radius = (numbers(place).tolist() for place in places)
    return map(Body, _looks(image, colour), zip(x, y, strict=True), radius)


def _looks(image: Any, colour: Any) -> Iterator[Identity]:
    """Yield an identity for each image and colour; equal ones are the same object.

    Colours are compared bit by bit, because 0.0 equals -0.0.
    """
    images, colours = image.dictionary_encode(), _bits(colour).dictionary_encode()
    first, second = (numbers(one.indices, np.int32).astype(np.int64) for one in (images, colours))
    many = len(colours.dictionary)
    which = (first * many + second).tolist()
    names = images.dictionary.to_pylist()
    values = [tuple(np.frombuffer(bits).tolist()) for bits in colours.dictionary.to_pylist()]
    looks = {one: Identity(names[one // many], values[one % many]) for one in set(which)}
    return map(looks.__getitem__, which)


def _bits(lists: Any) -> Any:
    """Return the bytes of the numbers in each list."""
    pa, _ = arrow()
    at = 8 * numbers(lists.offsets, np.int32).astype(np.int64)
    buffers = [None, *map(pa.py_buffer, (at, numbers(lists.values)))]
    return pa.Array.from_buffers(pa.large_binary(), len(lists), buffers)


# Changes and others, which are rare


def _changed(trial: Trial, row: dict[str, Any] | None) -> Trial:
    """Return a trial with its moving objects, absences and camera added."""
    if row is None:
        return trial
    shapes = {
        "agent_there": (len(trial.path),),
        "walls_there": (len(trial.path), len(trial.walls)),
        "object_paths": (len(trial.path), len(trial.objects), 2),
    }
    values: dict[str, Any] = {}
    for name, shape in shapes.items():
        if row[name] is not None:
            if len(row[name]) != np.prod(shape):
                raise BadInput(f"'{name}' needs {np.prod(shape)} values")
            values[name] = read_only(np.array(row[name]).reshape(shape))
    if row["camera"] is not None:
        if len(row["camera"]) != 2:
            raise BadInput("'camera' needs x and y")
        values["camera"] = tuple(row["camera"])
    still = "walls_there" in values or "object_paths" in values
    return replace(trial, still=still, **values)


def _others(rows: Any) -> list[tuple[Other, ...]] | None:
    """Return the others of each row."""
    if not filled(rows, "others"):
        return None
    return [tuple(map(_other, row)) for row in rows.column("others").to_pylist()]


def _other(row: dict[str, Any]) -> Other:
    x, y = frozen(row["path_x"]), frozen(row["path_y"])
    if len(x) != len(y):
        raise BadInput("'path_x' and 'path_y' in 'others' differ in length")
    return Other(
        kind=row["kind"],
        look=Identity(row["image"], tuple(row["colour"])),
        size=(row["width"], row["height"]),
        path=read_only(np.stack((x, y), axis=1)),
        angle=frozen(row["angle"]),
    )
