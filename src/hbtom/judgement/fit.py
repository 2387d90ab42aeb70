"""Fitting the classifier, as the paper's appendix does.

Given the surprises of episodes that are known to be expected (y = 1) or not (y = 0), minimise

    mean [ -y log p - (1 - y) log(1 - p) ]  +  penalty * sum of squared weights and biases,
    p = prod_i 1 / (1 + exp(-(w_i x_i + b_i))),      w_i <= 0

A weight above zero would call a trial more plausible for being more surprising, so there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.errors import BadInput, missing
from hbtom.judgement.surprises import Triple
from hbtom.model import Classifier, Logistic

PENALTY = 1e-4
_KINDS = ("goal", "efficiency", "observation")


@dataclass(frozen=True)
class Fit:
    """A fitted classifier and how the fitting went."""

    classifier: Classifier
    loss: float
    converged: bool
    message: str
    iterations: int


def fit_classifier(
    surprises: Sequence[Triple], expected: Sequence[bool], *, penalty: float = PENALTY
) -> Fit:
    """Fit the three logistics together; ``converged`` tells whether the optimum was found."""
    minimize = optimiser()
    x = np.array([[one.goal, one.efficiency, one.observation] for one in surprises])
    y = np.array(expected, dtype=bool)
    if len(x) == 0 or y.all() or not y.any():
        raise BadInput("fitting needs expected and unexpected episodes")
    start = np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
    bounds = [(None, 0.0)] * 3 + [(None, None)] * 3
    found = minimize(
        lambda at: loss(at, x, y, penalty),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 10_000, "ftol": 1e-14, "gtol": 1e-8},
    )
    curves = [Logistic(weight=float(found.x[i]), bias=float(found.x[3 + i])) for i in range(3)]
    return Fit(
        classifier=Classifier(**dict(zip(_KINDS, curves, strict=True))),
        loss=float(found.fun),
        converged=bool(found.success),
        message=str(found.message),
        iterations=int(found.nit),
    )


def loss(
    at: Annotated[Floats, "6"],
    x: Annotated[Floats, "episode 3"],
    y: Annotated[Bools, "episode"],
    penalty: float,
) -> tuple[float, Annotated[Floats, "6"]]:
    """Return the penalised cross-entropy of weights and biases, and its gradient.

    With z_i = w_i x_i + b_i and s_i = 1 - logistic(z_i) = d log p / d z_i, an expected episode
    has gradient -s_i, an unexpected one p / (1 - p) s_i.
    """
    weight, bias = at[:3], at[3:]
    z = x * weight + bias
    log_p = -np.logaddexp(0.0, -z).sum(axis=1)
    p = np.exp(log_p)
    rest = np.maximum(-np.expm1(log_p), 1e-300)  # 1 - p, exact where p is nearly 1
    error = np.where(y, -log_p, -np.log(rest)).mean()
    slope = np.where(y, -1.0, p / rest)[:, None] * np.exp(-np.logaddexp(0.0, z)) / len(x)
    gradient = np.concatenate([(slope * x).sum(axis=0), slope.sum(axis=0)])
    return float(error + penalty * (at @ at)), gradient + 2 * penalty * at


def optimiser() -> Any:
    """Return scipy's minimize, or say how to get it; worth asking before long work."""
    try:
        from scipy.optimize import minimize
    except ImportError:
        raise missing("scipy", "fit") from None
    return minimize
