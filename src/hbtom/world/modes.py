"""A world as data: where an agent can stand in each mode, and how it gets from mode to mode.

A state is a place and a mode. In each mode some cells are blocked, and some items have not been
picked up yet. An exit is an act that is possible in one mode, at certain places, at a price. It
attains a goal, or leads to another mode, or both. Key, lock and barrier make three modes:

    START   the key, if there is one, has not been picked up: touching it leads to HELD
    HELD    the agent carries the key: using it on the lock leads to OPEN
    OPEN    the lock is open and the barrier is gone

A world without them has one mode. If walls or things change while the agent acts, every stage of
the world has its own modes (:mod:`hbtom.world.stages`).

All kernels from here to the posterior take their arguments in these tuples.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.compiled import part
from hbtom.errors import count


class Mode(IntEnum):
    """The modes of a world with a key, a lock or a barrier."""

    START = 0
    HELD = 1
    OPEN = 2


START, HELD, OPEN = int(Mode.START), int(Mode.HELD), int(Mode.OPEN)  # for kernels
UNIT = 10.0  # pixels of walking that cost 1: the side of the paper's grid cell
ANY, NEVER = -1, -2  # which exit a plan may take next: any, or none (then this one is useless)
NO_GOAL = -1


class Space(NamedTuple):
    """How the world is cut into cells, and how much room agents leave; all in pixels."""

    cell: float
    clearance: float = 0.0  # between an agent's centre and a wall
    berth: float = 0.0  # between an agent's centre and a thing it passes; 0: things may be crossed
    in_cells: bool = False  # steps lead from cell to cell: places are columns and rows, not pixels

    @property
    def side(self) -> float:
        """The side of a cell, in the units of places."""
        return 1.0 if self.in_cells else self.cell


class Costs(NamedTuple):
    """The costs of acting, in the units of the policy's Q-values."""

    cell: float  # walking the side of a cell
    act: float  # picking something up
    push: float = 0.0  # passing through things that are in the way
    tool: float = 0.0  # using a key, in addition to fetching it and opening the lock
    contact: bool = False  # things are used from where they are touched, even beside walls


class Exits(NamedTuple):
    """The exits: the mode and the thing of each, its price, and its effects."""

    source: Annotated[Ints, "exit"]  # the mode in which it is possible
    target: Annotated[Ints, "exit"]  # the mode afterwards, never a lower one
    thing: Annotated[Ints, "exit"]  # the thing touched: an item, or the lock (after all items)
    goal: Annotated[Ints, "exit"]  # the item that is attained, or NO_GOAL
    then: Annotated[Ints, "exit"]  # the exit that a plan must take next, ANY or NEVER
    price: Annotated[Floats, "exit"]
    reluctance: Annotated[Floats, "exit"]  # added to the price in planning


class PlaceWorld(NamedTuple):
    """The states of one trial, as data."""

    space: Space
    costs: Costs
    blocked: Annotated[Bools, "mode row column"]
    lying: Annotated[Bools, "mode item"]  # not yet picked up
    reach: Annotated[Floats, "thing row column"]  # distance in cells; inf if it is out of reach
    boxes: Annotated[Bools, "item row column"]  # avoided on the way to other things; may be empty
    exits: Exits

    def cell_of(self, x: float, y: float) -> tuple[int, int]:
        """Return the column and row of the cell that holds a point."""
        _, rows, columns = self.blocked.shape
        return cell_of(x, self.space.cell, columns), cell_of(y, self.space.cell, rows)

    @property
    def lock(self) -> Annotated[Floats, "row column"] | None:
        """The distance to the lock, if there is more than one mode; infinite without a lock."""
        return self.reach[self.lying.shape[1]] if len(self.reach) > self.lying.shape[1] else None

    def __repr__(self) -> str:
        modes, rows, columns = self.blocked.shape
        kinds = f"{modes} modes" if modes > 1 else "one mode"
        exits = count(len(self.exits.source), "exit")
        return f"<PlaceWorld of {rows} x {columns} cells, {kinds} and {exits}>"


class Worlds(NamedTuple):
    """The worlds of several trials of the same size, one after the other in each array."""

    space: Space
    costs: Costs
    first: Annotated[Ints, "1+world 5"]  # where each world begins: see the columns below
    blocked: Annotated[Bools, "mode row column"]
    lying: Annotated[Bools, "mode*item"]
    reach: Annotated[Floats, "thing row column"]
    boxes: Annotated[Bools, "box row column"]
    exits: Exits


MODES, LYING, THINGS, BOXES, EXITS = range(5)  # the columns of ``Worlds.first``


def worlds_from(world: PlaceWorld) -> Worlds:
    """Return one world as the only one of several."""
    maps = world.blocked, world.lying.ravel(), world.reach, world.boxes
    first = np.array([[0] * 5, [*map(len, (*maps, world.exits.source))]])
    return Worlds(world.space, world.costs, first, *maps, world.exits)


@part
def world_at(worlds: Worlds, one: int) -> PlaceWorld:
    """Return one of several worlds."""
    first, last = worlds.first[one], worlds.first[one + 1]
    modes, items = last[MODES] - first[MODES], last[LYING] - first[LYING]
    exits, start, stop = worlds.exits, first[EXITS], last[EXITS]
    return PlaceWorld(
        worlds.space,
        worlds.costs,
        worlds.blocked[first[MODES] : last[MODES]],
        worlds.lying[first[LYING] : last[LYING]].reshape((modes, items // modes)),
        worlds.reach[first[THINGS] : last[THINGS]],
        worlds.boxes[first[BOXES] : last[BOXES]],
        Exits(
            exits.source[start:stop],
            exits.target[start:stop],
            exits.thing[start:stop],
            exits.goal[start:stop],
            exits.then[start:stop],
            exits.price[start:stop],
            exits.reluctance[start:stop],
        ),
    )


@part
def cell_of(at: float, cell: float, cells: int) -> int:
    """Return the cell that holds a coordinate; beyond an edge, the cell at that edge."""
    return min(max(int(at / cell), 0), cells - 1)


@part
def corner(at: float, cells: int) -> tuple[int, float]:
    """Return the cell before a coordinate (-1 if there is none), and the weight of the next one."""
    low = min(max(math.floor(at), 0), cells - 2)
    return low, min(max(at - low, 0.0), 1.0)


@part
def count_exits(items: int, objects: int, modes: int) -> int:
    """Return how many exits one of the benchmark's worlds has."""
    return modes * objects + (1 if items > objects else 0) + (1 if modes > 1 else 0)


@part
def write_exits(world: PlaceWorld, objects: int, locks: int, opening: float) -> None:
    """Fill in the exits of one of the benchmark's worlds.

    They are touching each object, opening the lock (which costs ``opening``, including the wait
    until the barrier is gone), and fetching the key, which is the item after the objects.
    """
    (modes, items), exits, row = world.lying.shape, world.exits, 0
    for mode in range(modes):
        for item in range(objects):
            _write(exits, row, mode, mode, item)
            exits.price[row] = world.costs.act
            row += 1
    if modes > 1:  # even without a lock: a barrier may vanish anyway
        _write(exits, row, HELD, OPEN, items)
        exits.goal[row], exits.price[row] = NO_GOAL, opening
        row += 1
    if items > objects:
        _write(exits, row, START, HELD, objects)
        exits.then[row] = row - 1 if locks > 0 else NEVER
        exits.price[row], exits.reluctance[row] = world.costs.act, world.costs.tool


@part
def _write(exits: Exits, row: int, source: int, target: int, thing: int) -> None:
    """Fill in an exit that attains the thing it touches, and after which any may follow."""
    exits.source[row], exits.target[row] = source, target
    exits.thing[row], exits.goal[row], exits.then[row] = thing, thing, ANY


@part
def exit_at(source: Ints, things: Ints, mode: int, thing: int) -> int:
    """Return the exit of touching a thing in a mode, or -1 if there is none."""
    for one in range(len(source)):
        if source[one] == mode and things[one] == thing:
            return one
    return -1
