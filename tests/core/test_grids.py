"""Priors of efficiencies on a grid."""

from __future__ import annotations

import math

import pytest

import hbtom as hb


@pytest.mark.parametrize(("shape", "scale"), [(1.0, 1.0), (2.5, 0.0), (1000.0, 0.0), (1.0, 1000.0)])
@pytest.mark.parametrize("temperatures", [(0.2, 0.4, 0.8), (0.001,), (1000.0, 999.0), (1e-3, 1e3)])
def test_an_inverse_gamma_prior_is_one_of_temperatures(
    shape: float, scale: float, temperatures: tuple[float, ...]
) -> None:
    prior = hb.inverse_gamma(shape, scale, temperatures)
    assert list(prior) == [1 / t for t in temperatures]
    assert sum(prior.values()) == pytest.approx(1)
    log = [(shape - 1) * math.log(t) - scale * t for t in temperatures]
    likeliest = max(range(len(log)), key=log.__getitem__)
    for weight, one in zip(prior.values(), log, strict=True):
        ratio = weight / prior[1 / temperatures[likeliest]]
        assert ratio == pytest.approx(math.exp(one - log[likeliest]), rel=1e-9)
