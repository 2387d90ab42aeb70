"""What a planner would do: the cost-to-go of every state, for every goal."""

from hbtom.plan.around import Costs
from hbtom.plan.astar import Route, find_route
from hbtom.plan.field import CONTINUOUS, GRID, Stencil, cost_to_go
from hbtom.plan.plans import CostToGo, plan_costs_to_go

__all__ = [
    "CONTINUOUS",
    "GRID",
    "CostToGo",
    "Costs",
    "Route",
    "Stencil",
    "cost_to_go",
    "find_route",
    "plan_costs_to_go",
]
