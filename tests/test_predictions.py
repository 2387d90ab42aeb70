"""The paper's three predictions, as the documentation shows them."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[1] / "docs" / "predictions.py"


@pytest.fixture(scope="module")
def predictions():
    spec = importlib.util.spec_from_file_location("predictions", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_goal_prior_reverts_for_a_new_agent(predictions):
    priors = predictions.new_agent()
    assert np.max(priors["the familiar agent"]) == pytest.approx(0.9, abs=0.01)
    assert priors["an agent never seen before"] == pytest.approx([0.5, 0.5])


def test_the_observer_habituates_to_inefficiency(predictions):
    efficiency = predictions.habituation()
    wasteful, thrifty = efficiency["inefficient all along"], efficiency["efficient all along"]
    assert wasteful[0] == thrifty[0]  # the prior
    assert thrifty[1:].min() > 3 * wasteful[1:].max()
    assert np.ptp(wasteful[2:]) < 0.5  # it keeps what it has learnt


def test_one_reachable_goal_says_nothing_about_preference(predictions):
    preference = predictions.one_reachable_goal()
    barred, free = preference["the preferred one is walled in"], preference["both are reachable"]
    assert np.allclose(barred, barred[0])
    assert np.abs(free[-1] - free[0]).max() > 0.05
