"""What it means: a trial becomes a world of places and modes, and a trajectory in it."""

from hbtom.world.modes import Costs, Exits, Layout, Mode, Space, World
from hbtom.world.occupancy import continuous_world, grid_world, layout_of
from hbtom.world.trajectory import Act, Trajectory, continuous_trajectory, grid_trajectory

__all__ = [
    "Act",
    "Costs",
    "Exits",
    "Layout",
    "Mode",
    "Space",
    "Trajectory",
    "World",
    "continuous_trajectory",
    "continuous_world",
    "grid_trajectory",
    "grid_world",
    "layout_of",
]
