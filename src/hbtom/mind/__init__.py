"""What the agent has in mind: priors, policy, evidence, and exact inference across trials."""

from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.inference import (
    Posterior,
    believe,
    caveats,
    consider,
    dynamics,
    find_regret,
    infer,
    learn,
    update,
    waits,
)
from hbtom.mind.likelihood import Likelihood, log_likelihood
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
    "consider",
    "dynamics",
    "find_regret",
    "infer",
    "learn",
    "log_likelihood",
    "update",
    "waits",
]
