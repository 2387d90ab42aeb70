"""Which cells are blocked, when, and from where things are within reach."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import HEART, KEY, LOCK, Json, block, border, divided, frame, key_trial, read
from floors import Floor, continuous_floor, grid_floor
from hbtom import Trial
from hbtom.world import Mode
from hbtom.world.occupancy import _cover, _first_after, _first_from
from worlds import odd_trial


def seen(walls: list[Json] | None = None, **more: object) -> Trial:
    """Return a trial of one frame with a heart at (150, 150)."""
    return read([[frame((50, 50), [HEART.at(150, 150)], walls=walls, **more)]])[0]


def fine(trial: Trial, cell: float = 5.0, clearance: float = 6.0) -> Floor:
    return continuous_floor(trial, cell, clearance)


def coarse(trial: Trial) -> Floor:
    return grid_floor(trial, 10.0)


def blocked_cells(blocked: np.ndarray) -> set[tuple[int, int]]:
    """Return column and row of every blocked cell."""
    return {(int(column), int(row)) for row, column in zip(*np.nonzero(blocked), strict=True)}


# Walls


def test_the_border_blocks_two_cells_on_each_side() -> None:
    closed = coarse(seen()).closed
    assert closed.shape == (20, 20)
    assert not closed[2:-2, 2:-2].any()
    assert closed.sum() == 400 - 16 * 16


def test_rows_are_y_and_columns_are_x() -> None:
    walls = [block(60, 120)]
    assert blocked_cells(coarse(seen(walls)).closed) == {(6, 12), (6, 13), (7, 12), (7, 13)}


def slow(blocks: list[Json], cell: float, margin: float, size: float = 200) -> set[tuple[int, int]]:
    """Return the cells whose centres lie inside a block grown by a margin, one by one."""
    many = math.ceil(size / cell)
    return {
        (column, row)
        for column in range(many)
        for row in range(many)
        for (x, y), (w, h) in blocks
        if x - margin < (column + 0.5) * cell < x + w + margin
        and y - margin < (row + 0.5) * cell < y + h + margin
    }


some_blocks = st.lists(
    st.tuples(st.integers(0, 180), st.integers(0, 180)).filter(lambda p: max(p) > 80), max_size=6
).map(lambda corners: [block(x, y) for x, y in corners])


@settings(max_examples=30)
@given(
    walls=some_blocks, cell=st.sampled_from([4.0, 5.0, 7.0]), clearance=st.sampled_from([0.0, 6.0])
)
def test_walls_grow_by_the_clearance(walls: list[Json], cell: float, clearance: float) -> None:
    closed = fine(seen(walls), cell, clearance).closed
    assert blocked_cells(closed) == slow(walls, cell, clearance)


@settings(max_examples=30)
@given(walls=some_blocks, barrier=some_blocks)
def test_a_cell_is_blocked_where_its_centre_is(walls: list[Json], barrier: list[Json]) -> None:
    floor = coarse(seen(walls, barrier=barrier))
    assert blocked_cells(floor.open) == slow(walls, 10, 0)
    assert blocked_cells(floor.closed) == slow(walls + barrier, 10, 0)


# Where a block begins and ends: to the exact pixel, and to the last digit


CELLS = [1.0, 4.0, 7.3, 0.1, 10.0, 100.0]


@st.composite
def coordinates(draw: st.DrawFn, cell: float) -> float:
    """Draw any coordinate, inside or outside the world, or one next to a centre."""
    if draw(st.booleans()):
        return draw(st.floats(-30 * cell, 30 * cell))
    at = (draw(st.integers(-25, 25)) + draw(st.sampled_from([0.0, 0.5]))) * cell
    return draw(st.sampled_from([at, math.nextafter(at, -math.inf), math.nextafter(at, math.inf)]))


@st.composite
def rows(draw: st.DrawFn) -> tuple[float, float]:
    """Draw the side of a cell, and a coordinate."""
    cell = draw(st.sampled_from(CELLS))
    return cell, draw(coordinates(cell))


@settings(max_examples=100)
@given(rows())
def test_the_first_centre_beyond_a_coordinate(row: tuple[float, float]) -> None:
    cell, at = row
    centres = [(index + 0.5) * cell for index in range(40)]
    assert _first_after(at, cell) == next(n for n, centre in enumerate(centres) if centre > at)
    assert _first_from(at, cell) == next(n for n, centre in enumerate(centres) if centre >= at)


@st.composite
def blocks(draw: st.DrawFn) -> tuple[tuple[int, int], float, tuple[float, ...], float]:
    """Draw a shape, the side of a cell, a block that may have no extent, and a margin."""
    shape = (draw(st.integers(1, 20)), draw(st.integers(1, 20)))
    cell = draw(st.sampled_from(CELLS))
    corner = draw(coordinates(cell)), draw(coordinates(cell))
    extent = st.sampled_from([0.0, 0.5 * cell, cell, 20 * cell]) | st.floats(0, 40 * cell)
    margin = draw(st.sampled_from([0.0, 0.5 * cell, 7.0, cell]))
    return shape, cell, (*corner, draw(extent), draw(extent)), margin


@settings(max_examples=100)
@given(blocks())
def test_a_cell_is_covered_if_its_centre_is_strictly_inside(world) -> None:
    """It must be inside the grown block: cells with their centre on its edge are not covered."""
    (rows, columns), cell, (x, y, width, height), margin = world
    covered = np.zeros((rows, columns), dtype=bool)
    _cover(covered, cell, x, y, width, height, margin)
    left, low = x - margin, y - margin
    right, high = left + width + 2 * margin, low + height + 2 * margin
    for row, column in np.ndindex(rows, columns):
        inside_row = low < (row + 0.5) * cell < high
        assert covered[row, column] == (inside_row and left < (column + 0.5) * cell < right)


def test_covered_cells_stay_covered() -> None:
    covered = np.eye(4, dtype=bool)
    _cover(covered, 10.0, 30.0, 0.0, 10.0, 20.0, 0.0)
    assert blocked_cells(covered) == {(0, 0), (1, 1), (2, 2), (3, 3), (3, 0), (3, 1)}


# Whole floors of odd worlds, cell by cell


def standing(trial: Trial) -> list[tuple[float, ...]]:
    """Return everything that is solid until the lock is opened, including the lock."""
    solid = [*trial.walls.tolist(), *trial.barrier.tolist()]
    if trial.lock is not None:
        x, y = trial.lock.centre
        solid.append([x - 10, y - 10, 20, 20])
    return solid


def is_covered(x: float, y: float, solid: list[tuple[float, ...]], margin: float) -> bool:
    return any(
        a - margin < x < a - margin + w + 2 * margin
        and b - margin < y < b - margin + h + 2 * margin
        for a, b, w, h in solid
    )


def assert_blocked(floor: Floor, trial: Trial, margin: float) -> None:
    rows, columns = floor.closed.shape
    assert (columns, rows) == tuple(math.ceil(side / floor.cell) for side in trial.size)
    for row, column in np.ndindex(rows, columns):
        x, y = (column + 0.5) * floor.cell, (row + 0.5) * floor.cell
        assert floor.open[row, column] == is_covered(x, y, trial.walls.tolist(), margin)
        assert floor.closed[row, column] == is_covered(x, y, standing(trial), margin)


odd = settings(max_examples=25)
some_seeds = st.integers(0, 10_000)


@odd
@given(seed=some_seeds, cell=st.sampled_from([4.5, 10.0, 13.0, 100.0]))
def test_a_grid_floor_matches_its_definition(seed: int, cell: float) -> None:
    trial = odd_trial(seed)
    floor = grid_floor(trial, cell)
    assert_blocked(floor, trial, 0.0)
    for row, column in np.ndindex(floor.closed.shape):
        for index, item in enumerate(trial.items):
            c, r = (
                min(int(place // cell), many - 1)
                for place, many in zip(item.centre, floor.closed.shape[::-1], strict=True)
            )
            barred = floor.closed[r, column] and floor.closed[row, c]
            near = abs(row - r) <= 1 and abs(column - c) <= 1 and not barred
            assert floor.to_item[index, row, column] == (0.0 if near else math.inf)
        if trial.lock is not None:
            x, y = (column + 0.5) * cell, (row + 0.5) * cell
            near = max(abs(x - trial.lock.centre[0]), abs(y - trial.lock.centre[1])) < 10 + cell
            assert floor.to_lock is not None
            assert floor.to_lock[row, column] == (0.0 if near else math.inf)
    assert (floor.to_lock is None) == (trial.lock is None)


@odd
@given(
    seed=some_seeds,
    cell=st.sampled_from([4.0, 7.3, 20.0]),
    clearance=st.sampled_from([0.0, 5.5, 9.0]),
)
def test_a_continuous_floor_matches_its_definition(
    seed: int, cell: float, clearance: float
) -> None:
    trial = odd_trial(seed)
    floor = continuous_floor(trial, cell, clearance)
    assert_blocked(floor, trial, clearance)

    def away(row: int, column: int, centre: tuple[float, float], reach: float) -> float:
        down, across = (row + 0.5) * cell - centre[1], (column + 0.5) * cell - centre[0]
        far = math.sqrt(down * down + across * across)
        return far / cell if far <= reach else math.inf

    radius = trial.agent.radius
    for row, column in np.ndindex(floor.closed.shape):
        for index, item in enumerate(trial.items):
            wanted = away(row, column, item.centre, radius + item.radius)
            assert floor.to_item[index, row, column] == wanted
        if trial.lock is not None:
            assert floor.to_lock is not None
            wanted = away(row, column, trial.lock.centre, 10 + max(radius, clearance) + cell)
            assert floor.to_lock[row, column] == wanted
    assert (floor.to_lock is None) == (trial.lock is None)


@odd
@given(seed=some_seeds, cell=st.sampled_from([4.5, 10.0, 7.3]))
def test_every_place_has_a_cell(seed: int, cell: float) -> None:
    """Places beyond an edge belong to the last cell there."""
    floor = grid_floor(odd_trial(seed), cell)
    rows, columns = floor.closed.shape
    rng = np.random.default_rng(seed)
    for x, y in rng.uniform(-50, 300, size=(30, 2)).tolist():
        column, row = floor.cell_of(x, y)
        assert column == sorted([0, math.floor(x / cell), columns - 1])[1]
        assert row == sorted([0, math.floor(y / cell), rows - 1])[1]


def test_repeated_and_shuffled_walls_are_the_same_walls() -> None:
    walls = divided()
    one, other = fine(seen(walls)), fine(seen(walls[::-1] + walls[:7]))
    np.testing.assert_array_equal(one.closed, other.closed)


# Barrier and lock


@pytest.mark.parametrize("make", [coarse, fine])
def test_the_barrier_blocks_until_it_is_open(make) -> None:
    trial = seen(divided(), barrier=[block(100, 60), block(100, 70), block(100, 80)])
    floor, walls_only = make(trial), make(seen(divided()))
    column, row = floor.cell_of(110, 80)
    assert floor.blocked(Mode.START)[row, column]
    assert floor.blocked(Mode.HELD)[row, column]
    np.testing.assert_array_equal(floor.blocked(Mode.OPEN), walls_only.open)


def test_barrier_blocks_off_the_lattice_block_the_cells_whose_centres_they_cover() -> None:
    floor = coarse(seen([], barrier=[block(103, 68)]))
    assert blocked_cells(floor.closed) == {(10, 7), (11, 7), (10, 8), (11, 8)}
    assert not floor.open.any()


@pytest.mark.parametrize("make", [coarse, fine])
def test_the_locks_own_cell_is_solid_until_it_is_open(make) -> None:
    """Here no barrier block stands in the lock's cell, and its picture is smaller than the cell."""
    lock = LOCK.at(110, 110)
    trial = seen(divided(), lock=lock, barrier=[block(100, 60), block(100, 80)])
    floor = make(trial)
    for x, y in [(101, 101), (119, 101), (110, 110), (101, 119), (119, 119)]:
        column, row = floor.cell_of(x, y)
        assert floor.closed[row, column]
    column, row = floor.cell_of(110, 110)
    assert not floor.open[row, column]


def test_a_lock_fills_its_cell_whatever_its_radius() -> None:
    small, large = LOCK.at(110, 110), KEY.at(110, 110)
    assert small.radius != large.radius
    one, other = fine(seen([], lock=small)), fine(seen([], lock=large))
    np.testing.assert_array_equal(one.closed, other.closed)


# Cells


@pytest.mark.parametrize(
    ("place", "cell"),
    [
        ((10, 19.99), (1, 1)),
        ((15, 16), (1, 1)),
        ((0, 0), (0, 0)),
        ((200, 200), (19, 19)),
        ((199.9, 20), (19, 2)),
    ],
)
def test_places_fall_into_cells_by_rounding_down(place, cell) -> None:
    assert coarse(seen()).cell_of(*place) == cell


def test_a_world_that_is_not_a_multiple_of_the_cell_is_covered() -> None:
    floor = fine(seen([]), cell=7.0)
    assert floor.closed.shape == (29, 29)
    assert floor.cell_of(200, 200) == (28, 28)


# Within reach


def test_on_the_grid_an_item_is_within_reach_in_its_cell_and_the_eight_around() -> None:
    near = coarse(seen()).to_item[0]
    assert blocked_cells(near == 0) == {(c, r) for c in (14, 15, 16) for r in (14, 15, 16)}
    assert np.isinf(near[near != 0]).all()


@pytest.mark.parametrize("place", [(0, 0), (200, 200), (200, 85), (3, 199.5)])
def test_an_item_on_the_edge_of_the_world_is_within_reach_from_inside(place) -> None:
    trial = read([[frame((50, 50), [HEART.at(*place)], walls=[])]])[0]
    assert (coarse(trial).to_item[0] == 0).any()
    assert np.isfinite(fine(trial).to_item[0]).any()


def test_on_the_grid_nothing_is_within_reach_around_a_corner_between_walls() -> None:
    """The heart is in cell (15, 15); walls at (16, 15) and (15, 16) block the corner (16, 16)."""
    beside, below = block(160, 140), block(140, 160)
    assert coarse(seen([beside])).to_item[0, 16, 16] == 0
    assert coarse(seen([below])).to_item[0, 16, 16] == 0
    assert np.isinf(coarse(seen([beside, below])).to_item[0, 16, 16])
    assert coarse(seen([beside, below])).to_item[0, 14, 14] == 0


def test_on_the_grid_a_lock_is_within_reach_around_its_four_cells() -> None:
    near = coarse(seen(lock=LOCK.at(110, 90))).to_lock
    assert near is not None
    assert blocked_cells(near == 0) == {(c, r) for c in range(9, 13) for r in range(7, 11)}


def test_in_pixels_an_item_is_within_reach_where_it_is_touched() -> None:
    """It is within the two radii, at the cost of the path to its middle, and nowhere else."""
    near = fine(seen([]), cell=5.0).to_item[0]
    for row in range(40):
        for column in range(40):
            away = math.dist(((column + 0.5) * 5, (row + 0.5) * 5), (150, 150))
            wanted = away / 5 if away <= 6 + 9 else math.inf
            assert near[row, column] == pytest.approx(wanted)


def test_in_pixels_a_lock_is_within_reach_outside_its_solid_cell() -> None:
    """It can be opened from where agents wait in front of it, and never from behind a wall."""
    floor = fine(read([key_trial()])[0])
    assert floor.to_lock is not None
    within = np.isfinite(floor.to_lock) & ~floor.closed
    assert within[:, :20].any()
    column, row = floor.cell_of(92, 110)  # where the agent stands when the barrier vanishes
    nearby = floor.to_lock[row - 1 : row + 2, column - 1 : column + 2]
    assert np.isfinite(nearby).any()


def test_items_are_objects_and_then_the_key() -> None:
    floor = coarse(seen(border(), key=KEY.at(55, 95)))
    assert floor.to_item.shape == (2, 20, 20)
    assert floor.to_item[1, 9, 5] == 0
    assert floor.to_lock is None
