"""The frames of a file of the Baby Intuitions Benchmark, and the runs that they form.

A frame says again where everything is, and nearly all of it repeats the frame before. So a trial
is a list of *runs*: frames in a row that are alike in nearly everything. The fields of a frame are
kept as raw JSON; :mod:`hbtom.observe.fields` knows what they mean.
"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

import msgspec
from msgspec import Raw

from hbtom.errors import BadInput
from hbtom.observe.fields import Barrier
from hbtom.observe.json_errors import malformed, place_in_message, problem

SHAPE = "an episode is a list of trials, a trial a list of frames, a frame an object"
_NONE = Raw(b"[]")
_ABSENT = Raw(b"[]")  # told from an empty list in the file by being this very object


class Frame(msgspec.Struct, gc=False):
    """One frame, its fields in the JSON of the file; two with the same JSON are equal."""

    size: Raw
    walls: Raw
    objects: Raw
    agent: Raw = _NONE  # where the agent is not seen
    fuse_walls: Raw = _NONE
    pin: Raw = _NONE
    key: Raw = _NONE
    lock: Raw = _ABSENT

    @property
    def key_and_lock(self) -> tuple[str, str]:
        """The names of the fields for key and lock, which depend on the age of the file."""
        return ("pin", "key") if self.lock is _ABSENT else ("key", "lock")


Corner = tuple[float, float]


class Run(NamedTuple):
    """Frames in a row that are alike but for the corners of agent and key, or for the barrier.

    The corners ``agents[i]`` and ``keys[i]``, or ``barriers[i]``, are seen in ``counts[i]`` frames
    in a row. What is None stays as it is in ``frame``, the first of the run.
    """

    frame: Frame
    counts: list[int]
    agents: list[Corner] | None = None
    keys: list[Corner] | None = None
    barriers: list[Barrier] | None = None


decode = msgspec.json.Decoder(list[list[Frame]]).decode


def decode_runs(data: bytes) -> list[list[Run]]:
    """Decode a whole document; this is the one place that says what is wrong with it."""
    return [[_alike(list(same)) for _, same in groupby(trial)] for trial in _decoded(data)]


def _alike(frames: list[Frame]) -> Run:
    return Run(frames[0], [len(frames)])


def _decoded(data: bytes) -> list[list[Frame]]:
    try:
        return decode(data)
    except RecursionError:
        raise BadInput("the lists in the file are nested too deeply", hint=SHAPE) from None
    except msgspec.ValidationError as error:
        raise BadInput(problem(error), hint=SHAPE, place=place_in_message(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise malformed(data, error, hint=SHAPE) from None
