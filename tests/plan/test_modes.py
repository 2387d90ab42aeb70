"""Any modes and exits, compared with shortest paths in a graph of places and modes."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floors import cell_by_cell, costs_to, planned, way_graph
from hbtom.plan import CONTINUOUS, GRID, cost_to_go, find_route
from hbtom.plan.needed_cells import wanted
from hbtom.plan.slippery import slippery_cost_to_go
from hbtom.world import Costs, Exits, PlaceWorld, Space
from hbtom.world.modes import ANY, NEVER, NO_GOAL

STENCILS = {"grid": GRID, "continuous": CONTINUOUS}
few = settings(max_examples=40, deadline=None)

ONE = Costs(1.0, 1.0)
Row = tuple[int, int, int, int, int, float, float]  # an exit, as in Exits


def exits_of(rows: list[Row]) -> Exits:
    whole = [np.array([row[n] for row in rows], dtype=np.int64) for n in range(5)]
    return Exits(*whole, *(np.array([row[n] for row in rows], dtype=float) for n in (5, 6)))


def make_world(blocked, lying, reach, rows: list[Row], costs: Costs = ONE) -> PlaceWorld:
    boxes = np.zeros((0, *blocked.shape[1:]), dtype=bool)
    return PlaceWorld(Space(10.0), costs, blocked, lying, reach, boxes, exits_of(rows))


# The definition


def state_graph(world: PlaceWorld, kind: str, goal: int) -> nx.DiGraph:
    """Return all states (row, column, mode, the exit that must come next), and the node "done"."""
    graph, exits, cell = nx.DiGraph(), world.exits, world.costs.cell
    graph.add_node("done")
    musts = [ANY, *(int(then) for then in set(exits.then.tolist()) if then >= 0)]
    for mode, blocked in enumerate(world.blocked):
        for must in musts:
            ways = way_graph(blocked, kind, cell)
            graph.update(nx.relabel_nodes(ways, {place: (*place, mode, must) for place in ways}))
            if must == ANY and not world.lying[mode, goal]:  # nothing is left to do
                graph.add_weighted_edges_from(((*at, mode, must), "done", 0.0) for at in ways)
    for state in [*graph]:
        if state != "done":
            for weight, after in taken(world, goal, state):
                if after in graph:
                    graph.add_edge(state, after, weight=min(weight, weight_of(graph, state, after)))
    return graph


def weight_of(graph: nx.DiGraph, state, after) -> float:
    return graph.edges[state, after]["weight"] if graph.has_edge(state, after) else math.inf


def taken(world: PlaceWorld, goal: int, state: tuple[int, int, int, int]):
    """Yield the price of each exit that can be taken in a state, and the state after it."""
    row, column, mode, must = state
    exits = world.exits
    for one in np.flatnonzero(exits.source == mode):
        away = world.reach[exits.thing[one], row, column]
        target, then = int(exits.target[one]), int(exits.then[one])
        if np.isinf(away) or must not in (ANY, one):
            continue
        price = float(exits.price[one] + world.costs.cell * away)
        if exits.goal[one] == goal:
            yield price, "done"
        elif target != mode and then != NEVER:
            price += float(exits.reluctance[one])
            yield price, ((row, column, target, then) if world.lying[target, goal] else "done")


def exact_costs(world: PlaceWorld, kind: str, goal: int) -> np.ndarray:
    found = costs_to(state_graph(world, kind, goal), "done")
    cost = np.full(world.blocked.shape, np.inf)
    for row, column, mode, must in (state for state in found if state != "done"):
        if must == ANY:
            cost[mode, row, column] = found[row, column, mode, must]
    return cost


# Random worlds


@st.composite
def worlds(draw: st.DrawFn, *, free_choice: bool = False) -> PlaceWorld:
    """Draw a world of up to four modes with exits of all kinds between them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    modes, items, tools = (draw(st.integers(*ends)) for ends in ((1, 4), (1, 3), (0, 3)))
    shape = (draw(st.integers(1, 7)), draw(st.integers(1, 7)))
    blocked = rng.random((modes, *shape)) < draw(st.sampled_from([0.0, 0.2, 0.35]))
    lying = np.ones((modes, items), dtype=bool)
    reach = np.full((items + tools, *shape), np.inf)
    for away in reach:
        row, column = (int(rng.integers(side)) for side in shape)
        away[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = rng.choice([0.0, 0.7])
    rows: list[Row] = []
    for source in range(modes):
        for target in range(source + 1, modes):
            for _ in range(rng.integers(0, 3)):
                thing = int(rng.integers(len(reach)))
                goal = thing if thing < items and lying[source, thing] else NO_GOAL
                if goal != NO_GOAL and rng.random() < 0.5:
                    lying[target:, goal] = False
                price, reluctance = rng.choice([0.0, 0.5, 3.0], 2)
                rows.append(
                    (source, target, thing, goal, ANY, price, 0 if free_choice else reluctance)
                )
    free = list(range(len(rows)))
    for number, (source, target, *rest) in enumerate(rows if not free_choice else []):
        next_ones = [one for one in free if rows[one][0] == target and one != number]
        then = int(rng.choice([ANY, NEVER, *next_ones]))
        if then != ANY and not any(row[4] == number for row in rows):
            rows[number] = (source, target, *rest[:2], then, *rest[3:])
            free = [one for one in free if one != number]
    for mode in range(modes):
        for item in range(items):
            if lying[mode, item]:
                rows.append((mode, mode, item, item, ANY, float(rng.choice([0.5, 1.0])), 0.0))
    order = rng.permutation(len(rows))
    place = np.argsort(order)
    shuffled = [rows[one] for one in order]
    rows = [(*row[:4], int(place[row[4]]) if row[4] >= 0 else row[4], *row[5:]) for row in shuffled]
    return make_world(blocked, lying, reach, rows, Costs(rng.choice([1.0, 0.4]), 1.0))


@pytest.mark.parametrize("kind", STENCILS)
@few
@given(world=worlds())
def test_cost_to_go_is_the_shortest_path_through_all_modes(kind: str, world: PlaceWorld) -> None:
    plans = cost_to_go(world, STENCILS[kind])
    with cell_by_cell():
        np.testing.assert_array_equal(cost_to_go(world, STENCILS[kind]).cost, plans.cost)
    for goal in range(world.lying.shape[1]):
        exact = exact_costs(world, kind, goal)
        free = ~world.blocked
        np.testing.assert_allclose(plans.cost[goal][free], exact[free], rtol=1e-12)


@few
@given(world=worlds(), pick=st.integers(0, 2**32 - 1))
def test_needed_costs_are_known_in_all_modes(world: PlaceWorld, pick: int) -> None:
    needed = np.random.default_rng(pick).random(world.blocked.shape) < 0.1
    needed[0, 0, 0] = True
    some = wanted(world, 0, 0, needed, needed)
    whole = cost_to_go(world, GRID).cost
    with cell_by_cell():
        np.testing.assert_array_equal(planned(world, GRID, some)[:, needed], whole[:, needed])


@few
@given(world=worlds(free_choice=True), pick=st.integers(0, 2**32 - 1))
def test_searching_and_slipping_find_the_same(world: PlaceWorld, pick: int) -> None:
    """Both ignore exits that must come next, and reluctance."""
    cost = cost_to_go(world, GRID).cost
    free = np.argwhere(~world.blocked)
    for mode, row, column in np.random.default_rng(pick).permutation(free)[:5].tolist():
        for goal in range(len(cost)):
            route = find_route(world, GRID, (row, column, mode), goal)
            found = math.inf if route is None else route.cost
            assert found == pytest.approx(cost[goal, mode, row, column], rel=1e-12)
    sure = slippery_cost_to_go(world, 0.0).cost
    np.testing.assert_allclose(sure[:, ~world.blocked], cost[:, ~world.blocked], rtol=1e-9)


# By hand


def corridor(
    rows: list[Row], things: dict[int, int], modes: int, walls: dict[int, int]
) -> PlaceWorld:
    """Return a corridor of nine cells with things in some of them, and a wall in some modes."""
    blocked = np.zeros((modes, 1, 9), dtype=bool)
    for mode, column in walls.items():
        blocked[mode, 0, column] = True
    reach = np.full((len(things), 1, 9), np.inf)
    for thing, column in things.items():
        reach[thing, 0, column] = 0.0
    lying = np.ones((modes, 1), dtype=bool)
    return make_world(blocked, lying, reach, rows)


def test_the_nearer_of_two_keys_opens_the_lock() -> None:
    """The item is in cell 8 behind a wall in cell 5, keys in cells 0 and 3, the lock in cell 4."""
    things = {0: 8, 1: 0, 2: 3, 3: 4}
    rows: list[Row] = [
        *((mode, mode, 0, 0, ANY, 1.0, 0.0) for mode in range(3)),
        (0, 1, 1, NO_GOAL, 5, 1.0, 0.0),
        (0, 1, 2, NO_GOAL, 5, 1.0, 0.0),
        (1, 2, 3, NO_GOAL, ANY, 2.0, 0.0),
    ]
    world = corridor(rows, things, 3, {0: 5, 1: 5})
    start = cost_to_go(world, GRID).cost[0, 0, 0]
    rest = 1 + 1 + 2 + 4 + 1  # key, one step, lock, four steps, item
    assert start[:5].tolist() == [3 + rest, 2 + rest, 1 + rest, rest, 1 + rest]
    assert start[6:].tolist() == [3.0, 2.0, 1.0]


@pytest.mark.parametrize(("price", "cost"), [(1.5, 1.5 + 6 + 1), (50.0, 1 + 1 + 1 + 2 + 4 + 1)])
def test_a_board_is_used_if_it_is_worth_its_price(price: float, cost: float) -> None:
    """A board in cell 2 leads across at a price; so does a key in cell 3 with a lock in cell 4."""
    things = {0: 8, 1: 2, 2: 3, 3: 4}
    rows: list[Row] = [
        *((mode, mode, 0, 0, ANY, 1.0, 0.0) for mode in range(3)),
        (0, 2, 1, NO_GOAL, ANY, price, 0.0),
        (0, 1, 2, NO_GOAL, 5, 1.0, 0.0),
        (1, 2, 3, NO_GOAL, ANY, 2.0, 0.0),
    ]
    world = corridor(rows, things, 3, {0: 5, 1: 5})
    assert cost_to_go(world, GRID).cost[0, 0, 0, 2] == cost
