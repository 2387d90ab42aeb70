"""Make an episode from watched trials: identify the agent and the objects.

The agent is the thing that moves, or that looks like the thing that moves in other trials. The
square on which it starts is its home, which means nothing. Everything else is an object, except for
key and lock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import chain, count
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats, frozen
from hbtom.errors import BadInput, located
from hbtom.observe.bodies import Body, Identity
from hbtom.observe.checks import check_trial, more_than_one
from hbtom.observe.colour_names import colour_table, nearest_name
from hbtom.observe.episode import Episode
from hbtom.observe.mcs.pace import along, discs, pace, settled
from hbtom.observe.mcs.space import AGENT, KEY, LOCK, OBJECT
from hbtom.observe.trial import Trial
from hbtom.observe.video.camera import SIDE, Camera
from hbtom.observe.video.pictures import pictures
from hbtom.observe.video.solids import Stamp
from hbtom.observe.video.things import VideoThing, is_home, same_kind
from hbtom.observe.video.viewing import WatchedTrial, watch_trials

_MOVES = 4.0  # a thing moves if it is ever this far from its start, in pixels of the world
Looks = Mapping[VideoThing, Identity]
_COLOURS = colour_table(
    "black 000000, grey 808080, white FFFFFF, maroon 800000, red E11428, brown 8B4513, "
    "orange F08200, gold E1AA14, yellow FAE61E, wheat F5DEB3, olive 808000, green 008C00, "
    "lime 00FF00, slate 2F4F4F, teal 008080, cyan 00FFFF, sky blue 00BEFF, steel blue 4682B4, "
    "blue 1E1EFF, navy 000080, violet 7B68EE, purple 800080, magenta FF00FF, pink FF69B4, "
    "mauve C71585"
)


def read(data: bytes, name: str = "episode") -> Episode:
    """Read one episode from the bytes of a video."""
    with closing(pictures(data)) as shown:
        watched = watch_trials(shown)
    if not watched:
        raise BadInput("no trial is seen", hint="each picture of the video has a single colour")
    agents = [
        trial.scene.movable[index] for trial in watched if (index := _mover(trial)) is not None
    ]
    if not agents:
        raise BadInput("no agent is seen", hint="the agent is what moves, but nothing does")
    casts = [_cast(trial, agents) for trial in watched]
    looks = _looks(watched, casts)
    trials: list[Trial] = []
    for number, (trial, cast) in enumerate(zip(watched, casts, strict=True), start=1):
        with located(trial=number):
            trials.append(_trial(trial, cast, looks))
    return Episode(tuple(trials), name)


# Identities


class TrialRoles(NamedTuple):
    """The roles of the things that may move in a trial, by their indices."""

    agent: int | None
    objects: tuple[int, ...]
    keys: tuple[int, ...]


def _cast(trial: WatchedTrial, agents: Sequence[VideoThing]) -> TrialRoles:
    """Return the roles in a trial, given the agents of all trials in which something moves."""
    things = trial.scene.movable
    agent = _mover(trial)
    if agent is None:
        like = (i for i, one in enumerate(things) if any(same_kind(one, it) for it in agents))
        agent = next(like, None)
    others = [index for index in range(len(things)) if index != agent]
    camera = trial.scene.view.stage.camera
    objects, keys = ([i for i in others if things[i].role == role] for role in ("thing", "key"))
    if agent is not None:
        objects = [i for i in objects if not is_home(things[i], things[agent], camera)]
    return TrialRoles(agent, tuple(objects), tuple(keys))


def _mover(trial: WatchedTrial) -> int | None:
    """Return which thing other than the key goes farthest from its start, if any moves."""
    far = [
        float(np.hypot(*(trial.path(index) - thing.place).T).max())
        if thing.role == "thing"
        else 0.0
        for index, thing in enumerate(trial.scene.movable)
    ]
    return int(np.argmax(far)) if max(far, default=0.0) > _MOVES else None


def _looks(watched: Sequence[WatchedTrial], casts: Sequence[TrialRoles]) -> Looks:
    """Identify the agents and objects of all trials: things that look the same are the same."""
    looks: dict[VideoThing, Identity] = {}
    for trial, cast in zip(watched, casts, strict=True):
        things = trial.scene.movable
        roles = [(index, "object") for index in cast.objects]
        if cast.agent is not None:
            roles.append((cast.agent, "agent"))
        for index, role in roles:
            looks[things[index]] = _look(things[index], role, looks)
    return looks


def _look(thing: VideoThing, role: str, looks: Looks) -> Identity:
    """Return the identity of another thing that looks the same, or else a new one."""
    what = role if isinstance(thing.form, Stamp) else thing.form.name
    for other, look in looks.items():
        if what in look.image and same_kind(other, thing):
            return look
    colour, taken = _rounded(thing), {look.image for look in looks.values()}
    name = f"{nearest_name(colour, _COLOURS)} {what}"
    numbered = (f"{name} {number}" for number in count(2))
    return Identity(next(one for one in chain([name], numbered) if one not in taken), colour)


def _rounded(thing: VideoThing) -> tuple[float, ...]:
    return tuple(np.round(thing.colour).tolist())


# Trials


def _trial(watched: WatchedTrial, cast: TrialRoles, looks: Looks) -> Trial:
    """Return a trial in the benchmark's terms."""
    if cast.agent is None:
        hint = "nothing moves here, or looks like a thing that moves in other trials"
        raise BadInput("no agent is seen", hint=hint)
    scene, camera = watched.scene, watched.scene.view.stage.camera
    agent, lock = scene.movable[cast.agent], scene.lock
    radius = _radius(agent, camera, AGENT)
    objects = tuple(sorted(_object(watched, index, looks) for index in cast.objects))
    path, left = watched.path(cast.agent).clip(0.0, SIDE), watched.barrier_left
    if not camera.flat:
        path = _frames(path, radius, objects, plain=watched.plain)
        left = np.zeros(len(path))
    x, y = path[0].tolist()
    trial = Trial(
        size=(SIDE, SIDE),
        walls=scene.view.stage.blocks,
        barrier=scene.blocks,
        objects=objects,
        agent=Body(looks[agent], (x, y), radius),
        path=frozen(path),
        barrier_left=frozen(left),
        key=_still(scene.movable[cast.keys[0]], "key", KEY, camera) if cast.keys else None,
        key_path=_key_path(watched, cast.keys[0]) if cast.keys else None,
        lock=_still(lock, "lock", LOCK, camera) if lock else None,
        lock_there=watched.lock_there if lock else None,
        warnings=tuple(more_than_one("key", cast.keys)),
    )
    check_trial(trial)
    return trial


def _frames(
    path: Annotated[Floats, "picture 2"], radius: float, objects: Sequence[Body], *, plain: bool
) -> Annotated[Floats, "frame 2"]:
    """Return where the agent is in each frame of a scene with depth, as when reading scene files.

    A picture is a step. In all trials but the first, the picture of the first step is black; the
    agent stands still then. The last picture repeats the last step.
    """
    first, seen = path[:1], path[:-1] if len(path) > 1 else path
    steps = np.concatenate([first.repeat(int(plain), axis=0), seen])
    steps = settled(steps, radius, discs(objects))
    return along(pace(np.zeros(len(steps), dtype=np.int64)), steps)


def _object(trial: WatchedTrial, index: int, looks: Looks) -> Body:
    """Return an object at its position when most of it is visible."""
    thing = trial.scene.movable[index]
    best = max((sights[index] for sights in trial.sights), key=lambda sight: sight.count)
    x, y = best.place.clip(0.0, SIDE).tolist()
    return Body(looks[thing], (x, y), _radius(thing, trial.scene.view.stage.camera, OBJECT))


def _still(thing: VideoThing, name: str, usual: float, camera: Camera) -> Body:
    """Return a key or a lock at its first position."""
    x, y = thing.place.tolist()
    return Body(Identity(name, _rounded(thing)), (x, y), _radius(thing, camera, usual))


def _key_path(trial: WatchedTrial, index: int) -> Annotated[Floats, "picture 2"]:
    """Return where the key is in each picture; NaN once it is gone."""
    path, seen = trial.path(index), np.flatnonzero(trial.there(index))
    path[seen[-1] + 1 :] = np.nan
    return frozen(path)


def _radius(thing: VideoThing, camera: Camera, usual: float) -> float:
    """Return the usual radius, or half the width of a flat thing that is drawn at another size."""
    if not isinstance(thing.form, Stamp):
        return usual
    drawn = sum(thing.form.pixels.shape) / 4 / camera.scale
    return usual if abs(drawn - usual) <= 1.0 / camera.scale else round(2 * drawn) / 2
