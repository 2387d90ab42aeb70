"""Company as the page draws it: others, moving things, what the agent sees and believes.

A trial without company has none of these values. A value that changes over time is a list of
``[frame, value, ...]``, with one entry per change; 1 stands for true and 0 for false.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools
from hbtom.observe import Identity, Other, Trial
from hbtom.observe.contact import Places, stretches
from hbtom.show.company_beliefs import company_of, ghosts
from hbtom.show.page.plain_values import (
    CHANCES,
    PIXELS,
    Plain,
    changes,
    index_of,
    look_of,
    numbers,
)
from hbtom.show.page.scenes import TrialScene
from hbtom.show.trial_deeds import has_company
from hbtom.world.sight_lines import in_view, sees, sees_objects

REST = 12  # still frames; shorter rests do not count as pauses


def object_paths(trial: Trial) -> list[Plain]:
    """Return where each object is and whether the agent sees it, if that changes."""
    if not has_company(trial):
        return [{} for _ in trial.objects]
    seen, paths = sees_objects(trial, 0), trial.object_paths
    moving = [{"path": changes(path)} for path in paths.swapaxes(0, 1)] if paths is not None else []
    return [
        (moving[index] if moving else {}) | _seen(seen[:, index])
        for index in range(len(trial.objects))
    ]


def _seen(seen: Annotated[Bools, "frame"]) -> Plain:
    """Return in which frames something is seen, unless it always is."""
    return {} if seen.all() else {"seen": _when(seen)}


def _when(true: Annotated[Bools, "frame"]) -> list[list[float | None]]:
    return changes(true[:, None].astype(np.float64))


def others(scene: TrialScene, items: Sequence[Identity]) -> list[Plain]:
    """Return all other things; each entry of a path is a position and an angle."""
    return [_other(scene, other, items) for other in scene.trial.others]


def other_values(other: Other, name: str) -> Plain:
    """Return the values to draw another agent or a panel, without beliefs about it."""
    width, height = numbers(other.size, PIXELS)
    return {
        "kind": other.kind,
        "name": name,
        "width": width,
        "height": height,
        **look_of(other.look),
        "path": changes(np.column_stack([other.path, other.angle])),
    }


def _other(scene: TrialScene, other: Other, items: Sequence[Identity]) -> Plain:
    if other.kind != "agent":
        return other_values(other, other.kind)
    plain = other_values(other, scene.names.get(other.look, other.kind))
    item = index_of(items, other.look)
    wanted = {} if item is None or other.look not in scene.posterior.goals else {"item": item}
    absent = np.isnan(other.path[:, 0])
    return plain | wanted | _seen(sees(scene.trial, 0, other.path) | absent)


def company(scene: TrialScene) -> Plain:
    """Return the further values of a trial with company; nothing without company."""
    trial = scene.trial
    if not has_company(trial):
        return {}
    found: Plain = {"busy": _busy(trial), "deeds": _deeds(scene)}
    if trial.walls_there is not None:
        found["standing"] = changes(trial.walls_there.astype(np.float64))
    if trial.agent_there is not None and not trial.agent_there.all():
        found["there"] = _when(trial.agent_there)
    if trial.camera is not None:
        found["camera"] = numbers(trial.camera, PIXELS)
        viewed = in_view(trial, trial.whole_path) | ~trial.there(0)
        found |= {} if viewed.all() else {"viewed": _when(viewed)}
    return found | _mind(scene)


def _deeds(scene: TrialScene) -> list[list[Any]]:
    """Return deeds as rows of actor (None for nobody), frames, kind and a few words."""
    return [
        [deed.actor, deed.first, deed.last, deed.kind, scene.teller.label(deed)]
        for deed in scene.deeds
    ]


def _busy(trial: Trial) -> list[tuple[int, int]]:
    """Return the stretches of frames in which anything moves, without short rests."""
    moved = np.zeros(len(trial.path), dtype=np.bool_)
    for path in (trial.whole_path, *(np.column_stack([o.path, o.angle]) for o in trial.others)):
        moved |= _changed(path)
    for values in (trial.object_paths, trial.walls_there):
        if values is not None:
            moved |= _changed(values.reshape(len(values), -1).astype(np.float64))
    for first, last in stretches(~moved):
        if last - first < REST:
            moved[first : last + 1] = True
    return stretches(moved)


def _changed(values: Places) -> Annotated[Bools, "frame"]:
    """Return in which frames any value differs from the frame before."""
    same = np.nan_to_num(values, nan=-1e9)
    return np.append(False, (same[1:] != same[:-1]).any(axis=1))


def _mind(scene: TrialScene) -> Plain:
    """Return the beliefs about company: causes, attitudes, and where the agent believes things."""
    known = company_of(scene.posterior)
    if known is None:
        return {}
    looks = [other.look for other in scene.trial.others]
    return {
        "mind": {
            "cause": numbers(known.cause[:, 0], CHANCES),
            "attitudes": [
                [looks.index(look), numbers(chances, CHANCES)]
                for look, chances in known.attitudes.items()
                if look in looks
            ],
            "ghosts": [
                [one.index, *numbers((*one.place, one.chance), CHANCES), *one.frames]
                for one in ghosts(scene.trial, scene.posterior)
            ],
        }
    }
