"""The frames of a file of the Baby Intuitions Benchmark, and the runs that they form.

A frame says where everything is, and nearly all of it repeats the frame before. A trial is thus a
list of *runs*: consecutive frames that are nearly the same. The fields of a frame are kept as raw
JSON; :mod:`hbtom.observe.fields` decodes them.
"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

import msgspec
from msgspec import Raw

from hbtom.errors import BadInput
from hbtom.observe.fields import Barrier
from hbtom.observe.json_errors import malformed, place_in_message, problem

SHAPE = "an episode is a list of trials, a trial is a list of frames, and a frame is an object"
_NONE = Raw(b"[]")
_ABSENT = Raw(b"[]")  # recognised by identity, unlike an empty list in the file


class FileFrame(msgspec.Struct, gc=False):
    """One frame with its fields as raw JSON; frames with the same JSON are equal."""

    size: Raw
    walls: Raw
    objects: Raw
    agent: Raw = _NONE  # if the agent is not seen
    fuse_walls: Raw = _NONE
    pin: Raw = _NONE
    key: Raw = _NONE
    lock: Raw = _ABSENT
    other_agents: Raw = _NONE  # from here on, extensions of the benchmark's format
    door: Raw = _NONE
    occluder: Raw = _NONE
    paddle: Raw = _NONE
    objects_now: Raw = _NONE
    walls_gone: Raw = _NONE
    agent_away: Raw = _NONE
    camera: Raw = _NONE

    @property
    def extended(self) -> bool:
        """Whether the frame has any field that the benchmark's own files lack."""
        return any(map(self.has, EXTENSIONS))

    def has(self, name: str) -> bool:
        """Return whether the frame has an optional field."""
        return getattr(self, name) is not _NONE

    @property
    def key_and_lock(self) -> tuple[str, str]:
        """The names of the fields for key and lock, which depend on the age of the file."""
        return ("pin", "key") if self.lock is _ABSENT else ("key", "lock")


EXTENSIONS = FileFrame.__struct_fields__[FileFrame.__struct_fields__.index("lock") + 1 :]
Corner = tuple[float, float]


class Run(NamedTuple):
    """Consecutive frames that differ only in the corners of agent and key, or in the barrier.

    The corners ``agents[i]`` and ``keys[i]``, or ``barriers[i]``, are seen in ``counts[i]``
    consecutive frames. If a list is None, its value is that of ``frame``, the run's first frame.
    """

    frame: FileFrame
    counts: list[int]
    agents: list[Corner] | None = None
    keys: list[Corner] | None = None
    barriers: list[Barrier] | None = None


decode = msgspec.json.Decoder(list[list[FileFrame]]).decode


def decode_runs(data: bytes) -> list[list[Run]]:
    """Decode a whole document; if that fails, say what is wrong with it."""
    try:
        trials = decode(data)
    except (RecursionError, msgspec.ValidationError) as error:
        raise BadInput(problem(error), hint=SHAPE, place=place_in_message(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise malformed(data, error, hint=SHAPE) from None
    return [[Run(frame, [len(list(same))]) for frame, same in groupby(trial)] for trial in trials]
