"""The benchmark's gridworld in PDDL: its domain, and a problem for every floor.

The kernels of :mod:`hbtom.plan.cost_to_go` and :mod:`hbtom.mind.grid` compute the same costs
faster; a test compares them. A diagonal costs the square root of two, to the last bit of a double.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence, Set
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hbtom.errors import BadInput
from hbtom.world.modes import Mode, PlaceWorld

DOMAIN = Path(__file__).with_name("gridworld.pddl")
SLIPPERY = Path(__file__).with_name("slippery.pddl")  # a fifth of all moves go astray
Cell = tuple[int, int]  # row and column


def write_domain(slip: float) -> str:
    """Return the domain in which a move goes astray with probability ``slip``.

    Its problems must be written with ``slippery``. With a slip of 0, it is the plain domain.
    """
    if not 0 <= slip < 1:
        raise BadInput(f"the slip is {slip}", hint="it must be a probability less than 1")
    if slip == 0:
        return DOMAIN.read_text(encoding="utf-8")
    exact = Decimal(repr(float(slip)))  # so that the written probabilities add up to 1
    chance = (
        f"(probabilistic {1 - exact:f} (at ?to) {exact / 2:f} (at ?left) {exact / 2:f} (at ?right))"
    )
    return re.sub(r"\(probabilistic .*\)(?=\n)", chance, SLIPPERY.read_text(encoding="utf-8"))


class Prices(NamedTuple):
    """The costs of moves and acts."""

    side: float = 1.0
    diagonal: float = math.sqrt(2.0)
    act: float = 1.0
    opening: float = 1.0


PLAIN = Prices()


def write_problem(
    floor: PlaceWorld,
    start: Cell,
    items: Sequence[str],
    *,
    key: int | None = None,
    mode: Mode = Mode.START,
    prices: Prices = PLAIN,
    slippery: bool = False,
    name: str = "floor",
) -> str:
    """Return a problem: a floor of ``grid`` cells, and an agent that starts in a row and column.

    ``items`` are the names of the floor's items; one of them may be the key. The goal of the
    problem, for planners that need one, is to touch the first item. A ``slippery`` problem also
    says where stray moves end.
    """
    if not np.isin(floor.reach[: len(items)], [0.0, np.inf]).all():
        problem = "the floor is not made of 'grid' cells: things can be reached from a distance"
        raise BadInput(problem)
    if floor.blocked[min(mode, len(floor.blocked) - 1)][start]:
        raise BadInput(f"row {start[0]}, column {start[1]} is blocked")
    costs = {**prices._asdict(), "total-cost": 0}
    things = [item for index, item in enumerate(items) if index != key]
    cells = [(int(row), int(column)) for row, column in np.argwhere(~floor.blocked[-1])]
    goal = f"(touched {things[0]})" if things else f"(held {items[0]})"
    lines = [
        f"(define (problem {name})",
        "  (:domain gridworld)",
        "  (:objects",
        *_wrapped(map(cell_name, cells), " - cell"),
        *_wrapped(things, " - item"),
        *_wrapped([] if key is None else [items[key]], " - key"),
        "  )",
        "  (:init",
        *(  # without an exponent, as in PDDL, so that reading gives the same bits
            f"    (= ({what}) {np.format_float_positional(value, trim='-')})"
            for what, value in costs.items()
        ),
        f"    (at {cell_name(start)})",
        f"    (now {'gone' if mode == Mode.OPEN else 'standing'})",
        *([f"    (held {items[key]})"] if key is not None and mode != Mode.START else []),
        *(f"    {fact}" for fact in _facts(floor, items, cells)),
        *(f"    {fact}" for fact in (_astray(floor, cells) if slippery else ())),
        "  )",
        f"  (:goal {goal})",
        "  (:metric minimize (total-cost)))",
    ]
    return "\n".join(lines) + "\n"


def cell_name(cell: Sequence[int]) -> str:
    """Return the name of the cell in a row and column."""
    return f"cell-{cell[0]}-{cell[1]}"


def _facts(floor: PlaceWorld, items: Sequence[str], cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the facts that never change: neighbours, the barrier, and where things are in reach."""
    free = set(cells)
    for row, column in cells:
        for word, down, right in (("beside", 0, 1), ("above", 1, 0)):
            ends = ((row - down, column - right), (row + down, column + right))
            for there in filter(free.__contains__, ends):
                yield f"({word} {cell_name((row, column))} {cell_name(there)})"
    for cell in cells:
        if floor.blocked[0][cell]:
            yield f"(blocked {cell_name(cell)} standing)"
        for item, distance in zip(items, floor.reach, strict=False):
            if distance[cell] == 0:
                yield f"(at-hand {item} {cell_name(cell)})"
        if floor.lock is not None and floor.lock[cell] == 0:
            yield f"(at-lock {cell_name(cell)})"


def _astray(floor: PlaceWorld, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield where stray moves end: 45 degrees to either side, or where they began."""
    for blocked, barrier in ((floor.blocked[0], "standing"), (floor.blocked[-1], "gone")):
        free = {cell for cell in cells if not blocked[cell]}
        for here in filter(free.__contains__, cells):
            ends = [_end(free, here, move) for move in _AROUND]
            for turn, there in enumerate(ends):
                if there != here:
                    told = here, there, ends[turn - 1], ends[(turn + 1) % len(ends)]
                    yield f"(astray {' '.join(map(cell_name, told))} {barrier})"


_AROUND = ((-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1))  # clockwise


def _end(free: Set[Cell], here: Cell, move: Cell) -> Cell:
    """Return where a move ends: at its target if no corner is in the way, else where it began."""
    (row, column), (down, right) = here, move
    there = (row + down, column + right)
    return there if {there, (row + down, column), (row, column + right)} <= free else here


def _wrapped(names: Iterator[str] | Sequence[str], kind: str) -> list[str]:
    """Return names of one type, a few per line."""
    words = list(names)
    if not words:
        return []
    rows = [" ".join(words[first : first + 8]) for first in range(0, len(words), 8)]
    return [*(f"    {row}" for row in rows[:-1]), f"    {rows[-1]}{kind}"]
