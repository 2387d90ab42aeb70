"""Frames one by one, as a camera, a robot or a game produces them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hbtom.errors import BadInput, Place
from hbtom.observe.events import without_gaps
from hbtom.observe.trial import Trial


class Frame(NamedTuple):
    """What is seen in one frame; everything else in the scene stays the same."""

    agent: tuple[float, float] | None  # its centre in pixels; None if it is not seen
    key_lies: bool = True  # in its first place; otherwise it is carried or gone
    barrier_left: float = 1.0  # share of the barrier that stands, from 1 to 0
    lock_there: bool = True


def frames_of(trial: Trial) -> Iterator[Frame]:
    """Yield the frames of a recorded trial, for an observer that watches it live."""
    for number, (x, y) in enumerate(trial.path.tolist()):
        lies = trial.key_path is None or bool((trial.key_path[number] == trial.key_path[0]).all())
        lock = trial.lock_there is None or bool(trial.lock_there[number])
        away = trial.agent_there is not None and not trial.agent_there[number]
        place = None if away or math.isnan(x) else (x, y)
        yield Frame(place, lies, float(trial.barrier_left[number]), lock)


def recorded(scene: Trial, frames: Sequence[Frame]) -> Trial:
    """Return the trial that frames form in a scene.

    A key that does not lie in its place is gone. An agent that has never been seen is where the
    scene has it.
    """
    away = (math.nan, math.nan)
    path = np.array([one.agent or away for one in frames], dtype=np.float64)
    x, y = without_gaps(path)[0].tolist()
    agent = scene.agent if math.isnan(x) else replace(scene.agent, centre=(x, y))
    if math.isnan(x):
        path[0] = agent.centre
    key_path = lock_there = None
    if scene.key is not None:
        centre = scene.key.centre
        key_path = np.array([centre if one.key_lies else away for one in frames])
    if scene.lock is not None:
        lock_there = np.array([one.lock_there for one in frames])
    left = np.array([one.barrier_left for one in frames], dtype=np.float64)
    return replace(
        scene,
        agent=agent,
        agent_there=None,
        path=path,
        barrier_left=left,
        key_path=key_path,
        lock_there=lock_there,
    )


def checked_frame(scene: Trial, given: Frame | Sequence[float] | None, number: int) -> Frame:
    """Return a frame; a pair of numbers is the agent's place, and anything else is refused."""
    where = Place(frame=number)
    frame = given if isinstance(given, Frame) else Frame(given)  # type: ignore[arg-type]
    hint = "give an hbtom.Frame, the agent's centre as (x, y) in pixels, or None if it is not seen"
    try:
        place = None if frame.agent is None else tuple(map(float, frame.agent))
        left = float(frame.barrier_left)
    except (TypeError, ValueError):
        raise BadInput(f"{given!r} is not a frame", hint=hint, place=where) from None
    if place is not None and len(place) != 2:
        raise BadInput(f"a place has 2 numbers, not {len(place)}", hint=hint, place=where)
    if place is not None and all(map(math.isnan, place)):
        place = None
    width, height = scene.size
    if place is not None and not (0 <= place[0] <= width and 0 <= place[1] <= height):
        problem = f"the agent is at ({place[0]:g}, {place[1]:g}), outside the world"
        problem += f" of {width:g} x {height:g} pixels"
        raise BadInput(problem, hint=hint, place=replace(where, field="agent"))
    if not 0 <= left <= 1:
        hint = "this is a share, from 0 to 1"
        where = replace(where, field="barrier_left")
        raise BadInput(f"{left:g} of the barrier is left", hint=hint, place=where)
    if number == 1 and scene.key is not None and not frame.key_lies:
        hint = "begin with a frame in which nobody has taken it"
        raise BadInput("the key is not in its place", hint=hint, place=where)
    return Frame(place, bool(frame.key_lies), left, bool(frame.lock_there))
