"""What a trial must be, whatever file it comes from.

Kernels trust that a trial has frames, that all in it lies in a world of reasonable size, and that
there is one value a frame; what does not hold is refused here, before any of them runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from dataclasses import replace
from typing import Annotated, get_args

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput, Place
from hbtom.observe.episode import Body, Other, OtherKind, Trial
from hbtom.observe.fields import FARTHEST, HINTS, LARGEST_WORLD

MOST_FRAMES = 100_000  # in a trial; the benchmark has some hundred
MOST_OBJECTS = 8  # in a trial; the benchmark has 2
DEEP = 5.0  # pixels inside a wall; who is seen less deep in it may be seen with noise
KEY_FARTHEST = FARTHEST + LARGEST_WORLD  # of a key's centre: a corner and a radius


def check(trial: Trial, key: str = "key", lock: str = "lock") -> None:
    """Refuse a trial that cannot be judged; key and lock have the names that their file gives."""
    if not len(trial.path):
        raise BadInput("the trial has no frames", hint="remove the empty trial")
    if len(trial.path) > MOST_FRAMES:
        hint = f"{MOST_FRAMES} are the most: an hour at 25 a second"
        raise BadInput(f"the trial has {len(trial.path)} frames", hint=hint)
    _check_size(trial.size)
    _check_lengths(trial)
    _check_blocks(trial.walls, "walls")
    _check_blocks(trial.barrier, "barrier")
    _check_objects(trial)
    _check_path(trial)
    _check_start(trial)
    if trial.key is not None and trial.key_path is not None:
        check_bodies(trial.size, [trial.key], key)
        _check_key_path(trial.key, trial.key_path, key)
    if trial.lock is not None:
        check_bodies(trial.size, [trial.lock], lock)
    _check_left(trial.barrier_left)
    for other in trial.others:
        _check_other(other, len(trial.path))


def _check_size(size: tuple[float, float]) -> None:
    width, height = size
    if not (0 < width <= LARGEST_WORLD and 0 < height <= LARGEST_WORLD):
        raise BadInput(
            f"the world is {width:g} x {height:g} pixels",
            hint=f"each side must be more than 0 and at most {LARGEST_WORLD:g}",
            place=Place(frame=1, field="size"),
        )


def _check_lengths(trial: Trial) -> None:
    """Check that a key has a path and a lock a presence, and that all has one value a frame."""
    for name, thing, values in (
        ("key", trial.key, trial.key_path),
        ("lock", trial.lock, trial.lock_there),
    ):
        if (thing is None) != (values is None):
            raise BadInput(
                f"of the {name} and where it is in each frame, one is missing",
                hint="both are there, or neither",
                place=Place(field=name),
            )
    frames = len(trial.path)
    for name in ("barrier_left", "key_path", "lock_there"):
        values = getattr(trial, name)
        if values is not None and len(values) != frames:
            raise BadInput(
                f"there are {len(values)} values for {frames} frames", place=Place(field=name)
            )


def _check_blocks(blocks: Annotated[Floats, "block 4"], field: str) -> None:
    if not ((np.abs(blocks) <= FARTHEST).all() and (blocks[:, 2:] >= 0).all()):
        raise BadInput(
            "a block has an impossible place or size",
            hint=HINTS["walls"],
            place=Place(frame=1, field=field),
        )


def _check_objects(trial: Trial) -> None:
    objects, place = trial.objects, Place(frame=1, field="objects")
    if not objects and not any(other.kind == "agent" for other in trial.others):
        raise BadInput(
            "there are no objects", hint="a trial needs at least one goal object", place=place
        )
    if len(objects) > MOST_OBJECTS:
        raise BadInput(
            f"there are {len(objects)} objects",
            hint=f"inference is exact and meant for at most {MOST_OBJECTS}",
            place=place,
        )
    check_bodies(trial.size, objects, "objects")


def _check_path(trial: Trial) -> None:
    path, size, agent = trial.path, trial.size, trial.agent
    unseen = np.isnan(path).all(axis=1, keepdims=True)
    if unseen.all():
        raise BadInput("the agent is never seen", place=Place(field="agent"))
    inside = unseen | ((path >= 0) & (path <= size))
    if not inside.all():
        frame = int(inside.all(axis=1).argmin())
        x, y = path[frame].tolist()
        _check_body(size, replace(agent, centre=(x, y)), Place(frame=frame + 1, field="agent"))
    check_bodies(size, [agent], "agent")
    _check_begins(agent, trial.whole_path, "agent")


def _check_start(trial: Trial) -> None:
    at_x, at_y = trial.agent.centre
    if any(
        x + DEEP < at_x < x + width - DEEP and y + DEEP < at_y < y + height - DEEP
        for x, y, width, height in trial.walls.tolist()
    ):
        raise BadInput(
            "the agent stands inside a wall",
            hint="an agent must start on free floor",
            place=Place(frame=1, field="agent"),
        )


def _check_key_path(key: Body, path: Annotated[Floats, "frame 2"], field: str) -> None:
    _check_begins(key, path, field)
    gone = np.isnan(path).all(axis=1)
    somewhere = gone | (np.abs(path) <= KEY_FARTHEST).all(axis=1)
    if not somewhere.all():
        frame = int(somewhere.argmin())
        x, y = path[frame].tolist()
        raise BadInput(
            f"the place is ({x:g}, {y:g})",
            hint="positions are in pixels",
            place=Place(frame=frame + 1, field=field),
        )


def _check_begins(body: Body, path: Annotated[Floats, "frame 2"], field: str) -> None:
    x, y = path[0].tolist()
    if (x, y) != body.centre:
        raise BadInput(
            f"{body.look} does not stand where its path begins", place=Place(frame=1, field=field)
        )


def _check_left(left: Annotated[Floats, "frame"]) -> None:
    share = (left >= 0) & (left <= 1)
    if not share.all():
        frame = int(share.argmin())
        raise BadInput(
            f"{left[frame]:g} of the barrier is left",
            hint="a share is between 0 and 1",
            place=Place(frame=frame + 1, field="barrier_left"),
        )


def _check_other(other: Other, frames: int) -> None:
    place = Place(field="others")
    if len(other.path) != frames or len(other.angle) != frames:
        raise BadInput(f"{other.look} has not one place for each of {frames} frames", place=place)
    if other.kind not in get_args(OtherKind):
        raise BadInput(f"{other.look} is a '{other.kind}'", place=place)
    if not all(0 < side <= FARTHEST for side in other.size):
        raise BadInput(f"{other.look} has an impossible size", place=place)
    nowhere = np.isnan(other.path).all(axis=1) & np.isnan(other.angle)
    somewhere = (np.abs(other.path) <= KEY_FARTHEST).all(axis=1) & np.isfinite(other.angle)
    if not (nowhere | somewhere).all():
        frame = int((nowhere | somewhere).argmin())
        raise BadInput(
            f"{other.look} has an impossible place", place=Place(frame=frame + 1, field="others")
        )


def check_bodies(size: tuple[float, float], bodies: Iterable[Body], field: str) -> None:
    """Refuse bodies outside the world in the first frame, or of an impossible size or colour."""
    for body in bodies:
        _check_body(size, body, Place(frame=1, field=field))


def _check_body(size: tuple[float, float], body: Body, place: Place) -> None:
    (x, y), (width, height) = body.centre, size
    if not (0 <= x <= width and 0 <= y <= height):
        raise BadInput(
            f"{body.look} is at ({x:g}, {y:g}), outside the world of {width:g} x {height:g} pixels",
            hint="positions are corners in pixels; the centre is corner plus radius",
            place=place,
        )
    if not 0 < body.radius <= LARGEST_WORLD:
        raise BadInput(f"the radius is {body.radius:g}", hint=HINTS["agent"], place=place)
    if not np.isfinite(body.look.colour).all():
        raise BadInput("a colour is not a number", hint=HINTS["agent"], place=place)


def more_than_one(name: str, found: Sized) -> Iterator[str]:
    """Warn of what is there more than once, though the model knows one of it only."""
    if len(found) > 1:
        yield f"there are {len(found)} {name}s; only the first, by look and place, is modelled"
