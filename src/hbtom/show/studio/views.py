"""A trial as the page draws it, in the form of the viewer's trials."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hbtom.errors import BadInput
from hbtom.observe import Identity, Trial, read
from hbtom.observe.frames import EXTENSIONS
from hbtom.show.page.company_values import other_values
from hbtom.show.page.plain_values import Plain, changes, look_of
from hbtom.show.studio.raw_trials import (
    Frames,
    Place,
    Thing,
    agent_in,
    centre_of,
    thing_in,
    tool_fields,
)
from hbtom.show.studio.stepping import agent_places, points_of

GONE = math.nan, math.nan


def view(frames: Frames) -> Plain:
    """Return a trial as the page draws it."""
    first = frames[0]
    key, lock = (thing_in(first.get(name, ())) for name in tool_fields(first))
    barrier = [len(frame.get("fuse_walls", ())) for frame in frames]
    tools = [tool_fields(frame) for frame in frames]
    keys = [thing_in(f.get(name, ())) for f, (name, _) in zip(frames, tools, strict=True)]
    locks = [bool(f.get(name)) for f, (_, name) in zip(frames, tools, strict=True)]
    return {
        "frames": len(frames),
        "size": first["size"],
        "walls": _boxes(first["walls"]),
        "barrier": _boxes(first.get("fuse_walls", ())),
        "left": changes(np.array(barrier)[:, None] / max(1, barrier[0])),
        "agent": _drawn(agent_in(frames)),
        "path": changes(np.array([place or GONE for place in agent_places(frames)])),
        "objects": [_drawn(list(one)) for one in first["objects"]],
        "others": [],
        "key": key and {**_drawn(key), "path": changes(np.array([_centre(one) for one in keys]))},
        "lock": lock and {**_drawn(lock), "there": changes(np.array(locks)[:, None])},
        "moments": [],
        "points": points_of(frames),
    } | _company(frames)


def _company(frames: Frames) -> Plain:
    """Return others and moving or absent things as the page draws them; nothing without any."""
    trial = _in_company(frames)
    if trial is None:
        return {}
    found: Plain = {"others": [other_values(one, one.kind) for one in trial.others]}
    if trial.object_paths is not None:
        paths = map(changes, trial.object_paths.swapaxes(0, 1))
        keys = ((one.look, one.centre) for one in trial.objects)  # the reader sorts them
        known = dict(zip(keys, paths, strict=True))
        found["objects"] = [
            {**_drawn(one), "path": known[_look(one), centre_of(one)]}
            for one in map(list, frames[0]["objects"])
        ]
    if trial.walls_there is not None:
        found |= {
            "walls": trial.walls.tolist(),
            "standing": changes(trial.walls_there.astype(np.float64)),
        }
    if trial.agent_there is not None:
        found["there"] = changes(trial.agent_there[:, None].astype(np.float64))
    return found


def _in_company(frames: Frames) -> Trial | None:
    """Return the trial if its frames have such fields and it can already be read."""
    if not any(name in frame for frame in frames for name in EXTENSIONS):
        return None
    try:
        return read(json.dumps([frames]).encode())[0]
    except BadInput:  # judging reports the error
        return None


def _centre(thing: Thing | None) -> Place:
    return GONE if thing is None else centre_of(thing)


def _boxes(blocks: Sequence[Any]) -> list[list[float]]:
    return [[*corner, *extent] for corner, extent in blocks]


def _drawn(thing: Thing) -> Plain:
    x, y = centre_of(thing)
    return {"x": x, "y": y, "r": thing[1], "image": thing[2], **look_of(_look(thing))}


def _look(thing: Thing) -> Identity:
    return Identity(thing[2], tuple(thing[3]) if len(thing) > 3 else ())
