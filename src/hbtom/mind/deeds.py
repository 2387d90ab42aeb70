"""What other agents do to an agent: they push it, or they move doors on its path."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.assumptions import Social
from hbtom.mind.regret import name_goals
from hbtom.model import Model
from hbtom.observe import Body, Identity, Trial
from hbtom.observe.bodies import Actor
from hbtom.observe.contact import in_room, onset
from hbtom.observe.social_events import doors_moved
from hbtom.plan import plan_trial
from hbtom.plan.interpolation import cost_at
from hbtom.world.course import panel_boxes, still_world, walled
from hbtom.world.seeing import see
from hbtom.world.sight_lines import in_view

FARTHEST = 40.0  # units of cost; the distance of goals that doors bar


class Deed(NamedTuple):
    """An actor moves a door: what the agent gains, in units of cost, for each of its goals."""

    actor: Identity
    goals: tuple[Identity, ...]
    gain: Annotated[Floats, "goal"]
    barred: Annotated[Bools, "goal"]  # whether there is no path before, or none afterwards


def object_identities(trial: Trial) -> tuple[Identity, ...]:
    """Return the identities of the objects."""
    return name_goals(trial)[: len(trial.objects)] if trial.objects else ()


def others_at(trial: Trial, frame: int) -> list[Actor]:
    """Return the other agents that are in the room."""
    return [one for one in trial.actors[1:] if in_room(trial, one.path[frame : frame + 1])[0]]


def numbered_twin(look: Identity, names: Sequence[Identity]) -> Identity:
    """Return an agent's identity, numbered as a twin if another name looks the same."""
    twins = sum(name.image == look.image and name.colour == look.colour for name in names)
    return look if not twins else Identity(look.image, look.colour, twin=twins + 1)


def onset_of(social: Social, trial: Trial) -> tuple[int, bool] | None:
    """Return when the agent starts to move and whether it is touched then, if that is seen."""
    start = onset(trial, social.touch) if social.moved > 0 else None
    if start is None:
        return None
    seen = in_view(trial, trial.whole_path)[start.frame - 1 : start.frame + 1]
    return (start.frame, bool(start.pushed_by)) if seen.all() else None


def deeds_of(model: Model, trial: Trial, openings: tuple[float, ...]) -> Iterator[Deed]:
    """Yield what the judged agent gains whenever another agent moves a door.

    gain = min(C before, 40) - min(C after, 40), from where the agent is.
    """
    for moved in doors_moved(trial):
        if moved.actor:  # neither None nor the agent itself, 0; the mover is not among the goals
            mover = trial.actors[moved.actor].look
            others = model.social is not None and model.social.others
            bodies = _goals(trial, moved.first, others)
            bodies = tuple(one for one in bodies if one.look != mover)
            if not bodies:
                continue
            here = still_world(trial, slice(moved.last, moved.last + 1), bodies)
            here = walled(here, panel_boxes(trial, "board", moved.last))
            before, after = (
                _cost(model, walled(here, panel_boxes(trial, "door", frame)), openings)
                for frame in (moved.first, moved.last)
            )
            barred = np.maximum(before, after) >= FARTHEST
            yield Deed(mover, tuple(one.look for one in bodies), before - after, barred)


def _goals(trial: Trial, frame: int, others: bool) -> tuple[Body, ...]:
    """Return the objects, and perhaps the other agents, where they are in a frame."""
    bodies = [
        Body(name, (float(x), float(y)), one.radius)
        for name, one, (x, y) in zip(
            object_identities(trial), trial.objects, trial.objects_at[frame], strict=True
        )
        if x == x  # not NaN: it is there
    ]
    for one in others_at(trial, frame) if others else ():
        x, y = one.path[frame].tolist()
        look = numbered_twin(one.look, [body.look for body in bodies])
        bodies.append(Body(look, (x, y), one.radius))
    return tuple(bodies)


def _cost(model: Model, trial: Trial, openings: tuple[float, ...]) -> Annotated[Floats, "goal"]:
    """Return the cost of reaching each object from where the agent is."""
    seen = see(model, trial, openings)
    start, now = seen.trajectory.first[None, None], np.zeros(1, dtype=np.int64)
    far = cost_at(plan_trial(model, seen), start, now)[: len(trial.objects), 0]
    return np.minimum(far, FARTHEST)
