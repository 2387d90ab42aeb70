"""Places given as numbers: worlds in which actions change, say, ``(x)`` and ``(y)``.

Values of numbers that change are facts such as ``(x=3)``; see :mod:`hbtom.world.pddl.numeric`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import product
from typing import NamedTuple

from hbtom.world.pddl import Plan
from hbtom.world.pddl.problem import Ground

# Names of numbers that are a column and a row, and whether rows are counted upwards
AXES = {
    ("x", "y"): True,
    ("xpos", "ypos"): True,
    ("x-pos", "y-pos"): True,
    ("pos-x", "pos-y"): True,
    ("xloc", "yloc"): True,
    ("column", "row"): False,
    ("col", "row"): False,
}
MOST = 60  # rows or columns
_VALUE = re.compile(r"(.+)=(-?\d+)(?:\.0*)?")

Cell = tuple[int, int]  # column and row
Numbers = dict[Ground, int]


class Coordinates(NamedTuple):
    """Where things with a column and a row are; coordinates without a thing are the agent's."""

    states: tuple[dict[Ground, str], ...]  # the place of each owner of coordinates
    ways: tuple[Ground, ...]  # from each place to its neighbours
    used: frozenset[str]  # names of the facts that give coordinates


def find_coordinates(plan: Plan) -> Coordinates | None:
    """Return where things with numeric coordinates are; None if there are none."""
    fixed = {key: int(value) for key, value in plan.world.problem.numbers.items() if value % 1 == 0}
    states = [fixed | _values(plan.world.true_in(state)) for state in plan.states]
    changing = {key[0] for state in states for key in state if state[key] != states[0].get(key)}
    found = [_cells(state) for state in states]
    cells = {cell for state in found for cell in state.values()}
    if not cells or not changing & {name for both in AXES for name in both}:
        return None
    upwards = any({*both} <= {key[0] for key in states[0]} for both, up in AXES.items() if up)
    ends = [[pick(cell[axis] for cell in cells) for pick in (min, max)] for axis in (0, 1)]
    if any(high - low >= MOST for low, high in ends):
        return None
    (left, right), (low, high) = ends

    def name(cell: Cell) -> str:
        row = high - cell[1] if upwards else cell[1] - low
        return f"row {row + 1}, column {cell[0] - left + 1}"

    every = list(product(range(left, right + 1), range(low, high + 1)))
    ways = [("way", name((x, y)), name(to)) for x, y in every for to in ((x + 1, y), (x, y + 1))]
    known = {name(cell) for cell in every}
    places = tuple({owner: name(cell) for owner, cell in state.items()} for state in found)
    names = frozenset(fact[0] for fact in plan.world.facts if _axis(fact[0]))
    return Coordinates(places, tuple(way for way in ways if way[2] in known), names)


def _axis(fact: str) -> bool:
    """Return whether a fact is the value of a coordinate."""
    found = _VALUE.fullmatch(fact)
    return found is not None and any(found[1] in both for both in AXES)


def _values(facts: Iterable[Ground]) -> Numbers:
    read = ((_VALUE.fullmatch(name), owner) for name, *owner in facts)
    return {(found[1], *owner): int(found[2]) for found, owner in read if found}


def _cells(numbers: Mapping[Ground, int]) -> dict[Ground, Cell]:
    """Return the column and the row of everything that has both."""
    return {
        tuple(owner): (value, numbers[row, *owner])
        for (name, *owner), value in numbers.items()
        for column, row in AXES
        if name == column and (row, *owner) in numbers
    }
