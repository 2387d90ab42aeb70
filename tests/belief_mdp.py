"""Brute force over knowledge: value iteration in the belief MDP of a small gridworld.

This uses nothing from hbtom. A state is a cell and the set of places where a thing may still be. An
agent that arrives in a cell learns whether the thing lies at any of the places that it sees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations

import numpy as np

Cell = tuple[int, int]
Known = frozenset[str]
MOVES = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]


@dataclass
class BeliefMDP:
    """A map, the cells of the places by name, and what touching a thing costs."""

    rows: list[str]
    places: dict[str, Cell]
    act: float = 1.0
    hides: bool = True  # whether walls hide things
    free: set[Cell] = field(init=False)

    def __post_init__(self) -> None:
        cells = {(r, c) for r, line in enumerate(self.rows) for c, _ in enumerate(line)}
        self.free = {(r, c) for r, c in cells if self.rows[r][c] != "#"}
        walls = cells - self.free if self.hides else set()
        self.told = {
            cell: frozenset(
                name
                for name, place in self.places.items()
                if self.in_reach(cell, place)
                or not any(_meets(cell, place, wall) for wall in walls)
            )
            for cell in self.free
        }

    def moves(self, cell: Cell) -> Iterator[tuple[Cell, float]]:
        """Yield where moves lead and what they cost."""
        for down, right in MOVES:
            to = cell[0] + down, cell[1] + right
            if {to, (cell[0], to[1]), (to[0], cell[1])} <= self.free:
                yield to, math.sqrt(down**2 + right**2)

    def in_reach(self, cell: Cell, place: Cell) -> bool:
        near = max(abs(cell[0] - place[0]), abs(cell[1] - place[1])) <= 1
        return near and not {(place[0], cell[1]), (cell[0], place[1])}.isdisjoint(self.free)

    def outcomes(
        self, cell: Cell, known: Known, belief: Mapping[str, float]
    ) -> list[tuple[float, Known]]:
        """Return the possible states of knowledge on arrival in a cell, and their probabilities."""
        b = _given(belief, known)
        seen = known & self.told[cell]
        if len(known) == 1 or not seen:
            return [(1.0, known)]
        found = [(b[name], frozenset([name])) for name in seen]
        rest = known - seen
        return [*found, (sum(b[name] for name in rest), rest)] if rest else found

    def values(self, belief: Mapping[str, float]) -> dict[tuple[Cell, Known], float]:
        """Return the expected cost of getting the thing, on arrival in a cell."""
        every = [
            frozenset(s)
            for n in range(1, len(self.places) + 1)
            for s in combinations(self.places, n)
        ]
        states = [(cell, known) for known in every for cell in self.free]
        arrive = {state: self.outcomes(*state, belief) for state in states}
        steps = {cell: list(self.moves(cell)) for cell in self.free}
        value = dict.fromkeys(states, math.inf)
        change = True
        while change:
            change = False
            for cell, known in states:
                if arrive[cell, known] != [(1.0, known)]:
                    new = sum(p * value[cell, k] for p, k in arrive[cell, known] if p > 0)
                else:
                    ways = [cost + value[to, known] for to, cost in steps[cell]]
                    if len(known) == 1 and self.in_reach(cell, self.places[min(known)]):
                        ways.append(self.act)
                    new = min(ways, default=math.inf)
                if new < value[cell, known] - 1e-12:
                    value[cell, known], change = new, True
        return value

    def after(self, cell: Cell, known: Known, lies: str) -> Known:
        """Return what is known after arriving in a cell, with the thing at a place."""
        seen = self.told[cell]
        return frozenset([lies]) if lies in seen else known - seen


def _given(belief: Mapping[str, float], known: Known) -> dict[str, float]:
    total = sum(belief.get(name, 0.0) for name in known)
    alike = 1.0 / len(known)
    return {name: belief.get(name, 0.0) / total if total else alike for name in known}


def _meets(cell: Cell, place: Cell, wall: Cell) -> bool:
    """Return whether the line between two cells' middles meets a wall's square, with its edges."""
    low, high = Fraction(0), Fraction(1)
    for at, to, side in zip(cell, place, wall, strict=True):
        way, left, right = (
            to - at,
            Fraction(2 * (side - at) - 1, 2),
            Fraction(2 * (side - at) + 1, 2),
        )
        if way == 0:
            if not left <= 0 <= right:
                return False
        else:
            ends = sorted((left / way, right / way))
            low, high = max(low, ends[0]), min(high, ends[1])
    return low <= high


def draw(rng: np.random.Generator, places: int = 0) -> str:
    """Return a random map whose places can all be reached from where the agent begins."""
    many = places or int(rng.integers(2, 5))
    while True:
        shape = int(rng.integers(3, 6)), int(rng.integers(4, 8))
        marks = np.where(rng.random(shape) < 0.3, "#", ".")
        spots = rng.choice(marks.size, size=many + 1, replace=False)
        marks.flat[spots] = list("@1234"[: many + 1])
        rows = ["".join(row) for row in marks]
        mdp = BeliefMDP(rows, cells_of(rows))
        values = mdp.values({})
        start = divmod(int(spots[0]), shape[1])
        if math.isfinite(values[start, frozenset(mdp.places)]):
            return "\n".join(rows)


def cells_of(rows: list[str]) -> dict[str, Cell]:
    """Return the cells of the places on a map."""
    return {m: (r, c) for r, row in enumerate(rows) for c, m in enumerate(row) if m not in "#.@"}
