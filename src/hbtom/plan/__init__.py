"""What a planner would do: the cost-to-go of every state, for every goal."""

from hbtom.plan.field import CONTINUOUS, GRID, Stencil, cost_to_go
from hbtom.plan.plans import Costs, Plans, make_plans

__all__ = ["CONTINUOUS", "GRID", "Costs", "Plans", "Stencil", "cost_to_go", "make_plans"]
