"""Both planners, compared with shortest paths in a graph built from the definition alone."""

from __future__ import annotations

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import SPOON, key_trial, read
from floors import (
    Floor,
    FloorCosts,
    cell_by_cell,
    continuous_floor,
    costs_to,
    floors,
    grid_floor,
    in_mode,
    planned,
    seeds_in,
    solve,
    way_graph,
    world_of,
)
from hbtom.plan import CONTINUOUS, GRID, CostToGo, cost_to_go, find_route
from hbtom.plan.astar import _heuristic
from hbtom.plan.field import field, relaxed
from hbtom.plan.needed_cells import wanted
from hbtom.world import Mode

STENCILS = {"grid": GRID, "continuous": CONTINUOUS}
few = settings(max_examples=20)
both = pytest.mark.parametrize("kind", STENCILS)

NO_CELLS = np.empty((0, 2), dtype=np.int64)  # no particular cells are needed


# The definition: what can be done besides moving


def state_graph(
    floor: Floor, kind: str, costs: FloorCosts, item: int, key: int | None
) -> nx.DiGraph:
    """Return all states (row, column, mode), all acts between them, and the node "done"."""
    graph = nx.DiGraph()
    graph.add_node("done")
    for mode in Mode:
        ways = way_graph(floor.open if mode == Mode.OPEN else floor.closed, kind, costs.cell)
        graph.update(nx.relabel_nodes(ways, {cell: (*cell, mode) for cell in ways}))

    def act(away: np.ndarray, price: float, before: Mode, after: Mode | None) -> None:
        for row, column in zip(*map(np.ndarray.tolist, np.nonzero(np.isfinite(away))), strict=True):
            if (row, column, before) in graph:
                there = "done" if after is None else (row, column, after)
                cost = price + costs.cell * away[row, column]
                graph.add_edge((row, column, before), there, weight=cost)

    for mode in Mode:
        if item != key or mode == Mode.START:
            act(floor.to_item[item], costs.act, mode, None)
        else:  # an agent that wants the key and has it is done
            act(np.zeros(floor.closed.shape), 0.0, mode, None)
    if key is not None:
        act(floor.to_item[key], costs.act, Mode.START, Mode.HELD)
    if floor.to_lock is not None:
        act(floor.to_lock, costs.opening, Mode.HELD, Mode.OPEN)
    return graph


# Random worlds


def all_states(floor: Floor) -> list[tuple[int, int, Mode]]:
    rows, columns = floor.closed.shape
    return [(r, c, mode) for r in range(rows) for c in range(columns) for mode in Mode]


def is_free(floor: Floor, state: tuple[int, int, Mode]) -> bool:
    row, column, mode = state
    return not floor.blocked(mode)[row, column]


def assert_plans_equal_graph(floor: Floor, kind: str, costs: FloorCosts, key: int | None) -> None:
    plans = cost_to_go(world_of(floor, costs, key), STENCILS[kind])
    for item in range(len(floor.to_item)):
        exact = costs_to(state_graph(floor, kind, costs, item, key), "done")
        for row, column, mode in filter(lambda s: is_free(floor, s), all_states(floor)):
            planned = in_mode(plans, mode)[item, row, column]
            wanted = exact.get((row, column, mode), math.inf)
            assert planned == pytest.approx(wanted, rel=1e-12), (item, row, column, mode)


# Walking


@both
@few
@given(
    seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.0, 0.2, 0.4, 0.6]),
    cell=st.sampled_from([1.0, 0.5]),
)
def test_cost_to_go_is_the_shortest_path(kind: str, seed: int, share: float, cell: float) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 10, size=2))
    blocked = rng.random(shape) < share
    seeds = np.where(rng.random((2, *shape)) < 0.1, rng.random((2, *shape)) * 3, np.inf)
    cost = solve(blocked, seeds, STENCILS[kind], cell)
    for solved, seed_of in zip(cost, seeds, strict=True):
        graph = way_graph(blocked, kind, cell)
        graph.add_node("seed")
        graph.add_weighted_edges_from(
            (cell_, "seed", seed_of[cell_])
            for cell_ in list(graph)
            if cell_ != "seed" and np.isfinite(seed_of[cell_])
        )
        exact = costs_to(graph, "seed")
        wanted = [[exact.get((r, c), np.inf) for c in range(shape[1])] for r in range(shape[0])]
        np.testing.assert_allclose(solved, np.array(wanted), rtol=1e-12)


# Two ways to solve a field: all cells at once, and bucket by bucket, as when compiled


def some_fields(seed: int, share: float, largest: int = 16) -> tuple[np.ndarray, np.ndarray]:
    """Return a floor, and seeds of one, two, many or no cells, some of them on walls."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, largest, size=2))
    sown = rng.random((3, *shape)) < rng.choice([0.0, 0.01, 0.1, 0.9], size=(3, 1, 1))
    values = rng.choice([0.0, 1.0, 30.0], size=(3, 1, 1)) * rng.random((3, *shape))
    return rng.random(shape) < share, np.where(sown, values, np.inf)


@both
@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.0, 0.2, 0.4, 0.6, 1.0]),
    cell=st.sampled_from([1.0, 0.5, 0.4, 0.73, 1 / 3]),
)
def test_buckets_match_relaxation(kind: str, seed: int, share: float, cell: float) -> None:
    """They match bit for bit; if only some cells are needed, at least in these."""
    blocked, seeds = some_fields(seed, share)
    moves = STENCILS[kind].table
    rng = np.random.default_rng(seed)
    needed = rng.integers(0, blocked.shape, size=(rng.integers(1, 5), 2))
    row, column = needed.T
    for sown in map(seeds_in, seeds):
        whole = relaxed(blocked, sown, moves, cell, NO_CELLS)
        by_bucket = field.__wrapped__(blocked, sown, moves, cell, NO_CELLS)
        np.testing.assert_array_equal(by_bucket, whole)
        for solve_some in (field.__wrapped__, relaxed):
            partial = solve_some(blocked, sown, moves, cell, needed)
            np.testing.assert_array_equal(partial[row, column], whole[row, column])
            assert ((partial == whole) | np.isinf(partial)).all()


def test_unneeded_cells_are_left_unsolved() -> None:
    """Otherwise the test above would show little."""
    blocked, seeds = np.zeros((30, 30), dtype=bool), np.full((30, 30), np.inf)
    seeds[3, 3] = 0.0
    for solve_some in (field.__wrapped__, relaxed):
        partial = solve_some(blocked, seeds_in(seeds), GRID.table, 1.0, np.array([[3, 7]]))
        assert partial[3, 7] == 4.0
        assert np.isinf(partial[20:]).all()


@both
@few
@given(world=floors(), pick=st.integers(0, 2**32 - 1))
def test_plans_are_the_same_where_they_are_needed(kind: str, world, pick: int) -> None:
    floor, costs, key = world
    rng = np.random.default_rng(pick)
    whole = cost_to_go(world_of(floor, costs, key), STENCILS[kind])
    needed = rng.random(whole.world.blocked.shape) < rng.choice([0.01, 0.1])
    needed[rng.integers(len(needed)), 0, 0] = True
    some = wanted(whole.world, 0, 0, needed, needed)
    with cell_by_cell():
        partial = CostToGo(whole.world, planned(whole.world, STENCILS[kind], some))
    for mode, cells in enumerate(needed):
        known, all_known = (plans.cost[:, mode][:, cells] for plans in (partial, whole))
        np.testing.assert_array_equal(known, all_known)
    assert (partial.cost >= whole.cost).all()


@both
def test_a_world_without_floor_has_no_paths(kind: str) -> None:
    blocked = np.ones((3, 4), dtype=bool)
    assert np.isinf(solve(blocked, np.zeros((1, 3, 4)), STENCILS[kind])).all()


def test_a_diagonal_needs_both_cells_beside_it() -> None:
    seeds = np.where([[False, False], [False, True]], 0.0, np.inf)
    for blocked in ([[0, 1], [0, 0]], [[0, 0], [1, 0]]):
        assert solve(np.array(blocked, dtype=bool), seeds, GRID)[0, 0] == 2.0
    assert solve(np.zeros((2, 2), dtype=bool), seeds, GRID)[0, 0] == math.sqrt(2)


@pytest.mark.parametrize("wall", [(1, 0), (1, 1)])
def test_a_knights_move_needs_the_two_cells_it_crosses(wall: tuple[int, int]) -> None:
    seeds = np.full((3, 2), np.inf)
    seeds[2, 1] = 0.0
    blocked = np.zeros((3, 2), dtype=bool)
    assert solve(blocked, seeds, CONTINUOUS)[0, 0] == math.sqrt(5)
    blocked[wall] = True
    assert solve(blocked, seeds, CONTINUOUS)[0, 0] == 3.0


@pytest.mark.parametrize(("kind", "longer"), [("grid", 1.083), ("continuous", 1.028)])
def test_open_paths_are_a_little_longer_than_straight_lines(kind: str, longer: float) -> None:
    seeds = np.full((30, 30), np.inf)
    seeds[11, 17] = 0.0
    cost = solve(np.zeros((30, 30), dtype=bool), seeds, STENCILS[kind])
    row, column = np.mgrid[:30, :30]
    straight = np.hypot(row - 11, column - 17)
    assert (cost >= straight - 1e-12).all()
    assert (cost <= longer * straight + 1e-12).all()


# Keys and locks


@both
@few
@given(world=floors())
def test_plans_are_the_shortest_paths_through_all_states(kind: str, world) -> None:
    floor, costs, key = world
    assert_plans_equal_graph(floor, kind, costs, key)


@pytest.mark.parametrize("opening", [1.0, 20.0])
def test_plans_of_a_whole_trial(opening: float) -> None:
    trial = read([key_trial()])[0]
    assert_plans_equal_graph(grid_floor(trial, 10.0), "grid", FloorCosts(1.0, 1.0, opening), 1)
    fine = continuous_floor(trial, 10.0, 6.0)
    assert_plans_equal_graph(fine, "continuous", FloorCosts(1.0, 1.0, opening), 1)


@both
@few
@given(world=floors())
def test_no_act_gains_more_than_it_costs(kind: str, world) -> None:
    """C(s) <= cost(a) + C(s') for every act, with equality for the best one."""
    floor, costs, key = world
    plans = cost_to_go(world_of(floor, costs, key), STENCILS[kind])
    for item in range(len(floor.to_item)):
        graph = state_graph(floor, kind, costs, item, key)

        def to_go(node, item=item) -> float:
            if node == "done":
                return 0.0
            return in_mode(plans, node[2])[item, node[0], node[1]]

        for state in graph:
            ways = [edge["weight"] + to_go(after) for after, edge in graph[state].items()]
            if state != "done":
                assert to_go(state) == pytest.approx(min(ways, default=math.inf), rel=1e-12)


def test_the_path_leads_through_key_and_lock() -> None:
    """Without the key no path leads behind the barrier; with it, its parts' costs add up."""
    trial = read([key_trial()])[0]
    floor, costs = grid_floor(trial, 10.0), FloorCosts(1.0, 1.0, 5.0)
    row, column = 4, 5  # where the agent starts
    with_key = cost_to_go(world_of(floor, costs, 1), GRID).cost[0, :, row, column]
    without = cost_to_go(world_of(floor, costs), GRID).cost[0, Mode.START, row, column]
    assert np.isinf(without)
    assert with_key[Mode.START] > with_key[Mode.HELD] + costs.act
    assert with_key[Mode.HELD] > with_key[Mode.OPEN] + costs.opening


def test_a_key_that_does_not_help_is_ignored() -> None:
    """An object on the near side is reached directly, whatever is behind the barrier."""
    trial = read([key_trial(goal=SPOON.at(50, 150))])[0]
    floor = grid_floor(trial, 10.0)
    costs = FloorCosts(1.0, 1.0, 1.0)
    with_key = cost_to_go(world_of(floor, costs, 1), GRID)
    without = cost_to_go(world_of(floor, costs), GRID)
    near = (0, Mode.START, slice(None), slice(10))
    np.testing.assert_array_equal(with_key.cost[near], without.cost[near])


# A* search


@both
@few
@given(world=floors(), pick=st.integers(0, 2**32 - 1))
def test_search_matches_the_fields(kind: str, world, pick: int) -> None:
    floor, costs, key = world
    stencil = STENCILS[kind]
    plans = cost_to_go(world_of(floor, costs, key), stencil)
    rng = np.random.default_rng(pick)
    modes = len(plans.world.blocked)
    states = [s for s in all_states(floor) if is_free(floor, s) and s[2] < modes]
    for index in rng.permutation(len(states))[:6]:
        row, column, mode = states[index]
        item = int(rng.integers(len(floor.to_item)))
        route = find_route(plans.world, stencil, states[index], item)
        planned = in_mode(plans, mode)[item, row, column]
        if route is None:
            assert np.isinf(planned)
            continue
        assert route.cost == pytest.approx(planned, rel=1e-12)
        assert route.states[0] == states[index]
        graph = state_graph(floor, kind, costs, item, key)
        legs = pairwise((*route.states, "done"))
        assert sum(graph.edges[leg]["weight"] for leg in legs) == pytest.approx(route.cost)


@both
@few
@given(world=floors())
def test_the_heuristic_is_admissible(kind: str, world) -> None:
    floor, costs, key = world
    plans = cost_to_go(world_of(floor, costs, key), STENCILS[kind])
    for item in range(len(floor.to_item)):
        guess, modes = _heuristic(plans.world, item), len(plans.world.blocked)
        for row, column, mode in filter(lambda s: is_free(floor, s), all_states(floor)):
            exact = in_mode(plans, mode)[item, row, column]
            assert guess((row, column, min(mode, modes - 1))) <= exact + 1e-12


def test_a_route_through_key_and_lock_passes_all_modes() -> None:
    trial = read([key_trial()])[0]
    floor, costs = continuous_floor(trial, 5.0, 6.0), FloorCosts(0.5, 1.0, 5.0)
    start = (8, 10, Mode.START)
    plans = cost_to_go(world_of(floor, costs, 1), CONTINUOUS)
    route = find_route(plans.world, CONTINUOUS, start, 0)
    assert route is not None
    assert route.cost == pytest.approx(plans.cost[0, Mode.START, 8, 10], rel=1e-12)
    modes = [mode for _, _, mode in route.states]
    assert modes == sorted(modes)
    assert set(modes) == set(Mode)
    assert find_route(world_of(floor, costs), CONTINUOUS, start, 0) is None
