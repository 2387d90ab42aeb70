import math
from itertools import product

import numpy as np
import pytest
from msgspec.structs import replace

from hbtom.judgement.prediction import BINS_PER_UNIT, predictive, tail
from hbtom.mind import Actions, Likelihood, Regret
from hbtom.observe import Identity


def likelihood(options, taken):
    """Return evidence with the given regret of each option, and the option taken at each step."""
    options = np.array(options, dtype=float)
    steps = np.arange(len(options))
    goals = tuple(Identity(str(g)) for g in range(options.shape[2]))
    everything = np.ones(len(goals), dtype=bool)
    regret = Regret(goals, everything, steps, options[steps, taken], Actions(options))
    return Likelihood(regret, np.zeros((len(options), len(goals), 1)), np.ones(1))


@pytest.mark.parametrize("beta", [0.3, 2.0])
def test_the_tail_matches_enumeration_of_all_courses(beta):
    rng = np.random.default_rng(3)
    options = rng.integers(0, 60, size=(4, 3, 1)) / BINS_PER_UNIT
    options[2, 1] = np.inf  # an action that is not available
    observed = likelihood(options, [0, 1, 2, 0])
    weight = np.exp(-beta * options[:, :, 0])
    weight /= weight.sum(axis=1, keepdims=True)
    wasted = observed.regret.step_regret.sum()
    exact = 0.0
    for trajectory in product(range(3), repeat=4):
        total = sum(options[t, a, 0] for t, a in enumerate(trajectory))
        if np.isfinite(total) and total >= wasted - 1e-9:
            exact += np.prod([weight[t, a] for t, a in enumerate(trajectory)])
    assert tail(observed.regret, 0, beta) == pytest.approx(exact, abs=1e-9)


def test_real_pairs_and_bounds(real_pairs):
    import hbtom

    for expected, unexpected in real_pairs:
        e, u = (predictive(hbtom.judge(path).test) for path in (expected, unexpected))
        assert 0 <= u < e <= 1


def test_without_steps_nothing_can_be_said(real_files):
    import hbtom

    posterior = hbtom.judge(real_files[0]).test
    empty = likelihood(np.zeros((0, 2, 2)), [])
    assert math.isnan(predictive(replace(posterior, likelihood=empty)))
