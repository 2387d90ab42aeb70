"""Judging whole episodes, and exporting labelled tables."""

from __future__ import annotations

import json
import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hbtom
from computed import bits
from episodes import (
    ACORN,
    HEART,
    SPOON,
    block,
    border,
    episode,
    key_trial,
    read,
    ring,
    simple_episode,
    to_thing,
    trial,
    walk,
)
from hbtom import Episode, Judgement, Model, Trial, judge
from hbtom.judgement import account, plausibility, surprise, watch
from hbtom.judgement.pipeline import judge_pairs, plan_pair, plan_pairs, plan_trials
from hbtom.mind import Planned
from hbtom.mind.planned_trials import plan_each
from hbtom.model import with_settings
from hbtom.show.page import page
from hbtom.show.terminal import judgement_row, judgement_table
from hbtom.world import PlaceWorld
from hbtom.world.modes import HELD, OPEN
from hbtom.world.seeing import Earlier
from worlds import odd_model, odd_trial

both = pytest.mark.parametrize("preset", ["default", "paper"])

TO_HEART = to_thing(HEART.at(120, 50), others=[SPOON.at(120, 150)])
TO_SPOON = to_thing(SPOON.at(120, 150), others=[HEART.at(120, 50)])


def judged(*trials: list, preset: str = "default") -> Judgement:
    return judge(read(episode(*trials)), preset)


# What is judged


@both
def test_a_judgement_is_made_of_its_parts(preset: str) -> None:
    judgement = judged(TO_HEART, TO_HEART, TO_SPOON, preset=preset)
    again = surprise(judgement.test, waste=preset == "default")
    assert again.to_dict() == pytest.approx(judgement.surprise.to_dict(), abs=1e-12)
    product, parts = plausibility(judgement.model.classifier, judgement.surprise)
    assert (judgement.plausibility, judgement.parts) == (product, parts)
    watched = watch(Model.preset(preset), judgement.episode)
    for one, other in zip(watched, judgement.posteriors, strict=True):
        np.testing.assert_array_equal(one.joint, other.joint)


@both
def test_an_object_that_was_always_chosen_is_expected_again(preset: str) -> None:
    same = judged(*[TO_HEART] * 6, TO_HEART, preset=preset).plausibility
    other = judged(*[TO_HEART] * 6, TO_SPOON, preset=preset).plausibility
    assert same > other + 0.5


@both
def test_a_new_agent_may_like_something_else(preset: str) -> None:
    stranger = to_thing(SPOON.at(120, 150), others=[HEART.at(120, 50)], who=ACORN)
    same = judged(*[TO_HEART] * 6, TO_SPOON, preset=preset)
    other = judged(*[TO_HEART] * 6, stranger, preset=preset)
    assert other.plausibility > same.plausibility + 0.3


@both
def test_a_detour_of_an_efficient_agent_is_surprising(preset: str) -> None:
    straight = to_thing(HEART.at(150, 100))
    detour = trial(walk((40, 100), (90, 40), (90, 160), (137, 100)), [HEART.at(150, 100)])
    expected = judged(*[straight] * 4, straight, preset=preset)
    efficient_before = judged(*[straight] * 4, detour, preset=preset)
    inefficient_before = judged(*[detour] * 4, detour, preset=preset)
    assert expected.plausibility > efficient_before.plausibility + 0.3
    assert inefficient_before.plausibility > efficient_before.plausibility


@both
def test_fetching_the_key_is_plausible_only_if_the_barrier_blocks(preset: str) -> None:
    """The test trial ends at the key, with the object behind the barrier or on the near side."""
    familiar = key_trial()
    to_key = next(n for n, each in enumerate(familiar) if each["agent"][0] == [44, 70])
    barred = familiar[: to_key + 1]
    near = key_trial(goal=HEART.at(82, 34))[: to_key + 1]
    expected = judged(*[familiar] * 4, barred, preset=preset)
    unexpected = judged(*[familiar] * 4, near, preset=preset)
    assert expected.plausibility > unexpected.plausibility


@both
def test_the_predictive_score_detects_a_detour(preset: str) -> None:
    straight = to_thing(HEART.at(150, 100))
    detour = trial(walk((40, 100), (90, 40), (90, 160), (137, 100)), [HEART.at(150, 100)])
    expected = judged(*[straight] * 4, straight, preset=preset).predictive
    unexpected = judged(*[straight] * 4, detour, preset=preset).predictive
    assert 1 >= expected > unexpected + 0.3 >= 0.3


@both
def test_the_predictive_score_leaves_out_uninformative_steps(preset: str) -> None:
    """The agent walks through a wall."""
    walls = [*border(), block(80, 80)]
    through = trial(walk((65, 85), (125, 85)), [HEART.at(150, 85)], walls=walls)
    assert 0 <= judged(through, preset=preset).predictive <= 1


SHUT_IN = trial(
    walk((44, 106), (54, 114), (46, 112)), [HEART.at(120, 110)], walls=[*border(), *ring(2, 5)]
)
AT_REST = trial([(40, 100)], [HEART.at(120, 50), SPOON.at(120, 150)])
UNJUDGEABLE = [
    (AT_REST, "the agent does nothing"),
    (SHUT_IN, "no goal can be reached"),
]


@both
@pytest.mark.parametrize(("odd", "why"), UNJUDGEABLE)
def test_what_cannot_be_judged_has_no_plausibility(odd, why: str, preset: str) -> None:
    judgement = judged(TO_HEART, odd, preset=preset)
    assert judgement.missing == why
    numbers = [judgement.plausibility, judgement.predictive]
    numbers += [*judgement.parts.to_dict().values(), *judgement.surprise.to_dict().values()]
    assert all(map(math.isnan, numbers))
    assert repr(judgement).endswith(f"plausibility missing, {why}>")
    plain = json.loads(json.dumps(judgement.to_dict(trace=True), allow_nan=False))
    assert plain["plausibility"] is None
    assert set(plain["parts"].values()) == set(plain["surprise"].values()) == {None}
    assert plain["missing"] == why
    assert "plausibility <b>missing</b>" in judgement._repr_html_()
    assert f'"missing":"{why}"' in page(judgement)
    assert f"The right one is not judged: {why}." in page(
        judged(TO_HEART, preset=preset), judgement
    )
    heading, line, _ = judgement_table([judgement_row(judgement, account(judgement))]).splitlines()
    assert heading.endswith("missing because")
    assert line.split(maxsplit=1)[1].strip() == why


def test_familiarization_may_be_motionless() -> None:
    judgement = judged(TO_HEART, AT_REST, TO_HEART)
    assert judgement.missing == ""
    assert "missing" not in judgement.to_dict()
    assert judgement.plausibility == pytest.approx(judged(TO_HEART, TO_HEART).plausibility)


# Warnings


def test_one_trial_is_judged_with_a_warning() -> None:
    judgement = judged(TO_HEART)
    assert 0 < judgement.plausibility <= 1
    assert "only one trial" in judgement.warnings[0]


@both
def test_an_agent_that_does_not_move_gives_a_warning(preset: str) -> None:
    judgement = judged(TO_HEART, AT_REST, preset=preset)
    assert any("does not move" in warning for warning in judgement.warnings)


def test_warnings_name_the_trial() -> None:
    walls = [*border(), *(block(100, y) for y in range(20, 180, 20))]
    hopeless = trial(walk((40, 100), (60, 100)), [HEART.at(150, 100)], walls=walls)
    judgement = judged(TO_HEART, hopeless, TO_HEART)
    assert [warning for warning in judgement.warnings if warning.startswith("trial 2: no goal")]


# Plain values, tables, labelled arrays


@pytest.fixture(scope="module", params=["default", "paper"])
def judgement(request: pytest.FixtureRequest) -> Judgement:
    familiar = [key_trial(), key_trial(who=ACORN)]
    return judge(read(episode(*familiar, key_trial())), request.param)


def test_plain_values(judgement: Judgement) -> None:
    plain = judgement.to_dict()
    assert plain["plausibility"] == judgement.plausibility
    assert plain["parts"] == judgement.parts.to_dict()
    assert plain["surprise"] == judgement.surprise.to_dict()
    assert plain["model"]["fingerprint"] == judgement.model.fingerprint
    assert "trace" not in plain


def test_the_trace_holds_every_step(judgement: Judgement) -> None:
    trace = judgement.to_dict(trace=True)["trace"]
    assert [entry["trial"] for entry in trace] == [1, 2, 3]
    assert [entry["agent"] for entry in trace] == ["clove.png", "acorn.png", "clove.png"]
    for entry, posterior in zip(trace, judgement.posteriors, strict=True):
        assert len(entry["steps"]) == len(posterior) + 1
        for number, step in enumerate(entry["steps"]):
            assert step["frame"] == posterior.frame[number] + 1
            assert list(step["goal"].values()) == posterior.goal[number].tolist()
            for variable in ("goal", "efficiency", "preference"):
                assert sum(step[variable].values()) == pytest.approx(1)
    surprise = max(step["observation_surprise"] for step in trace[-1]["steps"][1:])
    assert surprise == pytest.approx(judgement.surprise.observation, abs=1e-12)


def test_the_tidy_table(judgement: Judgement) -> None:
    pytest.importorskip("pandas")
    table = judgement.to_pandas()
    columns = ["trial", "agent", "step", "frame", "variable", "value", "probability"]
    assert list(table.columns) == columns
    sums = table.groupby(["trial", "step", "variable"])["probability"].sum()
    np.testing.assert_allclose(sums, 1.0)
    assert len(sums) == 3 * sum(len(posterior) + 1 for posterior in judgement.posteriors)
    goals = table[(table.variable == "goal") & (table.trial == 3)].pivot(
        index="step", columns="value", values="probability"
    )
    assert list(goals.columns) == ["heart.png", "key"]
    np.testing.assert_allclose(goals.to_numpy(), judgement.test.goal)
    frames = table[table.trial == 3].groupby("step").frame.first()
    np.testing.assert_array_equal(frames, judgement.test.frame + 1)


def test_the_labelled_arrays(judgement: Judgement) -> None:
    pytest.importorskip("xarray")
    data = judgement.to_xarray()
    assert data.posterior.dims == ("step", "goal", "efficiency")
    assert data.attrs["agent"] == "clove.png"
    assert list(data.goal.values) == ["heart.png", "key"]
    np.testing.assert_allclose(data.posterior.sum(["goal", "efficiency"]), 1.0)
    np.testing.assert_allclose(data.preference.sum("item"), 1.0)
    np.testing.assert_allclose(data.efficiency, judgement.test.efficiencies)
    heart = data.posterior.sel(goal="heart.png").sum("efficiency")
    np.testing.assert_allclose(heart, judgement.test.goal[:, 0])
    assert data.frame.values.tolist() == (judgement.test.frame + 1).tolist()


def test_things_with_the_same_image_are_distinct_in_tables() -> None:
    pytest.importorskip("pandas")
    red, blue = HEART.at(120, 50), HEART.at(120, 150)
    frames = trial(walk((40, 100), (80, 80)), [red, blue])
    for each in frames:
        each["objects"][1][3] = [0, 0, 255]
    table = judged(frames).to_pandas()
    assert table[table.variable == "goal"].value.nunique() == 2


def test_a_simple_episode_is_plausible() -> None:
    assert judge(read(simple_episode(times=6))).plausibility > 0.5


# Shared trials are watched once


@both
def test_reusing_a_judgement_gives_the_same_with_less_work(preset: str) -> None:
    familiar = [key_trial(), key_trial(who=ACORN), key_trial()]
    expected = read(episode(*familiar, key_trial()))
    unexpected = read(episode(*familiar, key_trial(goal=HEART.at(50, 150))))
    apart = judge(unexpected, preset)
    first = judge(expected, preset)
    together = judge(unexpected, preset, reuse=first)
    same = [one is other for one, other in zip(first.planned, together.planned, strict=True)]
    assert same == [True, True, True, False]
    assert together.to_dict(trace=True) == apart.to_dict(trace=True)


@pytest.mark.parametrize("seed", range(6))
def test_trials_planned_together_match_trials_planned_alone(seed: int) -> None:
    """They may differ in goals, modes, things, boxes and steps, and some have none of these."""
    model = odd_model(seed)
    every = [odd_trial(number) for number in range(100 * seed, 100 * seed + 30)]
    trials = [one for one in every if one.size == every[0].size][:6]
    earlier = [Earlier((2.0,), range(number)) for number in range(len(trials))]
    together, openings = plan_each(model, trials, earlier), (2.0,)
    assert len({id(one.how.trials) for one in together}) < len(trials)
    for one, shown in zip(together, trials, strict=True):
        (alone,) = plan_each(model, [shown], [Earlier(openings)])
        assert bits_of(one) == bits_of(alone)
        openings += alone.waited
    assert len({len(one.regret.goals) for one in together}) > 1


def bits_of(planned: Planned) -> Any:
    """Return everything that is known about a trial, to be compared to the last bit."""
    regret, seen = planned.regret, planned.seen
    values = regret.step_regret, regret.reachable, regret.frame, regret.choice.action_regret
    return bits((*seen.world, *seen.trajectory, planned.cost_to_go.cost, *values)), (
        regret.goals,
        regret.warnings,
        planned.waited,
        planned.agent,
    )


@both
def test_pairs_planned_together_match_episodes_planned_one_by_one(preset: str) -> None:
    """What waiting cost in one episode does not count in the other, unless they share the trial."""
    model = with_settings(Model.preset(preset), {"acts.learn_opening": True})
    quick, still = read(episode(key_trial(), TO_HEART)).trials
    shared, slow, slower = (slowed(quick, frames) for frames in (3, 4, 5))
    one = Episode((shared, slow, quick))
    other = Episode((shared, still, slower, quick))
    pairs = [(one, other), (other, one), (one, one)]
    for pair, together in zip(pairs, plan_pairs(model, pairs), strict=True):
        for planned in (together, plan_pair(model, *pair)):
            for plans, alone in zip(planned, pair, strict=True):
                assert [*map(bits_of, plans)] == [*map(bits_of, plan_trials(model, alone))]
    worlds = [one.seen.world for plans in plan_pair(model, one, other) for one in plans]
    prices = {float(price) for world in worlds for price in world.exits.price[locks_of(world)]}
    assert len(prices) == 4  # before any lock, after one, and after another two in each episode


@both
def test_pairs_are_judged_as_their_episodes_are(preset: str) -> None:
    """They may share some trials, or none, or all."""
    tasks = (TO_HEART, TO_HEART, TO_SPOON), (TO_HEART, key_trial(), TO_HEART), (TO_SPOON, TO_HEART)
    episodes = [read(episode(*trials)) for trials in tasks]
    pairs = [(one, other) for one in episodes for other in episodes]
    judgements = list(judge_pairs(Model.preset(preset), pairs))
    for pair, judged in zip(pairs, judgements, strict=True):
        for alone, one in zip(pair, judged, strict=True):
            assert one.episode is alone
            assert one.to_dict(trace=True) == judge(alone, preset).to_dict(trace=True)


@both
def test_an_episode_that_cannot_be_judged_is_named(preset: str, monkeypatch) -> None:
    monkeypatch.setattr("hbtom.core.watch.MOST_COUNTS", 6)
    short = read(episode(TO_HEART, TO_HEART))
    long = replace(read(episode(*[TO_HEART] * 5)), name="long")
    list(judge_pairs(Model.preset(preset), [(short, short)]))
    with pytest.raises(hbtom.BadInput, match=r"^long: trial 4: too many goals"):
        list(judge_pairs(Model.preset(preset), [(short, short), (short, long)]))


def locks_of(world: PlaceWorld) -> np.ndarray:
    """Return which exits open the lock."""
    return (world.exits.source == HELD) & (world.exits.target == OPEN)


def slowed(trial: Trial, frames: int) -> Trial:
    """Return a trial whose barrier takes more frames to vanish."""
    gone, left = trial.marks.gone, np.ones(len(trial.path))
    left[gone:] = 0.0
    left[gone - frames : gone] = np.linspace(0.9, 0.1, frames)
    return replace(trial, barrier_left=left)


def test_trials_that_differ_are_watched_again(monkeypatch) -> None:
    one = read(episode(TO_HEART, TO_HEART, TO_HEART))
    other = read(episode(TO_HEART, key_trial(), TO_HEART))
    first = judge(one, "default")
    for model in ("default", "paper"):
        alone, after = judge(other, model), judge(other, model, reuse=first)
        assert after.to_dict(trace=True) == alone.to_dict(trace=True)


@pytest.mark.parametrize("noise", [0.0, 2.0])
@pytest.mark.parametrize("name", ["default", "paper"])
def test_a_judgement_survives_pickling(name: str, noise: float) -> None:
    model = with_settings(Model.preset(name), {"observation.noise": noise})
    judgement = judge(read(episode(key_trial(), key_trial())), model)
    same = pickle.loads(pickle.dumps(judgement))
    assert same.to_dict(trace=True) == judgement.to_dict(trace=True)
    assert same.beliefs[-1].agents.keys() == judgement.beliefs[-1].agents.keys()
    with pytest.raises(AttributeError):
        same.beliefs[-1].agents.clear()  # it cannot be changed either
