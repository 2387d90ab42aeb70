"""Plans around things in the path, compared with the definition on a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as replace_parts

from episodes import episode, key_trial, read
from floors import (
    FREE,
    NO_EXITS,
    Floor,
    FloorCosts,
    cell_by_cell,
    costs_to,
    floors,
    in_mode,
    way_graph,
    world_of,
)
from floors import planned as planned_cells
from hbtom import Model
from hbtom.plan import CONTINUOUS, cost_to_go
from hbtom.plan.blocked_costs import spilled
from hbtom.plan.needed_cells import SPILL, _places, wanted
from hbtom.world import Mode, PlaceWorld, Space, Trajectory, see
from hbtom.world.modes import Exits
from hbtom.world.trajectory import MOVE

few = settings(max_examples=15)


# The definition


def solve(blocked: np.ndarray, seeds: np.ndarray, cell: float) -> np.ndarray:
    """Return the cost of the cheapest path from each cell to a seed."""
    graph = way_graph(blocked, "continuous", cell)
    for place in [*graph]:
        if np.isfinite(seeds[place]):
            graph.add_edge(place, "done", weight=seeds[place])
    graph.add_node("done")
    solved = np.full(blocked.shape, np.inf)
    for place, cost in costs_to(graph, "done").items():
        if place != "done":
            solved[place] = cost
    return solved


def entered(cost: np.ndarray, boxes: np.ndarray, solid: np.ndarray, price: float) -> np.ndarray:
    """Continue costs into boxes: one step out of a box, or two through solid cells."""
    found = cost.copy()
    rows, columns = cost.shape
    steps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]

    def around(row: int, column: int):
        for i, j in steps:
            if 0 <= row + i < rows and 0 <= column + j < columns:
                yield (row + i, column + j), price * np.hypot(i, j)

    for row, column in zip(*np.nonzero(boxes), strict=True):
        one = [cost[place] + way for place, way in around(row, column)]
        two = [
            cost[beyond] + second + first
            for place, first in around(row, column)
            if solid[place]
            for beyond, second in around(*place)
        ]
        near = min(one, default=np.inf)
        found[row, column] = near if np.isfinite(near) else min(two, default=np.inf)
    return found


def leg(blocked, boxes, seeds, costs: FloorCosts, begin) -> np.ndarray:
    """Return the cost-to-go of a leg: around boxes, through them at a price, or ignoring them."""
    solid = blocked | boxes
    through = solve(blocked, seeds, costs.cell)
    around, inside = solve(solid, seeds, costs.cell), boxes & ~blocked
    if not boxes.any() or np.isinf(entered(around, inside, solid, costs.cell)[begin]).all():
        return np.where(blocked & costs.contact, np.minimum(through, seeds), through)
    cost = np.where(solid, np.inf, np.minimum(around, through + costs.push))
    cost = entered(cost, inside, solid, costs.cell)
    return np.where(solid & costs.contact, np.minimum(cost, seeds), cost)


def onward(costs: FloorCosts, away: np.ndarray, then: np.ndarray) -> np.ndarray:
    """Return the cost of going to a tool and on from there: from its middle, or from anywhere."""
    if not costs.contact:
        return costs.cell * away + then
    known = np.isfinite(away) & np.isfinite(then)
    if not known.any():
        return np.full(away.shape, np.inf)
    middle = known & np.isclose(away, away[known].min(), rtol=0, atol=1e-9)
    return costs.cell * away + (costs.cell * away + then)[middle].min()


def planned(floor: Floor, costs: FloorCosts, key: int | None, first, goal: int) -> np.ndarray:
    """Return the cost-to-go of each mode, computed leg by leg."""
    shape = floor.closed.shape
    start = np.zeros(shape, dtype=bool)
    start[first] = True

    def boxes(*targets: int | None) -> np.ndarray:
        others = [box for item, box in enumerate(floor.boxes) if item not in targets]
        return np.logical_or.reduce([np.zeros(shape, dtype=bool), *others])

    def to(blocked, avoided, seeds, begin):
        return leg(blocked, avoided, seeds, costs, begin)

    nowhere = np.full(shape, np.inf)
    to_lock = nowhere if floor.to_lock is None else floor.to_lock
    to_key = nowhere if key is None else floor.to_item[key]
    at_lock, at_key = (
        np.isfinite(away) if np.isfinite(away).any() else start for away in (to_lock, to_key)
    )
    there = costs.act + costs.cell * floor.to_item[goal]
    if goal == key:
        nothing = np.zeros(shape)
        return np.array([to(floor.closed, boxes(key), there, start), nothing, nothing])
    opened = to(floor.open, boxes(goal, key), there, at_lock)
    through = costs.opening + onward(costs, to_lock, opened)
    by_lock = to(floor.closed, boxes(key), through, at_key)
    held = to(floor.closed, boxes(goal, key), there, at_key)
    direct = to(floor.closed, boxes(goal), there, start)
    fetch = to(
        floor.closed, boxes(key), costs.tool + costs.act + onward(costs, to_key, by_lock), start
    )
    return np.array([np.minimum(direct, fetch), np.minimum(held, by_lock), opened])


@st.composite
def cluttered(draw: st.DrawFn) -> tuple[Floor, FloorCosts, int | None, tuple[int, int]]:
    """Draw a floor on which items have boxes, and where an agent starts."""
    floor, costs, key = draw(floors())
    rows, columns = floor.closed.shape
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    boxes = np.zeros(floor.to_item.shape, dtype=bool)
    for box in boxes:
        row, column = rng.integers(rows), rng.integers(columns)
        box[max(row - 1, 0) : row + 3, max(column - 1, 0) : column + 3] = True
    push = draw(st.sampled_from([0.0, 1.5, 20.0]))
    tool = draw(st.sampled_from([0.0, 4.0]))
    costs = costs._replace(push=push, tool=tool, contact=draw(st.booleans()))
    first = int(rng.integers(rows)), int(rng.integers(columns))
    return replace(floor, boxes=boxes), costs, key, first


@few
@given(world=cluttered())
def test_plans_match_their_definition(world) -> None:
    floor, costs, key, first = world
    plans = cost_to_go(world_of(floor, costs, key), CONTINUOUS, first)
    with cell_by_cell():
        np.testing.assert_array_equal(cost_to_go(plans.world, CONTINUOUS, first).cost, plans.cost)
    for goal in range(len(floor.to_item)):
        exact = planned(floor, costs, key, first, goal)
        for mode in Mode:
            alike = exact[mode if plans.cost.shape[1] > 1 else Mode.START]
            np.testing.assert_allclose(in_mode(plans, mode)[goal], alike, rtol=1e-9)


@few
@given(world=cluttered(), pick=st.integers(0, 2**32 - 1))
def test_plans_are_the_same_where_they_are_needed(world, pick: int) -> None:
    """FloorCosts are continued into boxes, which also needs those of cells up to two away."""
    floor, costs, key, first = world
    rng = np.random.default_rng(pick)
    rows, columns = floor.closed.shape
    whole = cost_to_go(world_of(floor, costs, key), CONTINUOUS, first)
    needed = np.zeros(whole.world.blocked.shape, dtype=bool)
    read = np.zeros_like(needed)
    for mode, _ in product(range(len(read)), range(2)):
        row, column = rng.integers(rows), rng.integers(columns)
        read[mode, row, column] = True
        needed[mode, max(row - 2, 0) : row + 3, max(column - 2, 0) : column + 3] = True
    read[0, first[0], first[1]] = True
    row, column = first
    needed[0, max(row - 2, 0) : row + 3, max(column - 2, 0) : column + 3] = True
    some = wanted(whole.world, *first, needed, read)
    with cell_by_cell():
        partial = planned_cells(whole.world, CONTINUOUS, some)
    for mode, cells in enumerate(read):
        known, all_known = (cost[:, mode][:, cells] for cost in (partial, whole.cost))
        np.testing.assert_array_equal(known, all_known)


@few
@given(world=floors())
def test_boxes_without_extent_block_nothing(world) -> None:
    floor, costs, key = world
    empty = replace(floor, boxes=np.zeros(floor.to_item.shape, dtype=bool))
    one, other = (cost_to_go(world_of(each, costs, key), CONTINUOUS) for each in (floor, empty))
    np.testing.assert_array_equal(one.cost, other.cost)


# Which costs are needed


def bare(blocked: np.ndarray, exits: Exits = NO_EXITS) -> PlaceWorld:
    """Return a world [mode row column] without things."""
    nothing = np.zeros((0, *blocked.shape[1:]))
    lying = np.zeros((len(blocked), 0), dtype=bool)
    return PlaceWorld(Space(10.0), FREE.costs, blocked, lying, nothing, nothing > 0, exits)


@pytest.mark.parametrize("mark", [_places.plain, _places.__wrapped__])
def test_every_cost_that_is_read_is_requested(mark: Callable[..., np.ndarray]) -> None:
    """Beside walls, costs are read from up to two cells away."""
    rng, far = np.random.default_rng(5), 0
    none, nowhere = np.zeros(0, dtype=np.int64), np.zeros((0, 2))
    for _ in range(30):
        blocked = rng.random((1, 7, 7)) < 0.6
        place = rng.uniform(10.0, 60.0, 2)
        steps = Trajectory(none, none, none, none, nowhere, nowhere, place, none)
        marked = mark(bare(blocked), steps, blocked[0], SPILL)[0]
        column, row = np.floor(place / 10.0 - 0.5).astype(int)
        for at in np.argwhere(~blocked[0]).tolist():
            cost = np.full((7, 7), np.inf)
            cost[tuple(at)] = 1.0
            corners = product((row, row + 1), (column, column + 1))
            if any(spilled(cost, blocked[0], 1.0, *corner) < np.inf for corner in corners):
                assert marked[tuple(at)]
                far += not (row - 1 <= at[0] <= row + 2 and column - 1 <= at[1] <= column + 2)
    assert far > 0


@pytest.mark.parametrize("mark", [_places.plain, _places.__wrapped__])
def test_costs_after_an_act_are_requested_in_the_mode_to_which_it_leads(
    mark: Callable[..., np.ndarray],
) -> None:
    open_floor, things = np.zeros((3, 9, 9), dtype=bool), np.array([-1, 0])
    exits = Exits(*np.array([[1], [2], [0], [-1], [-1]]), *np.zeros((2, 1)))  # from mode 1 to 2
    place, first = np.array([[35.0, 35.0], [65.0, 65.0]]), np.array([15.0, 15.0])
    act = np.array([MOVE, MOVE + 1])
    steps = Trajectory(np.arange(2), act, things, np.array([1, 1]), place, place, first, things)
    marked = mark(bare(open_floor, exits), steps, open_floor[0], SPILL)
    assert marked[:, 1, 1].tolist() == [True, False, False]
    assert marked[:, 3, 3].tolist() == [False, True, False]
    assert marked[:, 6, 6].tolist() == [False, True, True]


def test_requested_cells_are_the_same_at_once_and_one_by_one() -> None:
    """The world has things in the path and a tool, whose surroundings are needed."""
    model = Model.preset("default")
    (seen,) = read(episode(key_trial()))
    world = see(replace_parts(model, motion=replace_parts(model.motion, cell=10.0)), seen).world
    assert len(world.boxes) > 0
    some = np.zeros(world.blocked.shape, dtype=bool)
    some[0, 3, 3] = True
    both = [
        form(world, 2, 2, some.copy(), some.copy()) for form in (wanted.plain, wanted.__wrapped__)
    ]
    for at_once, one_by_one in zip(*both, strict=True):
        np.testing.assert_array_equal(at_once, one_by_one)
    assert both[0].needed.sum() > both[0].read.sum() > 1
