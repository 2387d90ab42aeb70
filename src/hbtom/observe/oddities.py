"""Warnings about odd behaviour of other agents, doors and moving objects in a valid trial."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from hbtom.observe.contact import gap_to_panel, in_room, moving
from hbtom.observe.social_events import doors_moved, objects_moved
from hbtom.observe.trial import Trial

DEEP = 5.0  # least overlap between agent and door that counts, in pixels; less may be noise
EDGE = 20.0  # pixels from the edge of the room where an agent may leave or come in

FAR = 0.25  # of the world; an agent that gets farther in one frame has jumped
CROWD = 32  # most other agents and panels that are looked at; real scenes have four


When = Callable[[int], str]  # names a frame for people: "frame 3", or "step 12" in a scene


def jumps(trial: Trial) -> Iterator[str]:
    """Warn about steps that are too long for one frame, which suggest that the tracker slipped."""
    far = np.linalg.norm(np.diff(trial.path, axis=0), axis=1) > FAR * max(trial.size)
    if far.any():
        often = f"{far.sum()} times, first " if far.sum() > 1 else ""
        jump = f"the agent jumps far {often}at frame {int(far.argmax()) + 2}"
        yield f"{jump}; did the tracker slip, or does another trial begin there?"


def oddities(trial: Trial, when: When) -> Iterator[str]:
    """Yield a warning for each thing that seems wrong; crowded trials are skipped."""
    if (not trial.others and trial.object_paths is None) or len(trial.others) > CROWD:
        return
    yield from _overlaps(trial, when)
    yield from _moved_by_nobody(trial, when)
    yield from _vanishing(trial, when)


def _overlaps(trial: Trial, when: When) -> Iterator[str]:
    for door in (panel for panel in trial.panels if panel.kind == "door"):
        for number, actor in enumerate(trial.actors):
            deep = (gap_to_panel(actor.path, actor.radius, door) < -DEEP) & trial.there(number)
            if deep.any():
                yield f"a door overlaps {actor.look} at {when(int(deep.argmax()))}"


def _moved_by_nobody(trial: Trial, when: When) -> Iterator[str]:
    for moved in (*doors_moved(trial), *objects_moved(trial)):
        if moved.actor is None:
            what = "a door" if moved.target == "panel" else str(trial.objects[moved.index].look)
            yield f"{what} moves at {when(moved.first + 1)}, but nobody is there to move it"


def _vanishing(trial: Trial, when: When) -> Iterator[str]:
    """Warn about agents that vanish between two frames while walking in the middle of the room."""
    left, top, right, bottom = trial.room
    for number, actor in enumerate(trial.actors):
        there = in_room(trial, actor.path) & trial.there(number)
        walks = moving(actor.path)
        x, y = actor.path.T
        amid = (x > left + EDGE) & (x < right - EDGE) & (y > top + EDGE) & (y < bottom - EDGE)
        recent = walks | np.append(False, walks[:-1])  # a scene holds still for half a step
        gone = np.flatnonzero(there[:-1] & ~there[1:] & amid[:-1] & recent[:-1])
        if len(gone):
            yield f"{actor.look} vanishes in mid-walk at {when(int(gone[0]) + 1)}"
