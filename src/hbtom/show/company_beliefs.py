"""What is believed about company, as far as a model has such beliefs: for figures and movies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Floats
from hbtom.mind import Posterior
from hbtom.mind.regret import name_goals
from hbtom.observe import Other, Trial
from hbtom.show.happenings import has_company
from hbtom.world.course import setting_out
from hbtom.world.sight_lines import sees_objects

LEAST = 0.05  # probability of a place that is worth drawing
ELSEWHERE = 4.0  # pixels from where a thing is


@dataclass(frozen=True, slots=True)
class Ghost:
    """A thing where the agent believes it to be, though it is not there."""

    index: int  # of the object
    place: tuple[float, float]
    chance: float


def company_of(posterior: Posterior | None) -> Any:
    """Return what is believed about company; None if nothing is."""
    return getattr(posterior, "company", None)


def ghosts(trial: Trial, posterior: Posterior | None, frame: int = -1) -> tuple[Ghost, ...]:
    """Return where the agent wrongly believes things to be in a frame, once it has set out."""
    known, frame = company_of(posterior), frame % len(trial.path)
    if known is None or frame < setting_out(trial):
        return ()
    things, places = name_goals(trial), trial.objects_at[frame].tolist()
    return tuple(
        Ghost(index, place, chance)
        for index, here in enumerate(places)
        for place, chance in known.places.get(things[index], ())
        if chance >= LEAST and not math.dist(here, place) <= ELSEWHERE
    )


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
    """Return how probable it is that the agent moves by itself; 1 if nobody asks."""
    known = company_of(posterior)
    return 1.0 if known is None else float(known.cause[step, 0])


def cause(posterior: Posterior | None) -> str:
    """Say how probable it is in the end that the agent moves by itself; "" if nobody asks."""
    told = f"moves by itself: {by_itself(posterior):.2f}"
    return "" if company_of(posterior) is None else told


def unseen(trial: Trial, frame: int | None = None) -> frozenset[int]:
    """Return the objects that the agent does not see in a frame, by default when it sets out."""
    if not has_company(trial):
        return frozenset()
    seen = sees_objects(trial, 0)[setting_out(trial) if frame is None else frame]
    return frozenset(np.flatnonzero(~seen).tolist())
