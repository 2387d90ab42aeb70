"""From the steps of a scene to frames, and back.

A step is two frames of the benchmark, but more while a barrier vanishes. Positions between two
steps are interpolated. At most one piece of a barrier vanishes per frame, so that a barrier
changes in as many frames as in the benchmark. Still steps give still frames, which mean nothing.

The touch at the end of a trial is evidence, but the last step before it is not. Scenes are made
from episodes of the benchmark such that shapes do not overlap: steps at which the agent would
overlap what it touches are left out, and the step before them is moved by up to eight pixels until
outlines just meet. The reader therefore replaces all steps in contact by one: straight from the
last unaltered step to where agent and thing touch.

On the way back, every second frame is kept while anything moves, and only a few while nothing
moves. Paths and speeds thus survive, but waiting times do not. While a barrier vanishes, one frame
in five is kept, and a few still steps follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, frozen
from hbtom.observe.bodies import Body
from hbtom.observe.trial import Trial

FRAMES = 2  # per step
BURNING = 5  # most frames per step while a barrier vanishes
JUMP = 12.0  # most pixels per step of something that moves; anything more is a jump
NEARLY = 3.0  # largest gap between outlines that touch, in pixels; real scenes leave up to 1.4
_INSIDE = 0.01  # pixels of overlap, so that rounding does not undo a touch

Disc = tuple[Annotated[Floats, "2"], float]  # centre and radius of a thing that can be touched
StepPath = Annotated[Floats, "step 2"]
START = 3  # most still steps at the beginning
PAUSE = 2  # most still steps anywhere else, including those in contact at the end
BURNT = 5  # still steps after a barrier has vanished


@dataclass(frozen=True, eq=False)
class FrameSteps:
    """The step that each frame shows, and how much of the way to the next step is covered."""

    step: Annotated[Ints, "frame"]
    share: Annotated[Floats, "frame"]


def pace(vanishing: Annotated[Ints, "step"]) -> FrameSteps:
    """Return the frames of a trial, given how many pieces of a barrier vanish after each step."""
    frames = np.clip(vanishing[:-1], FRAMES, BURNING)
    step = np.arange(len(frames)).repeat(frames)
    first = (np.cumsum(frames) - frames).repeat(frames)
    share = (np.arange(len(step)) - first) / frames.repeat(frames)
    return FrameSteps(np.append(step, len(frames)), np.append(share, 0.0))


def along(
    at: FrameSteps, values: Annotated[Floats, "step value"]
) -> Annotated[Floats, "frame value"]:
    """Return the values in each frame, given those at each step; jumps are not interpolated."""
    moved = np.diff(values, axis=0, append=values[-1:])
    moved[~(np.hypot.reduce(moved, axis=1) <= JUMP)] = 0.0  # also if either is NaN
    return frozen(values[at.step] + at.share[:, None] * moved[at.step])


def turning(at: FrameSteps, angle: Annotated[Floats, "step"]) -> Annotated[Floats, "frame"]:
    """Return the angle in each frame, given that at each step; turn the shorter way."""
    turned = (np.diff(angle, append=angle[-1:]) + 180.0) % 360.0 - 180.0
    turned[~(np.abs(turned) <= JUMP)] = 0.0  # also if either is NaN
    return frozen((angle[at.step] + at.share * turned[at.step]) % 360.0)


def shrinking(
    at: FrameSteps, left: Annotated[Floats, "step"], vanishing: Annotated[Ints, "step"]
) -> Annotated[Floats, "frame"]:
    """Return how much of a barrier is left in each frame; pieces vanish one at a time."""
    lost = np.diff(left, append=left[-1:])
    lost[vanishing < FRAMES] = 0.0
    return frozen(left[at.step] + at.share * lost[at.step])


def discs(bodies: Iterable[Body]) -> list[Disc]:
    """Return bodies as things that can be touched."""
    return [(np.array(body.centre), body.radius) for body in bodies]


def settled(path: StepPath, radius: float, things: Sequence[Disc]) -> StepPath:
    """Return a path whose end, if it touches anything, is replaced by a straight line to it."""
    found = last_apart(path, radius, things, NEARLY)
    if found is None:
        return path
    last, (centre, size) = found
    way = centre - path[last]
    far = float(np.hypot(*way))
    contact = path[last] + way * ((far - radius - size + _INSIDE) / far)
    return np.concatenate([path[: last + 1], np.tile(contact, (len(path) - last - 1, 1))])


def last_apart(
    path: StepPath, radius: float, things: Sequence[Disc], near: float
) -> tuple[int, Disc] | None:
    """Return the last step before a path touches the thing at its end, and that thing.

    Return None if it does not end at a thing or touches it from the beginning. A gap of up to
    ``near`` between outlines counts as a touch.
    """
    touched = min(things, key=lambda thing: _gap(path[-1:], radius, thing)[0], default=None)
    if touched is None:
        return None
    apart = np.flatnonzero(_gap(path, radius, touched) > near)
    if not len(apart) or apart[-1] == len(path) - 1:
        return None
    return int(apart[-1]), touched


def _gap(path: StepPath, radius: float, thing: Disc) -> Annotated[Floats, "step"]:
    centre, size = thing
    return np.hypot(*(path - centre).T) - radius - size


@dataclass(frozen=True, eq=False)
class SceneSteps:
    """The frames that are kept, one per step, and the agent's position at each."""

    frames: Annotated[Ints, "step"]
    path: StepPath

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
    moving += [] if trial.object_paths is None else [trial.object_paths.reshape(len(moving[0]), -1)]
    truths = (trial.lock_there, trial.agent_there, trial.walls_there)
    moving += [one.reshape(len(one), -1).astype(float) for one in truths if one is not None]
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
    """Return the steps; if the agent has gone to an object, end where outlines meet."""
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
