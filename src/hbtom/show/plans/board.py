"""The board on which a plan is drawn: boxes that stay, and tokens that move from state to state.

Pages and movies draw the same board. Lengths are in pixels of a page that is wide enough.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from hbtom.show.plans.chips import (
    EDGE,
    HIGH,
    LETTER,
    NARROWEST,
    WIDEST,
    Chips,
    Spot,
    chip_name,
    lay_rows,
)
from hbtom.show.plans.fact_rows import fact_rows, held_rows, marks
from hbtom.show.plans.floors import Box, Floor, Segment, lay_floor
from hbtom.show.plans.locations import Locations, find_locations
from hbtom.show.plans.stacks import AGENT, TABLE, Slots, stack
from hbtom.show.words import plain
from hbtom.world.pddl import Goal, Plan

LABEL, BETWEEN = 18.0, 12.0  # the height of a box's name, and between parts
LEAST_WIDTH = 420.0
ACROSS = 4  # things side by side in a box; twice as many if they are in high stacks
MOST_PLACES = 900
_WORD, _NOT = re.compile(r"[^\s()]+"), re.compile(r"\(not \([^()]*\)\)")


@dataclass(frozen=True)
class BoardBox:
    """A box that stays: a cell, another place, a table, or a row of facts."""

    name: str
    kind: str  # cell, place, table or row
    box: Box
    goal: int | None = None  # the only goal that is about it


@dataclass(frozen=True)
class Token:
    """Something that moves, appears or vanishes: the agent, a thing, or a fact."""

    name: str
    kind: str  # agent, thing, fact or mark
    size: tuple[float, float]
    spots: tuple[Spot | None, ...]  # its middle in each state; None where it is not shown
    goal: int | None = None


@dataclass(frozen=True)
class Board:
    """The whole drawing of a plan."""

    size: tuple[float, float]
    panels: tuple[BoardBox, ...]
    links: tuple[Segment, ...]
    walls: tuple[Segment, ...]
    tokens: tuple[Token, ...]


def draw_board(plan: Plan, goals: Sequence[Goal]) -> Board:
    """Return the board of a plan, whose tokens have a spot in each of its states."""
    found = find_locations(plan)
    if len(found.places) > MOST_PLACES:
        found = replace(found, places=(), movable=(), agent=(None,) * len(found.agent))
    slots = stack(found)
    room, marked = _room(found, slots), marks(found)
    floor, panels = _floor(found, room, len(marked))
    width = max(floor.size[0], LEAST_WIDTH)
    hand, facts = held_rows(found), fact_rows(found)
    above, below = ((), (*hand, *facts)) if found.places else (hand, facts)
    top = list(lay_rows(above, 0.0, width, room.token[0]))
    right, down = (width - floor.size[0]) / 2, top[-1].bottom + BETWEEN if top else 0.0
    panels = [replace(one, box=_shifted(one.box, right, down)) for one in panels]
    bottom = down + floor.size[1] + (BETWEEN if panels else 0.0)
    rows = [*top, *lay_rows(below, bottom, width, room.token[0])]
    panels += [BoardBox(row.row.name, "row", row.box) for row in rows]
    boxes = {one.name: one.box for one in panels if one.kind != "row"}
    fit = room.fitting(floor.side) if floor.is_grid else room
    tokens = [
        *_marks(found, marked, boxes, 0 if floor.is_grid else LABEL),
        *_things(found, slots, boxes, fit, rows),
        *_facts(found, [row for row in rows if row.row in facts]),
    ]
    about = _about(goals)
    return Board(
        (width, max(one.box[1] + one.box[3] for one in panels) if panels else HIGH),
        tuple(
            replace(one, name=_called(one.name, plan), goal=about.get(one.name)) for one in panels
        ),
        tuple(_shifted(one, right, down, right, down) for one in floor.links),
        tuple(_shifted(one, right, down, right, down) for one in floor.walls),
        tuple(
            replace(one, name=_called(one.name, plan), goal=about.get(one.name)) for one in tokens
        ),
    )


def _called(name: str, plan: Plan) -> str:
    return plain({TABLE: "table", AGENT: plan.agent}.get(name, name))


def _about(goals: Sequence[Goal]) -> dict[str, int]:
    """Return the goal of each object that only one goal is about; negated facts do not count."""
    words = [{*_WORD.findall(_NOT.sub("", str(goal.formula)))} for goal in goals]
    return {
        word: number
        for number, some in enumerate(words)
        for word in some
        if sum(word in others for others in words) == 1
    }


# Places


@dataclass(frozen=True)
class _Room:
    """The space in the box of a place: tokens of one size, in columns and rows."""

    token: tuple[float, float]
    across: int  # columns side by side; more are above them
    shelves: int
    rows: int

    @property
    def size(self) -> tuple[float, float]:
        high = self.shelves * self.rows * self.token[1]
        return self.across * self.token[0] + 2 * EDGE, high + 2 * EDGE

    def fitting(self, side: float) -> _Room:
        """Return a room whose tokens fit a square cell."""
        many = self.across * self.shelves
        across = max(1, round((many * HIGH / self.token[0]) ** 0.5))
        shelves = math.ceil(many / across)
        wide, high = min(self.token[0], side / across), min(HIGH, side / (shelves * self.rows))
        return _Room((wide, high), across, shelves, self.rows)

    def spot(self, column: int, row: int, box: Box) -> Spot:
        """Return the middle of a token in a box: from the left, and from the ground upwards."""
        left, top, wide, high = box
        shelf, column = divmod(column, self.across)
        row += shelf * self.rows
        start = left + (wide - self.across * self.token[0]) / 2
        spare = high - self.shelves * self.rows * self.token[1]
        ground = top + high - min(EDGE, spare / 2)
        return start + (column + 0.5) * self.token[0], ground - (row + 0.5) * self.token[1]


def _room(found: Locations, slots: Sequence[Slots]) -> _Room:
    used = [slot for state in slots for slot in state.values()]
    columns = max((slot.column for slot in used), default=0) + 1
    rows = max((slot.row for slot in used), default=0) + 1
    longest = max((len(plain(thing)) for thing in found.movable), default=1)
    wide = min(max(LETTER * longest + 10, NARROWEST), WIDEST)
    across = min(columns, ACROSS if rows < 3 else 2 * ACROSS) if found.places else columns
    return _Room((wide, HIGH), across, math.ceil(columns / across), rows)


def _floor(found: Locations, room: _Room, marked: int) -> tuple[Floor, list[BoardBox]]:
    """Return the floor of a world, and its places as boxes."""
    if not found.places:
        if not found.movable:
            return Floor({}), []
        wide, high = room.size
        box = 0.0, 0.0, max(wide, LEAST_WIDTH), high
        return Floor({TABLE: box}), [BoardBox(TABLE, "table", box)]
    longest = max(len(plain(place)) for place in found.places)
    wide = max(room.size[0], min(LETTER * longest + 12, WIDEST))
    floor = lay_floor(found.places, found.ways, (wide, room.size[1] + (1 + marked) * LABEL))
    kind = "cell" if floor.is_grid else "place"
    return floor, [BoardBox(place, kind, box) for place, box in floor.boxes.items()]


def _shifted(
    box: Box, right: float, down: float, wider: float = 0.0, higher: float = 0.0
) -> tuple[float, float, float, float]:
    """Return a shifted box, or a shifted line with its end."""
    return box[0] + right, box[1] + down, box[2] + wider, box[3] + higher


# Tokens


def _things(
    found: Locations,
    slots: Sequence[Slots],
    boxes: Mapping[str, Box],
    room: _Room,
    rows: Sequence[Chips],
) -> Iterator[Token]:
    """Yield the things, and last the agent, with their spots in all states."""
    held = {fact: row.spot(number) for row in rows for number, fact in enumerate(row.row.facts)}
    for thing in (*found.movable, AGENT):
        spots: list[Spot | None] = []
        for state, hand in zip(slots, found.held, strict=True):
            if thing in hand:
                spots.append(held[hand[thing], thing])
            else:
                slot = state.get(thing)
                spots.append(slot and room.spot(slot.column, slot.row, boxes[slot.place]))
        if any(spots):
            wide, high = room.token
            kind, wide = ("agent", high) if thing == AGENT else ("thing", wide)
            yield Token(thing, kind, (wide - 3, high - 3), tuple(spots))


def _marks(
    found: Locations, names: Sequence[str], boxes: Mapping[str, Box], below: float
) -> Iterator[Token]:
    """Yield a token for each fact that marks a place."""
    for number, name in enumerate(names):
        for place in found.places:
            there = [(name, place) in state for state in found.other]
            if any(there):
                left, top, wide, _ = boxes[place]
                spot = left + wide / 2, top + below + (number + 0.5) * LABEL
                spots = tuple(spot if one else None for one in there)
                yield Token(name, "mark", (wide - 4, LABEL - 4), spots)


def _facts(found: Locations, rows: Sequence[Chips]) -> Iterator[Token]:
    every = chain.from_iterable(
        ((row, number, fact) for number, fact in enumerate(row.row.facts)) for row in rows
    )
    for row, number, fact in every:
        spots = tuple(row.spot(number) if fact in state else None for state in found.other)
        size = row.chip[0] - 4, row.chip[1] - 4
        yield Token(chip_name(row.row.name, fact), "fact", size, spots)
