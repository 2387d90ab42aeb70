"""The gridworld in PDDL matches the kernels: actions, successors and costs, to the last bit."""

from __future__ import annotations

import math
import runpy
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floors import Floor, FloorCosts, in_mode, world_of
from hbtom.errors import BadInput
from hbtom.mind.grid import action_values
from hbtom.plan import GRID, CostToGo, cost_to_go
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.world import Mode, PlaceWorld, Trajectory
from hbtom.world.pddl import StateGraph, explore, ground, make_goal, read_domain, read_problem
from hbtom.world.pddl.gridworld import DOMAIN, Prices, write_problem

few = settings(max_examples=25)


class Grid(NamedTuple):
    floor: Floor
    costs: FloorCosts
    items: tuple[str, ...]
    key: int | None
    start: tuple[int, int]
    mode: Mode

    @property
    def world(self) -> PlaceWorld:
        return world_of(self.floor, self.costs, self.key)

    def problem(self, *, slippery: bool = False, **other: float) -> str:
        cell, diagonal = self.costs.cell, self.costs.cell * math.sqrt(2)
        prices = Prices(cell, diagonal, self.costs.act, self.costs.opening)._replace(**other)
        options = {"key": self.key, "mode": self.mode, "prices": prices, "slippery": slippery}
        return write_problem(self.world, self.start, self.items, **options)

    def graph(self) -> StateGraph:
        domain = read_domain(DOMAIN.read_text(encoding="utf-8"))
        return explore(ground(read_problem(self.problem(), domain)))

    def plans(self, graph: StateGraph) -> GraphCosts:
        wanted = [
            f"({'held' if item == self.key else 'touched'} {name})"
            for item, name in enumerate(self.items)
        ]
        goals = zip(self.items, wanted, strict=True)
        return plan_on_graph(graph, tuple(make_goal(graph.world, *goal) for goal in goals))

    def kernel(self) -> CostToGo:
        return cost_to_go(self.world, GRID)


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """Draw a floor, perhaps with key, lock and barrier, and an agent somewhere on it."""
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    opened = rng.random(shape) < draw(st.sampled_from([0.0, 0.2, 0.4]))
    closed = opened | (rng.random(shape) < draw(st.sampled_from([0.0, 0.3])))

    def near() -> np.ndarray:
        away = np.full(shape, np.inf)
        row, column = (int(rng.integers(side)) for side in shape)
        away[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = 0.0
        return away

    many = draw(st.integers(1, 3))
    key = draw(st.sampled_from([None, many - 1]))
    lock = near() if draw(st.booleans()) else None
    costs = FloorCosts(1.0, *(draw(st.sampled_from([0.5, 1.0, 3.7])) for _ in range(2)))
    mode = draw(st.sampled_from([Mode.START, Mode.OPEN] + [Mode.HELD] * (key is not None)))
    start = tuple(int(rng.integers(side)) for side in shape)
    (opened if mode == Mode.OPEN else closed)[start] = opened[start] = False
    return Grid(
        Floor(10.0, closed, opened, np.array([near() for _ in range(many)]), lock),
        costs,
        tuple(f"thing-{number}" for number in range(many)),
        key,
        start,
        mode,
    )


def place_of(grid: Grid, graph: StateGraph, state: int) -> tuple[int, int, Mode, set[int]]:
    """Return the row, column and mode of a state, and the items that were touched."""
    facts = graph.world.true_in(graph.states[state]) | graph.world.always
    (cell,) = (fact[1] for fact in facts if fact[0] == "at")
    row, column = map(int, cell.split("-")[1:])
    held = any(fact[0] == "held" for fact in facts)
    mode = Mode.OPEN if ("now", "gone") in facts else Mode.HELD if held else Mode.START
    touched = {grid.items.index(fact[1]) for fact in facts if fact[0] == "touched"}
    return row, column, mode, touched


def number_of(grid: Grid, action: tuple[str, ...]) -> int:
    """Return the kernel's number of an action: eight moves, a touch of each item, and opening."""
    name, *terms = action
    if name.startswith("move"):
        (row, column), (to_row, to_column) = (map(int, cell.split("-")[1:]) for cell in terms[:2])
        return GRID.moves.index((to_row - row, to_column - column))
    many = len(GRID.moves)
    return many + len(grid.items) if name == "unlock" else many + grid.items.index(terms[0])


def steps_from(world: PlaceWorld, places: list[tuple[int, int, Mode, set[int]]]) -> Trajectory:
    """Return a trajectory with a step from each of the places."""
    none = np.zeros(len(places), dtype=np.int64)
    mode = np.array([min(mode, len(world.blocked) - 1) for _, _, mode, _ in places])
    start = np.array([(column, row) for row, column, _, _ in places], dtype=np.float64)
    return Trajectory(none, none, none, mode, start, start, start[0], none - 1)


@few
@given(grids())
def test_kernels_and_pddl_agree_in_every_state(grid: Grid) -> None:
    graph = grid.graph()
    plans, kernel = grid.plans(graph), grid.kernel()
    places = [place_of(grid, graph, state) for state in range(len(graph))]
    legal, q = action_values(kernel, steps_from(kernel.world, places), GRID.table)
    for state, (row, column, mode, touched) in enumerate(places):
        choices = range(graph.choices[state], graph.choices[state + 1])
        done = {number_of(grid, graph.world.actions[graph.action[one]]): one for one in choices}
        assert len(done) == len(choices)
        assert sorted(done) == np.flatnonzero(legal[state]).tolist()
        for goal in set(range(len(grid.items))) - touched:
            assert plans.cost[goal, state] == in_mode(kernel, mode)[goal, row, column]
            for action, choice in done.items():
                after = plans.cost[goal, graph.target[choice]]
                assert -(graph.cost[choice] + after) == q[state, action, goal]
        for action, choice in done.items():
            there = places[graph.target[choice]]
            assert there[:3] == successor(grid, (row, column, mode), action)


def successor(grid: Grid, place: tuple[int, int, Mode], action: int) -> tuple[int, int, Mode]:
    """Return where an action leads, by the definition of the kernels."""
    row, column, mode = place
    if action < len(GRID.moves):
        down, right = GRID.moves[action]
        return row + down, column + right, mode
    if action == len(GRID.moves) + len(grid.items):
        return row, column, Mode.OPEN
    picked = action - len(GRID.moves) == grid.key
    return row, column, Mode.HELD if picked else mode


def corridor() -> Grid:
    """A corridor of five cells: the key at one end, the item behind a barrier at the other."""
    opened = np.zeros((1, 5), dtype=bool)
    closed = np.array([[False, False, False, True, False]])
    at = {name: np.full((1, 5), np.inf) for name in ("item", "key", "lock")}
    at["item"][0, 4] = at["key"][0, 0] = at["lock"][0, 2] = 0.0
    floor = Floor(10.0, closed, opened, np.array([at["item"], at["key"]]), at["lock"])
    return Grid(floor, FloorCosts(1.0, 1.0, 2.5), ("bell", "clef"), 1, (0, 1), Mode.START)


def random_grid(rng: np.random.Generator) -> Grid:
    """A room of 8 x 8 cells with a barrier across, an item on either side, and a key."""
    opened = rng.random((8, 8)) < 0.15
    opened[0, 0] = False
    closed = opened.copy()
    closed[4] = True
    at = np.full((4, 8, 8), np.inf)
    for things, (row, column) in zip(at, [(7, 6), (2, 7), (0, 4), (3, 3)], strict=True):
        things[max(row - 1, 0) : row + 2, column - 1 : column + 2] = 0.0
    floor = Floor(10.0, closed, opened, at[:3], at[3])
    return Grid(floor, FloorCosts(1.0, 1.0, 2.0), ("bell", "cup", "clef"), 2, (0, 0), Mode.START)


def test_a_path_through_key_and_lock_by_hand() -> None:
    grid = corridor()
    graph = grid.graph()
    plans = grid.plans(graph)
    # one step to the key, pick it up, two steps to the lock, open it, two steps, touch
    assert plans.cost[:, 0].tolist() == [1 + 1 + 2 + 2.5 + 2 + 1, 1 + 1]


def test_the_problem_is_readable_text() -> None:
    text = corridor().problem()
    assert "(:domain gridworld)" in text
    assert "(= (diagonal) 1.4142135623730951)" in text
    assert "(= (opening) 2.5)" in text
    assert "(blocked cell-0-3 standing)" in text
    assert "(at-hand bell cell-0-4)" in text
    assert text.count("(beside") == 8
    assert max(map(len, text.splitlines())) <= 100


def test_the_agent_cannot_start_in_a_wall_or_barrier() -> None:
    grid = corridor()._replace(start=(0, 3))
    with pytest.raises(BadInput, match="row 0, column 3"):
        grid.problem()
    assert "(at cell-0-3)" in grid._replace(mode=Mode.OPEN).problem()


def test_fine_floors_cannot_be_written_in_pddl() -> None:
    grid = corridor()
    grid.floor.to_item[0, 0, 3] = 0.5
    with pytest.raises(BadInput, match="grid"):
        grid.problem()


def test_the_world_that_is_measured_is_a_problem_with_plans() -> None:
    """``benchmarks/pddl.py`` compares with another planner, so that tests cannot run all of it."""
    script = runpy.run_path(str(DOMAIN.parents[4] / "benchmarks" / "pddl.py"))
    domain = read_domain(DOMAIN.read_text(encoding="utf-8"))
    graph = explore(ground(read_problem(script["world"](), domain)))
    wanted = ("heart", "(touched heart)"), ("key", "(held key)")
    costs = plan_on_graph(graph, tuple(make_goal(graph.world, *goal) for goal in wanted))
    assert (costs.cost[:, 0] > 0).all()
    assert np.isfinite(costs.cost[:, 0]).all()
