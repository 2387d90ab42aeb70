import numpy as np
import pytest

from hbtom.assumptions import Classifier, Logistic
from hbtom.errors import BadInput
from hbtom.judgement import Surprise, plausibility
from hbtom.judgement.fitting import fit_classifier, loss

TRUE = Classifier(goal=Logistic(-8, 4), efficiency=Logistic(-4, 3), observation=Logistic(-1, 4))


def drawn(n, seed=0):
    """Surprises, and whether each is expected, drawn from a known classifier."""
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.random(n), rng.random(n), rng.uniform(-1, 10, n)])
    surprises = [Surprise(*row) for row in x.tolist()]
    expected = [bool(rng.random() < plausibility(TRUE, one)[0]) for one in surprises]
    return surprises, expected


def test_the_gradient_matches_the_loss():
    rng = np.random.default_rng(1)
    x, y = rng.random((20, 3)) * 3, rng.random(20) < 0.5
    at = rng.normal(size=6)
    _, gradient = loss(at, x, y, 1e-2)
    for i in range(6):
        step = np.zeros(6)
        step[i] = 1e-6
        slope = (loss(at + step, x, y, 1e-2)[0] - loss(at - step, x, y, 1e-2)[0]) / 2e-6
        assert gradient[i] == pytest.approx(slope, rel=1e-5)


def test_a_known_classifier_is_recovered():
    fit = fit_classifier(*drawn(6000), penalty=1e-6)
    assert fit.converged
    probes = [Surprise(g, e, o) for g in (0.1, 0.8) for e in (0.1, 0.8) for o in (0.0, 6.0)]
    for probe in probes:
        found, true = plausibility(fit.classifier, probe)[0], plausibility(TRUE, probe)[0]
        assert found == pytest.approx(true, abs=0.06)


def test_no_weight_rewards_surprise():
    surprises, expected = drawn(200)
    fit = fit_classifier(surprises, [not one for one in expected])
    assert all(
        curve.weight <= 0
        for curve in (fit.classifier.goal, fit.classifier.efficiency, fit.classifier.observation)
    )


@pytest.mark.parametrize("labels", [[], [True, True], [False, False]])
def test_one_kind_of_episode_is_not_enough(labels):
    with pytest.raises(BadInput):
        fit_classifier([Surprise(0, 0, 0)] * len(labels), labels)
