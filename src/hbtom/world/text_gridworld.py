"""A gridworld drawn as text, with an agent that may not know where things are.

#########      #  a wall
#@..#..1#      .  floor; a blank is floor, too
#...#...#      @  where the agent starts
#......2#      1  a place where things may lie; so is any other character
#########
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from textwrap import dedent
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput, Place
from hbtom.observe import Body, Identity, Trial
from hbtom.world.modes import UNIT
from hbtom.world.whereabouts import Whereabouts

WALL, FLOOR, START = "#", ". ", "@"
_COMPASS = {"N": (-1, 0), "S": (1, 0), "W": (0, -1), "E": (0, 1)}
MOVES = _COMPASS | {a + b: (_COMPASS[a][0], _COMPASS[b][1]) for a in ("N", "S") for b in ("W", "E")}
_RADIUS = 0.71 * UNIT  # things in adjacent cells touch, also diagonally
WAIT, TAKE = "WAIT", "TAKE"
_LEAVING = 0.45  # fraction of a move after which the agent is still in the cell that it leaves

Cell = tuple[int, int]  # row and column


@dataclass(frozen=True)
class Gridworld:
    """A map, the places of things, and the moves of an agent.

    ``things`` maps the name of each thing to the mark at which it lies. ``moves`` are compass
    directions, as in ``"E E NE"``; north is up. ``wait`` stays in a cell, and ``take``, as the last
    move, takes what lies there. :func:`hbtom.infer` counts two moves at a right angle as one
    diagonal where there is room for it; :func:`hbtom.attribute` does not. If ``diagonal`` is false,
    there are only four moves.

    The agent knows where the things in ``known`` are. As far as it knows at first, any other thing
    may lie at any mark that does not hold a known thing. Things in ``missing`` may also be absent;
    if they are, ``things`` has no mark for them. ``agent`` is the name of the agent, if it is seen
    in several worlds. For ``beliefs`` and ``prior`` see
    :class:`hbtom.world.whereabouts.Whereabouts`.
    """

    picture: str
    things: Mapping[str, str]
    moves: str = ""
    known: tuple[str, ...] = ()
    beliefs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    prior: Mapping[str, float] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    diagonal: bool = True
    agent: str = ""

    def __post_init__(self) -> None:
        for name in self.known:
            self._place(name)
        _ = self.trial  # raises if the input makes no sense

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """The rows of the map, all of the same length."""
        return rows_of(self.picture)

    @cached_property
    def marks(self) -> dict[str, Cell]:
        """The cells of all marks: places, and the agent's first cell."""
        marks = dict[str, Cell]()
        for row, line in enumerate(self.rows):
            for column, mark in enumerate(line):
                if mark in marks:
                    hint = "use a different mark for each place"
                    raise _bad(f"the mark '{mark}' occurs twice", "picture", hint)
                if mark not in WALL + FLOOR:
                    marks[mark] = row, column
        return marks

    @cached_property
    def path(self) -> tuple[Cell, ...]:
        """The cells that the agent visits, in order."""
        if START not in self.marks:
            hint = f"mark the agent's first cell with '{START}'"
            raise _bad("there is no agent on the map", "picture", hint)
        path = [self.marks[START]]
        for number, move in enumerate(self.acts, start=1):
            if move == TAKE and (number < len(self.acts) or path[-1] not in self._lying):
                hint = "use 'take' only as the last move, in a cell where a thing lies"
                raise _bad(f"move {number} takes nothing, or is not the last", "moves", hint)
            (row, column), (down, right) = path[-1], MOVES.get(move, (0, 0))
            around = [(row + down, column), (row, column + right), (row + down, column + right)]
            if not all(map(self.is_free, around)):
                hint = "the agent cannot leave the map, enter walls or cut their corners"
                raise _bad(f"move {number}, '{move}', runs into a wall", "moves", hint)
            path += around[-1:] if move != TAKE else []
        return tuple(path)

    @cached_property
    def acts(self) -> tuple[str, ...]:
        """The acts of the agent, in order: moves, waiting and taking."""
        acts, known = tuple(self.moves.upper().split()), (*self.compass, WAIT, TAKE)
        for act in acts:
            if act not in known:
                raise _bad(f"there is no move '{act}'", "moves", f"moves are {', '.join(known)}")
        return acts

    @property
    def compass(self) -> dict[str, Cell]:
        """The moves that the agent can make."""
        return MOVES if self.diagonal else _COMPASS

    @cached_property
    def trial(self) -> Trial:
        """The trial: cells are 10 pixels wide, and there are two frames for every move."""
        stops = np.array([centre_of(cell) for cell in self.path])
        between = stops[:-1] + _LEAVING * np.diff(stops, axis=0)
        path = np.concatenate([np.stack((stops[:-1], between), axis=1).reshape(-1, 2), stops[-1:]])
        objects = (Body(Identity(name), self._place(name), _RADIUS) for name in self.things)
        return Trial(
            size=(len(self.rows[0]) * UNIT, len(self.rows) * UNIT),
            walls=self.walls,
            barrier=np.zeros((0, 4)),
            objects=tuple(objects),
            agent=Body(Identity("agent"), (path[0, 0], path[0, 1]), _RADIUS),
            path=path,
            barrier_left=np.zeros(len(path)),
        )

    @cached_property
    def walls(self) -> Annotated[Floats, "wall 4"]:
        """The walls: x, y, width and height of each, in pixels."""
        cells = (
            (r, c) for r, line in enumerate(self.rows) for c, m in enumerate(line) if m == WALL
        )
        corners = np.array([*cells], dtype=np.float64).reshape(-1, 2)[:, ::-1] * UNIT
        return np.hstack([corners, np.full_like(corners, UNIT)])

    @cached_property
    def whereabouts(self) -> Whereabouts:
        """The places where the things unknown to the agent may lie."""
        taken = {START, *(self.things[name] for name in self.known)}
        places = {mark: centre_of(cell) for mark, cell in self.marks.items() if mark not in taken}
        unknown = tuple(name for name in self.things if name not in self.known)
        return Whereabouts(places, self.beliefs, self.prior, unknown)

    def _place(self, name: str) -> tuple[float, float]:
        """Return where a thing lies, in pixels."""
        if name not in self.things:
            raise _bad(f"there is no thing '{name}'", "known", f"things: {', '.join(self.things)}")
        if self.things[name] not in self.marks:
            hint = f"the marks are {', '.join(self.marks)}"
            raise _bad(f"there is no mark '{self.things[name]}' for '{name}'", "things", hint)
        return centre_of(self.marks[self.things[name]])

    @property
    def _lying(self) -> set[Cell]:
        """The cells in which things lie."""
        return {self.marks[mark] for mark in self.things.values() if mark in self.marks}

    def is_free(self, cell: Cell) -> bool:
        """Return whether a cell is on the map and not a wall."""
        row, column = cell
        inside = 0 <= row < len(self.rows) and 0 <= column < len(self.rows[0])
        return inside and self.rows[row][column] != WALL


def rows_of(picture: str) -> tuple[str, ...]:
    """Return the rows of a map, all of the same length."""
    lines = [line.rstrip() for line in dedent(picture).strip("\n").splitlines()]
    if not any(lines):
        raise _bad("the map is empty", "picture", "draw it as text, one line for each row")
    return tuple(line.ljust(max(map(len, lines))) for line in lines)


def centre_of(cell: Cell) -> tuple[float, float]:
    """Return the centre of a cell in pixels."""
    return (cell[1] + 0.5) * UNIT, (cell[0] + 0.5) * UNIT


def _bad(problem: str, where: str, hint: str) -> BadInput:
    return BadInput(problem, hint=hint, place=Place(field=where))
