"""From paths to steps: moves in pixels or between cells, and the acts that end legs."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.compiled import kernel, part
from hbtom.world.cell_moves import cells_passed, count_pieces, is_straight
from hbtom.world.modes import PlaceWorld, Worlds, cell_of, exit_at, world_at
from hbtom.world.trajectory import MOST_LEGS, MOVE, NO_ACT, Trajectories, distance, find_legs
from hbtom.world.trial_arrays import Scenes, layout_at, track_at

IN_CELLS = -1.0  # instead of a stride: moves lead from cell to cell
ALL_LEGS = np.empty((0, 5), dtype=np.int64)  # no legs given: find all of them


def grid_trajectories(scenes: Scenes, worlds: Worlds, final: bool) -> Trajectories:
    """Return steps between cells: repeats dropped, zig-zags made diagonals where legal.

    ``final`` says whether the touch that ends a trial is a step.
    """
    return assemble(*find_steps(scenes, worlds, IN_CELLS, final, ALL_LEGS)[:4])


def continuous_trajectories(
    scenes: Scenes, worlds: Worlds, stride: float, final: bool
) -> Trajectories:
    """Return steps in pixels: a move for each stride, and one for the remainder of a leg.

    With a stride of 0, every frame is a move.
    """
    return assemble(*find_steps(scenes, worlds, stride, final, ALL_LEGS)[:4])


def assemble(
    begin: Annotated[Ints, "1+trial"],
    first: Annotated[Floats, "trial 2"],
    numbers: Annotated[Ints, "5 step"],
    places: Annotated[Floats, "2 step 2"],
) -> Trajectories:
    """Assemble trajectories. A kernel returns a few arrays faster than a tuple of many."""
    (frame, act, thing, mode, taken), (start, stop) = numbers, places
    return Trajectories(begin, first, frame, act, thing, mode, start, stop, taken)


class Record(NamedTuple):
    """Where steps are written: frame, act, thing, mode and exit of each; start and stop."""

    numbers: Annotated[Ints, "5 step"]
    places: Annotated[Floats, "2 step 2"]


@kernel
def find_steps(
    scenes: Scenes, worlds: Worlds, stride: float, final: bool, given: Annotated[Ints, "leg 5"]
) -> tuple[Ints, Floats, Ints, Floats, int]:
    """Return the arrays of trajectories, and how many steps are complete.

    The steps are those of all legs, or of the legs ``given`` for a single trial. A last move is not
    complete if it may still become longer, or a diagonal.
    """
    many, pieces = len(worlds.opening), len(scenes.path)
    if stride < 0:
        pieces = count_pieces(scenes.path, worlds.space.cell)
    most = pieces + MOST_LEGS * many
    record = Record(np.empty((5, most), dtype=np.int64), np.empty((2, most, 2)))
    begin, first = np.zeros(many + 1, dtype=np.int64), np.empty((many, 2))
    step = complete = 0
    for trial in range(many):
        world, track = world_at(worlds, trial), track_at(scenes, trial)
        legs = given if len(given) > 0 else find_legs(layout_at(scenes, trial), track, final)
        _write_place(first[trial], track.path[0], world, stride)
        for one in range(len(legs)):
            leg, mode = legs[one], min(legs[one, 2], len(world.blocked) - 1)
            if stride < 0:
                step, complete = _cell_by_cell(record, step, mode, track.path, leg, world)
            else:
                step, complete = _by_strides(record, step, mode, track.path, leg, stride)
            if leg[3] != NO_ACT:
                _add_act(record, step, mode, leg, world)
                for end in range(2):
                    _write_place(record.places[end, step], track.path[leg[1]], world, stride)
                step += 1
        begin[trial + 1] = step
    return begin, first, record.numbers[:, :step].copy(), record.places[:, :step].copy(), complete


@part
def _cell_by_cell(
    record: Record, step: int, mode: int, path: Floats, leg: Ints, world: PlaceWorld
) -> tuple[int, int]:
    """Add the moves of a leg between cells; return the number of steps, and of complete ones."""
    cells = cells_passed(path, leg[0], leg[1], world.blocked[mode], world.space.cell)
    for k in range(1, len(cells)):
        _add(record, step, cells[k, 0], mode, cells[k - 1, 1:], cells[k, 1:])
        step += 1
    joins = len(cells) > 1 and is_straight(cells[-2], cells[-1])
    return step, step - 1 if joins else step


@part
def _by_strides(
    record: Record, step: int, mode: int, path: Floats, leg: Ints, stride: float
) -> tuple[int, int]:
    """Add the moves of a leg in pixels; return the number of steps, and of complete ones."""
    here, arrived, walked = leg[0], leg[0], 0.0
    for frame in range(here + 1, leg[1] + 1):
        length = distance(path[frame - 1], path[frame])
        if length > 0:
            walked, arrived = walked + length, frame
            if walked >= stride:
                _add(record, step, frame, mode, path[here], path[frame])
                step, here, walked = step + 1, frame, 0.0
    if walked > 0:
        _add(record, step, arrived, mode, path[here], path[arrived])
        return step + 1, step
    return step, step


@part
def _add(record: Record, step: int, frame: int, mode: int, start: Floats, stop: Floats) -> None:
    """Write a move."""
    numbers, places = record.numbers, record.places
    numbers[0, step], numbers[1, step], numbers[2, step] = frame, MOVE, -1
    numbers[3, step], numbers[4, step] = mode, -1
    for axis in range(2):
        places[0, step, axis], places[1, step, axis] = start[axis], stop[axis]


@part
def _add_act(record: Record, step: int, mode: int, leg: Ints, world: PlaceWorld) -> None:
    """Write the act that ends a leg, except its place."""
    numbers, exits = record.numbers, world.exits
    numbers[0, step], numbers[1, step], numbers[2, step] = leg[1], leg[3], leg[4]
    numbers[3, step], numbers[4, step] = mode, exit_at(exits.source, exits.thing, mode, leg[4])


@part
def _write_place(place: Floats, at: Floats, world: PlaceWorld, stride: float) -> None:
    """Write a place in pixels or, if moves lead from cell to cell, as column and row."""
    _, rows, columns = world.blocked.shape
    place[0], place[1] = at[0], at[1]
    if stride < 0:
        cell = world.space.cell
        place[0], place[1] = cell_of(at[0], cell, columns), cell_of(at[1], cell, rows)
