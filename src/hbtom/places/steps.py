"""From a path to steps: legs of free motion, the moves in them, and the acts that end them.

A state is a place and a mode: START (the key, if any, lies in its place), HELD (the agent carries
it) or OPEN (the barrier is gone). A world without key, lock and barrier has only START.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput
from hbtom.observe.trial import Trial

START, HELD, OPEN = 0, 1, 2
NOTHING = -1  # instead of an act: the leg just ends
UNIT = 10.0  # pixels of walking that cost 1: the side of the paper's cell


class Leg(NamedTuple):
    """A stretch of free motion, and the thing that is touched or opened at its end."""

    first: int
    last: int
    mode: int
    thing: int = NOTHING  # an item, or the lock, which comes after all items


class Moves(NamedTuple):
    """Moves of a leg, in the world's units of place."""

    frame: Annotated[Any, "move"]  # in which each is complete
    start: Annotated[Floats, "move 2"]
    stop: Annotated[Floats, "move 2"]


Cut = Callable[[Trial, Floats, Leg, int], Moves]  # trial, lengths of motion, leg, mode -> moves


@dataclass(frozen=True, eq=False)
class Steps:
    """The steps of a trial: moves, and acts.

    Places are pixels, or cells (column, row). ``thing`` is -1 for moves. ``goal`` is the item that
    an act attains, or -1. ``price`` is what an act costs, NaN for moves.
    """

    trial: Trial
    first: Annotated[Floats, "2"]  # where the agent is before the first step
    frame: Annotated[Ints, "step"]  # in which the step is complete
    start: Annotated[Floats, "step 2"]
    stop: Annotated[Floats, "step 2"]
    mode: Annotated[Ints, "step"]  # before the step
    after: Annotated[Ints, "step"]  # the mode after it
    thing: Annotated[Ints, "step"]
    goal: Annotated[Ints, "step"]
    price: Annotated[Floats, "step"]

    @property
    def moves(self) -> Annotated[Bools, "step"]:
        """Which steps are moves."""
        return self.thing < 0

    def __len__(self) -> int:
        return len(self.frame)


def steps_of(trial: Any, world: Any, final: bool, cut: Cut, place: Callable[[Any], Any]) -> Steps:
    """Return the steps of a trial in a world, leg by leg.

    ``cut`` divides a leg into moves; ``place`` turns a position in pixels into a place of the
    world. With ``final``, the touch that ends a trial is a step.
    """
    if not isinstance(trial, Trial):
        hint = "a trial has frames, as from hb.load or hb.Trial.from_arrays"
        raise BadInput(f"places need a trial that was seen from above, not {trial!r}", hint=hint)
    path, rows = trial.whole_path, []
    starts, stops = [np.empty((0, 2))], [np.empty((0, 2))]
    lengths = lengths_of(path)
    for leg in _legs(trial, lengths, final):
        mode = min(leg.mode, len(world.blocked) - 1)
        moves = cut(trial, lengths, leg, mode)
        rows += [(frame, mode, mode, -1, -1, np.nan) for frame in moves.frame]
        starts.append(moves.start)
        stops.append(moves.stop)
        if leg.thing != NOTHING:
            rows.append((leg.last, mode, *world.act(mode, leg.thing)))
            here = np.asarray(place(path[leg.last]))[None]
            starts.append(here)
            stops.append(here)
    *whole, price = np.array(rows, dtype=float).reshape(-1, 6).T
    frame, mode_, after, thing, goal = np.array(whole, dtype=int)
    where = np.asarray(place(path[0])), frame, np.concatenate(starts), np.concatenate(stops)
    return Steps(trial, *where, mode_, after, thing, goal, price)


def _legs(trial: Trial, lengths: Floats, final: bool) -> list[Leg]:
    """Cut a trial at the key and at the lock; with ``final``, also at the touch that ends it.

    Motion after contact is part of picking something up, and all that happens while a barrier
    vanishes is ignored. So is the first motion after that: agents may jump to the place of the
    lock, which they did not choose.
    """
    marks, end, objects = trial.marks, len(trial.path) - 1, len(trial.objects)
    legs, here, mode = [], 0, START
    if marks.picked >= 0:
        legs.append(Leg(here, _contact_began(trial, objects, marks.picked), START, objects))
        here, mode = marks.picked, HELD
    if marks.reached >= 0:
        lock = len(trial.items) if mode == HELD else NOTHING
        legs.append(Leg(here, max(here, marks.reached), mode, lock))
        moved = np.flatnonzero(lengths)
        later = moved[moved > marks.gone]
        jumped = int(later[0]) if marks.gone >= 0 and len(later) else end
        here, mode = max(here, jumped), OPEN
    lying = len(trial.items) if mode == START else objects
    item = _touched_last(trial, lying) if final and marks.last >= 0 else NOTHING
    touch = end if item == NOTHING else max(here, _contact_began(trial, item, end))
    return [*legs, Leg(here, touch, mode, item)]


def lengths_of(path: Annotated[Floats, "frame 2"]) -> Annotated[Floats, "frame"]:
    """Return the length of the motion into each frame; 0 for the first."""
    return np.append(0.0, distances(path[1:], path[:-1]))


def distances(places: Any, others: Any) -> Any:
    """Return the distance between places [..., 2]."""
    apart = places - others
    return np.sqrt(apart[..., 0] * apart[..., 0] + apart[..., 1] * apart[..., 1])


def _contact_began(trial: Trial, item: int, frame: int) -> int:
    """Return the first frame of the contact with an item that lasts until ``frame``."""
    thing = trial.items[item]
    away = distances(trial.whole_path[: frame + 1], np.array(thing.centre))
    apart = np.flatnonzero(away > trial.agent.radius + thing.radius)
    return min(int(apart[-1]) + 1, frame) if len(apart) else 0


def _touched_last(trial: Trial, lying: int) -> int:
    """Return the item in contact at the end, the nearest relative to its size, or NOTHING."""
    places = trial.places[:lying]
    nearness = distances(trial.whole_path[-1], places[:, :2]) / (trial.agent.radius + places[:, 2])
    return int(nearness.argmin()) if nearness.min(initial=np.inf) <= 1.0 else NOTHING


def waiting(trial: Trial) -> float | None:
    """Return what waiting for the barrier cost: how far the agent could have walked meanwhile.

    Only frames in which the barrier changes count. None if nobody waited.
    """
    reached, gone = trial.marks.reached, trial.marks.gone
    if reached < 0 or gone < 0 or (trial.lock is None and not len(trial.barrier)):
        return None
    frames = int(np.count_nonzero(np.diff(trial.barrier_left[: gone + 1])))
    walked = lengths_of(trial.whole_path[: reached + 1])
    moving = int(np.count_nonzero(walked))
    if frames == 0:
        return None
    return frames * (float(walked.cumsum()[-1]) / moving) / UNIT if moving else 0.0


def mean_waiting(trials: Iterable[Trial]) -> float | None:
    """Return what waiting for a barrier has cost on average; None if nobody waited."""
    costs = [cost for trial in trials if (cost := waiting(trial)) is not None]
    return sum(costs) / len(costs) if costs else None


def strides(trial: Trial, lengths: Floats, leg: Leg, stride: float) -> Moves:
    """Cut a leg where the agent has walked at least a stride; the remainder is a last move.

    Lengths are added up from zero in each stride: where they are exact, a stride must end exactly
    where it does.
    """
    ends, walked, arrived = [leg.first], 0.0, leg.first
    for frame, length in enumerate(lengths[leg.first + 1 : leg.last + 1].tolist(), leg.first + 1):
        if length > 0:
            walked, arrived = walked + length, frame
            if walked >= stride:
                ends.append(frame)
                walked = 0.0
    if walked > 0:
        ends.append(arrived)
    return Moves(ends[1:], trial.whole_path[ends[:-1]], trial.whole_path[ends[1:]])


def cells_passed(trial: Trial, lengths: Floats, leg: Leg, cell: float, blocked: Bools) -> Moves:
    """Cut a leg into moves from cell to cell; zig-zags become diagonals where these are free.

    ``blocked`` [row, column] is the map without its margin.
    """
    path, length = trial.whole_path[leg.first : leg.last + 1], lengths[leg.first + 1 : leg.last + 1]
    pieces = np.where(length > 0, np.maximum(np.ceil(length / (cell / 4)), 1), 0).astype(int)
    into = np.repeat(np.arange(len(pieces)), pieces)  # the motion that each piece belongs to
    piece = np.arange(len(into)) - np.repeat(pieces.cumsum() - pieces, pieces) + 1
    done, whole = piece[:, None], pieces[into][:, None]
    places = path[into] + (path[into + 1] - path[into]) * done / whole
    places = np.where(done == whole, path[into + 1], places)
    most = np.array(blocked.shape[::-1]) - 1
    cells = np.clip((np.concatenate([path[:1], places]) / cell).astype(int), 0, most)
    new = np.append(True, (np.diff(cells, axis=0) != 0).any(axis=1))
    frames = leg.first + np.append(0, into + 1)[new]
    passed: list[tuple[int, int, int]] = []
    for frame, (column, row) in zip(frames.tolist(), cells[new].tolist(), strict=True):
        if len(passed) > 1 and _makes_diagonal(passed[-2], passed[-1], column, row, blocked):
            passed.pop()
        passed.append((frame, column, row))
    kept = np.array(passed)
    return Moves(kept[1:, 0], kept[:-1, 1:], kept[1:, 1:])


def _makes_diagonal(
    a: tuple[int, int, int], b: tuple[int, int, int], column: int, row: int, blocked: Bools
) -> bool:
    """Return whether two straight moves at a right angle can become one free diagonal."""
    first, second = abs(b[1] - a[1]) + abs(b[2] - a[2]), abs(column - b[1]) + abs(row - b[2])
    turns = abs(column - a[1]) == abs(row - a[2]) == first == second == 1
    return bool(turns and not blocked[a[2], column] and not blocked[row, a[1]])
