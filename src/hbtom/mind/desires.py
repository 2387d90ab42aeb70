"""What an agent wants, and what it believed: a joint posterior over utilities and beliefs.

An agent holds each thing to be worth u, and believes at first each possible world w with the
probability b_w. Both are on grids:

    u in levels^things, all alike          b in the simplex, in multiples of 1 / n
    p(b) ~ product over worlds in which something is lacking of (b_w + 1 / 2n)^(lacking - 1)

It acts by a Boltzmann policy over its options (:mod:`hbtom.plan.wanting`), or, on a whole path, at
random:

    P(path | u, b, beta) = (1 - random) prod of pi(a) + random prod of 1 / options
    pi(a) ~ exp(beta Q(a))
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product
from math import comb
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.errors import BadInput
from hbtom.model import Desires, Model
from hbtom.plan.wanting import Valued
from hbtom.world.possible import HAVE, Course, Uncertain, Walk

MOST_MINDS = 1 << 22  # pairs of utilities and a belief

Joint = Annotated[Floats, "utility belief efficiency"]


class Minds(NamedTuple):
    """The grids of what an agent may want and believe, and the prior of beliefs."""

    levels: Annotated[Floats, "level"]
    utilities: Annotated[Floats, "utility thing"]
    beliefs: Annotated[Floats, "belief world"]
    prior: Annotated[Floats, "belief"]

    @property
    def best(self) -> Annotated[Floats, "utility thing+1"]:
        """Which thing is worth most; the last is none, if nothing is worth more than 0."""
        worth = np.hstack([self.utilities, np.zeros((len(self.utilities), 1))])
        top = worth == worth.max(axis=1, keepdims=True)
        top[:, -1] &= ~top[:, :-1].any(axis=1)
        return top / top.sum(axis=1, keepdims=True)


def minds_of(assumed: Desires, uncertain: Uncertain) -> Minds:
    """Return the grids for what is possible in a world."""
    things, worlds, parts = len(uncertain.things), len(uncertain.worlds), assumed.fineness
    many = len(assumed.utilities) ** things, comb(parts + worlds - 1, parts)
    if many[0] * many[1] > MOST_MINDS:
        problem = f"{things} things and {worlds} possible worlds make {many[0] * many[1]:.1e} minds"
        hint = "coarser grids have fewer: desires.utilities, desires.fineness; or leave things out"
        raise BadInput(problem, hint=hint)
    utilities = np.array([*product(assumed.utilities, repeat=things)])
    beliefs = np.array([*_simplex(parts, worlds)]) / parts
    lacking = np.log(beliefs[:, list(uncertain.lacking)] + 0.5 / parts).sum(axis=1)
    prior = np.exp((assumed.lacking - 1.0) * lacking)
    return Minds(np.array(assumed.utilities), utilities, beliefs, prior / prior.sum())


def _simplex(parts: int, worlds: int) -> Iterator[Annotated[Floats, "world"]]:
    """Yield all ways to share out some parts among worlds."""
    for bars in combinations(range(parts + worlds - 1), worlds - 1):
        yield np.diff([-1, *bars, parts + worlds - 1]) - 1.0


@dataclass(frozen=True, eq=False)
class DesirePosterior:
    """What is believed about an agent before its first step, and after each."""

    walk: Walk
    uncertain: Uncertain
    minds: Minds
    efficiencies: Annotated[Floats, "efficiency"]
    possible: Annotated[Bools, "1+step world"]  # to the agent, for all that it has seen
    utility: Annotated[Floats, "1+step thing level"]  # P(u of a thing)
    best: Annotated[Floats, "1+step thing+1"]  # P(the thing is worth most); the last is none
    belief: Annotated[Floats, "1+step world"]  # E[b], what the agent believed at first
    efficiency: Annotated[Floats, "1+step efficiency"]
    random: Annotated[Floats, "1+step"]  # P(it acts at random)
    joint: Joint  # P(u, b, efficiency), at the end
    had: tuple[str, ...]  # things that the agent could have where it took one, at the end

    @property
    def things(self) -> tuple[str, ...]:
        """The names of all things that the agent may want."""
        return self.uncertain.things

    @property
    def worlds(self) -> tuple[str, ...]:
        """The names of all worlds that the agent may believe to be in."""
        return self.uncertain.names

    @property
    def desire(self) -> Annotated[Floats, "1+step thing"]:
        """E[u]: what each thing is worth to the agent, on average."""
        return self.utility @ self.minds.levels

    @property
    def rating(self) -> Annotated[Floats, "1+step thing"]:
        """The desire for each thing on a scale from 1 to 7, as people rate it."""
        low, high = self.minds.levels[0], self.minds.levels[-1]
        return 1.0 + 6.0 * (self.desire - low) / max(high - low, 1e-9)

    def __len__(self) -> int:
        return len(self.walk.acts)

    def __repr__(self) -> str:
        rated = zip(self.things, self.rating[-1].tolist(), strict=True)
        told = ", ".join(f"{name} {rating:.1f}" for name, rating in rated)
        return f"<DesirePosterior of {self.walk.name!r}: {told}>"


def infer_desires(
    model: Model,
    minds: Minds,
    valued: Valued,
    named: tuple[Uncertain, Walk],
    course: Course,
    wants: Annotated[Floats, "utility efficiency"] | None = None,
) -> DesirePosterior:
    """Return the posterior of a path; ``wants`` is the prior, where more is known of the agent."""
    (uncertain, walk), efficiencies = named, 1.0 / np.array(model.desires.temperatures)
    if wants is None:
        many = len(minds.utilities), len(efficiencies)
        wants = np.full(many, 1.0 / np.prod(many))
    with np.errstate(divide="ignore"):
        prior = np.log(wants[:, None] * minds.prior[:, None])
        planned, astray = np.log1p(-model.desires.random) + prior, np.log(model.desires.random)
    found = [_joint(planned, prior + astray)]
    for situation, option in zip(course.situation.tolist(), course.option.tolist(), strict=False):
        worth = valued.options(situation)
        planned = planned + _log_policy(worth, option, efficiencies)
        astray -= np.log(len(worth))
        found.append(_joint(planned, prior + astray))
    return DesirePosterior(
        walk=walk,
        uncertain=uncertain,
        minds=minds,
        efficiencies=efficiencies,
        possible=valued.situations.possible[course.situation],
        utility=np.array([_by_thing(minds, joint.sum(axis=(1, 2))) for joint, _ in found]),
        best=np.array([joint.sum(axis=(1, 2)) @ minds.best for joint, _ in found]),
        belief=np.array([joint.sum(axis=(0, 2)) @ minds.beliefs for joint, _ in found]),
        efficiency=np.array([joint.sum(axis=(0, 1)) for joint, _ in found]),
        random=np.array([wild for _, wild in found]),
        joint=found[-1][0],
        had=_had(uncertain, walk, valued.situations.offers[course.situation[-1]]),
    )


def _had(uncertain: Uncertain, walk: Walk, there: Annotated[Bools, "thing"]) -> tuple[str, ...]:
    took = walk.acts[-1:] == (HAVE,)
    return tuple(name for name, can in zip(uncertain.things, there, strict=True) if took and can)


def _log_policy(
    worth: Annotated[Floats, "option utility belief"], option: int, efficiencies: Floats
) -> Joint:
    """Return log pi(option)."""
    regret = worth.max(axis=0) - worth
    scaled = -efficiencies * regret[..., None]
    return scaled[option] - np.log(np.exp(scaled).sum(axis=0))


def _joint(planned: Joint, astray: Joint) -> tuple[Joint, float]:
    """Return a posterior, given the logarithms of its parts, and the share of the second part."""
    top = max(planned.max(), astray.max())
    wild = np.exp(astray - top)
    joint = np.exp(planned - top) + wild
    total = joint.sum()
    return joint / total, float(wild.sum() / total)


def _by_thing(
    minds: Minds, wants: Annotated[Floats, "utility"]
) -> Annotated[Floats, "thing level"]:
    """Return the probability of each level, for each thing."""
    things = minds.utilities.shape[1]
    cube = wants.reshape((len(minds.levels),) * things)
    others = [tuple(one for one in range(things) if one != thing) for thing in range(things)]
    return np.array([cube.sum(axis=one) for one in others])
