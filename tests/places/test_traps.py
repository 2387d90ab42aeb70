"""Details of the worlds of places that carry the numbers and are easily lost.

Each was found by switching it off alone: some golden episodes changed. Here, what is right follows
from geometry, or from a formula.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from hbtom.model import with_settings
from hbtom.places.grid import Grid
from hbtom.places.plane import Plane, PlaneWorld
from hbtom.places.planning import escape_cost, use_tool
from hbtom.places.steps import HELD, OPEN, START, Steps
from hbtom.places.surprise import shift, waste
from hbtom.places.watching import Watcher, agent_of
from rooms import OBJECT, Point, cell, costs, frame_at, trial, walk

ACT, OPENING = 1.0, 3.0
LONG = (300.0, 200.0)
SPACES = Plane(), Grid()
in_both = pytest.mark.parametrize("space", SPACES, ids=["plane", "grid"])


def believed(*trials: hb.Trial, preset: str = "default", **settings: object) -> hb.Posterior:
    """Return what is believed during the last trial."""
    model = with_settings(hb.Model.preset(preset), settings)
    return Watcher(model).watch(trials).posteriors[-1]


def regret_of(p: hb.Posterior, goal: int = 0) -> np.ndarray:
    """Return the regret of each step."""
    regret: np.ndarray = p.choices[""].regret
    return regret.reshape(regret.shape[-2:])[goal]


# The distance to a thing's middle is part of its cost


@pytest.mark.parametrize("away", [0, 4, 12, 40, 80])
def test_a_goal_costs_the_way_to_its_middle(away: int) -> None:
    """Contact, 15 pixels away, ends the walk earlier, but the agent heads for the middle."""
    world = Plane().world(trial([(42, 102)], {"food": (142, 102)}))
    found = costs(world)[0, START][cell(world, (142 - away, 102))]
    assert found == pytest.approx(ACT + away / 10)


def test_stopping_short_wastes_nothing_and_saves_nothing() -> None:
    """To touch the rim of the goal costs the act; what is left to its middle is not walked."""
    p = believed(trial(walk((42, 102), (128, 102)), {"food": (142, 102)}))
    regret = regret_of(p)
    np.testing.assert_allclose(regret[:-1], 0.0, atol=1e-12)
    assert regret[-1] == 0.0  # the cost of acting is less than that of acting and walking on
    assert p.choices[""].value.item() == pytest.approx(-(ACT + 10))


# Boxes of other things are walked around; a held key has none

LEFT = (46.0, 102.0)
BETWEEN = {"near": (102.0, 102.0), "far": (158.0, 102.0)}
STRAIGHT = (158 - 46) / 10
AROUND = (2 * math.hypot(40, 20) + 32) / 10  # past the corners, 16 pixels across and 20 up


def test_agents_walk_around_other_things() -> None:
    """Cells less than 17 pixels from the near thing's middle, in each direction, are in its box."""
    world = Plane().world(trial([LEFT], BETWEEN))
    near, far = costs(world)[:, START][:, *cell(world, LEFT)]
    assert near == pytest.approx(ACT + STRAIGHT / 2)
    assert far == pytest.approx(ACT + AROUND)


def test_nothing_is_in_the_way_without_a_berth() -> None:
    world = Plane(berth=0.0).world(trial([LEFT], BETWEEN))
    assert costs(world)[1, START][cell(world, LEFT)] == pytest.approx(ACT + STRAIGHT)


def with_key_between(**more: Any) -> hb.Trial:
    """Return a trial in which a key lies where the near thing was, and is as large."""
    seen = trial([LEFT], {"far": BETWEEN["far"]}, key=BETWEEN["near"], **more)
    return replace(seen, key=hb.Body(hb.Look("key"), BETWEEN["near"], OBJECT))


def test_a_key_has_a_box_until_it_is_held() -> None:
    world = Plane().world(with_key_between())
    found = costs(world)[0, :, *cell(world, LEFT)]
    np.testing.assert_allclose(found, ACT + np.array([AROUND, STRAIGHT, STRAIGHT]))


# Tools: the rest of the plan is counted from the cell nearest to the middle

DIVIDED = {"walls": [(182, 0, 20, 22), (182, 62, 20, 138)], "size": LONG}
GATE = {**DIVIDED, "barrier": [(182, 22, 20, 40)], "key": (42.0, 42.0), "lock": (192.0, 42.0)}
LOCKED = {**GATE, "lock": (190.0, 42.0)}  # in the middle of a cell
BEHIND = {"food": (250.0, 42.0)}


def corner_costs(**changes: object) -> np.ndarray:
    """Return C of the food from below the key [mode]: the agent turns where the key lies."""
    world = Plane(**changes).world(trial([(42, 162)], BEHIND, **LOCKED), OPENING)  # type: ignore[arg-type]
    return costs(world)[0, :, *cell(world, (42, 162))]


def test_agents_head_for_the_middle_of_a_tool_wherever_they_go_afterwards() -> None:
    """120 pixels up to the key, 148 across to the lock, 60 on to the food."""
    way = (120 + 148 + 60) / 10
    assert corner_costs()[START] == pytest.approx(way + ACT + OPENING + ACT)


@pytest.mark.parametrize("contact", [True, False])
def test_the_rest_is_counted_from_the_nearest_cell_from_which_it_is_possible(contact: bool) -> None:
    """The tool is out of reach in one cell, and without a way on in another.

    Of the two that are nearest then, one is nearer to the end of the plan.
    """
    world = Plane(contact=contact).world(trial([(42, 102)], {"food": (142, 102)}))
    inf = np.inf
    walk_there = np.array([[0.1, 0.2, 0.2, 0.3, inf]])
    rest = np.array([[[inf, 7.0, 6.0, 1.0, 0.0]]])
    found = use_tool(world, 2.0, walk_there, rest)
    from_nearest = 2.0 + walk_there + (0.2 + 6.0)
    np.testing.assert_allclose(found[0], from_nearest if contact else 2.0 + walk_there + rest[0])


def test_using_a_tool_costs_reluctance() -> None:
    assert corner_costs(reluctance=2.5)[START] == pytest.approx(corner_costs()[START] + 2.5)


# What is in reach can be used from solid cells, too


def test_things_beside_a_wall_can_be_used_from_cells_that_are_too_close_to_it() -> None:
    """Agents keep 7 pixels from walls, where planning is concerned, but not in fact."""
    seen = trial([(42, 102)], {"food": (102, 122)}, walls=[(0, 130, 200, 20)])
    world = Plane().world(seen)
    beside = (90, 126)  # 4 pixels from the wall, in reach: 12.6 pixels from the food
    assert world.blocked[START][cell(world, beside)]
    distance = math.hypot(12, 4)
    assert costs(world)[0, START][cell(world, beside)] == pytest.approx(ACT + distance / 10)
    strict = Plane(contact=False).world(seen)
    assert costs(strict)[0, START][cell(world, beside)] == np.inf
    out_of_reach = cell(world, (42, 126))
    assert costs(world)[0, START][out_of_reach] == np.inf


# The lock: a solid square of 20 pixels; in reach one cell beyond it


def marked(world: object, cells: np.ndarray, row: int) -> list[float]:
    """Return the x of the middles of marked cells in a row."""
    return [(i - 2 + 0.5) * world.cell for i in np.flatnonzero(cells[row, 2:-2]) + 2]  # type: ignore[attr-defined]


def test_a_lock_is_solid_in_the_grid_and_in_reach_of_cells_next_to_it() -> None:
    world = Grid().world(trial([(15, 15)], {"food": (185, 185)}, lock=(110, 110)))
    row = cell(world, (110, 105))[0]
    assert marked(world, world.blocked[START], row) == [105, 115]
    assert marked(world, world.blocked[HELD], row) == [105, 115]
    assert marked(world, world.blocked[OPEN], row) == []
    assert marked(world, world.reach[-1] == 0, row) == [95, 105, 115, 125]
    assert marked(world, world.reach[-1] == 0, row - 2) == []
    assert marked(world, world.reach[-1] == 0, row - 1) == [95, 105, 115, 125]


def test_a_lock_is_solid_in_the_plane_and_in_reach_one_cell_beyond() -> None:
    """Its square is 10 pixels to each side; agents keep 7; a cell is 4."""
    world = Plane().world(trial([(14, 14)], {"food": (182, 182)}, lock=(110, 110)))
    row = cell(world, (110, 110))[0]
    assert marked(world, world.blocked[START], row) == [*range(94, 127, 4)]
    assert marked(world, world.blocked[OPEN], row) == []
    assert marked(world, world.reach[-1] < np.inf, row) == [*range(90, 131, 4)]
    assert world.reach[-1][cell(world, (90, 110))] == pytest.approx(20 / 4)


@in_both
def test_a_lock_closes_the_gap_in_which_it_stands(space: Plane | Grid) -> None:
    """No piece of the barrier stands in the place of the lock."""
    gap = {"walls": [(100, 0, 20, 100), (100, 120, 20, 80)], "lock": (110.0, 110.0)}
    without = space.world(trial([(45, 105)], {"food": (165, 105)}, **gap))
    assert np.isinf(costs(without)[0, :2, *cell(without, (45, 105))]).tolist() == [True, False]
    with_key = space.world(trial([(45, 105)], {"food": (165, 105)}, key=(45, 165), **gap))
    assert costs(with_key)[0, START][cell(with_key, (45, 105))] < 40


@in_both
def test_reaching_the_lock_opens_it_only_with_the_key(space: Plane | Grid) -> None:
    """Without the key, whatever removes the barrier is no act of the agent."""
    path = walk((42, 162), (42, 56), (168, 42), (236, 42))
    lifted, there = frame_at(path, (42, 56)), frame_at(path, (168, 42))
    for picked in (lifted + 1, None):
        seen = trial(path, BEHIND, picked=picked, opened=there + 2, **LOCKED)
        world = space.world(seen, OPENING)
        steps = world.replay(seen)
        acts = [
            (int(thing), float(price))
            for thing, price in zip(steps.thing, steps.price, strict=True)
        ]
        opens = (world.items, OPENING) in acts
        assert opens == (picked is not None)
        assert (steps.mode == OPEN).any()


# The path by key and lock; the key serves only for the lock


@in_both
def test_what_is_behind_a_barrier_costs_the_key_the_lock_and_the_ways(
    space: Plane | Grid,
) -> None:
    """C_start = A_key + L, and L = opening + C_open; each is less where that much is done."""
    world = space.world(trial([(42, 162)], BEHIND, **LOCKED), OPENING)
    at = cell(world, (42, 162))
    start, held, opened = costs(world)[0, :, *at]
    assert start > held
    assert held >= opened + OPENING - 1e-9
    assert opened >= ACT + math.dist((42, 162), (190, 42)) / 10
    to_key, to_lock = math.dist((42, 162), (42, 42)), 190 - 42
    assert start >= (to_key + to_lock - 60) / 10 + ACT + OPENING + ACT
    assert start <= (to_key + to_lock + 60 + 20) / 10 + ACT + OPENING + ACT


@in_both
def test_a_key_without_a_lock_opens_nothing(space: Plane | Grid) -> None:
    closed = {name: value for name, value in GATE.items() if name != "lock"}
    world = space.world(trial([(42, 162)], BEHIND, **closed))
    food = costs(world)[0, :, *cell(world, (42, 162))]
    assert np.isinf(food).tolist() == [True, True, False]


def test_nobody_fetches_a_key_to_get_it_out_of_the_way() -> None:
    """Picking it up costs 0.1, walking around it 0.94; but the key is fetched for the lock only."""
    world = Plane(act=0.1).world(with_key_between(lock=(42.0, 42.0)))
    assert costs(world)[0, START][cell(world, LEFT)] == pytest.approx(0.1 + AROUND)


# Motion after contact, and the first motion after the barrier has gone, are ignored


def assert_same_steps(one: Steps, other: Steps) -> None:
    for name in ("start", "stop", "mode", "after", "thing", "goal", "price"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


@pytest.mark.parametrize("space", [Plane(), Grid(final=True)], ids=["plane", "grid"])
def test_motion_after_contact_is_part_of_touching(space: Plane | Grid) -> None:
    """Contact with the food, 15 pixels from its middle, begins at (128, 102)."""
    touches = walk((42, 102), (128, 102))
    slides = [*touches, *walk((128, 102), (130, 108), (136, 112))[1:]]
    one, other = (
        space.world(seen).replay(seen)
        for seen in (trial(path, {"food": (142, 102)}) for path in (touches, slides))
    )
    assert one.goal.tolist()[-1] == 0
    assert_same_steps(one, other)


@in_both
def test_motion_between_contact_with_the_key_and_picking_it_up_is_ignored(
    space: Plane | Grid,
) -> None:
    """Contact with the key, 14 pixels from its middle, begins at (42, 56)."""
    there, back = walk((42, 162), (42, 56)), walk((42, 56), (162, 56))
    about = walk((42, 56), (49, 50), (42, 46), (42, 56))
    found = []
    for path in ([*there, *back[1:]], [*there, *about[1:], *back[1:]]):
        seen = trial(path, BEHIND, picked=len(path) - len(back), **LOCKED)
        found.append(space.world(seen).replay(seen))
    assert found[0].thing.tolist().count(1) == 1
    assert_same_steps(*found)


@in_both
def test_the_first_motion_after_the_barrier_has_gone_is_no_choice(space: Plane | Grid) -> None:
    """Agents may jump to the place of the lock."""
    path = [*walk((42, 162), (42, 56), (162, 56)), *[(162, 56)] * 4, *walk((190, 42), (236, 42))]
    lifted, there, jump = (frame_at(path, at) for at in ((42, 56), (162, 56), (190, 42)))
    seen = trial(path, BEHIND, picked=lifted + 1, opened=there + 1, waits=3, **LOCKED)
    world = space.world(seen)
    steps = world.replay(seen)
    opening = steps.thing.tolist().index(2)
    before, after = world.steps_of(seen), steps.start[opening + 1]
    assert steps.frame[opening] == there
    np.testing.assert_array_equal(steps.stop[opening], place_in(world, (162, 56)))
    np.testing.assert_array_equal(after, place_in(world, path[jump]))
    assert_same_steps(before, steps)


def place_in(world: Any, place: Point) -> list[float]:
    return list(place) if isinstance(world, PlaneWorld) else [place[0] // 10, place[1] // 10]


# Regret lies between 0 and twice the way; an act in vain wastes the cost of an act


def test_walking_straight_away_wastes_twice_the_way() -> None:
    p = believed(trial(walk((102, 102), (42, 102)), {"food": (142, 102)}))
    np.testing.assert_allclose(regret_of(p), 2 * p.choices[""].length)
    assert p.choices[""].length.tolist() == pytest.approx([1.6, 1.6, 1.6, 1.2])


def test_no_move_wastes_more_than_turning_back_or_gains_anything() -> None:
    """Jumps across a wall change the way that is left by more than their own length."""
    wall = {"walls": [(98, 40, 4, 160)]}
    loses = trial([(122, 182), (78, 182)], {"food": (162, 182)}, **wall)
    world = Plane().world(loses)
    over, back = (costs(world)[0, START][cell(world, at)] for at in ((78, 182), (122, 182)))
    assert over - back > 20
    assert regret_of(believed(loses)).tolist() == pytest.approx([2 * 4.4])
    gains = trial([(78, 182), (122, 182)], {"food": (162, 182)}, **wall)
    assert regret_of(believed(gains)).tolist() == [0.0]


def test_opening_a_lock_in_vain_wastes_an_act_whatever_it_costs() -> None:
    """The food is on this side of the wall; the lock costs 6, the way to it is wasted, too."""
    path = [*walk((42, 162), (42, 56), (170, 42)), *[(170, 42)] * 3, *walk((172, 42), (172, 80))]
    lifted, there = frame_at(path, (42, 56)), frame_at(path, (170, 42))
    seen = trial(path, {"food": (102, 162)}, picked=lifted + 1, opened=there + 1, **LOCKED)
    world = Plane().world(seen, opening=6.0)
    steps = world.replay(seen)
    p = hb.watch(agent_of(hb.Model.preset("default")), seen, None, lambda *_: world)
    regret = regret_of(p)[~steps.moves]
    assert steps.price[~steps.moves].tolist() == [ACT, 6.0]
    assert regret.tolist() == [ACT, ACT]


# Strides: lengths are added up from zero in each of them


def test_a_stride_ends_exactly_where_it_does() -> None:
    """After a stride of odd length, three motions of 5 pixels are a stride: 5 + 5 + 5 = 15.

    A running sum would be a digit short of its next multiple.
    """
    odd = [(2.0 + 2.0 * n, 2.0 + n) for n in range(8)]
    x, y = odd[-1]
    path = [*odd, *((x + 3 * n, y + 4 * n) for n in range(1, 28))]
    seen = trial(path, {"food": (180, 10)})
    steps = Plane().world(seen).replay(seen)
    assert steps.frame.tolist() == [7, *range(10, 35, 3)]


# Temperatures are weighted by their own density


@pytest.mark.parametrize("preset", ["paper", "default"])
@pytest.mark.parametrize(("shape", "scale"), [(1.0, 1.0), (3.0, 2.0)])
def test_temperatures_are_weighted_without_jacobian(
    preset: str, shape: float, scale: float
) -> None:
    """P(T) ~ T^(shape - 1) exp(-scale T) on the grid of temperatures, not of efficiencies."""
    seen = trial([(42, 102)], {"food": (142, 102)})
    p = believed(seen, preset=preset, **{"efficiency.shape": shape, "efficiency.scale": scale})
    t = np.array(hb.Model.preset(preset).efficiency.temperatures)
    np.testing.assert_allclose(p.axis("efficiency").labels, 1 / t)
    weights = t ** (shape - 1) * np.exp(-scale * t)
    np.testing.assert_allclose(p.margin("efficiency")[0], weights / weights.sum())


# Cells are found by rounding down, and zig-zags become diagonals where these are free


def moved(seen: hb.Trial) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the moves in the grid, from and to a column and a row."""
    steps = Grid().world(seen).replay(seen)
    places = zip(steps.start.astype(int).tolist(), steps.stop.astype(int).tolist(), strict=True)
    return [(tuple(one), tuple(other)) for one, other in places]  # type: ignore[misc]


def test_cells_are_found_by_rounding_down() -> None:
    inside = trial([(10.0, 19.0), (19.9, 10.0)], {"food": (150, 150)})
    assert moved(inside) == []
    assert Grid().world(inside).replay(inside).first.tolist() == [1, 1]
    across = trial([(15.0, 15.0), (19.9, 15.0), (20.0, 15.0)], {"food": (150, 150)})
    assert moved(across) == [((1, 1), (2, 1))]
    to_the_edge = trial([(195.0, 15.0), (200.0, 15.0)], {"food": (150, 150)})
    assert moved(to_the_edge) == []


ZIGZAG = [(15.0, 15.0), (25.0, 15.0), (25.0, 25.0), (35.0, 25.0), (35.0, 35.0)]
CORNER = (10, 20, 10, 10)  # the first inner corner


def test_zigzags_become_diagonals() -> None:
    seen = trial(walk(*ZIGZAG), {"food": (150, 150)})
    assert moved(seen) == [((1, 1), (2, 2)), ((2, 2), (3, 3))]


def test_zigzags_around_a_corner_stay_what_they_are() -> None:
    seen = trial(walk(*ZIGZAG[:3]), {"food": (150, 150)}, walls=[CORNER])
    assert moved(seen) == [((1, 1), (2, 1)), ((2, 1), (2, 2))]


def test_zigzags_are_judged_by_the_map_of_their_time() -> None:
    """The corner is part of a barrier that vanishes."""
    there = walk(*ZIGZAG[:3])
    path = [*there, *there[::-1][1:], there[0], (16.0, 15.0), *walk((16.0, 15.0), *ZIGZAG[1:3])[1:]]
    gone = 2 * len(there) - 1
    seen = trial(path, {"food": (150, 150)}, barrier=[CORNER], opened=gone)
    straight = [((1, 1), (2, 1)), ((2, 1), (2, 2))]
    back = [((2, 2), (2, 1)), ((2, 1), (1, 1))]
    assert moved(seen) == [*straight, *back, ((1, 1), (2, 2))]


# Costs reach two cells deep into solid cells, and never flow back


def test_the_way_out_of_solid_cells_is_two_steps_long() -> None:
    """A wall six cells thick, with a cost of 5 on this side of it only; steps cost 0.4."""
    solid = np.ones((12, 9), dtype=bool)
    solid[2:4, 2:-2] = False
    cost = np.where(solid, np.inf, 5.0)
    cells = np.arange(cost.size).reshape(cost.shape)[2:-2, 2:-2]
    found = escape_cost(cost.copy(), solid, cells.ravel(), 0.4).reshape(cells.shape)
    np.testing.assert_allclose(found[:, 2], [5, 5, 5.4, 5.8, np.inf, np.inf, np.inf, np.inf])


def test_the_way_out_of_solid_cells_leads_over_corners() -> None:
    solid = np.ones((9, 9), dtype=bool)
    solid[2, 2] = False
    cost = np.where(solid, np.inf, 1.0)
    near, far = (escape_cost(cost, solid, np.array([at * 9 + at]), 0.4)[0] for at in (3, 4))
    assert [near, far] == pytest.approx([1 + 0.4 * math.sqrt(2), 1 + 0.8 * math.sqrt(2)])


def test_the_way_out_leads_through_solid_cells_only() -> None:
    """A free cell touches one with a cost at a corner, where nobody fits through."""
    solid = np.ones((9, 9), dtype=bool)
    solid[2, 2] = solid[3, 3] = False
    cost = np.full((9, 9), np.inf)
    cost[2, 2] = 1.0
    cells = np.array([3 * 9 + 3, 4 * 9 + 4, 3 * 9 + 4])
    found = escape_cost(cost, solid, cells, 0.4)
    assert found.tolist() == pytest.approx([np.inf, np.inf, 1 + 0.4 * (1 + math.sqrt(2))])


def test_nobody_gets_through_a_thin_wall() -> None:
    """One cell thick, it has costs, but what it encloses has none."""
    wall = [(60, 60, 80, 4), (60, 136, 80, 4), (60, 60, 4, 80), (136, 60, 4, 80)]
    world = Plane(clearance=0.0).world(trial([(102, 102)], {"food": (22, 22)}, walls=wall))
    found = costs(world)
    places = np.array([(102.0, 66.0), (102.0, 62.0), (102.0, 58.0)])
    inside, within, outside = world.cost_at(found, places, np.zeros(3, dtype=int))[0]
    assert inside == np.inf
    assert outside < within <= outside + 0.4


# Surprises: waste is at least 1e-12 as probable, and shifts are rounded to 12 digits


def test_the_least_probability_of_waste_is_one_in_a_million_million() -> None:
    away = [*walk((42, 102), (182, 102))] * 4
    p = believed(*[trial(walk((42, 102), (122, 102)), {"food": (136, 102)})] * 3,
                 trial([*away, (42, 102)], {"food": (12, 102)}))  # fmt: skip
    assert waste(p) == pytest.approx(-math.log(1e-12), abs=1e-12)


def test_beliefs_that_do_not_shift_are_ties() -> None:
    """The agent walks between two things that are alike: neither becomes more probable."""
    path = walk((42, 102), (142, 102), step=1.7)
    p = believed(trial(path, {"one": (162, 142), "other": (162, 62)}))
    belief = p.margin("goal")
    assert shift(p, "goal") == 0.0
    assert shift(p, "efficiency") == round(shift(p, "efficiency"), 12) > 0
    np.testing.assert_allclose(belief, 0.5, atol=1e-13)
