"""What a planner would do: the cost-to-go of every state, for every goal."""

import hbtom.world  # noqa: F401, the room before
from hbtom.plan.astar import Route, find_route
from hbtom.plan.cost_to_go import CostToGo, Plans, cost_to_go
from hbtom.plan.planning import plan_trial
from hbtom.plan.stencil import CONTINUOUS, GRID, Stencil

__all__ = [
    "CONTINUOUS",
    "GRID",
    "CostToGo",
    "Plans",
    "Route",
    "Stencil",
    "cost_to_go",
    "find_route",
    "plan_trial",
]
