"""What the agent has in mind: hypotheses, likelihood, and exact inference across trials."""

from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.hypotheses import Hypotheses
from hbtom.mind.inference import (
    Posterior,
    caveats,
    consider,
    dynamics,
    find_regret,
    infer,
    infer_agent,
    learn,
    waits,
)
from hbtom.mind.likelihood import Likelihood, explain, log_likelihood, stacked
from hbtom.mind.regret import Actions, Headings, Regret

__all__ = [
    "Actions",
    "AgentBeliefs",
    "Beliefs",
    "Headings",
    "Hypotheses",
    "Likelihood",
    "Posterior",
    "Regret",
    "caveats",
    "consider",
    "dynamics",
    "explain",
    "find_regret",
    "infer",
    "infer_agent",
    "learn",
    "log_likelihood",
    "stacked",
    "waits",
]
