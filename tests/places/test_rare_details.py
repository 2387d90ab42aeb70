"""Details of the worlds of places that no golden episode shows.

They matter in few of the benchmark's trials, or in none, but in others that people make.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest

import hbtom as hb
from hbtom.model import with_settings
from hbtom.places.grid import Grid
from hbtom.places.plane import Plane
from hbtom.places.steps import HELD, OPEN, START
from hbtom.places.watching import Watcher
from rooms import Point, cell, costs, frame_at, trial, walk

ACT = 1.0
LEFT = (46.0, 102.0)
BETWEEN = {"near": (102.0, 102.0), "far": (158.0, 102.0)}
STRAIGHT = (158 - 46) / 10
AROUND = (2 * math.hypot(40, 20) + 32) / 10  # past the corners of the box, which has 17 pixels

PRESETS = "paper", "default"
both = pytest.mark.parametrize("preset", PRESETS)


def watched(*trials: hb.Trial, preset: str = "default") -> tuple[hb.Posterior, ...]:
    """Return what is believed in each trial."""
    return Watcher(hb.Model.preset(preset)).watch(trials).posteriors


def log_steps(p: hb.Posterior) -> np.ndarray:
    """Return log P(step | efficiency, goal) [efficiency, goal, step]."""
    log: np.ndarray = p.choices[""].log_likelihood(hb.boltzmann, p.axes)
    return log


# Things that are in the way: walked around, or, at a price, through


@pytest.mark.parametrize("push", [0.5, 2.0])
def test_agents_push_through_things_where_that_is_cheaper(push: float) -> None:
    """Walking around costs 0.94 more."""
    world = Plane(push=push).world(trial([LEFT], BETWEEN))
    found = costs(world)[1, START][cell(world, LEFT)]
    assert found == pytest.approx(ACT + min(STRAIGHT + push, AROUND))


def test_pushing_costs_the_same_however_many_things_are_in_the_way() -> None:
    more = {"near": (90.0, 102.0), "far": BETWEEN["far"], "third": (114.0, 102.0)}
    world = Plane(push=0.5).world(trial([LEFT], more))
    assert costs(world)[1, START][cell(world, LEFT)] == pytest.approx(ACT + STRAIGHT + 0.5)


def test_nobody_pushes_what_is_wanted() -> None:
    world = Plane(push=0.5).world(trial([LEFT], BETWEEN))
    assert costs(world)[0, START][cell(world, LEFT)] == pytest.approx(ACT + STRAIGHT / 2)


@pytest.mark.parametrize("wide", [False, True])
def test_where_a_thing_cannot_be_avoided_it_is_not_in_the_way(wide: bool) -> None:
    """It fills a narrow corridor; in a wide one, pushing past it has its price."""
    half = 60 if wide else 24
    walls = [(0, 102 - half - 10, 200, 10), (0, 102 + half, 200, 10)]
    world = Plane(push=0.5).world(trial([LEFT], BETWEEN, walls=walls))
    price = 0.5 if wide else 0.0
    found = costs(world)[1, START][cell(world, LEFT)]
    assert found == pytest.approx(ACT + STRAIGHT + price)


def test_whether_a_thing_can_be_avoided_depends_on_where_the_agent_begins() -> None:
    """It closes the way to a nook with the food; but the agent may be in the nook already."""
    walls = [(128, 68, 72, 10), (128, 126, 72, 10)]
    nook = {"stopper": (142.0, 102.0), "food": (182.0, 102.0)}
    outside, inside = (
        Plane(push=0.5).world(trial([at], nook, walls=walls)) for at in (LEFT, (170, 102))
    )
    way = (182 - 46) / 10
    assert costs(outside)[1, START][cell(outside, LEFT)] == pytest.approx(ACT + way)
    assert costs(inside)[1, START][cell(inside, LEFT)] == pytest.approx(ACT + way + 0.5)


# Goals that come into reach later

GATE = {"walls": [(100, 0, 20, 80), (100, 120, 20, 80)], "barrier": [(100, 80, 20, 40)]}
SIDES = {"here": (45.0, 165.0), "there": (165.0, 105.0)}


def gate_trial(*, opens: bool) -> hb.Trial:
    """Return a trial in which a barrier vanishes by itself, and the agent walks through."""
    path = [*walk((45, 45), (75, 105)), *[(75.0, 105.0)] * 4, *walk((76, 105), (135, 105))]
    still = frame_at(path, (75, 105))
    return trial(path, SIDES, opened=still + 2 if opens else None, **GATE)


@both
def test_steps_before_a_goal_comes_into_reach_say_nothing_about_it(preset: str) -> None:
    """They are as probable as at random: a random heading, or one of the legal actions."""
    (p,) = watched(gate_trial(opens=True), preset=preset)
    choices = p.choices[""]
    assert choices.reachable.ravel().tolist() == [True, True]
    assert (choices.value < -1e100).ravel().tolist() == [False, True]
    closed = p.steps.mode == START
    assert closed.sum() > 3
    assert (p.steps.mode == OPEN).sum() > 3
    legal = (choices.q > -np.inf).sum(axis=-1).ravel()[: len(p.steps)] if preset == "paper" else 1
    surplus = log_steps(p) + np.log(legal)  # [efficiency, goal, step]
    assert (abs(surplus[:, 1]).max(axis=0) < 1e-12).tolist() == closed.tolist()
    assert (abs(surplus[:, 0]).min(axis=0) > 1e-3).all()
    assert p.margin("goal")[0].tolist() == pytest.approx([0.5, 0.5])
    assert p["goal"][p.world.goals[1]] > 0.9


@both
def test_goals_that_stay_out_of_reach_are_not_wanted(preset: str) -> None:
    (p,) = watched(gate_trial(opens=False), preset=preset)
    assert p.choices[""].reachable.ravel().tolist() == [True, False]
    np.testing.assert_allclose(p.margin("goal"), [[1.0, 0.0]] * (len(p.steps) + 1))


@both
def test_goals_behind_a_lock_are_in_reach_if_it_can_be_opened(preset: str) -> None:
    things = {**GATE, "lock": (110.0, 105.0), "key": (45.0, 15.0)}
    (p,) = watched(trial(walk((45, 45), (45, 60)), SIDES, **things), preset=preset)
    assert p.choices[""].reachable.ravel().tolist() == [True, True, True]
    assert (log_steps(p) != 0.0).all()


@both
def test_a_key_that_has_been_picked_up_has_not_come_into_reach(preset: str) -> None:
    """The key lies behind a wall; it is gone, but the agent cannot have fetched it."""
    shut = {"walls": [(100, 0, 20, 200)], "lock": (15.0, 185.0), "key": (165.0, 45.0)}
    path = walk((45, 45), (45, 135))
    (p,) = watched(trial(path, {"here": (45, 165)}, picked=10, **shut), preset=preset)
    assert (p.steps.mode == HELD).any()
    assert p.choices[""].reachable.ravel().tolist() == [True, False]


# What is learnt from choices: nested offers, and offers of one

CORNERS = {"a": (162.0, 38.0), "b": (162.0, 162.0), "c": (38.0, 162.0)}


def shut_in(*places: Point) -> list[tuple[float, float, float, float]]:
    """Return walls around places, so that nobody gets in."""
    return [
        wall
        for x, y in places
        for wall in (
            (x - 34, y - 34, 68, 10),
            (x - 34, y + 24, 68, 10),
            (x - 34, y - 34, 10, 68),
            (x + 24, y - 34, 10, 68),
        )
    ]


def towards(goal: str, *, without: str = "", far: float = 30) -> hb.Trial:
    """Return a trial in which the agent walks a little way towards a goal; some are walled in."""
    (x, y), start = CORNERS[goal], (95.0, 95.0)
    away = math.dist((x, y), start)
    stop = start[0] + (x - start[0]) * far / away, start[1] + (y - start[1]) * far / away
    return trial(walk(start, stop), CORNERS, walls=shut_in(*(CORNERS[one] for one in without)))


def polya(goals: Sequence[str], offers: Sequence[str], alpha: float) -> float:
    """Return P(goals) by two urns: one with 'ab' and 'c', of offers of all, and one with a and b.

    theta ~ Dirichlet(alpha, alpha, alpha) is a share of a and b together, and independently of it
    how that is divided.
    """
    outer, inner = Counter(ab=2 * alpha, c=alpha), Counter(a=alpha, b=alpha)
    chance = 1.0
    for goal, offer in zip(goals, offers, strict=True):
        if goal not in offer:
            return 0.0
        if "c" in offer:
            ball = "c" if goal == "c" else "ab"
            chance *= outer[ball] / outer.total()
            outer[ball] += 1
        if goal != "c":
            chance *= inner[goal] / inner.total()
            inner[goal] += 1
    return chance


@both
@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_nested_offers_are_choices_from_polyas_urns(preset: str, alpha: float) -> None:
    """The third thing is out of reach in some trials."""
    offers = "abc", "ab", "ab", "abc"
    wanted = "c", "a", "a", "b"
    trials = [
        towards(goal, without="" if "c" in offer else "c")
        for goal, offer in zip(wanted, offers, strict=True)
    ]
    model = with_settings(hb.Model.preset(preset), {"preference.concentration": alpha})
    posteriors = Watcher(model).watch(trials).posteriors
    for p, offer in zip(posteriors, offers, strict=True):
        assert p.choices[""].reachable.ravel().tolist() == [name in offer for name in "abc"]
    likelihood = [np.exp(log_steps(p).sum(axis=-1)) for p in posteriors]  # [efficiency, goal]
    prior = posteriors[0].margin("efficiency")[0]
    joint, preference = np.zeros((len(prior), 3)), np.zeros(3)
    for goals in product(range(3), repeat=4):
        named = ["abc"[goal] for goal in goals]
        weight = prior * polya(named, offers, alpha)
        for seen, goal in zip(likelihood, goals, strict=True):
            weight = weight * seen[:, goal]
        joint[:, goals[-1]] += weight
        if polya(named, offers, alpha):
            after = [polya([*named, one], [*offers, "abc"], alpha) for one in "abc"]
            preference += weight.sum() * np.array(after) / sum(after)
    total = joint.sum()
    last = posteriors[-1]
    np.testing.assert_allclose(last.joint(), joint / total, atol=1e-12)
    np.testing.assert_allclose([*last.preference().values()], preference / total, atol=1e-12)
    assert last.caveats == ()
    assert math.exp(last.log_evidence[-1]) == pytest.approx(total, rel=1e-9)


@both
def test_a_single_goal_in_reach_does_not_count_as_a_choice(preset: str) -> None:
    """Efficiency is learnt all the same."""
    forced = [towards("a", without="bc") for _ in range(3)]
    free = towards("a", far=40)
    *_, after = watched(*forced, free, preset=preset)
    assert after.margin("goal")[0].tolist() == pytest.approx([1 / 3] * 3, abs=1e-12)
    *_, chosen = watched(*[free] * 3, free, preset=preset)
    assert chosen.margin("goal")[0][0] > 0.5
    (new,) = watched(free, preset=preset)
    assert after.mean("efficiency", at=0) > new.mean("efficiency", at=0)


@both
def test_a_single_goal_in_reach_does_not_count_among_offers_that_overlap(preset: str) -> None:
    """Nobody moves in the forced trials, so nothing at all is learnt from them."""
    overlapping = [towards("a", without="c"), towards("b", without="a"), towards("b")]
    forced = [towards("a", without="bc", far=0)] * 2
    *_, plain = watched(*overlapping, preset=preset)
    *_, after = watched(*forced, *overlapping, preset=preset)
    assert plain.caveats == after.caveats != ()
    np.testing.assert_allclose(after.joint(), plain.joint(), atol=1e-12)
    assert abs(plain.margin("goal")[0] - 1 / 3).max() > 0.01


# What opening a lock costs is learnt: the mean of what waiting for it cost


def opening_trial(waits: int, step: float = 2.0) -> hb.Trial:
    """Return a trial in which the agent fetches the key, and waits for so many frames."""
    there, back = walk((45, 45), (45, 59), step=step), walk((45, 59), (85, 59), step=step)
    path = [*there, *back[1:], *[(85.0, 59.0)] * (waits + 2)]
    opened = frame_at(path, (85, 59)) + 1
    more = {**GATE, "lock": (110.0, 75.0), "key": (45.0, 73.0)}
    return trial(path, SIDES, picked=len(there), opened=opened, waits=waits, **more)


def openings(*trials: hb.Trial, **settings: object) -> list[float]:
    """Return what opening a lock costs in the world of each trial."""
    model = with_settings(hb.Model.preset("default"), settings)
    return [p.world.costs.opening for p in Watcher(model).watch(trials).posteriors]


def test_opening_costs_the_mean_of_what_waiting_cost_so_far() -> None:
    """In a frame the agent could have walked 2 pixels, and 10 cost 1."""
    found = openings(opening_trial(5), opening_trial(25), opening_trial(10), towards("a"))
    assert found == pytest.approx([ACT, 1.0, (1.0 + 5.0) / 2, (1.0 + 5.0 + 2.0) / 3])


def test_waiting_costs_more_where_agents_are_faster() -> None:
    assert openings(opening_trial(12, step=1.0), opening_trial(5))[1] == pytest.approx(1.2)


def test_trials_without_a_barrier_say_nothing_about_opening() -> None:
    assert openings(opening_trial(25), towards("a"), towards("b"))[-1] == pytest.approx(5.0)
    unopened = gate_trial(opens=False)
    assert openings(unopened, unopened) == [ACT, ACT]


def test_opening_costs_an_act_where_nothing_is_learnt() -> None:
    found = openings(opening_trial(25), opening_trial(25), **{"acts.learn_opening": False})
    assert found == [ACT, ACT]


# The grid: reach around corners, and impossible steps


@pytest.mark.parametrize(
    ("walls", "in_reach"),
    [
        ([], True),
        ([(90, 100, 10, 10)], True),
        ([(100, 90, 10, 10)], True),
        ([(90, 100, 10, 10), (100, 90, 10, 10)], False),
    ],
)
def test_nothing_is_in_reach_between_two_blocked_cells(
    walls: list[tuple[float, float, float, float]], in_reach: bool
) -> None:
    """The food is in the cell around (105, 105), the agent in the one up and left of it."""
    world = Grid().world(trial([(95, 95)], {"food": (105, 105)}, walls=walls))
    assert (world.reach[0][cell(world, (95, 95))] == 0) == in_reach
    for other in ((115, 95), (95, 115), (115, 115), (115, 105), (105, 105)):
        assert world.reach[0][cell(world, other)] == 0
    assert np.isinf(world.reach[0]).sum() == world.reach[0].size - 8 - in_reach
    assert costs(world)[0, START][cell(world, (95, 95))] == ACT if in_reach else ACT + 2


def test_things_at_the_edge_are_not_in_reach_from_beyond_it() -> None:
    world = Grid().world(trial([(95, 95)], {"food": (5, 195)}))
    assert np.isfinite(world.reach[0]).sum() == 4


def test_impossible_steps_say_nothing() -> None:
    """The agent walks through a wall, one cell thick, in which it is for one step."""
    seen = trial(walk((65, 105), (135, 105)), CORNERS, walls=[(100, 0, 10, 150)])
    (p,) = watched(seen, preset="paper")
    columns = p.steps.start[:, 0], p.steps.stop[:, 0]
    assert [(int(a), int(b)) for a, b in zip(*columns, strict=True)] == [
        (column, column + 1) for column in range(6, 13)
    ]
    silent = [False, False, False, True, True, False, False]  # from column 9 into 10, and out of it
    assert (log_steps(p) == 0.0).all(axis=(0, 1)).tolist() == silent
    belief = p.margin("goal", "efficiency")
    np.testing.assert_allclose(belief[4:6], belief[3:5], atol=1e-14)


def test_diagonals_past_a_blocked_corner_are_impossible() -> None:
    walls = [(100, 90, 10, 10)]
    seen = trial([(95, 95), (105, 105), (115, 105)], CORNERS, walls=walls)
    (p,) = watched(seen, preset="paper")
    moves = (p.steps.stop - p.steps.start).astype(int).tolist()
    assert moves[0] == [1, 1]
    assert (log_steps(p) == 0.0).all(axis=(0, 1)).tolist() == [True, False]
