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
from episodes import HEART, SPOON, episode, key_trial, read, to_thing
from hbtom import Episode, Judgement, Model
from hbtom.judgement.tracing import Trace
from hbtom.model import with_settings

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
    assert last.surprise == judgement.surprise
    assert last.plausibility == judgement.plausibility
    assert last.cost_to_go.cost.shape == (len(last.regret.goals), *last.world.blocked.shape)
    np.testing.assert_array_equal(last.regret.frame, last.trajectory.frame)


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
