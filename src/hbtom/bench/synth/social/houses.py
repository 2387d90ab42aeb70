"""Houses: a room on the right, and two compartments on the left, one above the other.

In the house of doors, each compartment has a gate, which a door may close. Some of these houses
have a passage between the compartments, so that a closed gate only lengthens the way. In the house
of boards, the compartments are open, boards may hide their contents, and a corridor leads in.
"""

from __future__ import annotations

from hbtom.bench.synth.geometry import FreeSpace, Point, Rng, free_space
from hbtom.bench.synth.layouts import Cells, boxes_of, ensure, found
from hbtom.bench.synth.social.cases import chance
from hbtom.bench.synth.social.courts import BORDER

HOME: Point = (150, 100)  # where the agent waits
UPPER, LOWER = 0, 1  # the compartments

_BETWEEN: Cells = tuple((x, y) for x in range(1, 5) for y in (4, 5))
_GATE_POSTS: Cells = ((4, 1), (4, 8))
_PASSAGE = ((2, 4), (3, 4), (2, 5), (3, 5))
_LOBBY: Cells = ((8, 1), (8, 2), (8, 7), (8, 8))  # on both sides of the way in


def house_of_doors(rng: Rng, passage: bool) -> Cells:
    """Return the walls of a house with gates at x = 100 and 40 pixels high."""
    inner = {*_BETWEEN, *_GATE_POSTS} - set(_PASSAGE if passage else ())
    if not passage and chance(rng, 0.5):
        inner.discard((1, 5))
    return (*BORDER, *sorted(inner))


def house_of_boards() -> Cells:
    """Return the walls of a house with open compartments; the corridor is beyond x = 180."""
    outer = tuple(cell for cell in BORDER if cell[0] < 9)
    return (*outer, *_BETWEEN, *_LOBBY)


def floor_with(walls: Cells, boxes: tuple[tuple[int, int, int, int], ...] = ()) -> FreeSpace:
    """Return where the centre of an agent may be, given walls and other boxes."""
    return free_space((*boxes_of(walls), *boxes))


def box_around(centre: Point, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return the box of a panel that is not turned."""
    (x, y), (wide, high) = centre, size
    return x - wide // 2, y - high // 2, x + wide // 2, y + high // 2


def route(floor: FreeSpace, start: Point, goal: Point) -> list[Point]:
    """Return the corners of the shortest way; refuse a goal that cannot be reached."""
    ensure(floor.free(start))
    return found(floor.route(start, goal))


def spot_in(rng: Rng, compartment: int, reach: tuple[int, int] = (38, 76)) -> Point:
    """Draw the place of an object in a compartment."""
    y = 62 if compartment == UPPER else 138
    return int(rng.integers(reach[0], reach[1] + 1)), y + int(rng.integers(-2, 3))
