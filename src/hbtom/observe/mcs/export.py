"""Writing an episode as a scene: a thing for each look, with its positions at each step.

The same episode always gives the same bytes. Things are listed by role and look, and their ids
follow from these, so that neither order nor names give anything away.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from hbtom.errors import BadInput
from hbtom.observe.episode import Episode, check_writable
from hbtom.observe.mcs.pace import SceneSteps, steps_of
from hbtom.observe.mcs.parts import NAMES, SIDES, Pose, ThingDesign, parts_of, rounded, slab
from hbtom.observe.mcs.roles import plain
from hbtom.observe.mcs.space import PIXEL, WORLD
from hbtom.observe.trial import Trial


def write(episode: Episode, steps_of: Callable[[Trial], SceneSteps] = steps_of) -> bytes:
    """Return the scene of an episode, as JSON; ``steps_of`` chooses the frames to keep."""
    check_writable(episode)
    timelines: dict[
        ThingDesign, dict[int, Sequence[Pose | None]]
    ] = {}  # by the first step of a trial
    actions: list[list[str]] = []
    starts: list[int] = []
    for number, trial in enumerate(episode, start=1):
        if trial.size != (WORLD, WORLD):
            width, height = trial.size
            raise BadInput(
                f"the world is {width:g} x {height:g} pixels",
                hint=f"scenes have {WORLD:g} x {WORLD:g} pixels; other worlds cannot be converted",
            ).at(trial=number)
        if actions:
            actions.append(["EndHabituation"])
        starts.append(len(actions))
        steps = steps_of(trial)
        for part, poses in parts_of(trial, steps):
            timelines.setdefault(part, {})[starts[-1]] = poses
        actions += [["Pass"]] * len(steps)
    camera = _camera(episode)
    things = [_platform(camera)]
    things += [_thing(part, timelines[part], starts) for part in sorted(timelines)]
    shown = {part.mark for part in timelines if part.role == "wall_grid"}
    # If the scene did not mention a side of the border, readers would assume it.
    hidden = [slab("wall_grid", SIDES[side], side, 0)[0] for side in SIDES if side not in shown]
    things += [_thing(side, {}, []) for side in hidden]
    scene = {
        "name": f"scene_{uuid.uuid5(NAMES, repr(things))}",
        "version": 3,
        "isometric": True,
        **({"isometricFrontRight": True} if camera[1] > WORLD / 2 else {}),
        "goal": {
            "category": "agents",
            "action_list": actions,
            "habituation_total": len(episode) - 1,
            "last_step": len(actions),
            "metadata": {},
        },
        "objects": things,
    }
    return msgspec.json.encode(scene)


# JSON made from parts


def _thing(
    part: ThingDesign, trials: dict[int, Sequence[Pose | None]], starts: Sequence[int]
) -> dict[str, Any]:
    """Return a thing with its shows and hides, which record only changes from the step before."""
    shows: list[dict[str, Any]] = []
    hides: list[dict[str, Any]] = []
    last: Pose | None = None
    for start in starts:
        for step, pose in enumerate(trials.get(start, (None,)), start):
            if pose == last:
                continue
            if pose is None:
                hides.append({"stepBegin": step})
            else:
                shows.append(_show(step, pose))
            last = pose
    if shows:
        shows[0]["scale"] = _xyz(*part.scale)
    structure = part.role in ("wall", "wall_grid", "fuse_wall", "home", "paddle", "occluder")
    return {
        "id": f"{part.role}_{part.mark}" if part.role == "wall_grid" else part.id,
        "type": part.skin.shape,
        "materials": list(part.skin.materials),
        "kinematic": True,
        "structure" if structure else "physics": True,
        "shows": shows,
        "hides": hides,
    }


def _show(step: int, pose: Pose) -> dict[str, Any]:
    x, y, high, angle = pose
    across, along = (rounded((pixels - WORLD / 2) * PIXEL) for pixels in (x, y))
    place = _xyz(across, rounded(high), along)
    return {"stepBegin": step, "position": place, "rotation": _xyz(0, -angle % 360.0, 0)}


def _camera(episode: Episode) -> tuple[float, float]:
    """Return where the camera is in all trials; a scene has only one."""
    found = {trial.camera for trial in episode} - {None}
    if len(found) > 1:
        hint = "a scene has one camera for all trials"
        raise BadInput("the camera is not the same in all trials", hint=hint)
    return found.pop() or _USUAL if found else _USUAL


_USUAL = (4 / PIXEL + WORLD / 2, -4 / PIXEL + WORLD / 2)


def _platform(camera: tuple[float, float]) -> dict[str, Any]:
    """Return the stand of the camera."""
    part = ThingDesign("platform", plain("cube", "Grey"), (0.5, 3.0, 0.5))
    return _thing(part, {0: [(*camera, 1.5, 0.0)]}, [0])


def _xyz(x: float, y: float, z: float) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}
