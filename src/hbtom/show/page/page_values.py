"""What the page draws, as plain values with few digits and without repetition.

Frames count from 0. A value that changes over time is a list of ``[frame, value, ...]``, with one
entry per change.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated, Any

import msgspec
import numpy as np

from hbtom.arrays import Floats
from hbtom.judgement import Judgement
from hbtom.judgement.surprises import shift
from hbtom.mind import Posterior
from hbtom.mind.regret import NOTHING
from hbtom.observe import Body, Identity, Other
from hbtom.show.page.scenes import Scene, names_of, scenes
from hbtom.show.page.story import chapter
from hbtom.show.plots.signs import rgb, shape_of
from hbtom.show.words import plain

PIXELS = 2  # decimals of places
CHANCES = 5  # decimals of probabilities and surprises

Plain = dict[str, Any]


def film(judgement: Judgement) -> Plain:
    """Return a judged episode as plain values for the page."""
    items = _items(judgement)
    return {
        "name": plain(PurePath(judgement.episode.name).name),
        "plausibility": judgement.plausibility,
        "parts": judgement.parts.to_dict(),
        "surprise": judgement.surprise.to_dict(),
        "curves": msgspec.to_builtins(judgement.model.classifier),
        "model": plain(judgement.model.name),
        "fingerprint": judgement.model.fingerprint,
        "motion": judgement.model.motion.__struct_config__.tag,
        "warnings": [plain(warning) for warning in judgement.warnings],
        "items": list(items.values()),
        "efficiencies": numbers(judgement.test.efficiencies, CHANCES),
        "trials": [_trial(scene, list(items)) for scene in scenes(judgement)],
    }


def _items(judgement: Judgement) -> dict[Identity, Plain]:
    """Return all items of an episode; a key looks as it does when it first appears."""
    names = names_of(judgement)
    looks: dict[Identity, Identity] = {}
    for trial, posterior in zip(judgement.episode, judgement.posteriors, strict=True):
        for goal, item in zip(posterior.goals, trial.items, strict=False):
            looks.setdefault(goal, item.look)
        if not trial.items:
            looks.setdefault(NOTHING, NOTHING)
    return {goal: {"name": names[goal], **_look(look)} for goal, look in looks.items()}


def _trial(scene: Scene, items: Sequence[Identity]) -> Plain:
    trial, posterior = scene.trial, scene.posterior
    told = chapter(scene)
    start, end = (scene.steady.event(kind) for kind in ("first motion", "end of motion"))
    return {
        "frames": len(trial.path),
        "motion": [start.frame, end.frame] if start and end else None,
        "size": numbers(trial.size, PIXELS),
        "walls": numbers(trial.walls, PIXELS),
        "barrier": numbers(trial.barrier, PIXELS),
        "left": changes(trial.barrier_left[:, None]) if len(trial.barrier) else [],
        "agent": {"name": scene.names[posterior.agent], **_body(trial.agent)},
        "path": changes(trial.whole_path),
        "objects": [
            {"item": items.index(goal), **_body(body)}
            for goal, body in zip(posterior.goals, trial.objects, strict=False)
        ],
        "others": [_other(scene, other) for other in trial.others],
        "key": _key(scene, items),
        "lock": _lock(scene),
        "beliefs": _beliefs(posterior, items),
        "summary": told.summary,
        "moments": [[moment.frame, moment.kind, moment.text] for moment in told.moments],
    }


def _other(scene: Scene, other: Other) -> Plain:
    """Return another thing; each entry of its path is a position and an angle."""
    width, height = numbers(other.size, PIXELS)
    return {
        "kind": other.kind,
        "name": scene.names.get(other.look, other.kind) if other.kind == "agent" else other.kind,
        "width": width,
        "height": height,
        **_look(other.look),
        "path": changes(np.column_stack([other.path, other.angle])),
    }


def _key(scene: Scene, items: Sequence[Identity]) -> Plain | None:
    trial, goals = scene.trial, scene.posterior.goals
    if trial.key is None or trial.key_path is None:
        return None
    wanted = len(goals) > len(trial.objects)  # in some models the key is not a goal
    item = items.index(goals[-1]) if wanted else None
    return {"item": item, **_body(trial.key), "path": changes(trial.key_path)}


def _lock(scene: Scene) -> Plain | None:
    lock, there = scene.trial.lock, scene.trial.lock_there
    if lock is None or there is None:
        return None
    return {**_body(lock), "there": changes(there[:, None].astype(np.float64))}


def _beliefs(posterior: Posterior, items: Sequence[Identity]) -> Plain:
    """Return the beliefs before the first step and after each step."""
    return {
        "frame": posterior.frame.tolist(),
        "goals": [items.index(goal) for goal in posterior.goals],
        "reachable": posterior.reachable.tolist(),
        "goal": numbers(posterior.goal, CHANCES),
        "efficiency": numbers(posterior.efficiency, CHANCES),
        "preferred": [items.index(goal) for goal in posterior.preferred],
        "preference": numbers(posterior.preference, CHANCES),
        "goal_shift": numbers(shift(posterior.goal), CHANCES),
        "efficiency_shift": numbers(shift(posterior.efficiency), CHANCES),
        "unlikely": numbers(-posterior.log_likelihood, CHANCES),
    }


def _body(body: Body) -> Plain:
    x, y = numbers(body.centre, PIXELS)
    return {"x": x, "y": y, "r": numbers(body.radius, PIXELS), **_look(body.look)}


def _look(look: Identity) -> Plain:
    return {"shape": plain(shape_of(look)), "rgb": list(rgb(look))}


def changes(values: Annotated[Floats, "frame value"]) -> list[list[float | None]]:
    """Return ``[frame, *value]`` for the first frame and for every change."""
    same = (values[1:] == values[:-1]) | ((values[1:] != values[1:]) & (values[:-1] != values[:-1]))
    frames = [0, *(np.flatnonzero(~same.all(axis=1)) + 1).tolist()]
    return [[frame, *numbers(values[frame], 4)] for frame in frames]


def numbers(values: Any, decimals: int) -> Any:
    """Round numbers; whole numbers become integers, and what is not finite becomes None."""
    return _tidy(np.round(np.asarray(values, dtype=np.float64), decimals).tolist())


def _tidy(value: Any) -> Any:
    if isinstance(value, list):
        return [_tidy(one) for one in value]
    if not np.isfinite(value):
        return None
    return int(value) if value == int(value) else value
