"""What it means: a trial becomes a floor with obstacles, and a course of moves and acts."""

from hbtom.world.floor import Occupancy, continuous_floor, grid_floor
from hbtom.world.phase import Phase
from hbtom.world.trajectory import Act, Trajectory, continuous_trajectory, grid_trajectory

__all__ = [
    "Act",
    "Occupancy",
    "Phase",
    "Trajectory",
    "continuous_floor",
    "continuous_trajectory",
    "grid_floor",
    "grid_trajectory",
]
