"""Trials as arrays: what is there, where it is in each frame, and what the agent does.

A trial is seen in steps of ten frames. In the benchmark, the agent rests in the first 30 and the
last 83 frames of a trial; these are left out. Of a trial with at most 113 frames, the same shares
are left out, 30/114 at the beginning and 83/114 at the end. Steps begin at the first remaining
frame, ten frames apart, and the last one may be shorter. A trial of ``n`` steps has ``n + 1``
frames: step ``i`` leads from frame ``i`` to frame ``i + 1``.

The first thing of every trial is the agent. Then come other agents, the key, the lock and the
objects, which are round, and then boxes: the home, the blocks of the barrier, and the walls. Doors,
boards and paddles are left out. All lengths are shares of the world's width or height.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, NamedTuple, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput
from hbtom.neural.disjoint_boxes import Pieces, cut
from hbtom.observe import Episode, Identity, Trial

STEP = 10  # frames
REST = 30, 83  # frames at the beginning and at the end
FASTEST = 2.0  # pixels in a frame, along either axis
WORLD = 200.0  # pixels of the benchmark's world, in which actions are measured
AGENT, OTHER, KEY, LOCK, OBJECT, HOME, BARRIER, WALL = range(1, 9)  # kinds of things; 0 is none
KIND, WIDTH, HEIGHT, SHAPE = 0, 1, 2, 6  # fields of a thing
COLOUR = slice(3, 6)
THERE = 2  # of a place, after x and y
SHAPES = 64  # number of different outlines

T = TypeVar("T", bound=np.generic)
Fill = Literal["constant", "edge"]
Numbers = NDArray[np.float32]
Pictures = NDArray[np.uint8]
Things = Annotated[Numbers, "trial thing 7"]  # kind, width, height, red, green, blue, shape
Places = Annotated[Numbers, "trial frame thing 3"]  # x, y, and 1 where the thing is present

_HOME = Identity("home", (255, 105, 180))
_BARRIER = Identity("barrier", (79, 157, 105))
_WALL = Identity("wall", (0, 0, 0))
_Group = tuple[Annotated[Floats, "thing 7"], Annotated[Floats, "frame thing 2"]]


class Tensors(NamedTuple):
    """Trials as arrays; several episodes have an axis of episodes before all others.

    Short arrays are padded: ``actions`` with zeros, ``places`` with the last frame, and ``things``
    with zeros.
    """

    things: Annotated[Numbers, "trial thing 7"]
    places: Annotated[Numbers, "trial frame thing 3"]
    actions: Annotated[Numbers, "trial step 2"]  # mean displacement per frame, within -1 and 1
    steps: Annotated[Ints, "trial"]  # number of steps
    frames: Annotated[Pictures, "trial frame 84 84 3"] | None = None  # if pictures were drawn


def to_tensors(episode: Episode) -> Tensors:
    """Return all trials of an episode as arrays."""
    seen: list[Tensors] = []
    known: dict[bytes, Pieces] = {}  # most trials of an episode have the same walls
    for number, trial in enumerate(episode, start=1):
        try:
            seen.append(_seen(trial, known))
        except BadInput as error:
            raise error.at(file=episode.name, trial=number) from None
    return stacked(seen)


def stacked(parts: Sequence[Tensors]) -> Tensors:
    """Stack arrays of different lengths along a new first axis."""
    things, places, actions, steps, frames = zip(*parts, strict=True)
    many = max(one.shape[-2] for one in things)
    longest = max(one.shape[-2] for one in actions)
    return Tensors(
        np.stack([_padded(one, -2, many) for one in things]),
        np.stack([_padded(_padded(one, -3, longest + 1, "edge"), -2, many) for one in places]),
        np.stack([_padded(one, -2, longest) for one in actions]),
        np.stack(steps),
        None
        if frames[0] is None
        else np.stack([_padded(one, -4, longest + 1, "edge") for one in frames]),
    )


def _padded(array: NDArray[T], axis: int, length: int, mode: Fill = "constant") -> NDArray[T]:
    lacking = length - array.shape[axis]
    if not lacking:
        return array
    width = [(0, 0)] * array.ndim
    width[axis] = 0, lacking
    return np.pad(array, width, mode=mode)


def step_frames(count: int) -> Annotated[Ints, "frame"]:
    """Return the frames at which steps begin, and the one at which the last step ends."""
    shortest = sum(REST) + 1
    early, late = (one * min(count, shortest) // shortest for one in REST)
    last = max(count - 1 - late, early)
    return np.append(np.arange(early, max(last, early + 1), STEP), last)


def _seen(trial: Trial, known: dict[bytes, Pieces]) -> Tensors:
    """Return one trial as arrays, without the axis of trials."""
    frames, size = step_frames(len(trial.path)), np.array(trial.size)
    path = trial.whole_path[frames]
    if np.isnan(path).any():
        raise BadInput("the agent is never seen", hint="leave the episode out")
    groups = _round_things(trial, frames), _home(trial, frames), *_boxes(trial, frames, known)
    looks, paths = zip(*groups, strict=True)
    things = np.concatenate(looks, dtype=np.float32)
    things[:, [WIDTH, HEIGHT]] /= size
    at = np.concatenate(paths, axis=1) / size
    there = ~np.isnan(at[..., :1])
    places = np.concatenate([np.where(there, at, 0), there], axis=-1, dtype=np.float32)
    moved = np.diff(path * (WORLD / size), axis=0) / np.maximum(np.diff(frames), 1)[:, None]
    actions = np.clip(moved / FASTEST, -1, 1).astype(np.float32)
    return Tensors(things, places, actions, np.array(len(frames) - 1))


def _round_things(trial: Trial, frames: Ints) -> _Group:
    """Return the agent, other agents, key, lock and objects; NaN where one is absent."""
    agent, still = trial.whole_path[frames], np.ones((len(frames), 1), dtype=bool)
    if trial.agent_there is not None:
        agent = np.where(trial.agent_there[frames, None], agent, np.nan)
    things = [(AGENT, trial.agent.look, trial.agent.radius, agent)]
    things += [(OTHER, one.look, one.radius, one.path[frames]) for one in trial.actors[1:]]
    if (key := trial.key) is not None:
        at = trial.key_path
        path = np.where(still, key.centre, np.nan) if at is None else at[frames]
        things.append((KEY, key.look, key.radius, path))
    if (lock := trial.lock) is not None:
        there = still if trial.lock_there is None else trial.lock_there[frames, None]
        things.append((LOCK, lock.look, lock.radius, np.where(there, lock.centre, np.nan)))
    objects_at = trial.objects_at[frames]
    for index, one in enumerate(trial.objects):
        things.append((OBJECT, one.look, one.radius, objects_at[:, index]))
    looks = [_fields(kind, (2 * r, 2 * r), look) for kind, look, r, _ in things]
    return np.array(looks), np.stack([path for *_, path in things], axis=1)


def _fields(kind: int, size: tuple[float, float], look: Identity) -> tuple[float, ...]:
    red, green, blue = (*look.colour[:3], *(128.0,) * 3)[:3]
    name = look.image.replace("\\", "/").rpartition("/")[2]
    return kind, *size, red / 255, green / 255, blue / 255, crc32(name.encode()) % SHAPES


def _home(trial: Trial, frames: Ints) -> _Group:
    """Return the home, which is where the agent starts."""
    side = 2 * trial.agent.radius
    return np.array([_fields(HOME, (side, side), _HOME)]), np.tile(
        trial.agent.centre, (len(frames), 1, 1)
    )


def _boxes(trial: Trial, frames: Ints, known: dict[bytes, Pieces]) -> Iterator[_Group]:
    """Yield the barrier and the walls as a few boxes that do not overlap."""
    walls_there = np.ones((1, len(trial.walls)), dtype=bool)
    if trial.walls_there is not None:
        walls_there = trial.walls_there[frames]
    for kind, look, boxes, there in (
        (BARRIER, _BARRIER, trial.barrier, _standing(trial, frames)),
        (WALL, _WALL, trial.walls, walls_there),
    ):
        if not len(boxes):
            continue
        there = there[:1] if (there == there[0]).all() else there
        what = boxes.tobytes() + there.tobytes()
        if what not in known:
            known[what] = cut(boxes, there)
        pieces, when = known[what]
        fields = np.tile(_fields(kind, (0, 0), look), (len(pieces), 1))
        fields[:, [WIDTH, HEIGHT]] = pieces[:, 2:]
        middles = np.where(when[..., None], pieces[:, :2] + pieces[:, 2:] / 2, np.nan)
        yield fields, np.broadcast_to(middles, (len(frames), len(pieces), 2))


def _standing(trial: Trial, frames: Ints) -> Annotated[Bools, "frame block"]:
    """Return which blocks of the barrier stand; those nearest to the lock or agent go first."""
    middles = trial.barrier[:, :2] + trial.barrier[:, 2:] / 2
    lock = trial.agent.centre if trial.lock is None else trial.lock.centre
    far_first = np.argsort(-np.hypot(*(middles - lock).T), kind="stable")
    areas = trial.barrier[far_first, 2:].prod(axis=1)
    standing = np.empty((len(frames), len(middles)), dtype=bool)
    left = trial.barrier_left[frames, None] * areas.sum()
    standing[:, far_first] = areas.cumsum() <= left + 1e-6
    return standing
