"""What the agent did, as a course of steps: moves, touches, and the opening of a lock.

Frames become steps. Still frames vanish, so does all that happens while a barrier vanishes, and a
carried key is an event rather than a position. Where touching an item is an act, what moves after
contact is part of it and not a way to anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.observe import Trial
from hbtom.observe.events import contact
from hbtom.world.floor import Floor
from hbtom.world.phase import Phase


class Act(IntEnum):
    """What a step is."""

    MOVE = 0
    TOUCH = 1  # picking up an item
    OPEN = 2  # opening the lock


@dataclass(frozen=True, eq=False)
class Course:
    """The steps of one trial; places are pixels, or cells counted from 0, as x, y."""

    frame: Annotated[Ints, "step"]  # at which the step is complete
    act: Annotated[Ints, "step"]
    item: Annotated[Ints, "step"]  # that is touched; -1 for other acts
    phase: Annotated[Ints, "step"]  # before the step
    start: Annotated[Floats, "step 2"]  # place before and after
    stop: Annotated[Floats, "step 2"]

    def __len__(self) -> int:
        return len(self.frame)


_Place = tuple[float, float]
_Move = tuple[int, _Place, _Place]  # index of the place where it is complete, from, to


def continuous_course(trial: Trial, *, stride: float, final: bool) -> Course:
    """Return the course in pixels, cut into moves of at least ``stride`` (0: one a frame).

    ``final`` tells whether the touch that ends the trial is a step.
    """
    return _course(trial, final, lambda places, _: _strides(places, stride))


def grid_course(trial: Trial, floor: Floor, *, final: bool) -> Course:
    """Return the course in cells: repeats dropped, zig-zags made diagonals where that is legal."""

    def cut(places: Sequence[_Place], phase: Phase) -> Iterator[_Move]:
        cells = _smoothed(list(_cells(places, floor)), floor.blocked(phase))
        for (_, here), (index, there) in pairwise(cells):
            yield index, here, there

    return _course(trial, final, cut, where=lambda place: floor.cell_of(*place))


def _course(
    trial: Trial,
    final: bool,
    cut: Callable[[Sequence[_Place], Phase], Iterator[_Move]],
    where: Callable[[_Place], _Place] = lambda place: place,
) -> Course:
    """Cut every leg into moves, and let each end in its act, which happens ``where`` it ends."""
    steps: list[_Step] = []
    for leg in _legs(trial, final):
        places = [(x, y) for x, y in trial.path[leg.first : leg.last + 1].tolist()]
        for index, start, stop in cut(places, leg.phase):
            steps.append(_Step(leg.first + index, Act.MOVE, -1, leg.phase, start, stop))
        if leg.act is not None:
            place = where(places[-1])
            steps.append(_Step(leg.last, leg.act, leg.item, leg.phase, place, place))
    return Course(
        frame=np.array([step.frame for step in steps], dtype=np.int64),
        act=np.array([step.act for step in steps], dtype=np.int64),
        item=np.array([step.item for step in steps], dtype=np.int64),
        phase=np.array([step.phase for step in steps], dtype=np.int64),
        start=np.array([step.start for step in steps], dtype=np.float64).reshape(-1, 2),
        stop=np.array([step.stop for step in steps], dtype=np.float64).reshape(-1, 2),
    )


class _Step(NamedTuple):
    frame: int
    act: Act
    item: int
    phase: Phase
    start: _Place
    stop: _Place


# Legs: stretches of free motion between acts


@dataclass(frozen=True, slots=True)
class _Leg:
    """Free motion between two frames, and the act that ends it, if any."""

    first: int
    last: int
    phase: Phase
    act: Act | None = None
    item: int = -1


def _legs(trial: Trial, final: bool) -> Iterator[_Leg]:
    """Cut a trial at the key and at the lock; with ``final``, also where it touches an item last.

    What moves after contact is the picking up itself, not a way to anywhere.
    """
    here, phase, end = 0, Phase.START, len(trial.path) - 1
    picked, reached = trial.event("pick up key"), trial.event("reach lock")
    if picked is not None and trial.key is not None:
        touch = _contact_began(contact(trial, trial.key), picked.frame)
        yield _Leg(here, touch, phase, Act.TOUCH, len(trial.objects))
        here, phase = picked.frame, Phase.HELD
    if reached is not None:
        act = Act.OPEN if phase is Phase.HELD else None
        yield _Leg(here, max(here, reached.frame), phase, act)
        gone = trial.event("barrier gone")
        here, phase = end if gone is None else _after_jump(trial, gone.frame), Phase.OPEN
    touched = _touched_last(trial, phase) if final else None
    if touched is None:
        yield _Leg(here, end, phase)
    else:
        last = max(here, _contact_began(contact(trial, trial.items[touched]), end))
        yield _Leg(here, last, phase, Act.TOUCH, touched)


def _after_jump(trial: Trial, gone: int) -> int:
    """Return the frame after the first motion that follows the barrier's going.

    The agent may be put at the lock's place at once; that is not a move that it chose.
    """
    moves = np.any(np.diff(trial.path[gone:], axis=0) != 0, axis=1)
    return gone + int(moves.argmax()) + 1 if moves.any() else len(trial.path) - 1


def _touched_last(trial: Trial, phase: Phase) -> int | None:
    """Return the item in contact at the end, the nearest for its size; a held key is none."""
    if trial.event("end of motion") is None:
        return None
    lying = trial.items if phase is Phase.START else trial.objects
    nearness = [
        math.dist(trial.path[-1], item.centre) / (trial.agent.radius + item.radius)
        for item in lying
    ]
    nearest = min(range(len(lying)), key=nearness.__getitem__)
    return nearest if nearness[nearest] <= 1 else None


def _contact_began(touching: Bools, frame: int) -> int:
    """Return the first frame of the run of contact that lasts until ``frame``."""
    if not touching[frame]:
        return frame
    apart = np.flatnonzero(~touching[:frame])
    return int(apart[-1]) + 1 if len(apart) else 0


# Moves in pixels


def _strides(places: Sequence[_Place], stride: float) -> Iterator[_Move]:
    """Yield a move whenever a stride has been walked, and one for the rest."""
    here, walked, arrived = places[0], 0.0, 0
    for index in range(1, len(places)):
        length = math.dist(places[index - 1], places[index])
        if length == 0:
            continue
        walked, arrived = walked + length, index
        if walked >= stride:
            yield index, here, places[index]
            here, walked = places[index], 0.0
    if walked > 0:
        yield arrived, here, places[arrived]


# Moves between cells

_Cell = tuple[int, int]


def _cells(places: Sequence[_Place], floor: Floor) -> Iterator[tuple[int, _Cell]]:
    """Yield the cells that a path runs through, each with the index where it is entered."""
    last: _Cell | None = None
    for index, place in enumerate(places):
        for x, y in _between(places[max(index - 1, 0)], place, floor.cell / 4):
            now = floor.cell_of(x, y)
            if now != last:
                yield index, now
                last = now


def _between(start: _Place, stop: _Place, piece: float) -> Iterator[_Place]:
    """Yield points on a line up to its end, so close that no cell is jumped over."""
    pieces = max(1, math.ceil(math.dist(start, stop) / piece))
    for k in range(1, pieces + 1):
        yield (
            start[0] + (stop[0] - start[0]) * k / pieces,
            start[1] + (stop[1] - start[1]) * k / pieces,
        )


def _smoothed(cells: list[tuple[int, _Cell]], blocked: Bools) -> list[tuple[int, _Cell]]:
    """Replace two moves at a right angle by one diagonal wherever the diagonal is legal."""
    smooth: list[tuple[int, _Cell]] = []
    for index, there in cells:
        if len(smooth) >= 2 and _makes_diagonal(smooth[-2][1], smooth[-1][1], there, blocked):
            smooth.pop()
        smooth.append((index, there))
    return smooth


def _makes_diagonal(a: _Cell, b: _Cell, c: _Cell, blocked: Bools) -> bool:
    """Tell whether a to b to c is a right angle whose both inner cells are free."""
    one = abs(b[0] - a[0]) + abs(b[1] - a[1]) == 1 and abs(c[0] - b[0]) + abs(c[1] - b[1]) == 1
    turns = abs(c[0] - a[0]) == 1 and abs(c[1] - a[1]) == 1
    return one and turns and not blocked[a[1], c[0]] and not blocked[c[1], a[0]]
