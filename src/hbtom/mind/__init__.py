"""What the agent has in mind: priors, policy, evidence, and exact inference across trials."""

from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.inference import (
    Posterior,
    believe,
    caveats,
    dynamics,
    infer,
    learn,
    update,
)
from hbtom.mind.likelihood import Likelihood, log_likelihood
from hbtom.mind.motions import find_regret
from hbtom.mind.regret import Actions, Headings, Regret

__all__ = [
    "Actions",
    "AgentBeliefs",
    "Beliefs",
    "Headings",
    "Likelihood",
    "Posterior",
    "Regret",
    "believe",
    "caveats",
    "dynamics",
    "find_regret",
    "infer",
    "learn",
    "log_likelihood",
    "update",
]
