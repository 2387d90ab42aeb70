"""How an agent may pursue a goal: all goals, places and manners, combined as hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
from msgspec.structs import replace

from hbtom.arrays import Bools, Floats, frozen
from hbtom.mind.hypotheses import OUTDATED, TRUE, Hypotheses
from hbtom.mind.regret import Headings, Regret
from hbtom.observe import Identity, names

REACH, COPY, BY_WAY = "reach", "copy", "by way of "  # followed by the maker of the gesture


class CompanyHypothesis(NamedTuple):
    """One hypothesis: the agent wants a goal, believes it to be at a place, and has a manner."""

    goal: int
    place: int
    manner: str | Identity  # or the maker of the gesture by which a thing is reached
    chance: float  # P(place, manner | goal), up to a factor for each goal; 0 if impossible
    regret: Annotated[Floats, "step"]
    silent: Annotated[Bools, "step"]  # steps that say nothing about it


def hypothesis_table(
    goals: tuple[Identity, ...], hypotheses: Sequence[CompanyHypothesis], like: Regret
) -> tuple[Hypotheses, Regret]:
    """Return all combinations of goal, place and manner; those that are not given are impossible.

    ``like`` is a regret of the same steps.
    """
    manners = (REACH, *dict.fromkeys(one.manner for one in hypotheses if one.manner != REACH))
    makers = [one for one in manners if isinstance(one, Identity)]
    called = dict(zip(makers, (BY_WAY + name for name in names(makers)), strict=True))
    places = _named(1 + max(one.place for one in hypotheses))
    shape = len(goals), len(places), len(manners)
    prior, wasted = np.zeros(shape), np.zeros((len(like.frame), *shape))
    silent = np.ones(wasted.shape, dtype=np.bool_)
    for one in hypotheses:
        at = one.goal, one.place, manners.index(one.manner)
        prior[at], wasted[:, *at], silent[:, *at] = one.chance, one.regret, one.silent
    share = prior
    if not prior.any():  # nothing can be reached: all goals are alike
        share = np.zeros(shape)
        share[:, 0, 0] = 1.0
    total = share.sum(axis=(1, 2), keepdims=True)
    with np.errstate(divide="ignore"):
        log_prior = np.log(share / np.where(total > 0, total, 1.0))
    flat, many = wasted.reshape(len(wasted), prior.size), shape[1] * shape[2]
    repeated = tuple(goal for goal in goals for _ in range(many))
    labels = tuple(called.get(one, one) for one in manners)  # type: ignore[arg-type]
    kinds = Hypotheses(places, labels, frozen(log_prior))
    said = _regret(repeated, prior.reshape(-1) > 0, flat, silent.reshape(flat.shape), like)
    return kinds, said


def likeliest_regret(
    goals: tuple[Identity, ...], hypotheses: Sequence[CompanyHypothesis], like: Regret
) -> Regret:
    """Return the regret under the likeliest place and manner of each goal."""
    by_goal = [[one for one in hypotheses if one.goal == goal] for goal in range(len(goals))]
    best = [max(some, key=_chance) for some in by_goal]
    can = np.array([one.chance > 0 for one in best])
    wasted, silent = (np.stack(some, axis=1) for some in zip(*map(_steps, best), strict=True))
    return _regret(goals, can, wasted, silent, like)


def _named(places: int) -> tuple[str, ...]:
    """Return names for beliefs: the first is true, and the others are outdated."""
    more = (f"{OUTDATED} {number}" for number in range(2, places))
    return (TRUE, OUTDATED, *more)[:places]


def _chance(one: CompanyHypothesis) -> float:
    return one.chance


def _steps(one: CompanyHypothesis) -> tuple[Floats, Bools]:
    return one.regret, one.silent


def _regret(
    goals: tuple[Identity, ...], can: Bools, wasted: Floats, silent: Bools, like: Regret
) -> Regret:
    assert isinstance(like.choice, Headings)
    choice = replace(like.choice, step_regret=wasted, silent=silent if silent.any() else None)
    return replace(like, goals=goals, reachable=can, step_regret=wasted, choice=choice)
