"""The data of the page, as plain values with few digits and without repetition.

Frames count from 0. A value that changes over time is a list of ``[frame, value, ...]``, with one
entry per change.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

import msgspec
import numpy as np

from hbtom.judgement import Judgement
from hbtom.judgement.surprises import shift
from hbtom.judgement.tracing import BaseJudgement
from hbtom.mind import Posterior
from hbtom.mind.regret import name_goals
from hbtom.observe import Body, Identity
from hbtom.show.company_beliefs import aims, asks_where
from hbtom.show.page.company_values import company, object_paths, others
from hbtom.show.page.plain_values import CHANCES, PIXELS, Plain, changes, index_of, look_of, numbers
from hbtom.show.page.scenes import TrialScene, names_of, scenes
from hbtom.show.page.story import chapter
from hbtom.show.words import plain


def film(judgement: Judgement) -> Plain:
    """Return a judged episode as plain values for the page."""
    items = _items(judgement)
    return {
        "name": plain(PurePath(judgement.episode.name).name),
        **verdict(judgement),
        "curves": msgspec.to_builtins(judgement.model.classifier),
        "model": plain(judgement.model.name),
        "fingerprint": judgement.model.fingerprint,
        "motion": judgement.model.motion.__struct_config__.tag,
        "warnings": [plain(warning) for warning in judgement.warnings],
        "items": list(items.values()),
        "efficiencies": numbers(judgement.test.efficiencies, CHANCES),
        "trials": [_trial(scene, list(items)) for scene in scenes(judgement)],
    }


def verdict(judgement: BaseJudgement) -> Plain:
    """Return the plausibility with its parts and surprises; None, and why, if it is missing."""
    missing = bool(judgement.missing)
    return {
        "plausibility": None if missing else judgement.plausibility,
        "parts": None if missing else judgement.parts.to_dict(),
        "surprise": None if missing else judgement.surprise.to_dict(),
        **({"missing": judgement.missing} if missing else {}),
    }


def _items(judgement: Judgement) -> dict[Identity, Plain]:
    """Return all items of an episode; a key has the look of its first appearance."""
    names = names_of(judgement)
    looks: dict[Identity, Identity] = {}
    for trial, posterior in zip(judgement.episode, judgement.posteriors, strict=True):
        drawn = dict(zip(name_goals(trial), trial.items, strict=False))
        for goal in posterior.goals:
            looks.setdefault(goal, drawn[goal].look if goal in drawn else goal)
    return {goal: {"name": names[goal], **look_of(look)} for goal, look in looks.items()}


def _trial(scene: TrialScene, items: Sequence[Identity]) -> Plain:
    trial, posterior = scene.trial, scene.posterior
    story, paths = chapter(scene), object_paths(trial)
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
            {"item": index_of(items, goal), **_body(body), **moving}
            for goal, body, moving in zip(scene.things, trial.objects, paths, strict=False)
        ],
        "others": others(scene, items),
        "key": _key(scene, items),
        "lock": _lock(scene),
        "beliefs": beliefs(posterior, items),
        "summary": story.summary,
        "moments": [[moment.frame, moment.kind, moment.text] for moment in story.moments],
        **company(scene),
    }


def _key(scene: TrialScene, items: Sequence[Identity]) -> Plain | None:
    trial, goals = scene.trial, scene.posterior.goals
    if trial.key is None or trial.key_path is None:
        return None
    wanted = len(goals) > len(trial.objects)  # in some models the key is not a goal
    item = items.index(goals[-1]) if wanted else None
    return {"item": item, **_body(trial.key), "path": changes(trial.key_path)}


def _lock(scene: TrialScene) -> Plain | None:
    lock, there = scene.trial.lock, scene.trial.lock_there
    if lock is None or there is None:
        return None
    return {**_body(lock), "there": changes(there[:, None].astype(np.float64))}


def beliefs(posterior: Posterior, items: Sequence[Identity]) -> Plain:
    """Return the beliefs before the first step and after each step."""
    return {
        "frame": posterior.frame.tolist(),
        "goals": [items.index(goal) for goal in posterior.goals],
        "reachable": posterior.reachable.tolist(),
        "goal": numbers(posterior.goal, CHANCES),
        "efficiency": numbers(posterior.efficiency, CHANCES),
        "preferred": [items.index(goal) for goal in posterior.preferred],
        "preference": numbers(posterior.preference, CHANCES),
        "goal_shift": numbers(shift(posterior.aims.sum(axis=2)), CHANCES),
        "efficiency_shift": numbers(shift(posterior.efficiency), CHANCES),
        "unlikely": numbers(-posterior.log_likelihood, CHANCES),
        **_aims(posterior, items),
    }


def _aims(posterior: Posterior, items: Sequence[Identity]) -> Plain:
    """Return the probability of each goal at each place, if a goal may be in several."""
    if not asks_where(posterior):
        return {}
    found = aims(posterior)
    named = [(items.index(posterior.goals[one.goal]), one.place, one.where) for one in found]
    values = (numbers(one.chance, CHANCES) for one in found)
    return {"aims": [[*names, row] for names, row in zip(named, values, strict=True)]}


def _body(body: Body) -> Plain:
    x, y = numbers(body.centre, PIXELS)
    return {"x": x, "y": y, "r": numbers(body.radius, PIXELS), **look_of(body.look)}
