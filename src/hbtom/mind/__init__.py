"""What the agent has in mind: hypotheses, likelihood, and exact inference across trials."""

import hbtom.plan  # noqa: F401, the room before
from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.hypotheses import Hypotheses
from hbtom.mind.inference import caveats, infer_agent, learn
from hbtom.mind.likelihood import Likelihood, find_likelihood, join_beliefs, log_likelihood
from hbtom.mind.motion_regret import find_regrets
from hbtom.mind.planned_trials import Planned, plan_one
from hbtom.mind.posterior import Posterior
from hbtom.mind.regret import Actions, Headings, Regret
from hbtom.mind.watching import infer, watch_trials

__all__ = [
    "Actions",
    "AgentBeliefs",
    "Beliefs",
    "Headings",
    "Hypotheses",
    "Likelihood",
    "Planned",
    "Posterior",
    "Regret",
    "caveats",
    "find_likelihood",
    "find_regrets",
    "infer",
    "infer_agent",
    "join_beliefs",
    "learn",
    "log_likelihood",
    "plan_one",
    "watch_trials",
]
