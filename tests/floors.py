"""Random floors, and the moves on them as a graph, from the definition alone."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest
from hypothesis import strategies as st

from hbtom import Trial
from hbtom.plan import CostToGo, Stencil, legs
from hbtom.plan.cost_to_go import plan
from hbtom.plan.field import field as one_field
from hbtom.plan.flooding import Seeds
from hbtom.plan.needed_cells import Wanted
from hbtom.world import Costs, Mode, PlaceWorld, Space, Trajectory, Worlds
from hbtom.world.modes import Exits, count_exits, world_at, write_exits
from hbtom.world.occupancy import make_worlds
from hbtom.world.steps import Gait, find_trajectories
from hbtom.world.trajectory import trajectory_at
from hbtom.world.trial_arrays import scenes_of

planner = sys.modules["hbtom.plan.cost_to_go"]  # the function of this name hides it
NOWHERE = np.empty((0, 0, 0), dtype=bool)
NO_EXITS = Exits(*np.empty((5, 0), dtype=np.int64), *np.zeros((2, 0)))


class FloorCosts(NamedTuple):
    """The costs of acting on a floor, and of opening its lock."""

    cell: float
    act: float
    opening: float
    push: float = 0.0
    tool: float = 0.0
    contact: bool = False

    @property
    def costs(self) -> Costs:
        return Costs(self.cell, self.act, self.push, self.tool, self.contact)


FREE = FloorCosts(1.0, 0.0, 0.0)  # where costs do not matter


@dataclass(frozen=True, eq=False)
class Floor:
    """A world in the terms of the tests' definitions: a barrier that stands or has gone."""

    cell: float
    closed: np.ndarray  # blocked while the barrier stands
    open: np.ndarray  # blocked when it has gone
    to_item: np.ndarray  # [item row column]: distance to an item within reach, in cells, or inf
    to_lock: np.ndarray | None
    boxes: np.ndarray = field(default_factory=lambda: NOWHERE)  # [item row column], to avoid

    def blocked(self, mode: int) -> np.ndarray:
        return self.open if mode == Mode.OPEN else self.closed

    def cell_of(self, x: float, y: float) -> tuple[int, int]:
        return world_of(self, FREE).cell_of(x, y)


def world_of(floor: Floor, costs: FloorCosts, key: int | None = None) -> PlaceWorld:
    """Return a floor as a world of places and modes; the key can only be the last item."""
    items, rows, columns = floor.to_item.shape
    assert key in (None, items - 1)
    nowhere = np.full((rows, columns), np.inf)
    to_lock = nowhere if floor.to_lock is None else floor.to_lock
    locks = int(floor.to_lock is not None)
    one = key is None and not locks and (floor.closed == floor.open).all()
    modes = [Mode.START] if one else list(Mode)
    lying = np.ones((len(modes), items), dtype=bool)
    if key is not None:
        lying[1:, key] = False
    world = PlaceWorld(
        Space(floor.cell),
        costs.costs,
        np.array([floor.blocked(mode) for mode in modes]),
        lying,
        np.array([*floor.to_item, *[to_lock] * (not one)]).reshape(-1, rows, columns),
        floor.boxes.reshape(-1, rows, columns),
        NO_EXITS,
    )
    return with_exits(world, items if key is None else key, locks, costs.opening)


def with_exits(world: PlaceWorld, objects: int, locks: int, opening: float) -> PlaceWorld:
    """Return a world with all that can be done in it besides moving."""
    modes, items = world.lying.shape
    many = count_exits(items, objects, modes)
    exits = Exits(*np.empty((5, many), dtype=np.int64), *np.zeros((2, many)))
    write_exits(world._replace(exits=exits), objects, locks, opening)
    return world._replace(exits=exits)


def seeds_in(costs: np.ndarray) -> Seeds:
    """Return the finite costs of a map as seeds."""
    cell = np.flatnonzero(costs < np.inf)
    return Seeds(cell, costs.ravel()[cell])


def planned(world: PlaceWorld, stencil: Stencil, wanted: Wanted) -> np.ndarray:
    """Return the cost-to-go [goal mode row column] of the wanted states."""
    cost = np.zeros((world.lying.shape[1], *world.blocked.shape))
    plan(CostToGo(world, cost), stencil.table, wanted)
    return cost


def solve(
    blocked: np.ndarray, seeds: np.ndarray, stencil: Stencil, cell: float = 1.0
) -> np.ndarray:
    """Return the cost of the cheapest path from each cell to a seed, plus the seed's own cost."""
    everywhere = np.empty((0, 2), dtype=np.int64)
    fields = seeds.reshape(-1, *blocked.shape)
    solved = [one_field(blocked, seeds_in(one), stencil.table, cell, everywhere) for one in fields]
    return np.array(solved).reshape(seeds.shape)


def floor_of(world: PlaceWorld) -> Floor:
    """Return a world with at most one lock as a floor."""
    items = world.lying.shape[1]
    closed, opened = world.blocked[Mode.START], world.blocked[-1]
    lock = world.lock if world.lock is not None and np.isfinite(world.lock).any() else None
    return Floor(world.space.cell, closed, opened, world.reach[:items], lock, world.boxes)


def grid_world(trial: Trial, cell: float, costs: FloorCosts = FREE) -> PlaceWorld:
    return world_at(_grid_worlds(trial, cell, costs), 0)


def continuous_world(trial: Trial, space: Space, costs: FloorCosts = FREE) -> PlaceWorld:
    return world_at(_continuous_worlds(trial, space, costs), 0)


def _grid_worlds(trial: Trial, cell: float, costs: FloorCosts = FREE) -> Worlds:
    space = Space(cell, in_cells=True)
    return make_worlds(scenes_of([trial]), space, costs.costs, np.array([costs.opening]))


def _continuous_worlds(trial: Trial, space: Space, costs: FloorCosts = FREE) -> Worlds:
    return make_worlds(scenes_of([trial]), space, costs.costs, np.array([costs.opening]))


def grid_floor(trial: Trial, cell: float) -> Floor:
    return floor_of(grid_world(trial, cell))


def continuous_floor(trial: Trial, cell: float, clearance: float, berth: float = 0.0) -> Floor:
    return floor_of(continuous_world(trial, Space(cell, clearance, berth)))


def grid_steps(trial: Trial, cell: float, *, final: bool) -> Trajectory:
    """Return the steps as moves between cells."""
    worlds = _grid_worlds(trial, cell)
    return trajectory_at(find_trajectories(scenes_of([trial]), worlds, Gait(), final), 0)


def pixel_steps(trial: Trial, *, stride: float, final: bool) -> Trajectory:
    """Return the steps as strides."""
    worlds = _continuous_worlds(trial, Space(10.0))
    return trajectory_at(find_trajectories(scenes_of([trial]), worlds, Gait(stride), final), 0)


def in_mode(plans: CostToGo, mode: int) -> np.ndarray:
    """Return the costs [goal row column] of a mode; a world with one mode is always in it."""
    return plans.cost[:, min(mode, plans.cost.shape[1] - 1)]


def needs(move: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the cells that must be free for a move: those its line crosses, sampled densely.

    A diagonal passes through a corner, and needs the cells on both sides of it.
    """
    down, right = move
    if abs(down) == abs(right):
        return {(0, 0), (down, 0), (0, right), (down, right)}
    on_the_way = (np.arange(100) + 0.5) / 100
    return {(math.floor(0.5 + down * t), math.floor(0.5 + right * t)) for t in on_the_way}


def moves(kind: str) -> list[tuple[int, int]]:
    reach = range(-2, 3) if kind == "continuous" else range(-1, 2)
    return [(i, j) for i in reach for j in reach if math.gcd(i, j) == 1]


def way_graph(blocked: np.ndarray, kind: str, cell: float = 1.0) -> nx.DiGraph:
    """Return the free cells, with an edge for every legal move, weighted by its cost."""
    free = {(int(row), int(column)) for row, column in zip(*np.nonzero(~blocked), strict=True)}
    graph = nx.DiGraph()
    graph.add_nodes_from(free)
    for move in moves(kind):
        needed = needs(move)
        for row, column in free:
            if all((row + i, column + j) in free for i, j in needed):
                there = (row + move[0], column + move[1])
                graph.add_edge((row, column), there, weight=cell * math.hypot(*move))
    return graph


def costs_to(graph: nx.DiGraph, target: object) -> dict:
    return nx.single_source_dijkstra_path_length(graph.reverse(copy=False), target)


@contextmanager
def cell_by_cell() -> Iterator[None]:
    """Plan with the compiled algorithm, but in plain Python."""
    parts = {legs: ["field"], planner: ["leg", "seeds_of", "_listed", "_lower"]}
    with pytest.MonkeyPatch.context() as patch:
        for module, names in parts.items():
            for name in names:
                patch.setattr(module, name, getattr(module, name).__wrapped__)
        yield


@st.composite
def floors(draw: st.DrawFn) -> tuple[Floor, FloorCosts, int | None]:
    """Draw a floor with two or three items, perhaps a key (the last item) and a lock."""
    rows, columns = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (rows, columns)
    opened = rng.random(shape) < draw(st.sampled_from([0.0, 0.2, 0.4]))
    closed = opened | (rng.random(shape) < draw(st.sampled_from([0.0, 0.3])))
    fractions = draw(st.booleans())

    def near() -> np.ndarray:
        away = np.full(shape, np.inf)
        row, column = rng.integers(rows), rng.integers(columns)
        some = (slice(max(row - 1, 0), row + 2), slice(max(column - 1, 0), column + 2))
        away[some] = rng.random(away[some].shape) * 2 if fractions else 0.0
        return away

    items = draw(st.integers(2, 3))
    key = items - 1 if draw(st.booleans()) else None
    lock = near() if draw(st.booleans()) else None
    floor = Floor(10.0, closed, opened, np.array([near() for _ in range(items)]), lock)
    costs = FloorCosts(*(draw(st.sampled_from([0.5, 1.0, 3.7])) for _ in range(3)))
    return floor, costs, key
