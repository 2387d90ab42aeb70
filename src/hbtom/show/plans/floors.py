"""Where the places of a world are drawn: on a grid, in a circle with ways between them, or in rows.

Places lie on a grid if their names have two numbers, as ``c34`` or ``pos-3-4``, and ways lead only
from each to its neighbours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from hbtom.world.pddl.problem import Ground

GAP = 14.0  # between places that are not cells of a grid
WIDTH = 620.0  # of rows of places, at least as wide as one place
CELLS = 34.0, 66.0  # the least and the greatest side of a cell

Box = tuple[float, float, float, float]  # left, top, width, height
Segment = tuple[float, float, float, float]  # from x, y to x, y
Cell = tuple[int, int]  # row and column
_RIGHT = {"right": (0, 1), "east": (0, 1), "left": (0, -1), "west": (0, -1)}
_WAYS = _RIGHT | {"down": (1, 0), "south": (1, 0), "up": (-1, 0), "north": (-1, 0)}


@dataclass(frozen=True)
class Floor:
    """The places of a world as boxes."""

    boxes: Mapping[str, Box]
    links: tuple[Segment, ...] = ()  # ways between places
    walls: tuple[Segment, ...] = ()  # between neighbouring cells
    side: float = 0.0  # of the cells of a grid

    @property
    def is_grid(self) -> bool:
        return self.side > 0

    @property
    def size(self) -> tuple[float, float]:
        ends = [(x + width, y + height) for x, y, width, height in self.boxes.values()]
        return (max(x for x, _ in ends), max(y for _, y in ends)) if ends else (0.0, 0.0)


def lay_floor(places: Sequence[str], fixed: Iterable[Ground], size: tuple[float, float]) -> Floor:
    """Return the places as boxes of this size, given the fixed facts; cells have their own size."""
    links = _links(places, fixed)
    pairs = {frozenset((a, b)) for a, b, *_ in links}
    cells = _cells(places, links)
    if cells:
        return _grid(cells, pairs)
    if len(places) > 2 and 0 < len(pairs) < math.comb(len(places), 2):
        return _circle(places, pairs, size)
    wide, high = size
    across = max(1, min(int((WIDTH + GAP) // (wide + GAP)), math.ceil(len(places) ** 0.5)))
    rows = {place: divmod(number, across) for number, place in enumerate(places)}
    return Floor(
        {
            place: (column * (wide + GAP), row * (high + GAP), wide, high)
            for place, (row, column) in rows.items()
        }
    )


def _links(places: Sequence[str], fixed: Iterable[Ground]) -> list[tuple[str, ...]]:
    """Return pairs of places that a fact connects, with its other terms, such as a direction."""
    known = {*places}
    found = []
    for _, *terms in fixed:
        ends = [term for term in terms if term in known]
        if len(ends) == 2 and ends[0] != ends[1]:
            found.append((*ends, *(term for term in terms if term not in known)))
    return sorted(found)


def _cells(places: Sequence[str], links: Sequence[tuple[str, ...]]) -> dict[str, Cell]:
    """Return the row and column of each place; nothing if places are not on a grid."""
    numbers = [re.findall(r"\d+", place) for place in places]
    if all(len(one) == 1 and len(one[0]) == 2 for one in numbers):
        numbers = [list(one[0]) for one in numbers]
    if not links or not all(len(one) == 2 for one in numbers):
        return {}
    cells = {place: (int(a), int(b)) for place, (a, b) in zip(places, numbers, strict=True)}
    near = all(
        max(abs(i - j) for i, j in zip(cells[a], cells[b], strict=True)) == 1 for a, b, *_ in links
    )
    if not near or len({*cells.values()}) < len(cells):
        return {}
    turned = max(product((0, 1), (1, -1), (1, -1)), key=lambda turn: _fits(cells, links, turn))
    return _upright({place: _turn(cell, turned) for place, cell in cells.items()})


def _turn(cell: Cell, turn: tuple[int, int, int]) -> Cell:
    swapped, down, right = turn
    row, column = reversed(cell) if swapped else cell
    return down * row, right * column


def _fits(
    cells: Mapping[str, Cell], links: Sequence[tuple[str, ...]], turn: tuple[int, int, int]
) -> tuple[int, tuple[int, ...]]:
    """Return how many directions fit their names if cells are turned; prefer not to turn."""
    good = 0
    for a, b, *terms in links:
        way = next((_WAYS[word] for word in terms if word in _WAYS), None)
        (row, column), (to_row, to_column) = _turn(cells[a], turn), _turn(cells[b], turn)
        good += (to_row - row, to_column - column) == way
    return good, (-turn[0], *turn[1:])


def _upright(cells: Mapping[str, Cell]) -> dict[str, Cell]:
    """Return cells that begin at row 0 and column 0."""
    top, left = (min(cell[axis] for cell in cells.values()) for axis in (0, 1))
    return {place: (row - top, column - left) for place, (row, column) in cells.items()}


def _grid(cells: Mapping[str, Cell], pairs: set[frozenset[str]]) -> Floor:
    most = max(max(cell) for cell in cells.values()) + 1
    side = float(np.clip(WIDTH // most, *CELLS))
    boxes = {
        place: (column * side, row * side, side, side) for place, (row, column) in cells.items()
    }
    at = {cell: place for place, cell in cells.items()}
    walls = []
    for (row, column), place in at.items():
        x, y = column * side, row * side
        right, below = at.get((row, column + 1)), at.get((row + 1, column))
        if right is not None and frozenset((place, right)) not in pairs:
            walls.append((x + side, y, x + side, y + side))
        if below is not None and frozenset((place, below)) not in pairs:
            walls.append((x, y + side, x + side, y + side))
    return Floor(boxes, (), tuple(walls), side)


def _circle(places: Sequence[str], pairs: set[frozenset[str]], size: tuple[float, float]) -> Floor:
    """Put places on an ellipse, neighbours close together, so that ways pass no other place."""
    (wide, high), many = size, len(places)
    order = _around(places, pairs)
    x_radius = max(1.2 * wide, 0.22 * many * wide)
    y_radius = max(1.3 * high, 0.24 * many * high)
    angles = [2 * math.pi * (place + 0.5) / many - math.pi for place in range(many)]
    middles = {
        place: (x_radius * (1 + math.cos(a)) + wide / 2, y_radius * (1 + math.sin(a)) + high / 2)
        for place, a in zip(order, angles, strict=True)
    }
    left, top = (min(middle[axis] for middle in middles.values()) for axis in (0, 1))
    middles = {p: (x - left + wide / 2, y - top + high / 2) for p, (x, y) in middles.items()}
    ways = sorted(tuple(sorted(pair)) for pair in pairs)
    boxes = {p: (*(middles[p] - np.array(size) / 2).tolist(), wide, high) for p in places}
    return Floor(boxes, tuple((*middles[a], *middles[b]) for a, b in ways))


def _around(places: Sequence[str], pairs: set[frozenset[str]]) -> list[str]:
    """Return places in the order of their angles, in a layout whose distances count ways."""
    many = len(places)
    number = {place: index for index, place in enumerate(places)}
    away = np.full((many, many), float(many))
    np.fill_diagonal(away, 0)
    for pair in pairs:
        one, other = (number[place] for place in pair)
        away[one, other] = away[other, one] = 1
    for middle in range(many):
        away = np.minimum(away, away[:, middle : middle + 1] + away[middle])
    centred = np.eye(many) - 1 / many
    _, axes = np.linalg.eigh(-centred @ away**2 @ centred / 2)  # multidimensional scaling
    axes = axes[:, -2:] * np.sign(axes[np.abs(axes[:, -2:]).argmax(axis=0), [-2, -1]])
    angles = np.round(np.arctan2(axes[:, 0], -axes[:, 1]), 6)
    return [places[index] for index in np.argsort(angles, kind="stable")]
