"""Make an episode from a scene, in the benchmark's terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, frozen, read_only
from hbtom.errors import BadInput, Place, located
from hbtom.observe.bodies import Body, Identity
from hbtom.observe.checks import check_trial, more_than_one
from hbtom.observe.episode import Episode, same_trial
from hbtom.observe.events import without_gaps
from hbtom.observe.mcs.bystanders import (
    RADIUS,
    agent_there,
    camera_of,
    moving_objects,
    others_of,
    sizeless,
    walls_of,
)
from hbtom.observe.mcs.pace import FrameSteps, along, pace, settled, shrinking
from hbtom.observe.mcs.roles import Role, look_of
from hbtom.observe.mcs.scene import SHAPE, McsScene, called, decode
from hbtom.observe.mcs.space import (
    AGENT,
    KEY,
    LOCK,
    OBJECT,
    WORLD,
    SeenThing,
    block,
    seen,
    tiled,
)
from hbtom.observe.oddities import oddities
from hbtom.observe.trial import Trial

_METRES = "in a scene, the world extends from -2.5 to 2.5 metres in x and z"


def read(data: bytes, name: str = "episode", like: Episode | None = None) -> Episode:
    """Read one episode from the bytes of a scene file.

    Trials at the beginning that are equal to those of the episode ``like`` are taken from it.
    """
    scene = decode(data)
    trials: list[Trial] = []
    for number, span in enumerate(scene.spans, start=1):
        with located(trial=number):
            trials.append(_trial(scene, span))
    if not trials:
        raise BadInput("the scene has no steps", hint=SHAPE, place=Place(field="goal.action_list"))
    return Episode(tuple(_shared(trials, like)), name)


def _shared(trials: Iterable[Trial], like: Episode | None) -> Iterator[Trial]:
    known = list(like or ())
    for index, trial in enumerate(trials):
        if index < len(known) and same_trial(known[index], trial):
            yield known[index]
        else:
            known = []
            yield trial


def _trial(scene: McsScene, span: range) -> Trial:
    """Read the trial that consists of these steps."""

    def present(role: Role) -> list[SeenThing]:
        """Return things that are seen, sorted by look and position since order means nothing."""
        found = (seen(thing, span) for thing in scene.all(role))
        there = [one for one in found if one.there.any()]
        return sorted(there, key=lambda one: (_look(one), one.start))

    agents, objects, barrier = present("agent"), present("object"), present("barrier")
    keys = [one for one in present("key") if one.there[0]]
    locks = [one for one in present("lock") if one.there[0]]
    if not agents:
        hint = "the id of an agent must begin with 'agent_'"
        raise BadInput("no agent is seen", hint=hint, place=Place(step=span[0]))
    agent, others = agents[0], [*agents[1:], *present("other")]
    items = tuple(_body(one, OBJECT, span) for one in objects)
    # The agent may have gone to an object's last place or, if there is none, to another agent.
    ends = [(one.place[-1], OBJECT) for one in objects if one.there[-1]]
    ends = ends or [(one.place[-1], RADIUS) for one in others if one.there[-1]]
    path = settled(_inside(agent, span), AGENT, ends)
    left, vanishing = _left(barrier, len(span))
    at = pace(vanishing)
    walls, walls_there = walls_of(scene, span, at)
    object_paths = moving_objects(at, objects)
    trial = Trial(
        size=(WORLD, WORLD),
        walls=walls,
        barrier=tiled(block(one.thing, one.start) for one in barrier if one.there[0]),
        objects=items,
        agent=Body(_look(agent), (float(path[0, 0]), float(path[0, 1])), AGENT),
        path=along(at, path),
        barrier_left=shrinking(at, left, vanishing),
        key=_body(keys[0], KEY, span) if keys else None,
        key_path=_carried(at, keys[0]) if keys else None,
        lock=_body(locks[0], LOCK, span) if locks else None,
        lock_there=read_only(locks[0].there[at.step]) if locks else None,
        warnings=(
            *more_than_one("agent", agents),
            *more_than_one("key", keys),
            *more_than_one("lock", locks),
        ),
        others=others_of(at, others, present("paddle"), present("screen")),
        walls_there=walls_there,
        object_paths=object_paths,
        still=walls_there is not None or object_paths is not None,
        agent_there=agent_there(at, _on_stage(agent)),
        camera=camera_of(scene, span),
    )
    check_trial(trial)
    odd = (*sizeless(scene, span), *oddities(trial, lambda frame: f"step {span[at.step[frame]]}"))
    return replace(trial, warnings=(*trial.warnings, *odd)) if odd else trial


# Things that do not move


def _left(
    barrier: Sequence[SeenThing], steps: int
) -> tuple[Annotated[Floats, "step"], Annotated[Ints, "step"]]:
    """Return, for each step, the share of the barrier that is left and how many pieces vanish."""
    area, vanishing = np.zeros(steps), np.zeros(steps, dtype=np.int64)
    for one in barrier:
        *_, width, height = block(one.thing, one.start)
        area += width * height * one.there
        vanishing[:-1] += one.there[:-1] & ~one.there[1:]
    left = np.minimum(area / area[0], 1.0) if area[0] > 0 else np.zeros(steps)
    return left, vanishing


def _body(one: SeenThing, radius: float, span: range) -> Body:
    """Return a thing where it is first seen, which must be inside the world."""
    x, y = one.start
    if not (0 <= x <= WORLD and 0 <= y <= WORLD):
        raise BadInput(
            f"it is at ({x:g}, {y:g}), outside the world of 200 x 200 pixels",
            hint=_METRES,
            place=_first_place(one, span),
        )
    return Body(_look(one), (x, y), radius)


def _look(one: SeenThing) -> Identity:
    return look_of(one.thing.type, one.thing.materials, turned=float(one.angle[one.there.argmax()]))


# Things that move


def _inside(agent: SeenThing, span: range) -> Annotated[Floats, "step 2"]:
    """Return where the agent is; while it is off stage, where it was last or will be first."""
    on_stage = _on_stage(agent)
    if not on_stage.any():
        problem = "the agent is never inside the world"
        raise BadInput(problem, hint=_METRES, place=_first_place(agent, span))
    return without_gaps(np.where(on_stage[:, None], agent.place, np.nan))


def _first_place(one: SeenThing, span: range) -> Place:
    """Return the thing and the step at which it is seen first, for a message."""
    return Place(thing=called(one.thing.id), step=span[int(one.there.argmax())])


def _on_stage(one: SeenThing) -> Annotated[Bools, "step"]:
    inside = (one.place >= 0) & (one.place <= WORLD)
    return inside[:, 0] & inside[:, 1]


def _carried(at: FrameSteps, key: SeenThing) -> Annotated[Floats, "frame 2"]:
    """Return where the key is in each frame; it stays in place until the step at which it moves."""
    path = along(at, key.place).copy()
    lies = (key.place == key.place[0]).all(axis=1)
    picked = len(lies) if lies.all() else int(lies.argmin())
    path[at.step < picked] = key.place[0]
    return frozen(path)
