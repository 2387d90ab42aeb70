"""From what was watched to an episode: who is the agent, what are objects, and who is who.

The agent is the thing that moves, or that looks like what moves in other trials. The square on
which it stands at first is its home, which means nothing. All else are objects, but for key and
lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats, frozen
from hbtom.errors import BadInput
from hbtom.observe.checks import check
from hbtom.observe.episode import Body, Episode, Look, Trial
from hbtom.observe.mcs.ending import settled
from hbtom.observe.mcs.pace import along, pace
from hbtom.observe.video.camera import SIDE, Camera
from hbtom.observe.video.names import name_of
from hbtom.observe.video.pictures import pictures
from hbtom.observe.video.solids import Stamp
from hbtom.observe.video.things import Thing, is_home, same_kind
from hbtom.observe.video.watching import Watched, watch

# The benchmark's radii, in pixels. In pictures with depth, things are drawn in other sizes.
AGENT, OBJECT, KEY, LOCK = 6.0, 9.0, 8.0, 10.0

_MOVES = 4.0  # pixels of the world that what moves is away from its first place at some time


def read(data: bytes, name: str = "episode") -> Episode:
    """Read one episode from the bytes of a video."""
    watched = watch(pictures(data))
    if not watched:
        raise BadInput("no trial is seen", hint="all pictures of the video are of one colour")
    seen = [trial.scene.movable[index] for trial in watched if (index := _mover(trial)) is not None]
    if not seen:
        raise BadInput("no agent is seen", hint="the agent is what moves, and nothing does")
    trials, kinds = [], Kinds([], [])
    for number, each in enumerate(watched, start=1):
        try:
            trials.append(_trial(each, seen, kinds))
        except BadInput as error:
            raise error.at(trial=number) from None
    return Episode(tuple(trials), name)


class Kinds(NamedTuple):
    """Things that differ from each other, and how each is called."""

    things: list[Thing]
    looks: list[Look]

    def look(self, thing: Thing, what: str) -> Look:
        """Return how a thing is called: as another that looks the same, or by a name of its own."""
        for other, look in zip(self.things, self.looks, strict=True):
            if look.image.endswith(what) and same_kind(other, thing):
                return look
        colour = tuple(np.round(thing.colour).tolist())
        name = name_of(colour, what, [look.image for look in self.looks])
        self.things.append(thing)
        self.looks.append(Look(name, colour))
        return self.looks[-1]


def _mover(trial: Watched) -> int | None:
    """Return which thing goes farthest from its first place, other than the key, if any does."""
    far = [
        float(np.hypot(*(trial.path(index) - thing.place).T).max())
        if thing.role == "thing"
        else 0.0
        for index, thing in enumerate(trial.scene.movable)
    ]
    return int(np.argmax(far)) if max(far, default=0.0) > _MOVES else None


def _trial(watched: Watched, agents: Sequence[Thing], kinds: Kinds) -> Trial:
    stage, movable = watched.scene.view.stage, watched.scene.movable
    camera, number = stage.camera, _agent(watched, agents)
    agent, path = movable[number], watched.path(number).clip(0.0, SIDE)
    others = [index for index, thing in enumerate(movable) if thing is not agent]
    keys = [index for index in others if movable[index].role == "key"]
    objects = [
        _body(watched, index, kinds)
        for index in others
        if movable[index].role == "thing" and not is_home(movable[index], agent, camera)
    ]
    radius, left = _radius(agent, camera, AGENT), watched.barrier_left
    if not camera.flat:
        path = settled(
            _steps(path, plain=watched.plain),
            radius,
            [(np.array(one.centre), one.radius) for one in objects],
        )
        path = along(pace(np.zeros(len(path), dtype=np.int64)), path)
        left = np.zeros(len(path))
    start = float(path[0, 0]), float(path[0, 1])
    key = movable[keys[0]] if keys else None
    lock = watched.scene.lock
    trial = Trial(
        size=(SIDE, SIDE),
        walls=stage.blocks,
        barrier=watched.scene.blocks,
        objects=tuple(sorted(objects)),
        agent=Body(kinds.look(agent, _what(agent, "agent")), start, radius),
        path=frozen(path),
        barrier_left=frozen(left),
        key=None if key is None else _still(key, "key", KEY, camera),
        key_path=_key_path(watched, keys[0]) if keys else None,
        lock=None if lock is None else _still(lock, "lock", LOCK, camera),
        lock_there=None if lock is None else watched.lock_there,
    )
    check(trial)
    return trial


def _steps(path: Annotated[Floats, "picture 2"], *, plain: bool) -> Annotated[Floats, "step 2"]:
    """Return where the agent is at each step of a scene, given where pictures show it.

    A picture is a step. In all trials but the first, that of the first step is black; the agent
    stands still then. The last picture shows the last step once more.
    """
    first, seen = path[:1], path[:-1] if len(path) > 1 else path
    return np.concatenate([first.repeat(int(plain), axis=0), seen])


def _agent(trial: Watched, agents: Sequence[Thing]) -> int:
    """Return which thing is the agent: what moves, or looks like what moves in other trials."""
    found = _mover(trial)
    if found is not None:
        return found
    for index, thing in enumerate(trial.scene.movable):
        if any(same_kind(thing, agent) for agent in agents):
            return index
    raise BadInput("no agent is seen", hint="nothing moves, or looks like what moves elsewhere")


def _body(trial: Watched, index: int, kinds: Kinds) -> Body:
    """Return an object, where it is seen when most of it is."""
    thing = trial.scene.movable[index]
    best = max((sights[index] for sights in trial.sights), key=lambda sight: sight.count)
    x, y = best.place.clip(0.0, SIDE).tolist()
    look = kinds.look(thing, _what(thing, "object"))
    return Body(look, (x, y), _radius(thing, trial.scene.view.stage.camera, OBJECT))


def _still(thing: Thing, name: str, usual: float, camera: Camera) -> Body:
    """Return a key or a lock where it is seen at first."""
    x, y = thing.place.tolist()
    look = Look(name, tuple(np.round(thing.colour).tolist()))
    return Body(look, (x, y), _radius(thing, camera, usual))


def _key_path(trial: Watched, index: int) -> Annotated[Floats, "frame 2"]:
    """Return where the key is in each picture; nowhere once it is not seen any more."""
    path, seen = trial.path(index), np.flatnonzero(trial.there(index))
    path[seen[-1] + 1 :] = np.nan
    return frozen(path)


def _what(thing: Thing, role: str) -> str:
    """Return what a thing is called: by its form, or in flat pictures by its role."""
    return role if isinstance(thing.form, Stamp) else thing.form.name


def _radius(thing: Thing, camera: Camera, usual: float) -> float:
    """Return what is usual, unless a flat thing is drawn in another size: then half its width."""
    if not isinstance(thing.form, Stamp):
        return usual
    drawn = sum(thing.form.pixels.shape) / 4 / camera.scale
    return usual if abs(drawn - usual) <= 1.0 / camera.scale else round(2 * drawn) / 2
