"""The chain of values from a trial to its plausibility, by name."""

from __future__ import annotations

from typing import NamedTuple

from hbtom.judgement.classifier import plausibility
from hbtom.judgement.surprises import Surprise, surprise
from hbtom.mind import Likelihood, Posterior, Regret
from hbtom.model import Model


class Trace(NamedTuple):
    """All values that a judgement of one trial rests on, in the order in which they are made.

    What trial, world, costs and trajectory are depends on the kind of world: those of an episode's
    trial, or of a plan in a domain. The trajectory of a plan that was seen in part is not known.
    """

    trial: object
    world: object
    cost_to_go: object
    trajectory: object
    regret: Regret
    likelihood: Likelihood
    posterior: Posterior
    surprise: Surprise
    plausibility: float

    def __repr__(self) -> str:
        width = max(map(len, self._fields))
        return "\n".join(f"{name:{width}}  {value!r}" for name, value in self._asdict().items())


def trace(
    model: Model,
    trial: object,
    world: object,
    cost_to_go: object,
    trajectory: object,
    posterior: Posterior,
) -> Trace:
    """Return the chain of values of a trial, given those up to the trajectory and its posterior."""
    likelihood = posterior.likelihood
    surprises = surprise(posterior, waste=model.classifier.waste is not None)
    product, _ = plausibility(model.classifier, surprises)
    known = trial, world, cost_to_go, trajectory, likelihood.regret, likelihood, posterior
    return Trace(*known, surprises, product)
