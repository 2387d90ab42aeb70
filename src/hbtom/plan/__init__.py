"""What a planner would do: the cost-to-go of every state, for every goal."""

from hbtom.plan.around import Costs
from hbtom.plan.astar import Route, find_route
from hbtom.plan.field import CONTINUOUS, GRID, Stencil, cost_to_go
from hbtom.plan.plans import Plans, make_plans

__all__ = [
    "CONTINUOUS",
    "GRID",
    "Costs",
    "Plans",
    "Route",
    "Stencil",
    "cost_to_go",
    "find_route",
    "make_plans",
]
