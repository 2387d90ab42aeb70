"""Making trials and saving episodes in Python, from lists, arrays or data frames."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Floats, frozen
from hbtom.errors import BadInput, Place
from hbtom.files import check_target, write_whole
from hbtom.observe.bodies import Body, Identity
from hbtom.observe.checks import check_trial, checked, mark_checked
from hbtom.observe.episode import Episode
from hbtom.observe.events import without_gaps
from hbtom.observe.oddities import jumps
from hbtom.observe.packing import Compression, packed
from hbtom.observe.trial import Trial, real

ROUND = 0.05  # radius of agent and objects by default, as a share of the world's longer side
_KINDS: dict[str, Compression] = {".json": None, ".gz": "gz", ".zst": "zst"}
_SCALED = (
    *("path", "objects", "walls", "barrier"),
    *("barrier_left", "lock_there", "walls_there", "agent_there", "warnings"),  # not in pixels
)
_OBJECTS = 'objects are {"food": (150, 40)}, or hbtom.Body, or a table with name, x and y'


def trial_from_arrays(
    path: Any,
    objects: Any,
    *,
    size: tuple[float, float],
    walls: Any,
    agent: str | Identity | Body,
    radius: float | None,
    scale: float,
    more: Mapping[str, Any],
) -> Trial:
    """Return a checked trial; see :meth:`hbtom.Trial.from_arrays`."""
    scale = _number(scale, "scale", "it is the number of pixels in one unit")
    if not scale > 0:
        raise _bad(f"the scale is {scale:g}", "scale", "it is the number of pixels in one unit")
    for name in more if scale != 1 else ():
        if name not in _SCALED:
            hint = "multiply everything by the scale yourself, and leave it out"
            raise _bad(f"only {', '.join(_SCALED[:4])} are scaled", name, hint)
    size = _size(size)
    usual = ROUND * max(size)
    if isinstance(agent, Body):
        radius, agent = agent.radius, agent.look
    if not isinstance(agent, str | Identity):
        raise _bad(f"this {type(agent).__name__} is not an agent", "agent", "give its name")
    radius = usual if radius is None else _number(radius, "radius", "it is a length")
    way = _numbers(path, "path", 2) * scale
    if not len(way):
        raise _bad("there are no frames", "path", "give one x and y per frame")
    x, y = without_gaps(way)[0].tolist()
    look = Identity(agent) if isinstance(agent, str) else agent
    barrier = _numbers(more.get("barrier", ()), "barrier", 4) * scale
    fields = {
        "barrier_left": np.full(len(way), float(len(barrier) > 0)),
        **more,
        "size": (size[0] * scale, size[1] * scale),
        "walls": frozen(_numbers(walls, "walls", 4) * scale),
        "barrier": frozen(barrier),
        "objects": tuple(_bodies(objects, usual, scale)),
        "agent": Body(look, (x, y), radius * scale),
        "path": frozen(way),
    }
    try:
        trial = Trial(**fields)
    except TypeError as error:
        raise BadInput(str(error).partition("() ")[2], hint="see help(hbtom.Trial)") from None
    check_trial(trial, aimless=True)
    return mark_checked(replace(trial, warnings=(*trial.warnings, *jumps(trial))))


def _number(value: Any, field: str, hint: str) -> float:
    try:
        return float(real(value, field))
    except (TypeError, ValueError):
        raise _bad(f"{value!r:.40} is not a number", field, hint) from None


def _size(size: Any) -> tuple[float, float]:
    hint = "it is (width, height)"
    try:
        width, height = size
    except (TypeError, ValueError):
        raise _bad(f"{size!r:.40} is not a size", "size", hint) from None
    return _number(width, "size", hint), _number(height, "size", hint)


def _numbers(values: Any, field: str, wide: int) -> Annotated[Floats, "row column"]:
    """Return rows of ``wide`` numbers, given as lists, as an array or as a data frame."""
    names = [*"xy", "width", "height"][:wide]
    if hasattr(values, "columns") and set(names) <= set(values.columns):
        values = values[names]
    values = real(values, field)
    try:
        rows = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        hint = "give an array of numbers, or lists of equal length"
        raise _bad("this is not an array", field, hint) from None
    if not rows.size:
        return rows.reshape(0, wide)
    if rows.ndim != 2 or rows.shape[1] != wide:
        turned = rows.ndim == 2 and rows.shape[0] == wide
        hint = "it is transposed: give its .T" if turned else f"each row is {', '.join(names)}"
        raise _bad(f"the array has the shape {rows.shape}, not (rows, {wide})", field, hint)
    return rows


def _bodies(objects: Any, radius: float, scale: float) -> Iterator[Body]:
    """Yield objects, given by name, as bodies, or as a data frame."""
    if hasattr(objects, "columns"):
        rows = objects.to_dict("records")
        objects = [
            (row.get("name"), (row.get("x"), row.get("y"), row.get("radius"))) for row in rows
        ]
    elif isinstance(objects, Mapping):
        objects = objects.items()
    if not hasattr(objects, "__iter__"):
        raise _bad("these are not objects", "objects", _OBJECTS)
    for one in objects:
        try:
            name, place = (one.look, (*one.centre, one.radius)) if isinstance(one, Body) else one
            x, y, *own = real(place, "objects")
            look = name if isinstance(name, Identity) else Identity(str(name))
            wide = radius if not own or own[0] is None or np.isnan(own[0]) else float(own[0])
            yield Body(look, (float(x) * scale, float(y) * scale), wide * scale)
        except (TypeError, ValueError):
            raise _bad("this is not an object", "objects", _OBJECTS) from None


def _bad(problem: str, field: str, hint: str) -> BadInput:
    return BadInput(problem, hint=hint, place=Place(field=field))


def save(episode: Episode, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Write an episode as the benchmark's JSON, packed if the name ends in .gz or .zst."""
    from hbtom.observe.writing import write

    target = Path(path)
    check_target(target, overwrite=overwrite, kinds=tuple(_KINDS), otherwise="overwrite=True")
    write_whole(target, packed(write(checked(episode)), _KINDS[target.suffix]))
