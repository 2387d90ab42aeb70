"""Fitting the classifier, as in the paper's appendix.

Given the surprises of episodes that are known to be expected (y = 1) or not (y = 0), minimise

    mean [ -y log p - (1 - y) log(1 - p) ]  +  penalty * sum of squared weights and biases,
    p = prod_i 1 / (1 + exp(-(w_i x_i + b_i))),      w_i <= 0

Weights cannot be positive, since that would make a more surprising trial more plausible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.assumptions import Classifier, Logistic
from hbtom.errors import BadInput, needed
from hbtom.judgement.surprises import Surprise

PENALTY = 1e-4


@dataclass(frozen=True)
class Fit:
    """A fitted classifier and how the fitting went."""

    classifier: Classifier
    loss: float
    converged: bool
    message: str
    iterations: int


def fit_classifier(
    surprises: Sequence[Surprise], expected: Sequence[bool], *, penalty: float = PENALTY
) -> Fit:
    """Fit the logistics of all surprises; ``converged`` says whether the optimum was found."""
    minimize = optimiser()
    if not surprises or all(expected) or not any(expected):
        raise BadInput("fitting needs expected and unexpected episodes")
    kinds = tuple(surprises[0].to_dict())
    x = np.array([list(one.to_dict().values()) for one in surprises])
    y = np.array(expected, dtype=bool)
    start = np.repeat([-1.0, 1.0], len(kinds))
    bounds = [(None, 0.0)] * len(kinds) + [(None, None)] * len(kinds)
    found = minimize(
        lambda at: loss(at, x, y, penalty),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 10_000, "ftol": 1e-14, "gtol": 1e-8},
    )
    weight, bias = found.x.reshape(2, -1).tolist()
    curves = map(Logistic, weight, bias)
    return Fit(
        classifier=Classifier(**dict(zip(kinds, curves, strict=True))),
        loss=float(found.fun),
        converged=bool(found.success),
        message=str(found.message),
        iterations=int(found.nit),
    )


def loss(
    at: Annotated[Floats, "weight+bias"],
    x: Annotated[Floats, "episode kind"],
    y: Annotated[Bools, "episode"],
    penalty: float,
) -> tuple[float, Annotated[Floats, "weight+bias"]]:
    """Return the penalised cross-entropy of weights and biases, and its gradient.

    With z_i = w_i x_i + b_i and s_i = 1 - logistic(z_i) = d log p / d z_i, an expected episode
    has gradient -s_i, an unexpected one p / (1 - p) s_i.
    """
    weight, bias = at.reshape(2, -1)
    z = x * weight + bias
    log_p = -np.logaddexp(0.0, -z).sum(axis=1)
    p = np.exp(log_p)
    rest = np.maximum(-np.expm1(log_p), 1e-300)  # 1 - p, exact where p is nearly 1
    error = np.where(y, -log_p, -np.log(rest)).mean()
    slope = np.where(y, -1.0, p / rest)[:, None] * np.exp(-np.logaddexp(0.0, z)) / len(x)
    gradient = np.concatenate([(slope * x).sum(axis=0), slope.sum(axis=0)])
    return float(error + penalty * (at @ at)), gradient + 2 * penalty * at


def optimiser() -> Any:
    """Return scipy's minimize, or say how to install it; call this before any long work."""
    with needed("scipy", "fit"):
        from scipy.optimize import minimize
    return minimize
