"""Planning among places: against a graph library, and against the definitions."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy.ndimage import binary_erosion
from scipy.sparse import coo_array
from scipy.sparse.csgraph import dijkstra

import hbtom as hb
from hbtom import kernels
from hbtom.places.grid import Grid, GridWorld
from hbtom.places.maps import EIGHT, MARGIN, SIXTEEN
from hbtom.places.plane import Plane, PlaneWorld
from hbtom.places.planning import cost_to_go, flat_moves, legs, use_tool, wanted_cells
from hbtom.places.steps import HELD, OPEN, START
from hbtom.places.world import KEY, Places
from rooms import AGENT, OBJECT, cell, costs, everywhere, frame_at, trial, walk

Moves = tuple[tuple[int, int], ...]
SIZE = (120.0, 100.0)
SEEDS = range(8)


# A planner that shares no code with hbtom


def neighbours(reach: int) -> Moves:
    """Return moves to all cells at most so far away that are not hidden behind nearer ones."""
    around = product(range(-reach, reach + 1), repeat=2)
    return tuple((i, j) for i, j in around if math.gcd(i, j) == 1)


@cache
def touched(move: tuple[int, int]) -> set[tuple[int, int]]:
    """Return the cells that a line from the middle of (0, 0) touches, if only at a corner."""
    found = set()
    for share in np.linspace(0, 1, 1001):
        row, column = share * move[0], share * move[1]
        for i, j in product(range(-2, 3), repeat=2):
            if max(abs(i - row), abs(j - column)) <= 0.5 + 1e-9:
                found.add((i, j))
    return found - {(0, 0), move}


def edges(blocked: np.ndarray, reach: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the free moves between cells: from, to (flat indices), and their lengths."""
    free = np.pad(~blocked, 2)
    rows, columns = blocked.shape
    number = np.arange(blocked.size).reshape(blocked.shape)
    found = []
    for i, j in neighbours(reach):

        def at(down: int, right: int) -> np.ndarray:
            return free[2 + down : 2 + down + rows, 2 + right : 2 + right + columns]

        passes = at(0, 0) & at(i, j)
        for down, right in touched((i, j)):
            passes = passes & at(down, right)
        here = number[passes]
        found.append((here, here + i * columns + j, np.full(len(here), math.hypot(i, j))))
    one, other, length = (np.concatenate(part) for part in zip(*found, strict=True))
    return one, other, length


def cheapest(nodes: int, *parts: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
    """Return the cost of the cheapest path from the last node to each of the others."""
    one, other, price = (np.concatenate(part) for part in zip(*parts, strict=True))
    graph = coo_array((price, (one, other)), shape=(nodes, nodes)).tocsr()
    found: np.ndarray = dijkstra(graph, indices=nodes - 1)
    return found[:-1]


def solved(blocked: np.ndarray, seeds: np.ndarray, reach: int, walk_: float) -> np.ndarray:
    """Return the cost of the cheapest path to a seed from each cell of one map."""
    one, other, length = edges(blocked, reach)
    cells = np.flatnonzero((seeds < np.inf) & ~blocked)
    if not len(cells):
        return np.full(blocked.shape, np.inf)
    source = np.full(len(cells), blocked.size), cells, 1.0 + seeds.ravel()[cells]
    found = cheapest(blocked.size + 1, (one, other, length * walk_), source)
    return found.reshape(blocked.shape) - 1.0


def test_moves_are_those_of_the_definition() -> None:
    assert set(neighbours(1)) == set(EIGHT)
    assert set(neighbours(2)) == set(SIXTEEN)
    for moves in (EIGHT, SIXTEEN):
        offset, past, price = flat_moves(moves, 100, 0.4)
        for number, (i, j) in enumerate(moves):
            assert offset[number] == 100 * i + j
            assert {*past[number].tolist()} - {0} == {100 * a + b for a, b in touched((i, j))}
            assert price[number] == pytest.approx(0.4 * math.hypot(i, j))


# Random rooms


def some_room(seed: int, *, locked: bool) -> hb.Trial:
    """Return a random room with two things.

    If locked, a wall with a gap divides it, the lock is in the gap, and the key left of it.
    """
    rng = np.random.default_rng(seed)
    corners = rng.uniform(0, 100, (6, 2))
    walls = np.concatenate([corners, rng.uniform(2, 26, (6, 2))], axis=1)
    start, one, other, key = rng.uniform(12, 88, (4, 2)).tolist()
    more = {}
    if locked:
        x, top = 4 * rng.integers(10, 18), 4 * rng.integers(2, 13)
        divide = [(x, 0, 12, top), (x, top + 36, 12, 100)]
        walls = np.concatenate([walls[:2], divide])
        key[0], other[0] = min(key[0], x - 20), max(other[0], x + 32)
        more = {"key": tuple(key), "lock": (x + 6.0, top + 18.0), "barrier": [(x, top, 12, 36)]}
    things = {"one": tuple(one), "other": tuple(other)}
    return trial([tuple(start)], things, walls=walls, size=SIZE, **more)


def reach_of(world: Places) -> int:
    return 1 if isinstance(world, GridWorld) else 2


SPACES = Plane(contact=False, berth=0.0, reluctance=0.7), Grid()
in_both = pytest.mark.parametrize("space", SPACES, ids=["plane", "grid"])


@in_both
@pytest.mark.parametrize("seed", SEEDS)
def test_costs_are_shortest_paths_through_one_room(space: Plane | Grid, seed: int) -> None:
    world = space.world(some_room(seed, locked=False))
    found = costs(world)
    assert found.shape[:2] == (2, 1)
    for goal in range(2):
        seeds = ACT + world.costs.walk * world.reach[goal]
        wanted = solved(world.blocked[0], seeds, reach_of(world), world.costs.walk)
        np.testing.assert_allclose(found[goal, 0], wanted, atol=1e-9)


ACT, OPENING = 1.0, 3.0


@in_both
@pytest.mark.parametrize("seed", SEEDS)
def test_costs_are_shortest_paths_through_places_and_modes(space: Plane | Grid, seed: int) -> None:
    """One graph holds all states: picking up the key and opening the lock lead to other modes."""
    world = space.world(some_room(seed, locked=True), OPENING)
    found, walk_ = costs(world), world.costs.walk
    many = world.blocked[0].size
    moves = []
    for mode, blocked in enumerate(world.blocked):
        one, other, length = edges(blocked, reach_of(world))
        moves.append((one + mode * many, other + mode * many, length * walk_))
    away = walk_ * world.reach.reshape(len(world.reach), -1)
    for before, thing, price in (
        (START, 2, ACT + world.costs.reluctance),
        (HELD, 3, OPENING),
    ):  # from the goal backwards
        free = ~world.blocked[before].ravel() & ~world.blocked[before + 1].ravel()
        cells = np.flatnonzero(free & (away[thing] < np.inf))
        source, target = cells + (before + 1) * many, cells + before * many
        moves.append((source, target, price + away[thing][cells]))
    for goal in range(2):
        free = (~world.blocked).reshape(3, -1)
        mode, cells = np.nonzero(free & (away[goal] < np.inf))
        ends = np.full(len(cells), 3 * many), mode * many + cells, ACT + away[goal][cells]
        wanted = cheapest(3 * many + 1, *moves, ends).reshape(world.blocked.shape)
        wanted = np.where(world.blocked, np.inf, wanted)
        np.testing.assert_allclose(found[goal], wanted, atol=1e-9)
    key = solved(world.blocked[START], ACT + walk_ * world.reach[2], reach_of(world), walk_)
    np.testing.assert_allclose(found[2, START], key, atol=1e-9)
    assert not found[2, HELD:].any()


def test_in_some_of_these_rooms_the_key_serves_its_purpose() -> None:
    """Otherwise the tests above would show little."""
    rooms = [SPACES[0].world(some_room(seed, locked=True), OPENING) for seed in SEEDS]
    needs = 0
    for world in rooms:
        start, held, opened = costs(world)[:2].swapaxes(0, 1)
        by_lock = np.isfinite(held) & np.isfinite(opened) & (held > opened)
        needs += int((by_lock & np.isfinite(start) & (start > held)).any())
    assert needs >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_costs_of_wanted_cells_do_not_depend_on_what_else_is_wanted(seed: int) -> None:
    """Planning ends once these are final; other costs are then too high, or infinite.

    In boxes, costs come from two cells further away, so two cells at the rim do not count.
    """
    world = Plane().world(some_room(seed, locked=True), OPENING)
    steps = world.replay(world.trial)
    some, every = cost_to_go(world, steps), costs(world)
    wanted = np.array([binary_erosion(one, np.ones((5, 5))) for one in wanted_cells(world, steps)])
    assert 0 < wanted.mean() < 0.5
    np.testing.assert_allclose(some[:, wanted], every[:, wanted], atol=1e-12)
    assert (some >= every - 1e-12).all()


# Tools that are used with contact


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("contact", [True, False])
def test_using_a_tool_costs_what_its_docstring_says(seed: int, contact: bool) -> None:
    rng = np.random.default_rng(seed)
    world = Plane(contact=contact).world(some_room(seed, locked=True))
    away = np.where(rng.random((5, 6)) < 0.3, np.inf, rng.integers(1, 6, (5, 6)) / 4)
    rest = np.where(rng.random((3, 5, 6)) < 0.4, np.inf, rng.uniform(1, 9, (3, 5, 6)))
    found = use_tool(world, 2.0, away, rest)
    for goal in range(3):
        possible = [at for at in np.ndindex(5, 6) if away[at] + rest[goal][at] < np.inf]
        nearest = min(away[at] for at in possible)
        best = min(nearest + rest[goal][at] for at in possible if away[at] == nearest)
        wanted = 2.0 + away + (best if contact else rest[goal])
        np.testing.assert_allclose(found[goal], wanted)


# Things that are in the way


def escaped(cost: np.ndarray, inside: np.ndarray, solid: np.ndarray, walk_: float) -> np.ndarray:
    """Return costs extended two cells deep into cells inside boxes."""
    found = cost.copy()
    step = {(i, j): walk_ * math.hypot(i, j) for i, j in neighbours(1)}
    for row, column in np.argwhere(inside).tolist():
        near = {(row + i, column + j): length for (i, j), length in step.items()}
        out = min(cost[at] + length for at, length in near.items())
        if out == np.inf:
            out = min(
                cost[r + i, c + j] + length + other
                for (r, c), length in near.items() if solid[r, c]
                for (i, j), other in step.items()
            )  # fmt: skip
        found[row, column] = out
    return found


@pytest.mark.parametrize("push", [0.3, 1.5, 20.0])
@pytest.mark.parametrize("seed", SEEDS)
def test_legs_lead_around_boxes_or_through_them(seed: int, push: float) -> None:
    """The same definition, on a graph of cells: C = min(C around B, push + C through B)."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(14, 86, (2, 5))
    things = {f"thing {n}": (x[n], y[n]) for n in range(4)}
    seen = trial([(x[4], y[4])], things, walls=[(50, 0, 4, 60), (0, 70, 40, 4)], size=SIZE)
    world = Plane(push=push).world(seen)
    walk_, blocked = world.costs.walk, world.blocked[START]
    targets = np.arange(4)
    seeds = ACT + walk_ * world.reach[:4]
    found = legs(world, START, targets, seeds, np.ones_like(world.blocked))
    for target in targets:
        boxes = world.boxes[targets != target].any(axis=0)
        solid = boxes | blocked
        around = solved(solid, seeds[target], 2, walk_)
        through = solved(blocked, seeds[target], 2, walk_)
        extended = escaped(around, boxes & ~blocked, solid, walk_)
        if (extended[world.begins(START)] < np.inf).any():
            wanted = np.where(solid, np.inf, np.minimum(around, push + through))
            wanted = escaped(wanted, boxes & ~blocked, solid, walk_)
        else:
            wanted, solid = through, blocked
        wanted = np.where(solid, np.minimum(wanted, seeds[target]), wanted)
        np.testing.assert_allclose(found[target], wanted, atol=1e-9)


# Floods: both forms


@pytest.mark.parametrize("moves", [EIGHT, SIXTEEN], ids=["eight", "sixteen"])
@pytest.mark.parametrize("seed", SEEDS)
def test_both_floods_find_shortest_paths(seed: int, moves: Moves) -> None:
    """The form for the compiler runs as plain Python here."""
    rng = np.random.default_rng(seed)
    blocked = rng.random((18, 16)) < 0.25
    for edge in (np.s_[:MARGIN], np.s_[-MARGIN:], np.s_[:, :MARGIN], np.s_[:, -MARGIN:]):
        blocked[edge] = True
    seeds = np.where(rng.random(blocked.shape) < 0.04, rng.uniform(0, 8, blocked.shape), np.inf)
    cost = np.where(blocked, -np.inf, seeds).ravel()
    whole = solved(blocked, seeds, 1 if moves is EIGHT else 2, 0.4).ravel()
    table = flat_moves(moves, blocked.shape[1], 0.4)
    some = rng.choice(np.flatnonzero(~blocked), 3, replace=False)
    for wanted in (np.empty(0, dtype=np.int64), np.sort(some)):
        one, other = cost.copy(), cost.copy()
        kernels._flood(one, *table, wanted)
        kernels._flood_buckets(other, *table, wanted)
        for found in (one, other):
            assert (found[blocked.ravel()] == -np.inf).all()
            free = np.where(blocked.ravel(), np.inf, found)
            final = wanted if len(wanted) else np.s_[:]
            np.testing.assert_allclose(free[final], whole[final], atol=1e-12)
            rest = free < np.inf
            np.testing.assert_allclose(free[rest], whole[rest], atol=1e-12)
        both = np.isfinite(one) & np.isfinite(other)
        np.testing.assert_allclose(one[both], other[both], atol=1e-12)


def test_floods_of_several_maps_are_separate() -> None:
    """In numpy, the maps are one large map, the margins of which are between them."""
    blocked = np.ones((3, 10, 11), dtype=bool)
    blocked[:, MARGIN:-MARGIN, MARGIN:-MARGIN] = False
    seeds = np.full(blocked.shape, np.inf)
    seeds[0, 2, 2], seeds[1, -3, -3] = 0.0, 1.0
    cost = np.where(blocked, -np.inf, seeds).reshape(3, -1)
    nothing = np.zeros(cost.shape, dtype=bool)
    kernels.flood(cost, *flat_moves(SIXTEEN, 11, 0.4), nothing)
    for one, some, start in zip(cost, blocked, seeds, strict=True):
        wanted = np.where(some, -np.inf, solved(some, start, 2, 0.4))
        np.testing.assert_allclose(one.reshape(some.shape), wanted)


# Costs between the cells of the plane


def room_of(**more: object) -> PlaneWorld:
    return Plane(clearance=0.0).world(trial([(50, 50)], {"food": (90, 50)}, size=SIZE, **more))


def test_costs_are_interpolated_between_the_middles_of_cells() -> None:
    """A function of x y is bilinear; beyond the last middles it stays what it is there."""
    world = room_of()
    rows, columns = (np.arange(size) - MARGIN + 0.5 for size in world.blocked.shape[1:])
    cost = np.broadcast_to(
        (rows[:, None] * 4) * (columns * 4) / 100, (1, 1, len(rows), len(columns))
    )
    places = np.array([(50.0, 50.0), (51.3, 62.9), (3.0, 99.0), (119.5, 1.0), (0.0, 100.0)])
    inside = np.clip(places, 2, np.array(SIZE) - 2)
    found = world.cost_at(cost, places, np.zeros(len(places), dtype=int))[0]
    np.testing.assert_allclose(found, inside[:, 0] * inside[:, 1] / 100)


def test_corners_without_a_cost_do_not_count_unless_they_weigh_most() -> None:
    """Left of x = 50 the food is out of reach, though nothing is solid there."""
    world = room_of()
    cost = np.zeros((1, *world.blocked.shape))
    middles = (np.arange(world.blocked.shape[2]) - MARGIN + 0.5) * 4
    cost[..., :] = np.where(middles < 50, np.inf, 7.0 + middles)
    places = np.array([(46.0, 50.0), (47.9, 50.0), (48.1, 50.0), (50.0, 50.0), (51.0, 50.0)])
    found = world.cost_at(cost, places, np.zeros(len(places), dtype=int))[0]
    np.testing.assert_allclose(found, [np.inf, np.inf, 57.0, 57.0, 58.0])


def test_where_a_goal_is_out_of_reach_every_move_wastes_twice_the_way() -> None:
    """The agent jumps into a closed room, moves there, and jumps out again."""
    x, y = 150, 150
    wall = [(120, 120, 60, 4), (120, 176, 60, 4), (120, 120, 4, 60), (176, 120, 4, 60)]
    path = [(60, 150), (x, y), (x, y - 16), (60, 150)]
    seen = trial(path, {"food": (30, 30)}, walls=wall)
    world = Plane().world(seen)
    choices = world.chosen_from(world.replay(seen), world_plan(world))
    assert choices.known.all()
    into, within, out = choices.regret.ravel() / choices.length
    assert [into, within, out] == pytest.approx([2.0, 2.0, 0.0])


def world_plan(world: Places) -> object:
    from hbtom.core.axes import axes_of

    agent = hb.Agent(traits={"efficiency": [1.0]})
    axes = (*axes_of(agent.traits), *agent.axes(world.goals, None)[1:])
    return world.plan(agent, "", world.replay(world.trial), axes)


# What actions are worth in the grid


def test_actions_in_the_grid_are_worth_what_their_docstring_says() -> None:
    """Q_g(s, a) = -(price(a) + C_g(s')), and -price(a) if a attains the goal."""
    gate = {"walls": [(100, 0, 20, 80), (100, 120, 20, 80)], "barrier": [(100, 80, 20, 40)]}
    more = {**gate, "lock": (110.0, 105.0), "key": (45.0, 15.0)}
    path = [*walk((45, 65), (45, 25), (95, 105)), *[(95, 105)] * 3, *walk((96, 105), (145, 105))]
    lifted, there = frame_at(path, (45, 25)), frame_at(path, (95, 105))
    things = {"here": (45.0, 45.0), "there": (165.0, 105.0)}
    seen = trial(path, things, picked=lifted + 1, opened=there + 1, **more)
    world = Grid(final=True).world(seen, OPENING)
    steps = world.replay(seen)
    cost = cost_to_go(world, steps)
    legal, q = world.q_values(steps, cost)
    checked = set()
    for number in range(len(steps)):
        mode = int(steps.mode[number])
        column, row = (steps.start[number].astype(int) + MARGIN).tolist()
        free = ~world.blocked[mode]
        for action, (i, j) in enumerate(EIGHT):
            passed = [(row + i, column + j), (row + i, column), (row, column + j)]
            assert legal[number, action] == all(free[at] for at in passed)
            wanted = -(math.hypot(i, j) + cost[:, mode, row + i, column + j])
            if legal[number, action]:
                np.testing.assert_allclose(q[:, number, action], wanted)
        for thing, (needs, after, price) in enumerate(
            [(None, None, ACT), (None, None, ACT), (START, HELD, ACT), (HELD, OPEN, OPENING)]
        ):
            action = len(EIGHT) + thing
            near = world.reach[thing, row, column] == 0
            assert legal[number, action] == (near and needs in (None, mode))
            if legal[number, action]:
                wanted = -(price + cost[:, mode if after is None else after, row, column])
                if thing < 3:
                    wanted[thing] = -price
                np.testing.assert_allclose(q[:, number, action], wanted)
                checked.add((thing, mode))
    assert checked >= {(0, START), (2, START), (3, HELD)}


# Goals


def test_goals_are_looks_and_twins_are_numbered() -> None:
    look = hb.Look("ball", (255.0, 0.0, 0.0))
    twins = [hb.Body(look, (x, 50.0), OBJECT) for x in (20.0, 60.0, 90.0)]
    seen = hb.Trial.from_arrays([(50, 20)], twins, size=SIZE, radius=AGENT)
    goals = Plane().world(seen).goals
    assert goals == tuple(hb.Look("ball", (255.0, 0.0, 0.0), twin) for twin in (1, 2, 3))


@pytest.mark.parametrize("keys", [True, False])
@pytest.mark.parametrize("kind", [Plane, Grid])
def test_the_key_can_be_a_goal(kind: type[Plane] | type[Grid], keys: bool) -> None:
    seen = trial([(50, 50)], {"food": (90, 50)}, key=(20, 20), size=SIZE)
    world = kind(keys=keys).world(seen)
    assert world.goals == (hb.Look("food"), KEY)[: 1 + keys]
    assert (costs(world)[:, START][:, *cell(world, (50, 50))] < np.inf).all()


def test_costs_are_needed_where_steps_begin_and_end() -> None:
    """Cells in which costs are read are among those that are wanted."""
    seen = trial(walk((20, 20), (100, 80)), {"food": (90, 20)}, size=SIZE)
    for world in (Plane().world(seen), Grid().world(seen)):
        steps, every = world.replay(seen), everywhere(world)
        wanted = wanted_cells(world, steps)[0]
        for place in (*steps.start, *steps.stop):
            row, column = cell(world, tuple(place * world.cell / world.side))
            assert wanted[row - 2 : row + 3, column - 2 : column + 3].all()
        assert wanted_cells(world, every)[0][MARGIN:-MARGIN, MARGIN:-MARGIN].all()
