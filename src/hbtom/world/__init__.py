"""What it means: a trial becomes a world of places and modes, and a trajectory in it."""

import hbtom.observe  # noqa: F401, the room before
from hbtom.world.modes import Costs, Exits, Mode, PlaceWorld, Space, Worlds
from hbtom.world.seeing import Seen, SeenTrials, see
from hbtom.world.trajectory import Act, Trajectories, Trajectory

__all__ = [
    "Act",
    "Costs",
    "Exits",
    "Mode",
    "PlaceWorld",
    "Seen",
    "SeenTrials",
    "Space",
    "Trajectories",
    "Trajectory",
    "Worlds",
    "see",
]
