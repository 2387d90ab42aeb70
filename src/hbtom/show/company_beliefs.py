"""Beliefs about company, if a model has any, for figures and movies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.mind import Posterior
from hbtom.mind.regret import name_goals
from hbtom.observe import Other, Trial
from hbtom.show.trial_deeds import has_company
from hbtom.world.course import last_onset
from hbtom.world.sight_lines import sees, sees_objects

LEAST = 0.05  # least probability of a place that is worth drawing
ELSEWHERE = 4.0  # least distance from a thing's own place, in pixels


@dataclass(frozen=True, slots=True)
class PlacedGoal:
    """A goal of the agent, and a place where it may look for it."""

    goal: int
    place: int  # the first is where the thing is
    where: str  # "" if it can only be in one place
    chance: Annotated[Floats, "1+step"]


def aims(posterior: Posterior) -> tuple[PlacedGoal, ...]:
    """Return all goals with each place where the agent may look for them."""
    if not posterior.hypotheses.by_goal:
        return tuple(
            PlacedGoal(goal, 0, "", chance) for goal, chance in enumerate(posterior.goal.T)
        )
    can: Bools = np.array(np.isfinite(posterior.hypotheses.log_prior).any(axis=2))
    can[:, 0] |= ~can.any(axis=1)  # unreachable goals keep their first place
    both, several = posterior.margin("goal", "place"), can.sum(axis=1) > 1
    return tuple(
        PlacedGoal(goal, place, _where(place) if several[goal] else "", both[:, goal, place])
        for goal, place in np.argwhere(can).tolist()
    )


def _where(place: int) -> str:
    """Return where the agent may look for a thing, in words; later places come first."""
    named = ("where it is", "where it was", "earlier")
    return named[place] if place < len(named) else f"earlier ({place - 1})"


def asks_where(posterior: Posterior) -> bool:
    """Return whether the agent may look for a goal in several places."""
    return any(aim.where for aim in aims(posterior))


@dataclass(frozen=True, slots=True)
class Ghost:
    """A thing in a place where the agent believes it to be although it is not."""

    index: int  # of the object
    place: tuple[float, float]
    chance: float
    frames: tuple[int, int]  # from setting out until it sees that it is wrong, exclusive


def company_of(posterior: Posterior | None) -> Any:
    """Return the beliefs about company, or None if there are none."""
    return getattr(posterior, "company", None)


def ghosts(trial: Trial, posterior: Posterior | None) -> tuple[Ghost, ...]:
    """Return where the agent wrongly believes things to be when it sets out."""
    known, start = company_of(posterior), last_onset(trial)
    things = () if known is None else name_goals(trial)[: len(trial.objects)]
    return tuple(
        Ghost(index, place, chance, (start, _until(trial, index, place, start)))
        for index, here in enumerate(trial.objects_at[start].tolist()[: len(things)])
        for place, chance in known.places.get(things[index], ())
        if chance >= LEAST and not math.dist(here, place) <= ELSEWHERE
    )


def _until(trial: Trial, index: int, place: tuple[float, float], start: int) -> int:
    """Return when the agent, on its way, first sees a thing, or that its place is empty.

    If it could see the place from the start, that did not change its mind.
    """
    path = trial.objects_at[:, index]
    empty = sees(trial, 0, np.full_like(path, place))
    known = sees(trial, 0, path) | (empty & ~empty[start])
    later = np.flatnonzero(known[start + 1 :])
    return start + 1 + int(later[0]) if len(later) else len(path)


def attitudes(
    trial: Trial, posterior: Posterior | None
) -> tuple[tuple[Other, Annotated[Floats, "1+step 3"]], ...]:
    """Return the others whose attitude is known: P(hinders), P(neutral) and P(helps) of each."""
    known = company_of(posterior)
    if known is None:
        return ()
    agents = (other for other in trial.others if other.kind == "agent")
    return tuple((one, known.attitudes[one.look]) for one in agents if one.look in known.attitudes)


def by_itself(posterior: Posterior | None, step: int = -1) -> float:
    """Return the probability that the agent moves by itself; 1 if that is not inferred."""
    known = company_of(posterior)
    return 1.0 if known is None else float(known.cause[step, 0])


def cause(posterior: Posterior | None) -> str:
    """Return the final probability that the agent moves by itself, in words; "" if not inferred."""
    text = f"moves by itself: {by_itself(posterior):.2f}"
    return "" if company_of(posterior) is None else text


def unseen(trial: Trial, frame: int | None = None) -> frozenset[int]:
    """Return the objects that the agent does not see in a frame, by default when it sets out."""
    if not has_company(trial):
        return frozenset()
    seen = sees_objects(trial, 0)[last_onset(trial) if frame is None else frame]
    return frozenset(np.flatnonzero(~seen).tolist())
