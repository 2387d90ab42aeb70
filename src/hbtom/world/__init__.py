"""What it means: a trial becomes a floor with obstacles, and a course of moves and acts."""

from hbtom.world.course import Act, Course, continuous_course, grid_course
from hbtom.world.floor import Floor, continuous_floor, grid_floor
from hbtom.world.phase import Phase

__all__ = [
    "Act",
    "Course",
    "Floor",
    "Phase",
    "continuous_course",
    "continuous_floor",
    "grid_course",
    "grid_floor",
]
