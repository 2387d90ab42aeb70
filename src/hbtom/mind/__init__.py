"""What the agent has in mind: priors, policy, evidence, and exact inference across trials."""

from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.evidence import Evidence
from hbtom.mind.inference import Posterior, efficiency_prior, gather, infer, update

__all__ = [
    "AgentBeliefs",
    "Beliefs",
    "Evidence",
    "Posterior",
    "efficiency_prior",
    "gather",
    "infer",
    "update",
]
