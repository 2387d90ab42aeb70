"""What limits the meaning of a judgement, as warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.assumptions import Grid
from hbtom.compiled import kernel_or
from hbtom.errors import count
from hbtom.judgement.approaches import approach, touch_tolerance
from hbtom.model import Model
from hbtom.observe import Identity, Trial, names
from hbtom.observe.social_events import gestures
from hbtom.world.sight_lines import hides_all

if TYPE_CHECKING:
    from hbtom.judgement.judging import Judgement

SMALL = 100.0  # pixels; a world whose sides are shorter is suspicious
TINY = 2.0  # pixels; so is an agent that moves less than this
HUGE = 0.4  # of the world's longer side; so is an agent that is wider
_TURNED = "is an axis flipped, are columns swapped, or is the path reversed?"
_ALWAYS = np.empty((0, 0), dtype=np.bool_)  # all walls stand in all frames


def judgement_warnings(judgement: Judgement) -> Iterator[str]:
    """Yield everything that limits the meaning of a judgement."""
    model, frames, trials = judgement.model, judgement.frames, judgement.episode.trials
    if len(trials) == 1:
        yield "there is only one trial: it is judged without familiarization"
    yield from odd_units(trials[-1])
    yield from _odd_things(trials)
    yield from _nothing_reached(judgement)
    if len(frames) == 0 and trials[-1].objects:
        yield "the agent does not move in the test trial: there is nothing to judge"
    kinds = {other.kind for trial in trials for other in trial.others}
    if kinds and (model.minds is None or model.knowledge.plan):
        named = ("other agents" if kind == "agent" else f"{kind}s" for kind in sorted(kinds))
        yield f"{', '.join(named)}: seen, but not modelled; {_why_not(model)}"
    gaps = [np.isnan(one.path[:, 0]) for one in trials if one.whole_path is not one.path]
    if unseen := sum(int(gap.sum()) for gap in gaps):
        every = sum(len(trial.path) for trial in trials)
        yield f"the agent is not seen in {unseen} of {every} frames"
    both = zip(trials, judgement.limits, strict=True)
    for number, (trial, said) in enumerate(both, start=1):
        if said or trial.warnings or trial.others or trial.unusual:
            for warning in (*_ignored(model, trial), *trial.warnings, *said):
                yield f"trial {number}: {warning}"
    if some := _in_walls(trials[-1], frames):
        told = f"the agent is inside a wall after {some} of {len(frames)} steps"
        yield f"trial {len(trials)}: {told}"


def odd_units(trial: Trial) -> Iterator[str]:
    """Yield what suggests that positions are not in pixels."""
    width, height = trial.size
    if max(width, height) < SMALL:
        world = f"the world is only {width:g} x {height:g} pixels"
        yield f"{world}, but the model is made for about 200; is it in other units?"
    path = trial.whole_path
    (x, y), (end_x, end_y) = path[0].tolist(), path[-1].tolist()
    if abs(end_x - x) >= TINY or abs(end_y - y) >= TINY:
        return
    far = float(np.ptp(path, axis=0).max())
    if 0 < far < TINY:
        yield f"the agent moves within {far:.2g} pixels; are positions in other units?"


def _odd_things(trials: Sequence[Trial]) -> Iterator[str]:
    """Yield what is odd about the places and sizes of things, once for all trials."""
    found: dict[str, list[int]] = {}
    for number, trial in enumerate(trials, start=1):
        for odd in _odd_places(trial):
            found.setdefault(odd, []).append(number)
    for odd, (first, *others) in found.items():
        more = f" and {count(len(others), 'other')}" if others else ""
        yield f"trial {first}{more}: {odd}"


def _odd_places(trial: Trial) -> Iterator[str]:
    """Yield which things are inside walls or in one place, and whether the agent is huge."""
    if 2 * trial.agent.radius >= HUGE * max(trial.size):
        wide = f"{2 * trial.agent.radius:g} of the world's {max(trial.size):g} pixels wide"
        yield f"the agent is {wide}; is its size in other units?"
    if not len(trial.items):
        return
    walls = trial.walls if trial.walls_there is None else trial.walls[trial.walls_there[0]]
    places, called = trial.places, names([item.look for item in trial.items])
    (x, y), (left, top, width, height) = places[:, :2].T[..., None], walls.T
    inside = (left < x) & (x < left + width) & (top < y) & (y < top + height)
    for item in np.flatnonzero(inside.any(axis=1)).tolist():
        yield f"{called[item]} is inside a wall"
    for one, other in combinations(range(len(places)), 2):
        if np.hypot(*(places[one, :2] - places[other, :2])) < TINY:
            yield f"{called[one]} and {called[other]} are in one place"


def _nothing_reached(judgement: Judgement) -> Iterator[str]:
    """Yield which agents come near nothing in any trial, as if their positions were wrong.

    Agents that copy the gestures of others need not reach anything.
    """
    tolerance, nearest = touch_tolerance(judgement.model), dict[Identity, float | None]()
    for trial, planned in zip(judgement.episode.trials, judgement.planned, strict=True):
        least = nearest.get(planned.agent, np.inf)  # None if it has reached something
        if least is None or not len(planned.regret.frame):
            continue
        whole = trial if planned.company else None
        items = range(len(planned.steady.items))
        ways = [approach(planned, item, tolerance, whole) for item in items]
        copies = planned.company and any(one.actor == 0 for one in gestures(trial))
        reached = copies or any(one.reached for one in ways)
        least = None if reached else min([least, *(one.least for one in ways)])
        nearest[planned.agent] = least
    for agent, least in nearest.items():
        if least is not None:
            who = f"{agent}" if len(nearest) > 1 else "the agent"
            far = f" and comes no nearer than {least:.0f} pixels" if 1.0 <= least < np.inf else ""
            yield f"{who} reaches nothing in any trial{far}; {_TURNED}"


def _why_not(model: Model) -> str:
    """Return why a model ignores company."""
    if model.social is None or model.minds is not None:
        return "they have no effect"
    needs = "agents that foresee everything, make no mistakes and do not change their minds"
    if isinstance(model.motion, Grid):
        needs = 'motion.kind = "continuous"'
    elif model.observation.noise > 0:
        needs = "observation.noise = 0"
    return f"[social] has no effect in this model because it needs {needs}"


def _ignored(model: Model, trial: Trial) -> Iterator[str]:
    """Yield what is hidden, or ignored by a model without company or in a world that changes."""
    if trial.camera is not None and hides_all(trial):
        yield "boards hide the agent from the camera all along"
    if model.minds is not None:
        if trial.changes and trial.company:
            yield (
                "others are ignored, because the agent plans in a world that changes; with "
                "still=True, they are modelled, and the agent plans in the world as it is at first"
            )
        return
    for name, seen in (("walls", trial.walls_there), ("objects", trial.object_paths)):
        if trial.still and seen is not None:
            changed = (seen != seen[0]).reshape(len(seen), -1).any(axis=1)
            frame = 1 + int(changed.argmax())
            yield f"'{name}' changes at frame {frame}; its first state is used"
    if trial.agent_there is not None:
        frame = 1 + int(trial.agent_there.argmin())
        yield f"the agent is away at frame {frame}; until it returns, it counts as standing still"


def _in_walls(trial: Trial, ends: Annotated[Ints, "step"]) -> int:
    """Return how often the agent's centre is inside a wall: at first, and at the end of steps."""
    there = _ALWAYS if trial.walls_there is None else trial.walls_there
    return count_inside(trial.whole_path, ends, trial.walls, there)


def _count_all(path: Floats, ends: Ints, boxes: Floats, there: Bools) -> int:
    frames = np.append(0, ends)
    x, y = path[frames].T[:, :, None]
    left, top, width, height = boxes.T
    inside = (left < x) & (x < left + width) & (top < y) & (y < top + height)
    return int((inside & there[frames] if len(there) else inside).any(axis=1).sum())


@kernel_or(_count_all)
def count_inside(
    path: Annotated[Floats, "frame 2"],
    ends: Annotated[Ints, "step"],
    boxes: Annotated[Floats, "box 4"],
    there: Annotated[Bools, "frame box"],
) -> int:
    """Return how often a path is inside a box that is there, at first and at the end of steps.

    Without ``there``, all boxes are there all along.
    """
    count = 0
    for step in range(len(ends) + 1):
        frame = ends[step - 1] if step > 0 else 0
        x, y = path[frame, 0], path[frame, 1]
        for box in range(len(boxes)):
            left, top = boxes[box, 0], boxes[box, 1]
            across = left < x < left + boxes[box, 2]
            if across and top < y < top + boxes[box, 3] and (len(there) == 0 or there[frame, box]):
                count += 1
                break
    return count
