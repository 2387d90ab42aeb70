"""The agent's course: its last bout of motion, in the world as it is when the agent sets off.

While the agent rests, others may gesture, move doors or carry things. If the world changes during a
rest, a new bout begins afterwards. Only the last bout shows what the agent wants now. The course
ends where the agent first touches an object.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, frozen
from hbtom.observe.bodies import Body, Panel, PanelKind
from hbtom.observe.contact import gaps, in_room, moving, stretches
from hbtom.observe.trial import Trial
from hbtom.world.modes import START
from hbtom.world.trajectory import MOVE, Trajectory

REST = 4  # still frames; a shorter pause is not a rest
UPRIGHT = 1.0  # degrees; a panel turned by less is a single box

Box = tuple[float, float, float, float]


def last_onset(trial: Trial) -> int:
    """Return the frame in which the agent sets off on its last bout: the last frame at rest.

    An agent that enters sets off after its first rest in the room, or at once if it does not rest.
    If there is a key, a lock or a barrier, everything it does in the room is one bout.
    """
    path = trial.whole_path
    stays = stretches(in_room(trial, path) & trial.there(0))
    start = stays[-1][0] if stays else 0
    if trial.key is not None or trial.lock is not None or len(trial.barrier):
        return start
    arrives = start > 0
    steps = np.flatnonzero(moving(path))
    steps, world = steps[steps > start], _changing(trial)
    for before, after in zip([start, *steps[:-1].tolist()], steps.tolist(), strict=False):
        if after - before > REST and (arrives or world[before + 1 : after].any()):
            start, arrives = after - 1, False
    return start


def _changing(trial: Trial) -> Annotated[Bools, "frame"]:
    """Return whether another agent, a door or an object moves, for each frame."""
    paths = [one.path for one in trial.actors[1:]]
    paths += [one.path for one in trial.panels if one.kind == "door"]
    if trial.object_paths is not None:
        paths += list(np.moveaxis(trial.object_paths, 1, 0))
    found = np.zeros(len(trial.path), dtype=np.bool_)
    for path in paths:
        found |= moving(path)
    return found


def course(trial: Trial, first: int, things: Sequence[Body], objects: tuple[Body, ...]) -> Trial:
    """Return the trial from a frame until the agent touches one of the things.

    ``things`` are objects at their actual places. ``objects`` are all objects that the agent may be
    heading for. Only the agent moves in the course.
    """
    trial = _past_others(trial)
    path = trial.whole_path[first:]
    last = _first_touch(path, trial.agent.radius, things)
    end = len(trial.path) if last is None else first + last + 1
    return still_world(trial, slice(first, end), objects)


def _past_others(trial: Trial) -> Trial:
    """Return a trial in which the agent passes other agents without being shifted.

    Some scenes shift an agent aside for a step when it touches another agent in passing. Its path
    becomes a straight line from the frame before to the frame after.
    """
    touched, last = np.zeros(len(trial.path), dtype=np.bool_), len(trial.path) - 1
    for target, _, gap in gaps(trial, 0):
        if target == "actor":
            for first, end in stretches(gap <= 0):
                if first > 1 and end + 2 < last:
                    touched[first - 1 : end + 2] = True
    if not touched.any():
        return trial
    frames, kept = np.arange(len(touched)), np.flatnonzero(~touched)
    path = trial.whole_path
    straight = np.stack([np.interp(frames, kept, ordinate[kept]) for ordinate in path.T], axis=1)
    return replace(trial, path=straight)


def still_world(trial: Trial, span: slice, objects: tuple[Body, ...]) -> Trial:
    """Return a span of frames with the given objects, in a world where only the agent moves."""
    path = frozen(trial.whole_path[span])
    x, y = path[0].tolist()
    there = trial.walls_there
    return replace(
        trial,
        walls=trial.walls if there is None else trial.walls[there[span][0]],
        objects=objects,
        agent=replace(trial.agent, centre=(x, y)),
        path=path,
        barrier_left=trial.barrier_left[span],
        key_path=None if trial.key_path is None else trial.key_path[span],
        lock_there=None if trial.lock_there is None else trial.lock_there[span],
        others=(),
        walls_there=None,
        object_paths=None,
        agent_there=None,
        still=False,
    )


def _first_touch(
    path: Annotated[Floats, "frame 2"], radius: float, things: Sequence[Body]
) -> int | None:
    """Return the first frame in which the agent touches a thing that it did not touch at first."""
    found = []
    for thing in things:
        near = np.hypot(*(path - thing.centre).T) <= radius + thing.radius
        if near.any() and not near[0]:
            found.append(int(near.argmax()))
    return min(found, default=None)


def walled(trial: Trial, boxes: Iterable[Box]) -> Trial:
    """Return a trial with more walls."""
    more = np.array([*boxes], dtype=np.float64).reshape(-1, 4)
    return replace(trial, walls=np.concatenate([trial.walls, more])) if len(more) else trial


def panel_boxes(trial: Trial, kind: PanelKind, frame: int) -> list[Box]:
    """Return the panels of a kind as boxes that agents walk around, as they stand in a frame."""
    return [box for one in trial.panels if one.kind == kind for box in _boxes(trial, one, frame)]


def _boxes(trial: Trial, panel: Panel, frame: int) -> list[Box]:
    """Return one box for an upright panel, and a row of squares for one that is turned."""
    (x, y), (width, height), turn = panel.path[frame].tolist(), panel.size, panel.angle[frame]
    if not (0 < x < trial.size[0] and 0 < y < trial.size[1]):  # absent, or parked off stage
        return []
    if min(turn % 90, 90 - turn % 90) < UPRIGHT:
        width, height = (width, height) if round(turn / 90) % 2 == 0 else (height, width)
        return [(x - width / 2, y - height / 2, width, height)]
    along = math.radians(turn if width > height else turn + 90)
    side, length = min(width, height), max(width, height)
    many = max(2, math.ceil(length / side) + 1)
    places = np.linspace(-(length - side) / 2, (length - side) / 2, many)
    across, down = x + places * math.cos(along), y + places * math.sin(along)
    return [(a - side / 2, d - side / 2, side, side) for a, d in zip(across, down, strict=True)]


def with_onset(steps: Trajectory, frame: int) -> Trajectory:
    """Return the steps, preceded by the onset of motion: a move of length 0 in the given frame."""
    numbers = {"frame": frame, "act": MOVE, "thing": -1, "mode": START, "exit": -1}
    places = dict.fromkeys(("start", "stop"), steps.first)
    first: dict[str, object] = {**numbers, **places}
    return steps._replace(
        **{name: np.concatenate([[one], getattr(steps, name)]) for name, one in first.items()}
    )
