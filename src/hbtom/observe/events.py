"""What happens in a trial: motion, touch, key, lock and barrier.

Events are read off positions alone, never off what a file says about itself, so that they mean the
same in every format.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from hbtom.arrays import Bools, Floats

if TYPE_CHECKING:
    from hbtom.observe.episode import Body, Trial

Kind = Literal[
    "first motion",
    "touch",
    "pick up key",
    "reach lock",
    "barrier starts to vanish",
    "barrier gone",
    "end of motion",
]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens at a frame, to an item (its index in ``Trial.items``) or to none."""

    kind: Kind
    frame: int
    item: int | None = None


def events(trial: Trial) -> tuple[Event, ...]:
    """Return all events of a trial, in order of their frames."""
    return tuple(sorted(_events(trial), key=lambda event: event.frame))


def _events(trial: Trial) -> Iterator[Event]:
    moved = np.flatnonzero(np.any(np.diff(trial.path, axis=0) != 0, axis=1)) + 1
    if len(moved):
        yield Event("first motion", int(moved[0]))
    picked = _first(key_moves(trial))
    yield from _touches(trial, picked)
    if picked is not None:
        yield Event("pick up key", picked, len(trial.objects))
    yield from _opening(trial, moved)
    if len(moved):
        yield Event("end of motion", int(moved[-1]))


def _touches(trial: Trial, picked: int | None) -> Iterator[Event]:
    """Yield where contact with an item begins; a key is touched only while it lies."""
    for index, item in enumerate(trial.items):
        touching = contact(trial, item)
        if picked is not None and item is trial.key:
            touching[picked:] = False
        for frame in np.flatnonzero(touching & ~np.r_[False, touching[:-1]]):
            yield Event("touch", int(frame), index)


def _opening(trial: Trial, moved: np.ndarray) -> Iterator[Event]:
    """Yield reaching the lock, and the barrier starting and finishing to vanish."""
    start = _first(opened(trial))
    if start is None:
        return
    arrivals = moved[moved <= start]
    yield Event("reach lock", int(arrivals[-1]) if len(arrivals) else 0)
    yield Event("barrier starts to vanish", start)
    gone = _first(trial.barrier_left == 0)
    if gone is not None:
        yield Event("barrier gone", max(gone, start))


def contact(trial: Trial, item: Body) -> Annotated[Bools, "frame"]:
    """Tell in which frames the agent and an item that lies still touch: |a - x| <= r_a + r_x."""
    away = np.hypot(*(trial.path - np.array(item.centre)).T)
    touching: Bools = away <= trial.agent.radius + item.radius
    return touching


def key_moves(trial: Trial) -> Annotated[Bools, "frame"]:
    """Tell in which frames the key is not where it lay, or is gone."""
    if trial.key_path is None:
        return np.zeros(len(trial.path), dtype=bool)
    away: Floats = np.abs(trial.key_path - trial.key_path[0]).max(axis=1)
    return ~(away == 0)


def opened(trial: Trial) -> Annotated[Bools, "frame"]:
    """Tell in which frames the barrier has begun to vanish, or the lock is gone."""
    less: Bools = trial.barrier_left < trial.barrier_left[0]
    return less if trial.lock_there is None else less | ~trial.lock_there


def _first(happens: Bools) -> int | None:
    return int(happens.argmax()) if happens.any() else None
