"""What a planner would do: the cost-to-go of every state, for every goal."""

from hbtom.plan.astar import Route, find_route
from hbtom.plan.cost_to_go import CostToGo, cost_to_go
from hbtom.plan.field import CONTINUOUS, GRID, Stencil, solve

__all__ = [
    "CONTINUOUS",
    "GRID",
    "CostToGo",
    "Route",
    "Stencil",
    "cost_to_go",
    "find_route",
    "solve",
]
