"""What it means: a trial becomes a world of places and modes, and a trajectory in it."""

import hbtom.observe  # noqa: F401, the room before
from hbtom.world.cell_trajectory import grid_trajectory as grid_trajectory
from hbtom.world.modes import Costs, Exits, Mode, PlaceWorld, Space
from hbtom.world.occupancy import continuous_world as continuous_world
from hbtom.world.occupancy import grid_world as grid_world
from hbtom.world.seeing import Seen, see
from hbtom.world.trajectory import Act, Trajectory
from hbtom.world.trajectory import continuous_trajectory as continuous_trajectory

__all__ = [
    "Act",
    "Costs",
    "Exits",
    "Mode",
    "PlaceWorld",
    "Seen",
    "Space",
    "Trajectory",
    "see",
]
