"""The chain of values from a trial to its plausibility, by name."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hbtom
from companions import busy, hidden
from domains import EXAMPLES
from episodes import HEART, SPOON, episode, key_trial, read, to_thing
from hbtom import Episode, Judgement, Model
from hbtom.judgement.tracing import Trace
from hbtom.mind import log_likelihood
from hbtom.model import with_settings
from hbtom.world.pddl import read_partial_plan, read_plan

CHAIN = (
    "trial",
    "world",
    "cost_to_go",
    "trajectory",
    "regret",
    "likelihood",
    "posterior",
    "surprise",
    "plausibility",
)
SETTINGS = {
    "default": ("default", {}),
    "paper": ("paper", {}),
    "noisy": ("default", {"observation.noise": 2.0, "observation.particles": 50}),
    "noisy cells": ("paper", {"observation.noise": 2.0}),
    "slippery": ("paper", {"motion.slip": 0.2}),
}
MODELS = {name: with_settings(Model.preset(one), more) for name, (one, more) in SETTINGS.items()}


def seen() -> Episode:
    near = to_thing(HEART.at(110, 60), others=[SPOON.at(60, 120)])
    return read(episode(near, key_trial()))


def traces(judgement: Judgement) -> list[Trace]:
    return [judgement.trace(trial) for trial in range(len(judgement.episode))]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_trace_names_the_whole_chain_in_order(model: Model) -> None:
    for trace in traces(hbtom.judge(seen(), model)):
        lines = str(trace).splitlines()
        assert tuple(line.split()[0] for line in lines) == CHAIN
        assert max(map(len, lines)) <= 160


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_trace_holds_the_judged_values(model: Model) -> None:
    judgement = hbtom.judge(seen(), model)
    *_, last = traces(judgement)
    assert last.trial is judgement.episode.test
    assert last.cost_to_go.world is last.world
    assert last.likelihood.regret is last.regret
    assert last.posterior is judgement.test
    told, known = last.surprise.to_dict(), judgement.surprise.to_dict()
    assert told == pytest.approx(known, abs=1e-12)
    assert last.plausibility == pytest.approx(judgement.plausibility)
    assert last.cost_to_go.cost.shape == (len(last.regret.goals), *last.world.blocked.shape)
    np.testing.assert_array_equal(last.regret.frame, last.trajectory.frame)


def changing() -> Episode:
    """An episode in which a wall vanishes while the agent walks."""
    trial = seen()[0]
    there = np.ones((len(trial.path), 1), dtype=bool)
    there[len(there) // 2 :] = False
    return Episode((replace(trial, walls=np.array([[150.0, 0.0, 10.0, 20.0]]), walls_there=there),))


def plan(name: str, *, in_part: bool = False) -> hbtom.PlanJudgement:
    folder = EXAMPLES / "doors-keys-gems"
    world = hbtom.load_world(folder / "domain.pddl", folder / "problem.pddl")
    text = (folder / "plans" / f"{name}.plan").read_text(encoding="utf-8")
    first, *actions = (line for line in text.splitlines() if line.startswith("("))
    read = read_partial_plan if in_part else read_plan
    seen = read(world, "\n".join(["?" if in_part else first, *actions]))
    return hbtom.infer_plans(hbtom.load_goals(world, folder / "goals.txt"), [seen])


EVERY = {
    **{name: lambda model=model: hbtom.judge(seen(), model) for name, model in MODELS.items()},
    "at random": lambda: hbtom.judge(seen(), {"hypotheses.random": 0.1}),
    "lapses": lambda: hbtom.judge(seen(), {"acts.lapse": 0.1}),
    "changing world": lambda: hbtom.judge(changing()),
    "outdated belief": lambda: hbtom.judge(changing(), {"hypotheses.outdated": 0.2}),
    "company": lambda: hbtom.judge(Episode((busy(),))),
    "carried away": lambda: hbtom.judge(Episode((hidden(),))),
    "plan": lambda: plan("turns-back"),
}


@pytest.mark.parametrize("judged", EVERY.values(), ids=EVERY)
def test_the_likelihood_follows_from_the_regret_before_it(judged) -> None:
    """Further processes and beliefs only add hypotheses of their own."""
    *_, regret, likelihood, posterior, _, _ = judged().trace()
    made = log_likelihood(regret, likelihood.efficiencies).log
    kinds = len(likelihood.hypotheses.beliefs), len(likelihood.hypotheses.processes)
    if likelihood.company is not None:
        np.testing.assert_array_equal(likelihood.log, made)
    elif posterior.likelihood is likelihood and judged is not EVERY["lapses"]:
        every = likelihood.log.reshape(len(made), made.shape[1], *kinds, -1)
        np.testing.assert_array_equal(every[:, :, 0, 0], made)


def test_the_regret_in_company_is_that_of_every_hypothesis() -> None:
    trace = EVERY["carried away"]().trace()
    assert trace.regret.step_regret.shape[1] == trace.likelihood.log.shape[1] > 1
    assert " to " in str(trace.regret)  # the least and the most under the hypotheses of a goal


def test_a_plan_seen_in_part_has_no_trajectory_and_unknown_regret() -> None:
    trace = plan("turns-back", in_part=True).trace()
    assert trace.trajectory is None
    assert "unknown" in str(trace.regret)


@pytest.mark.parametrize("judged", [EVERY["default"], EVERY["plan"]], ids=["episode", "plan"])
@pytest.mark.parametrize("number", [99, -99, "x", 1.5])
def test_the_number_of_a_trial_or_plan_is_checked(judged, number) -> None:
    with pytest.raises(hbtom.BadInput, match="counted from 0"):
        judged().trace(number)


def test_an_episode_with_nothing_to_want_has_a_trace() -> None:
    empty = replace(seen()[0], objects=())
    for trace in traces(hbtom.judge(Episode((empty, empty)))):
        assert len(str(trace).splitlines()) == len(CHAIN)


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="numba is not installed")
@pytest.mark.usefixtures("kernels")
def test_the_printed_trace_is_the_same_compiled_or_not() -> None:
    code = (
        "from hbtom.compiled import start_compiler\nassert start_compiler()\nimport hbtom\n"
        "from judgement.test_trace import MODELS, seen, traces\n"
        "for name in ('default', 'paper'):\n"
        "    print(*traces(hbtom.judge(seen(), MODELS[name])), sep='\\n')"
    )
    tests = Path(__file__).parents[1]
    paths = os.pathsep.join([str(Path(hbtom.__file__).parents[1]), str(tests)])
    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"NUMBA_DISABLE_JIT": "0", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    here = [
        str(trace)
        for name in ("default", "paper")
        for trace in traces(hbtom.judge(seen(), MODELS[name]))
    ]
    assert ran.stdout == "\n".join(here) + "\n"
