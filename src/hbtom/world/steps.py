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

ALL_LEGS = np.empty((0, 5), dtype=np.int64)  # no legs given: find all of them


class Gait(NamedTuple):
    """How paths are cut into moves: by strides in pixels, or from cell to cell."""

    stride: float = 0.0  # pixels; 0: every frame is a move. Between cells it does not matter
    diagonals: bool = True  # between cells, zig-zags become diagonals where these are legal


def find_trajectories(scenes: Scenes, worlds: Worlds, gait: Gait, final: bool) -> Trajectories:
    """Return the steps of trials; with ``final``, the touch that ends a trial is a step.

    In pixels, there is a move for each stride, and one for the remainder of a leg. Between cells,
    there is a move for every change of cell.
    """
    return find_steps(scenes, worlds, gait, final, ALL_LEGS)[0]


def find_steps(
    scenes: Scenes, worlds: Worlds, gait: Gait, final: bool, given: Annotated[Ints, "leg 5"]
) -> tuple[Trajectories, int]:
    """Return the steps of all legs, or of the legs ``given`` for a single trial.

    The number is that of steps of the last trial, and all before it, that are complete. A last move
    is not complete if it may still become longer, or a diagonal.
    """
    begin, first, numbers, places, complete = _steps(scenes, worlds, gait, final, given)
    frame, act, thing, mode, taken = numbers
    start, stop = places
    return Trajectories(begin, first, frame, act, thing, mode, start, stop, taken), complete


class Record(NamedTuple):
    """Where steps are written."""

    numbers: Annotated[Ints, "5 step"]  # frame, act, thing, mode and exit
    places: Annotated[Floats, "2 step 2"]  # start and stop


@kernel
def _steps(
    scenes: Scenes, worlds: Worlds, gait: Gait, final: bool, given: Annotated[Ints, "leg 5"]
) -> tuple[Ints, Floats, Ints, Floats, int]:
    """Return where each trial begins, all steps, and how many of them are complete."""
    many, pieces = len(scenes.numbers), len(scenes.path)
    if worlds.space.in_cells:
        pieces = count_pieces(scenes.path, worlds.space.cell)
    most = pieces + MOST_LEGS * many
    record = Record(np.empty((5, most), dtype=np.int64), np.empty((2, most, 2)))
    begin, first = np.zeros(many + 1, dtype=np.int64), np.empty((many, 2))
    step = complete = 0
    for trial in range(many):
        world, track = world_at(worlds, trial), track_at(scenes, trial)
        legs = given if len(given) > 0 else find_legs(layout_at(scenes, trial), track, final)
        _write_place(first[trial], track.path[0], world)
        for one in range(len(legs)):
            leg, mode = legs[one], min(legs[one, 2], len(world.blocked) - 1)
            if worlds.space.in_cells:
                joins = gait.diagonals
                step, complete = _cell_by_cell(record, step, mode, track.path, leg, world, joins)
            else:
                step, complete = _by_strides(record, step, mode, track.path, leg, gait.stride)
            if leg[3] != NO_ACT:
                _add_act(record, step, mode, leg, world)
                for end in range(2):
                    _write_place(record.places[end, step], track.path[leg[1]], world)
                step += 1
        begin[trial + 1] = step
    return begin, first, record.numbers[:, :step].copy(), record.places[:, :step].copy(), complete


@part
def _cell_by_cell(
    record: Record,
    step: int,
    mode: int,
    path: Floats,
    leg: Ints,
    world: PlaceWorld,
    diagonals: bool,
) -> tuple[int, int]:
    """Add the moves of a leg between cells; return the number of steps, and of complete ones."""
    cell, blocked = world.space.cell, world.blocked[mode]
    cells = cells_passed(path[leg[0] : leg[1] + 1], leg[0], cell, blocked, diagonals)
    for k in range(1, len(cells)):
        _add(record, step, cells[k, 0], mode, cells[k - 1, 1:], cells[k, 1:])
        step += 1
    may_join = diagonals and len(cells) > 1 and is_straight(cells[-2], cells[-1])
    return step, step - 1 if may_join else step


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
def _write_place(place: Floats, at: Floats, world: PlaceWorld) -> None:
    """Write a place in pixels or, if steps lead from cell to cell, as column and row."""
    _, rows, columns = world.blocked.shape
    place[0], place[1] = at[0], at[1]
    if world.space.in_cells:
        cell = world.space.cell
        place[0], place[1] = cell_of(at[0], cell, columns), cell_of(at[1], cell, rows)
