"""The events of a trial: motion, touch, key, lock and barrier.

Events are derived from positions alone, never from what a file says about itself, so they mean the
same in every format.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, get_args

import numpy as np

from hbtom.arrays import FROZEN, Bools, Floats, read_only
from hbtom.compiled import kernel

if TYPE_CHECKING:
    from hbtom.observe.trial import Trial

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
    """An event in a frame, perhaps with an item (its index in ``Trial.items``).

    Frames and items are indices, so they count from 0. Printed, they count from 1.
    """

    kind: Kind
    frame: int
    item: int | None = None

    def __str__(self) -> str:
        what = self.kind if self.item is None else f"{self.kind}, item {self.item + 1}"
        return f"frame {self.frame + 1}: {what}"


class Marks(NamedTuple):
    """The frames of events; -1 for an event that does not happen."""

    first: int  # the first motion
    picked: int  # the key is no longer where it lay, or is gone
    reached: int  # the lock is reached, by the last motion before it opens
    started: int  # the barrier starts to vanish, or the lock is gone
    gone: int  # the barrier is gone
    last: int  # the last motion


_NOWHERE, _NO_BARRIER = read_only(np.empty((0, 2))), read_only(np.empty(0))
_NO_LOCK = read_only(np.empty(0, dtype=np.bool_))


class Track(NamedTuple):
    """Everything that moves or vanishes in a trial: the agent, the key, the barrier, the lock.

    The arrays of a key or a lock are empty if there is none, and that of the barrier if only the
    agent matters.
    """

    path: Annotated[Floats, "frame 2", FROZEN]  # of the agent, without gaps
    key_path: Annotated[Floats, "frame 2", FROZEN] = _NOWHERE  # NaN while it is gone
    barrier_left: Annotated[Floats, "frame", FROZEN] = _NO_BARRIER  # how much stands, from 1 to 0
    lock_there: Annotated[Bools, "frame", FROZEN] = _NO_LOCK


def track_of(trial: Trial) -> Track:
    """Return everything that moves or vanishes in a trial."""
    key_path = _NOWHERE if trial.key_path is None else trial.key_path
    lock_there = _NO_LOCK if trial.lock_there is None else trial.lock_there
    moving = read_only(trial.whole_path), read_only(key_path), read_only(trial.barrier_left)
    return Track(*moving, read_only(lock_there))


@kernel
def find_marks(track: Track) -> Marks:
    """Return the frames of the events of a trial."""
    path, key_path = track.path, track.key_path
    barrier_left, lock_there = track.barrier_left, track.lock_there
    first = picked = reached = started = gone = last = -1
    for frame in range(len(path)):
        if frame > 0 and (
            path[frame, 0] != path[frame - 1, 0] or path[frame, 1] != path[frame - 1, 1]
        ):
            first = frame if first < 0 else first
            last = frame
        if picked < 0 and len(key_path) > 0:  # NaN counts as elsewhere
            lies = key_path[frame, 0] == key_path[0, 0] and key_path[frame, 1] == key_path[0, 1]
            picked = -1 if lies else frame
        if started < 0:
            less = barrier_left[frame] < barrier_left[0]
            if less or (len(lock_there) > 0 and not lock_there[frame]):
                started, reached = frame, max(last, 0)
        if gone < 0 and started >= 0 and barrier_left[frame] == 0:
            gone = frame
    return Marks(first, picked, reached, started, gone, last)


def without_gaps(path: Annotated[Floats, "frame 2"]) -> Annotated[Floats, "frame 2"]:
    """Return a path without gaps: an agent that is not seen stays where it was last seen.

    Before it is first seen, it is where it will appear.
    """
    seen = ~np.isnan(path[:, 0])
    if seen.all() or not seen.any():
        return path
    last = np.maximum.accumulate(np.where(seen, np.arange(len(path)), seen.argmax()))
    return path[last]


def touching(x: float, y: float, item: Annotated[Floats, "3"], radius: float) -> bool:
    """Return whether an agent at a place touches an item: |a - x| <= r_a + r_x."""
    across, down = x - item[0], y - item[1]
    return math.sqrt(across * across + down * down) <= radius + item[2]


def events(trial: Trial) -> tuple[Event, ...]:
    """Return all events of a trial, in order of their frames and, in one frame, of their kinds."""
    kinds, key = get_args(Kind), len(trial.objects)
    marked = zip((kind for kind in kinds if kind != "touch"), trial.marks, strict=True)
    found = [Event(kind, at, key if kind == "pick up key" else None) for kind, at in marked]
    happened = [event for event in (*found, *_touches(trial)) if event.frame >= 0]
    return tuple(sorted(happened, key=lambda event: (event.frame, kinds.index(event.kind))))


def _touches(trial: Trial) -> Iterator[Event]:
    """Yield a touch whenever contact with an item begins; a key counts until it is picked up."""
    picked, objects, path = trial.marks.picked, len(trial.objects), trial.whole_path
    places = np.tile(trial.places, (len(path), 1, 1))
    if trial.object_paths is not None:
        places[:, :objects, :2] = trial.object_paths
    for index in range(len(trial.items)):
        still = path[:picked] if picked >= 0 and index == objects else path
        before = False
        for frame, (x, y) in enumerate(still):
            now = touching(x, y, places[frame, index], trial.agent.radius)
            if now and not before:
                yield Event("touch", frame, index)
            before = now
