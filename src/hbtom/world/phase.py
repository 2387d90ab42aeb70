"""Where key and lock stand: the part of the state that is not a position."""

from enum import IntEnum


class Phase(IntEnum):
    """The state of a trial is a position and one of these."""

    START = 0  # the key, if there is one, still lies
    HELD = 1  # the agent carries the key
    OPEN = 2  # the lock is open and the barrier gone
