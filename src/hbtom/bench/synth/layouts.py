"""Placing things: wall cells, free positions, clearings, enclosures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache, partial, wraps
from itertools import takewhile
from typing import TypeVar

from hbtom.bench.synth.geometry import CELL, WORLD, Box, Point, Rng, cell_box, overlap, square
from hbtom.bench.synth.sprites import OBJECT_R
from hbtom.errors import BadInput

Cells = tuple[Point, ...]  # lattice cells (column, row) of interior walls, in file order
T = TypeVar("T")
Build = Callable[[Rng], T]  # raises Misfit if what it draws does not work

SIDE = WORLD // CELL
# Real files draw interior cells from columns and rows 0 to 8. Some of them fall on the border,
# which is why real lists of walls contain duplicates.
_DRAWN = [(x, y) for x in range(SIDE - 1) for y in range(SIDE - 1)]
INTERIOR = [(x, y) for x in range(1, SIDE - 1) for y in range(1, SIDE - 1)]


class Misfit(Exception):
    """A draw that does not work; another one may."""


def ensure(fits: bool) -> None:
    """Raise Misfit unless this is true."""
    if not fits:
        raise Misfit


def found(value: T | None) -> T:
    """The value; raise Misfit if there is none."""
    if value is None:
        raise Misfit
    return value


def repeat(build: Build[T], rng: Rng) -> T:
    """Call a builder until it succeeds."""
    try:
        return attempt(build, rng, 5000)
    except Misfit:
        hint = "choose another seed"
        raise BadInput("no arrangement was found for an episode", hint=hint) from None


def repeated(build: Build[T]) -> Build[T]:
    """A builder that is called until it succeeds."""
    return wraps(build)(partial(repeat, build))


def attempt(build: Build[T], rng: Rng, tries: int = 8) -> T:
    """Call a builder a few times, until it succeeds."""
    for _ in range(tries):
        with suppress(Misfit):
            return build(rng)
    raise Misfit


def maybe(build: Build[T], rng: Rng) -> T | None:
    """The result of a builder, or None if it fails and draws must continue before that counts.

    The order of draws determines the episodes of a seed, so it must not change.
    """
    with suppress(Misfit):
        return build(rng)
    return None


def floor(rng: Rng) -> tuple[Cells, Point]:
    """A typical layout, and a home on it."""
    cells = scatter(rng, int(rng.integers(10, 15)))
    return cells, found(spot(rng, boxes_of(cells), OBJECT_R))


def scatter(rng: Rng, n: int) -> Cells:
    """n wall cells drawn as in real files."""
    picks = rng.choice(len(_DRAWN), size=n, replace=False)
    return tuple(_DRAWN[i] for i in picks)


def maze(rng: Rng) -> Cells:
    """A dense layout: bars of three to five cells among scattered ones, about 23 cells in all."""
    cells: list[Point] = []
    for _ in range(int(rng.integers(3, 6))):
        length = int(rng.integers(3, 6))
        along, across = int(rng.integers(1, SIDE - length)), int(rng.integers(1, SIDE - 1))
        bar = [(along + i, across) for i in range(length)]
        cells += bar if rng.random() < 0.5 else [(y, x) for x, y in bar]
    cells.extend(scatter(rng, int(rng.integers(7, 11))))
    return tuple(dict.fromkeys(cells))


def without(cells: Cells, gone: Iterable[Point]) -> Cells:
    """The layout without these cells; cells on the border stay."""
    out = set(filter(interior, gone))
    return tuple(c for c in cells if c not in out)


def wall_list(cells: Cells) -> tuple[Point, ...]:
    """Corners of all walls in file order: interior cells, then the border, with duplicates."""
    last = (SIDE - 1) * CELL
    steps = range(0, last + 1, CELL)
    border = [(0, y) for y in steps if y < last]
    border += [(x, 0) for x in steps]
    border += [(last, y) for y in steps if 0 < y < last]
    border += [(x, last) for x in steps]
    return tuple((x * CELL, y * CELL) for x, y in cells) + tuple(border)


@lru_cache(maxsize=256)
def boxes_of(cells: Cells) -> tuple[Box, ...]:
    """Boxes of the cells that matter to movement: those inside the border.

    Adjacent cells form one box, because routes are found faster around fewer boxes.
    """
    inside = {c for c in cells if interior(c)}
    left, boxes = set(inside), []
    for cell in sorted(inside):
        if cell in left:
            line = max(_run(cell, inside, 1, 0), _run(cell, inside, 0, 1), key=len)
            left.difference_update(line)
            boxes.append((*cell_box(line[0])[:2], *cell_box(line[-1])[2:]))
    return tuple(boxes)


def _run(cell: Point, cells: set[Point], dx: int, dy: int) -> list[Point]:
    """The unbroken line of cells through a cell, in order."""
    line = [(cell[0] + i * dx, cell[1] + i * dy) for i in range(1 - SIDE, SIDE)]
    back, on = line[: SIDE - 1][::-1], line[SIDE:]
    back, on = (list(takewhile(cells.__contains__, part)) for part in (back, on))
    return [*back[::-1], cell, *on]


def vacant(centre: Point, r: int, boxes: Sequence[Box], margin: int = 0) -> bool:
    """Whether an entity fits here: inside the border and clear of the boxes."""
    low, high = CELL + r, WORLD - CELL - r
    inside = low <= centre[0] <= high and low <= centre[1] <= high
    here = square(centre, r)
    return inside and not any(overlap(here, b, margin) for b in boxes)


def spot(
    rng: Rng,
    boxes: Sequence[Box],
    r: int,
    within: Box = (CELL, CELL, WORLD - CELL, WORLD - CELL),
    accept: Callable[[Point], bool] = lambda _: True,
    tries: int = 60,
) -> Point | None:
    """A random free centre within a box, or None."""
    width, height = within[2] - within[0] + 1, within[3] - within[1] + 1
    for across, down in rng.random((tries, 2)).tolist():
        p = (within[0] + int(across * width), within[1] + int(down * height))
        if accept(p) and vacant(p, r, boxes):
            return p
    return None


def between(a: Point, b: Point, pad: int = 0) -> list[Point]:
    """The cells in the rectangle spanned by two points.

    Real scenes make a detour pointless by removing exactly these cells.
    """
    (x0, x1), (y0, y1) = sorted((a[0], b[0])), sorted((a[1], b[1]))
    return cells_under((x0 - pad, y0 - pad, x1 + pad + 1, y1 + pad + 1))


def cells_under(box: Box) -> list[Point]:
    """The cells that a box covers, wholly or in part."""
    columns = range(box[0] // CELL, (box[2] - 1) // CELL + 1)
    rows = range(box[1] // CELL, (box[3] - 1) // CELL + 1)
    return [(x, y) for x in columns for y in rows]


def ring(inside: Sequence[Point]) -> list[Point]:
    """The cells around a rectangle of cells, corners included, clockwise from the top left."""
    (x0, y0), (x1, y1) = min(inside), max(inside)
    top = [(x, y0 - 1) for x in range(x0 - 1, x1 + 1)]
    right = [(x1 + 1, y) for y in range(y0 - 1, y1 + 1)]
    bottom = [(x, y1 + 1) for x in range(x1 + 1, x0 - 1, -1)]
    left = [(x0 - 1, y) for y in range(y1 + 1, y0 - 1, -1)]
    return top + right + bottom + left


def interior(cell: Point) -> bool:
    """Whether a cell lies inside the border."""
    return 0 < cell[0] < SIDE - 1 and 0 < cell[1] < SIDE - 1
