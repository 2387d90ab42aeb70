"""What the agent has in mind: priors, policy, evidence, and exact inference across trials."""

from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.effort import Actions, Effort, Headings
from hbtom.mind.evidence import Evidence, weigh
from hbtom.mind.inference import (
    Posterior,
    believe,
    caveats,
    consider,
    dynamics,
    exert,
    infer,
    learn,
    update,
    waits,
)

__all__ = [
    "Actions",
    "AgentBeliefs",
    "Beliefs",
    "Effort",
    "Evidence",
    "Headings",
    "Posterior",
    "believe",
    "caveats",
    "consider",
    "dynamics",
    "exert",
    "infer",
    "learn",
    "update",
    "waits",
    "weigh",
]
