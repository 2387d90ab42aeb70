"""Schedules: when an object is moved, when the agent is there, and what it therefore believes."""

from __future__ import annotations

from typing import NamedTuple


class Schedule(NamedTuple):
    """How an object is moved, whether boards are up, and where the agent then believes it to be."""

    moved: str  # across, back or within one compartment
    boards: bool
    believed: int  # 0: in the first place, 1: in the second one
    why: str


SCHEDULES = {
    "there": Schedule("across", True, 1, "it sees the object being carried across"),
    "arrives": Schedule("across", True, 1, "it comes in while the object is carried across"),
    "late": Schedule("across", True, 0, "it comes in after the object was moved"),
    "leaves": Schedule("across", True, 0, "it is away while the object is moved"),
    "screened": Schedule("across", True, 0, "a screen keeps it from seeing the object being moved"),
    "there, open": Schedule("across", False, 1, "nothing is hidden, and it sees the object moved"),
    "late, open": Schedule("across", False, 1, "it comes in late, but sees where the object is"),
    "leaves, open": Schedule("across", False, 1, "it was away, but sees where the object is"),
    "there, back": Schedule("back", True, 0, "it sees the object being moved and put back"),
    "leaves, back": Schedule("back", True, 1, "it sees the object moved, but not put back"),
    "late, back": Schedule("back", True, 0, "it comes in after the object was moved and put back"),
    "there, within": Schedule("within", True, 0, "a board hides that the object is moved a bit"),
    "there, within, open": Schedule("within", False, 1, "it sees the object being moved a bit"),
    "late, within, open": Schedule("within", False, 1, "it comes in late, but sees the object"),
}
WEIGHTS = (4, 2, 4, 2, 1, 1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5)
