"""Which cells are blocked, when, and from where things are at hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import HEART, KEY, LOCK, Json, block, border, divided, frame, key_trial, read
from hbtom import Trial
from hbtom.world import Floor, Phase, continuous_floor, grid_floor


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
@given(walls=some_blocks, cell=st.sampled_from([4.0, 5.0, 7.0]), clearance=st.sampled_from([0, 6]))
def test_walls_grow_by_the_clearance(walls: list[Json], cell: float, clearance: float) -> None:
    closed = fine(seen(walls), cell, clearance).closed
    assert blocked_cells(closed) == slow(walls, cell, clearance)


@settings(max_examples=30)
@given(walls=some_blocks, barrier=some_blocks)
def test_a_cell_is_blocked_where_its_centre_is(walls: list[Json], barrier: list[Json]) -> None:
    floor = coarse(seen(walls, barrier=barrier))
    assert blocked_cells(floor.open) == slow(walls, 10, 0)
    assert blocked_cells(floor.closed) == slow(walls + barrier, 10, 0)


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
    assert floor.blocked(Phase.START)[row, column]
    assert floor.blocked(Phase.HELD)[row, column]
    np.testing.assert_array_equal(floor.blocked(Phase.OPEN), walls_only.open)


def test_barrier_blocks_off_the_lattice_block_the_cells_whose_centres_they_cover() -> None:
    floor = coarse(seen([], barrier=[block(103, 68)]))
    assert blocked_cells(floor.closed) == {(10, 7), (11, 7), (10, 8), (11, 8)}
    assert not floor.open.any()


@pytest.mark.parametrize("make", [coarse, fine])
def test_the_locks_own_cell_is_solid_until_it_is_open(make) -> None:
    """No barrier block stands in the lock's cell here, and its picture is smaller than the cell."""
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


def test_a_world_that_is_no_multiple_of_the_cell_is_covered() -> None:
    floor = fine(seen([]), cell=7.0)
    assert floor.closed.shape == (29, 29)
    assert floor.cell_of(200, 200) == (28, 28)


# At hand


def test_on_the_grid_an_item_is_at_hand_in_its_cell_and_the_eight_around() -> None:
    near = coarse(seen()).to_item[0]
    assert blocked_cells(near == 0) == {(c, r) for c in (14, 15, 16) for r in (14, 15, 16)}
    assert np.isinf(near[near != 0]).all()


@pytest.mark.parametrize("place", [(0, 0), (200, 200), (200, 85), (3, 199.5)])
def test_an_item_on_the_edge_of_the_world_is_at_hand_from_inside(place) -> None:
    trial = read([[frame((50, 50), [HEART.at(*place)], walls=[])]])[0]
    assert (coarse(trial).to_item[0] == 0).any()
    assert np.isfinite(fine(trial).to_item[0]).any()


def test_on_the_grid_hands_do_not_reach_around_a_corner_between_walls() -> None:
    """The heart is in cell (15, 15): walls at (16, 15) and at (15, 16) bar the corner (16, 16)."""
    beside, below = block(160, 140), block(140, 160)
    assert coarse(seen([beside])).to_item[0, 16, 16] == 0
    assert coarse(seen([below])).to_item[0, 16, 16] == 0
    assert np.isinf(coarse(seen([beside, below])).to_item[0, 16, 16])
    assert coarse(seen([beside, below])).to_item[0, 14, 14] == 0


def test_on_the_grid_a_lock_is_at_hand_around_its_four_cells() -> None:
    near = coarse(seen(lock=LOCK.at(110, 90))).to_lock
    assert near is not None
    assert blocked_cells(near == 0) == {(c, r) for c in range(9, 13) for r in range(7, 11)}


def test_in_pixels_an_item_is_at_hand_where_it_is_touched() -> None:
    """Within the two radii, at the cost of the way to its middle; and nowhere else."""
    near = fine(seen([]), cell=5.0).to_item[0]
    for row in range(40):
        for column in range(40):
            away = math.dist(((column + 0.5) * 5, (row + 0.5) * 5), (150, 150))
            wanted = away / 5 if away <= 6 + 9 else math.inf
            assert near[row, column] == pytest.approx(wanted)


def test_in_pixels_a_lock_is_at_hand_outside_its_solid_cell() -> None:
    """From where agents wait in front of a lock, it can be opened, and never from beyond a wall."""
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
