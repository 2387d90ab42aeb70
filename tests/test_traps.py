"""Traps in the design, each with a test that fails if it is sprung.

These are mistakes that look right: several are in the paper as printed or in earlier code, and each
of them costs whole tasks of the benchmark.
"""

from __future__ import annotations

import copy
import math
from itertools import pairwise

import numpy as np
import pytest

from episodes import (
    ACORN,
    CLOVE,
    HEART,
    SPOON,
    Json,
    block,
    border,
    divided,
    episode,
    every_frame,
    key_trial,
    read,
    ring,
    to_thing,
    trial,
    walk,
)
from floors import grid_floor, grid_steps, pixel_steps
from hbtom import Beliefs, Judgement, Model, Posterior, infer, judge
from hbtom.judgement import Surprise, plausibility
from hbtom.mind import Actions, Likelihood, Regret, infer_agent
from hbtom.model import with_settings
from hbtom.observe import Identity
from hbtom.world import Act, Mode

PRESETS = ("default", "paper")
both = pytest.mark.parametrize("preset", PRESETS)


def judged(*trials: list[Json], preset: str = "default") -> Judgement:
    return judge(read(episode(*trials)), preset)


def goal(posterior: Posterior, name: str) -> np.ndarray:
    """Return the probability over time that the agent has a goal."""
    return posterior.goal[:, [str(each) for each in posterior.goals].index(name)]


TO_HEART = to_thing(HEART.at(120, 50), others=[SPOON.at(120, 150)])
TO_SPOON = to_thing(SPOON.at(120, 150), others=[HEART.at(120, 50)])


# 1. The paper prints {0.2 ... 0.8} as efficiencies; they are temperatures, weighted by exp(-T)


def test_the_printed_grid_is_temperatures() -> None:
    prior = Model.preset("paper").efficiency
    half_steps = [5.0, 5 / math.sqrt(2), 2.5, 2.5 / math.sqrt(2), 1.25]
    np.testing.assert_allclose(prior.values, half_steps, rtol=1e-6)
    weights = np.exp([-1 / beta for beta in half_steps])
    np.testing.assert_allclose(np.exp(prior.log_prior), weights / weights.sum(), rtol=1e-6)


@both
def test_efficiencies_multiply_the_regret_in_the_policy(preset: str) -> None:
    """An agent that goes straight is inferred to be the most efficient, not the least."""
    straight = to_thing(HEART.at(150, 100))
    last = judged(*[straight] * 4, preset=preset).test
    assert last.efficiencies[last.efficiency[-1].argmax()] == last.efficiencies.max()
    temperatures = Model.preset(preset).efficiency.temperatures
    np.testing.assert_allclose(last.efficiencies, 1 / np.array(temperatures))


# 2. The paper prints 1 / (1 + exp(w x + b)) with w < 0: plausibility would grow with surprise


CALM = {"goal": 0.0, "efficiency": 0.0, "observation": 0.0}
MUCH = {"goal": 1.0, "efficiency": 1.0, "observation": 50.0}


@both
def test_plausibility_falls_with_surprise(preset: str) -> None:
    classifier = Model.preset(preset).classifier
    before, _ = plausibility(classifier, Surprise(**CALM))
    after, _ = plausibility(classifier, Surprise(**MUCH))
    assert before > 0.5
    assert after < 0.01


@both
@pytest.mark.parametrize("name", MUCH)
def test_no_surprise_makes_anything_more_plausible(preset: str, name: str) -> None:
    """A fitted classifier may leave out one of the three; the paper's uses them all."""
    classifier = Model.preset(preset).classifier
    before, _ = plausibility(classifier, Surprise(**CALM))
    after, _ = plausibility(classifier, Surprise(**{**CALM, name: MUCH[name]}))
    assert after <= before
    assert after < 0.1 or preset != "paper"


# 3. No barrier block stands in the lock's own cell, which must be solid nevertheless


@both
def test_agents_do_not_walk_through_a_closed_lock(preset: str) -> None:
    """Without a key, the object behind barrier and lock is out of reach."""
    frames = key_trial()[:3]
    for each in frames:
        each["pin"] = []
    posterior, _ = infer(Model.preset(preset), Beliefs(), read([frames])[0])
    assert not posterior.reachable.any()
    with_key, _ = infer(Model.preset(preset), Beliefs(), read([key_trial()[:3]])[0])
    assert with_key.reachable.all()


# 4. A carried key trembles: that is neither motion nor picking it up again


@both
@pytest.mark.parametrize("jitter", [1, 4])
def test_a_trembling_key_is_not_evidence(preset: str, jitter: int) -> None:
    steady = judged(key_trial(wait=12), key_trial(wait=12), preset=preset)
    shaky = judged(
        key_trial(wait=12, jitter=jitter), key_trial(wait=12, jitter=jitter), preset=preset
    )
    assert shaky.plausibility == steady.plausibility
    np.testing.assert_array_equal(shaky.test.joint, steady.test.joint)


# 5. The touch that ends a trial shows which of two things in the same direction was the goal


def test_where_an_agent_stops_shows_what_it_wanted() -> None:
    """The path to the near object is that to the far one; only the stop distinguishes them.

    This assumes that things block no path: otherwise the agent would walk around the near one.
    """
    near, far = HEART.at(99, 100), SPOON.at(160, 100)
    through = with_settings(Model.preset("default"), {"motion.berth": 0.0})
    posterior = judge(read(episode(to_thing(near, others=[far]))), through).test
    heart = goal(posterior, "heart.png")
    assert np.abs(heart[:-1] - 0.5).max() < 0.15
    assert heart[-1] > 0.75


# 6. Cells are found by rounding down; rounding to the nearest shifts everything by half a cell


def test_cells_are_rounded_down() -> None:
    """An agent four pixels from a wall is next to it, not in it."""
    walls = [*border(), *(block(80, y) for y in range(60, 140, 20))]
    along = trial(walk((76, 62), (76, 138)), [HEART.at(58, 158)], walls=walls)
    seen = read([along])[0]
    floor = grid_floor(seen, 10.0)
    trajectory = grid_steps(seen, 10.0, final=False)
    assert (trajectory.start[:, 0] == 7).all()
    assert floor.to_item[0, 14:17, 4:7].max() == 0  # the object is in column 5, row 15
    assert np.isfinite(floor.to_item[0]).sum() == 9
    assert judged(along, preset="paper").test.warnings == ()


# 7. A trial with one reachable goal says nothing about preferences


@both
def test_a_forced_choice_is_not_a_preference(preset: str) -> None:
    shut_in = [*border(), *ring(6, 2)]  # around the heart, which stands in column 6, row 2
    forced = to_thing(SPOON.at(130, 150), others=[HEART.at(130, 50)], walls=shut_in)
    free = to_thing(SPOON.at(130, 150), others=[HEART.at(130, 50)])
    after_force = judged(*[forced] * 6, free, preset=preset)
    assert [p.reachable.sum() for p in after_force.posteriors] == [1] * 6 + [2]
    np.testing.assert_allclose(after_force.test.goal[0], 0.5, atol=1e-12)
    after_choice = judged(*[free] * 6, free, preset=preset)
    assert goal(after_choice.test, "spoon.png")[0] > 0.75


# 8. Agents and things are identified by image and colour, never by their place in a list


@both
def test_things_are_identified_by_their_looks_not_their_place_in_a_list(preset: str) -> None:
    def turn_round(frame: dict[str, Json]) -> None:
        frame["objects"].reverse()

    (reversed_trial,) = every_frame([TO_HEART], turn_round)
    plain = judged(*[TO_HEART] * 4, TO_HEART, preset=preset)
    mixed = judged(
        TO_HEART, reversed_trial, TO_HEART, reversed_trial, reversed_trial, preset=preset
    )
    assert mixed.plausibility == plain.plausibility
    assert goal(mixed.test, "heart.png")[0] > 0.75


@both
def test_colour_distinguishes_objects_with_the_same_image(preset: str) -> None:
    """The agent always takes the red one; then it takes the blue one."""

    def paint(frame: dict[str, Json]) -> None:
        for thing in frame["objects"]:
            thing[2] = "./one/and/the/same.png"

    to_red, to_blue = every_frame([TO_HEART, TO_SPOON], paint)
    expected = judged(*[to_red] * 6, to_red, preset=preset).plausibility
    unexpected = judged(*[to_red] * 6, to_blue, preset=preset).plausibility
    assert expected > unexpected + 0.5


@both
def test_an_agent_of_another_colour_is_another_agent(preset: str) -> None:
    stranger = copy.deepcopy(TO_SPOON)
    for each in stranger:
        each["agent"][3] = [255, 255, 0]
    test = judged(*[TO_HEART] * 6, stranger, preset=preset).test
    np.testing.assert_allclose(test.goal[0], 0.5)
    assert CLOVE.image != ACORN.image
    familiar = judged(*[TO_HEART] * 6, TO_SPOON, preset=preset).test
    assert goal(familiar, "heart.png")[0] > 0.75


# 9. Agents choose among what they can reach: going to the only reachable thing is no surprise


@both
def test_the_only_reachable_thing_is_no_surprise(preset: str) -> None:
    shut_in = [*border(), *ring(6, 2)]
    likes_heart = to_thing(HEART.at(130, 50), others=[SPOON.at(130, 150)])
    could = to_thing(SPOON.at(130, 150), others=[HEART.at(130, 50)])
    must = to_thing(SPOON.at(130, 150), others=[HEART.at(130, 50)], walls=shut_in)
    unexpected = judged(*[likes_heart] * 6, could, preset=preset)
    expected = judged(*[likes_heart] * 6, must, preset=preset)
    assert expected.surprise.goal < 1e-12
    assert expected.plausibility > unexpected.plausibility + 0.5


# 10. When the barrier has gone, the agent may jump to the lock's place: this is not a choice


def test_the_jump_to_the_lock_is_not_evidence() -> None:
    seen = read([key_trial(jump=True)])[0]
    fine = pixel_steps(seen, stride=10.0, final=True)
    coarse = grid_steps(seen, 10.0, final=False)
    for trajectory, lock in ((fine, (110, 110)), (coarse, (11, 11))):
        after = (trajectory.mode == Mode.OPEN) & (trajectory.act == Act.MOVE)
        assert tuple(trajectory.start[after][0]) == lock
        assert tuple(trajectory.stop[trajectory.mode == Mode.HELD][-1]) != lock


@both
def test_where_the_jump_to_the_lock_begins_does_not_matter(preset: str) -> None:
    """If the agent drifts just before the jump, the jump differs, but the evidence does not."""
    plain, drifted = key_trial(wait=4), key_trial(wait=4)
    gone = next(n for n, each in enumerate(plain) if not each["fuse_walls"])
    drifted[gone]["agent"][0] = [80, 92]
    one, other = (judged(key_trial(), frames, preset=preset) for frames in (plain, drifted))
    np.testing.assert_array_equal(one.test.joint, other.test.joint)


# 11. Motion after contact is the picking up itself, not a path to anywhere


def test_motion_after_contact_is_not_evidence() -> None:
    """The agent touches the heart, and then slides around it, away from the spoon."""
    objects = [HEART.at(99, 100), SPOON.at(99, 160)]
    to_contact = walk((40, 100), (86, 100))
    stops = judged(TO_HEART, trial(to_contact, objects))
    slides = judged(TO_HEART, trial([*to_contact, *walk((86, 100), (88, 92), (96, 88))], objects))
    np.testing.assert_array_equal(stops.test.joint, slides.test.joint)
    assert stops.plausibility == slides.plausibility


def test_motion_after_contact_with_the_key_is_not_evidence() -> None:
    frames = key_trial()
    touch = next(n for n, each in enumerate(frames) if each["agent"][0] == [44, 70])
    nearer = copy.deepcopy(frames[touch])
    nearer["agent"][0] = [46, 73]
    slid = [*frames[: touch + 1], nearer, *frames[touch + 1 :]]
    one, other = (judged(key_trial(), each).test for each in (frames, slid))
    np.testing.assert_array_equal(one.joint, other.joint)


# 12. Opening a lock costs the time that it has taken so far


def slow_lock(frames_to_open: int) -> list[Json]:
    """Return an instrumental trial whose barrier takes the given number of frames to vanish."""
    frames = key_trial(wait=0)
    start = next(n for n, each in enumerate(frames) if len(each["fuse_walls"]) < 3)
    gone = next(n for n, each in enumerate(frames) if not each["fuse_walls"])
    heights = [40 * (1 - k / frames_to_open) for k in range(1, frames_to_open)]
    shrinking = [frames[start] | {"fuse_walls": [block(100, 60, 20, h)]} for h in heights]
    return frames[:start] + shrinking + frames[gone:]


def with_a_gap(frames: list[Json]) -> list[Json]:
    """Return the same trial with an open gap in the far end of the wall."""
    walls = [wall for wall in divided() if wall != block(100, 160)]
    return [{**each, "walls": walls} for each in frames]


def test_opening_costs_the_time_it_has_taken_so_far() -> None:
    model = Model.preset("default")
    beliefs = Beliefs()
    for one in read(episode(slow_lock(5), slow_lock(25))):
        _, beliefs = infer(model, beliefs, one)
    to_lock = [*walk((50, 40), (50, 76)), *walk((50, 76), (92, 110))[1:]]
    speed = sum(math.dist(a, b) for a, b in pairwise(to_lock)) / (len(to_lock) - 1)
    assert beliefs.openings == pytest.approx([5 * speed / 10, 25 * speed / 10])


def test_slow_locks_make_the_path_through_the_gap_better() -> None:
    """An agent that fetches the key although the gap is quicker wants the key."""
    fetch = with_a_gap(key_trial())
    quick = judged(slow_lock(5), slow_lock(5), fetch).test
    slow = judged(slow_lock(150), slow_lock(150), fetch).test
    picked = 1 + int(np.flatnonzero(quick.frame == 20)[-1])
    assert goal(quick, "heart.png")[:picked].min() > goal(slow, "heart.png")[:picked].min() + 0.2


def test_waiting_in_a_trial_does_not_count_in_that_trial() -> None:
    """It is learnt from the trial, not known during it."""
    model = Model.preset("default")
    seen = [read([with_a_gap(slow_lock(frames))])[0] for frames in (5, 60)]
    short, long = (infer(model, Beliefs(), each)[0] for each in seen)
    np.testing.assert_array_equal(short.joint, long.joint)


# 13. Goals and efficiency are inferred jointly, not as a product of marginals


def test_goals_and_efficiency_are_inferred_jointly() -> None:
    """An agent wanted the cup efficiently or the bell inefficiently. Then it turns out to be
    efficient, so it must have wanted the cup, which it will want again.
    """
    model = Model.preset("paper")
    goals = (Identity("cup"), Identity("bell"))
    efficient = model.efficiency.values > 2
    ambiguous = np.where([efficient, ~efficient], 0.0, -20.0)[None]
    telling = np.where([efficient, efficient], 0.0, -20.0)[None]
    beliefs, last = Beliefs(), None
    for log in (ambiguous, telling):
        choice = Actions(np.zeros((1, 1, 2)))
        regret = Regret(goals, np.array([True, True]), np.array([1]), np.zeros((1, 2)), choice)
        likelihood = Likelihood(regret, log, model.efficiency.values)
        last, beliefs = infer_agent(model, beliefs, Identity("agent"), likelihood)
    assert last is not None
    np.testing.assert_allclose(last.goal[-1], [2 / 3, 1 / 3], atol=1e-6)
    given_efficient = last.joint[0, :, 0] / last.joint[0, :, 0].sum()
    np.testing.assert_allclose(given_efficient, [2 / 3, 1 / 3], atol=1e-6)
    assert not np.allclose(last.joint[0], np.outer(last.goal[0], last.efficiency[0]), atol=0.01)
