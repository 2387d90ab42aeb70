"""Columns made from runs: the value of one field in every run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec
from msgspec import Raw

from hbtom.errors import BadInput
from hbtom.observe import fields
from hbtom.observe.fields import Known
from hbtom.observe.frames import Run
from hbtom.observe.json_errors import problem

T = TypeVar("T")


def column(runs: Sequence[Run], name: str, decode: Callable[[Raw], T], known: Known) -> list[T]:
    """Decode one field of every run; decode equal bytes only once."""
    values: list[T] = []
    last = None
    for index, run in enumerate(runs):
        raw: Raw = getattr(run.frame, name)
        if last is not None and raw == last:
            values.append(values[-1])
            continue
        last = raw
        try:
            values.append(fields.decoded(raw, decode, known))
        except (BadInput, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            frame = 1 + sum(counts(runs[:index]))
            raise _at_frame(frame, name, error) from None
    return values


def _at_frame(frame: int, name: str, error: Exception) -> BadInput:
    if not isinstance(error, BadInput):
        deep = isinstance(error, RecursionError)
        why = "the lists are nested too deeply" if deep else problem(error)
        error = BadInput(why, hint=fields.HINTS[name])
    return error.at(frame=frame, field=name)


def counts(runs: Sequence[Run]) -> list[int]:
    """Return the number of frames for which each state of the runs lasts."""
    return [count for run in runs for count in run.counts]
