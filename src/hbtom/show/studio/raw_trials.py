"""Trials as in files: frames with all their fields, including those that hbtom does not know.

Frames are never changed in place. Equal frames in a row are one object, so that a
change to a trial costs little.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from hbtom.bench.synth.geometry import CELL, WORLD
from hbtom.bench.synth.layouts import wall_list
from hbtom.bench.synth.motion import STILL_FRAMES, TRAILING_FRAMES
from hbtom.bench.synth.sprites import AGENT_R, HOME
from hbtom.observe import Identity
from hbtom.observe.formats import read, unpack
from hbtom.observe.writing import write

Frame = dict[str, Any]
Frames = tuple[Frame, ...]
Place = tuple[float, float]
Thing = list[Any]  # the corner of its bounding square, its radius, image and colour

AGENT = Identity("./shapes/train/agents/acorn.png", (0, 0, 128))
START = 50, 100  # where the agent of an empty scene stands


def opened(data: bytes, name: str) -> list[Frames]:
    """Return the trials of a file in any format; those of the benchmark unchanged."""
    episode = read(data, name)  # raises an error if the file is bad
    plain = unpack(data).removeprefix(b"\xef\xbb\xbf").lstrip()
    trials = json.loads(plain if plain.startswith(b"[") else write(episode))
    return [shared(trial) for trial in trials]


def shared(frames: Sequence[Frame]) -> Frames:
    """Return frames such that equal frames in a row are one object."""
    found: list[Frame] = []
    for frame in frames:
        found.append(found[-1] if found and found[-1] == frame else frame)
    return tuple(found)


def empty_trial() -> Frames:
    """Return a room with an agent that stands still."""
    agent = moved([[0, 0], AGENT_R, AGENT.image, list(AGENT.colour)], START)
    frame: Frame = {
        "size": [WORLD, WORLD],
        "walls": [[[x, y], [CELL, CELL]] for x, y in wall_list(())],
        "fuse_walls": [],
        "pin": [],
        "key": [],
        "objects": [],
        "blocking": [],
        "home": moved([[0, 0], AGENT_R, HOME.image, list(HOME.colour)], START),
        "agent": agent,
    }
    return (frame,) * (STILL_FRAMES + TRAILING_FRAMES)


def each(frames: Frames, change: Callable[[Frame], Frame]) -> Frames:
    """Return all frames changed; frames that were one object stay one."""
    done: dict[int, Frame] = {}
    for frame in frames:
        if id(frame) not in done:
            done[id(frame)] = change(frame)
    return tuple(done[id(frame)] for frame in frames)


def tool_fields(frame: Frame) -> tuple[str, str]:
    """Return the names of the fields of key and lock, which differ between old and new files."""
    return ("key", "lock") if "lock" in frame else ("pin", "key")


def thing_in(value: Sequence[Any]) -> Thing | None:
    """Return the thing in a field, which may be wrapped in a list, or absent."""
    return None if not value else list(value[0]) if len(value) == 1 else list(value)


def in_field(value: Sequence[Any], thing: Thing) -> list[Any]:
    """Return a thing wrapped like the old value."""
    return [thing] if len(value) == 1 else thing


def centre_of(thing: Thing) -> Place:
    (x, y), radius = thing[0], thing[1]
    return x + radius, y + radius


def moved(thing: Thing, place: Sequence[float]) -> Thing:
    """Return a thing with its centre elsewhere."""
    corner = [whole(one - thing[1]) for one in place[:2]]
    return [corner, *thing[1:]]


def whole(value: float) -> float:
    """Return a number of pixels with few digits; whole numbers as integers."""
    rounded = round(float(value), 6)
    return int(rounded) if rounded == int(rounded) else rounded


def agent_in(frames: Frames) -> Thing:
    """Return the agent where it is first seen."""
    found = (thing_in(frame["agent"]) for frame in frames)
    return next(agent for agent in found if agent is not None)
