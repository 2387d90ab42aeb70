"""Checks that every trial must pass, whether it comes from a file or was made in Python.

Kernels rely on these: a trial has frames, everything lies in a world of reasonable size, and arrays
have one value per frame. Other trials are refused here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import replace
from typing import Annotated, get_args

import numpy as np

from hbtom.arrays import Floats
from hbtom.errors import BadInput, Place
from hbtom.observe.bodies import Body, Other, OtherKind
from hbtom.observe.episode import Episode
from hbtom.observe.fields import FARTHEST, HINTS, LARGEST_WORLD, check_size
from hbtom.observe.trial import Trial

MOST_TRIALS = 1000  # in an episode; the benchmark has 9
MOST_FRAMES = 100_000  # in a trial; the benchmark has a few hundred
MOST_OBJECTS = 8  # in a trial; the benchmark has 2
SMALLEST_WORLD = 10.0  # pixels on its longer side; agents make a decision every 10 pixels
DEEP = 5.0  # least depth inside a wall, in pixels, that counts; less may be due to noise
KEY_FARTHEST = FARTHEST + LARGEST_WORLD  # largest coordinate of a key's centre: corner plus radius


def checked(episode: Episode) -> Episode:
    """Return an episode, or refuse it if it cannot be judged."""
    if not (isinstance(episode, Episode) and isinstance(episode.trials, Sequence) and len(episode)):
        problem = f"this {type(episode).__name__} is not a file or an episode with trials"
        raise BadInput(problem, hint="make an episode of trials: hbtom.Episode((trial,))")
    for number, trial in enumerate(episode.trials, start=1):
        try:
            check_once(trial)
        except BadInput as error:
            raise error.at(file=episode.name, trial=number) from None
    return episode


def check_once(trial: Trial) -> None:
    """Refuse a trial that cannot be judged, unless it has been checked already."""
    if not isinstance(trial, Trial):
        hint = "name one of its trials: episode[0]" if isinstance(trial, Episode) else ""
        problem = f"this {type(trial).__name__} is not a trial"
        raise BadInput(problem, hint=hint or "see help(hbtom.Trial)")
    if "checked" not in vars(trial):
        check_trial(trial, aimless=True)


def mark_checked(trial: Trial, *, whole: bool = False) -> Trial:
    """Return a trial, marked as checked; ``whole`` says that its path has no gaps."""
    vars(trial)["checked"] = True
    if whole:
        vars(trial)["whole_path"] = trial.path
    return trial


def check_number(trials: int) -> None:
    """Refuse an episode of too many trials: what an agent learns takes time quadratic in them."""
    if trials > MOST_TRIALS:
        hint = f"an episode may have at most {MOST_TRIALS}"
        raise BadInput(f"the episode has {trials} trials", hint=hint)


def check_trial(
    trial: Trial, key: str = "key", lock: str = "lock", *, aimless: bool = False
) -> None:
    """Refuse a trial that cannot be judged; ``key`` and ``lock`` are the names of their fields.

    With ``aimless``, the trial needs no objects.
    """
    if not len(trial.path):
        raise BadInput("the trial has no frames", hint="remove the empty trial")
    if len(trial.path) > MOST_FRAMES:
        hint = f"a trial may have at most {MOST_FRAMES}, an hour at 25 frames a second"
        raise BadInput(f"the trial has {len(trial.path)} frames", hint=hint)
    try:
        check_size(trial.size)
        if max(trial.size) < SMALLEST_WORLD:
            width, height = trial.size
            hint = "positions are in pixels of a world of about 200; multiply them all alike"
            raise BadInput(f"the world is {width:g} x {height:g} pixels", hint=hint)
    except BadInput as error:
        raise error.at(frame=1, field="size") from None
    _check_shapes(trial)
    _check_blocks(trial.walls, "walls")
    _check_blocks(trial.barrier, "barrier")
    _check_objects(trial, aimless)
    _check_path(trial)
    _check_start(trial)
    if trial.key is not None and trial.key_path is not None:
        check_bodies(trial.size, [trial.key], key)
        _check_key_path(trial.key, trial.key_path, key)
    if trial.lock is not None:
        check_bodies(trial.size, [trial.lock], lock)
    _check_left(trial.barrier_left)
    if trial.object_paths is not None and not trial.still:
        _check_object_paths(trial, trial.object_paths)
    for other in trial.others:
        _check_other(other, len(trial.path))
    _check_changes(trial)
    mark_checked(trial)


def _check_shapes(trial: Trial) -> None:
    """Check that key and lock come with their positions, and that all have one value per frame."""
    held = ("key", trial.key, trial.key_path), ("lock", trial.lock, trial.lock_there)
    for name, body, there in held:
        if (body is None) != (there is None):
            problem = f"the {name} and its place in each frame must come together"
            raise _bad(problem, name, hint="give both or neither")
    frames, walls = len(trial.path), len(trial.walls)
    for name, values, shape in (
        ("path", trial.path, (frames, 2)),
        ("walls", trial.walls, (walls, 4)),
        ("barrier", trial.barrier, (len(trial.barrier), 4)),
        ("barrier_left", trial.barrier_left, (frames,)),
        ("key_path", trial.key_path, (frames, 2)),
        ("lock_there", trial.lock_there, (frames,)),
        ("agent_there", trial.agent_there, (frames,)),
        ("walls_there", trial.walls_there, (frames, walls)),
        ("object_paths", trial.object_paths, (frames, len(trial.objects), 2)),
    ):
        if values is not None and values.shape != shape:
            problem = f"the array has the shape {values.shape}, not {shape}"
            raise _bad(problem, name, hint="frames come first, then walls or objects, then x and y")


def _check_blocks(blocks: Annotated[Floats, "block 4"], field: str) -> None:
    if not ((np.abs(blocks) <= FARTHEST).all() and (blocks[:, 2:] >= 0).all()):
        raise _bad("a block has an impossible position or size", field, 1, HINTS["walls"])


def _check_objects(trial: Trial, aimless: bool) -> None:
    many = len(trial.objects)
    if not many and not aimless and not any(other.kind == "agent" for other in trial.others):
        hint = "a trial needs at least one goal object"
        raise _bad("there are no objects", "objects", 1, hint)
    if many > MOST_OBJECTS:
        hint = f"exact inference is limited to {MOST_OBJECTS} objects"
        raise _bad(f"there are {many} objects", "objects", 1, hint)
    check_bodies(trial.size, trial.objects, "objects")


def _check_path(trial: Trial) -> None:
    path, size, agent = trial.path, trial.size, trial.agent
    inside = (path >= 0) & (path <= size)
    if not inside.all():  # outside, or not seen
        unseen = np.isnan(path).all(axis=1, keepdims=True)
        if unseen.all():
            raise _bad("the agent is never seen", "agent", hint="leave the trial out")
        inside |= unseen
    if not inside.all():
        frame = int(inside.all(axis=1).argmin())
        x, y = path[frame].tolist()
        _check_body(size, replace(agent, centre=(x, y)), "agent", frame + 1)
    check_bodies(size, [agent], "agent")
    _check_begins(agent, trial.whole_path, "agent")


def _check_start(trial: Trial) -> None:
    (at_x, at_y), there = trial.agent.centre, trial.walls_there
    walls = trial.walls if there is None else trial.walls[there[0]]
    if any(
        x + DEEP < at_x < x + width - DEEP and y + DEEP < at_y < y + height - DEEP
        for x, y, width, height in walls.tolist()
    ):
        raise _bad("the agent is inside a wall", "agent", 1, "an agent must start in free space")


def _check_key_path(key: Body, path: Annotated[Floats, "frame 2"], field: str) -> None:
    _check_begins(key, path, field)
    gone = np.isnan(path).all(axis=1)
    somewhere = gone | (np.abs(path) <= KEY_FARTHEST).all(axis=1)
    if not somewhere.all():
        frame = int(somewhere.argmin())
        x, y = path[frame].tolist()
        hint = "positions are in pixels"
        raise _bad(f"the position is ({x:g}, {y:g})", field, frame + 1, hint)


def _check_begins(body: Body, path: Annotated[Floats, "frame 2"], field: str) -> None:
    (x, y), (at_x, at_y) = path[0].tolist(), body.centre
    if (x, y) != (at_x, at_y):
        hint = f"it is at ({at_x:g}, {at_y:g}), its path begins at ({x:g}, {y:g})"
        raise _bad(f"{body.look} is not where its path begins", field, 1, hint)


def _check_object_paths(trial: Trial, paths: Annotated[Floats, "frame object 2"]) -> None:
    for which, body in enumerate(trial.objects):
        _check_begins(body, paths[:, which], "object_paths")
    outside = ~((paths >= 0) & (paths <= trial.size)).all(axis=2)
    for frame, which in np.argwhere(outside)[:1].tolist():
        body, (x, y) = trial.objects[which], paths[frame, which].tolist()
        if x != x or y != y:  # NaN
            hint = "objects can move but not vanish: repeat the last position"
            raise _bad(f"{body.look} has no position", "object_paths", frame + 1, hint)
        _check_body(trial.size, replace(body, centre=(x, y)), "object_paths", frame + 1)


def _check_left(left: Annotated[Floats, "frame"]) -> None:
    share = (left >= 0) & (left <= 1)
    if not share.all():
        frame = int(share.argmin())
        hint = "this is a share, from 0 to 1"
        raise _bad(f"{left[frame]:g} of the barrier is left", "barrier_left", frame + 1, hint)


def _check_other(other: Other, frames: int) -> None:
    if np.shape(other.path) != (frames, 2) or np.shape(other.angle) != (frames,):
        problem = f"{other.look} needs one position and one angle for each of {frames} frames"
        raise _bad(problem, "others", hint="the path is [frame, 2], the angle [frame]")
    if other.kind not in get_args(OtherKind):
        hint = f"the kinds are {', '.join(get_args(OtherKind))}"
        raise _bad(f"{other.look} is of the unknown kind '{other.kind}'", "others", hint=hint)
    if not all(0 < side <= FARTHEST for side in other.size):
        raise _bad(f"{other.look} has an impossible size", "others")
    nowhere = np.isnan(other.path).all(axis=1) & np.isnan(other.angle)
    somewhere = (np.abs(other.path) <= KEY_FARTHEST).all(axis=1) & np.isfinite(other.angle)
    if not (nowhere | somewhere).all():
        frame = int((nowhere | somewhere).argmin())
        raise _bad(f"{other.look} has an impossible position", "others", frame + 1)


def _check_changes(trial: Trial) -> None:
    """Check the positions of moving objects, who is present when, and the camera."""
    if not trial.unusual:
        return
    if trial.agent_there is not None and not trial.agent_there.any():
        raise _bad("the agent is never there", "agent")
    if trial.object_paths is not None:
        x, y = np.moveaxis(np.abs(trial.object_paths), 2, 0)
        near = (x <= KEY_FARTHEST) & (y <= KEY_FARTHEST)
        there = (near | (np.isnan(x) & np.isnan(y))).all(axis=1)
        if not there.all():
            frame = int(there.argmin())
            raise _bad("an object has an impossible position", "objects", frame + 1)
    if trial.camera is not None and not all(abs(at) <= FARTHEST for at in trial.camera):
        raise _bad("the camera has an impossible position", "camera", 1, "it is [x, y] in pixels")


def check_bodies(size: tuple[float, float], bodies: Iterable[Body], field: str) -> None:
    """Refuse bodies outside the world in the first frame, or of an impossible size or colour."""
    for body in bodies:
        _check_body(size, body, field, 1)


def _check_body(size: tuple[float, float], body: Body, field: str, frame: int) -> None:
    (x, y), (width, height) = body.centre, size
    if not (0 <= x <= width and 0 <= y <= height):
        problem = f"{body.look} is at ({x:g}, {y:g}), outside the world"
        hint = "files give corners in pixels, a Trial centres; a centre is a corner plus the radius"
        raise _bad(f"{problem} of {width:g} x {height:g} pixels", field, frame, hint)
    if not 0 < body.radius <= LARGEST_WORLD:
        raise _bad(f"the radius is {body.radius:g}", field, frame, HINTS["agent"])
    if not all(map(math.isfinite, body.look.colour)):
        raise _bad("a colour is not a number", field, frame, HINTS["agent"])


def _bad(problem: str, field: str, frame: int | None = None, hint: str = "") -> BadInput:
    return BadInput(problem, hint=hint, place=Place(frame=frame, field=field))


def more_than_one(name: str, found: Sized) -> Iterator[str]:
    """Warn if a trial has several of a thing that the model knows only one of."""
    if len(found) > 1:
        yield f"there are {len(found)} {name}s; only the first, by look and position, is modelled"
