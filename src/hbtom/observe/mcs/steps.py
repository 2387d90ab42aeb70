"""From frames to steps: what a scene keeps of a trial.

While anything moves, every second frame is kept; while nothing moves, only a few are. Paths and
speeds thus survive, but waiting times do not. While a barrier vanishes, one frame in five is kept,
and a few still steps follow. If a trial ends at an object, the steps at which the agent would
overlap it are replaced by one at which outlines just meet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.observe.episode import Trial
from hbtom.observe.mcs.pace import BURNING, FRAMES, discs, last_apart

START = 3  # still steps at the beginning, at most
PAUSE = 2  # still steps anywhere else, at most, including those in contact at the end
BURNT = 5  # still steps after a barrier has vanished


@dataclass(frozen=True, eq=False)
class SceneSteps:
    """The frames that are kept, one per step, and the agent's position at each."""

    frames: Annotated[Ints, "step"]
    path: Annotated[Floats, "step 2"]

    def __len__(self) -> int:
        return len(self.frames)


def steps_of(trial: Trial) -> SceneSteps:
    """Return the steps of a trial."""
    return _met(trial, np.array(list(_kept(trial))))


def _kept(trial: Trial) -> Iterator[int]:
    """Yield the frames that are kept, in order; after a barrier has vanished, some repeatedly."""
    changed, burning = _changed(trial), _burning(trial)
    last = len(changed) - 1
    for (burns, moves), run in groupby(range(last + 1), lambda at: (burning[at], changed[at])):
        frames = list(run)
        if burns:
            yield from frames[::BURNING]
            if frames[-1] == last or not burning[frames[-1] + 1]:
                yield from [frames[-1]] * (1 + BURNT)
        elif moves:
            yield from frames[::FRAMES]
            if frames[-1] == last and len(frames) % FRAMES == 0:
                yield last
        else:
            yield from frames[: PAUSE if frames[0] else START]


def _changed(trial: Trial) -> Annotated[Bools, "frame"]:
    """Return in which frames anything has moved since the frame before."""
    moving = [trial.whole_path, *(one.path for one in trial.others)]
    moving += [one.angle[:, None] for one in trial.others]
    moving += [] if trial.key_path is None else [trial.key_path]
    moving += [] if trial.lock_there is None else [trial.lock_there[:, None].astype(float)]
    values = np.nan_to_num(np.concatenate(moving, axis=1), nan=-1e9)
    return np.append(False, (values[1:] != values[:-1]).any(axis=1))


def _burning(trial: Trial) -> Annotated[Bools, "frame"]:
    """Return in which frames the barrier is vanishing, from the first with less of it."""
    left = trial.barrier_left
    less = np.flatnonzero(left != left[0])
    burning = np.zeros(len(left), dtype=bool)
    if len(less):
        gone = np.flatnonzero(left == left[-1])[0]
        burning[less[0] : max(gone, less[0]) + 1] = True
    return burning


def _met(trial: Trial, frames: Annotated[Ints, "step"]) -> SceneSteps:
    """Return the steps with an end where outlines meet, if the agent has gone to an object."""
    path = trial.whole_path[frames]
    found = last_apart(path, trial.agent.radius, discs(trial.objects), 0.0)
    if found is None:
        return SceneSteps(frames, path)
    last, (centre, size) = found
    first = last + 1
    stays = frames[first:][-(1 + PAUSE) :]
    out = next(way for way in path[::-1] - centre if way.any())
    meeting = centre + out * ((trial.agent.radius + size) / np.hypot(*out))  # nearest to the end
    return SceneSteps(
        np.concatenate([frames[:first], stays]),
        np.concatenate([path[:first], np.tile(meeting, (len(stays), 1))]),
    )
