"""What an agent wants, and what it believed: a joint posterior over utilities and beliefs.

Utilities u and beliefs b are on grids (:mod:`hbtom.plan.utility_grids`). An agent acts by a
Boltzmann policy over its options (:mod:`hbtom.plan.situation_values`), or, on a whole path, at
random:

    P(path | u, b, beta) = (1 - random) prod of pi(a) + random prod of 1 / options
    pi(a) ~ exp(beta Q(a))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats
from hbtom.model import Model
from hbtom.plan.situation_values import PlannedWorlds, Valued
from hbtom.plan.utility_grids import Minds
from hbtom.world.possible_worlds import HAVE, Course, Uncertain, Walk

Joint = Annotated[Floats, "utility belief efficiency"]


@dataclass(frozen=True, eq=False)
class DesirePosterior:
    """What is believed about an agent before its first step, and after each."""

    walk: Walk
    uncertain: Uncertain
    minds: Minds
    efficiencies: Annotated[Floats, "efficiency"]
    possible: Annotated[Bools, "1+step world"]  # given what the agent has seen
    utility: Annotated[Floats, "1+step thing level"]  # P(u of a thing)
    best: Annotated[Floats, "1+step thing+1"]  # P(the thing is worth most); the last: no thing
    belief: Annotated[Floats, "1+step world"]  # E[b], the agent's belief before its first step
    efficiency: Annotated[Floats, "1+step efficiency"]
    random: Annotated[Floats, "1+step"]  # P(it acts at random)
    joint: Joint  # P(u, b, efficiency), at the end
    had: tuple[str, ...]  # things on offer where the agent took one, at the end

    @property
    def things(self) -> tuple[str, ...]:
        """The names of all things that the agent may want."""
        return self.uncertain.things

    @property
    def worlds(self) -> tuple[str, ...]:
        """The names of all worlds that the agent may believe it is in."""
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

    @property
    def expected(self) -> dict[str, Annotated[Floats, "1+step"]]:
        """The agent's first belief in each world, or in what lies at each place."""
        facts = self.uncertain.facts
        if not facts:
            return dict(zip(self.worlds, self.belief.T, strict=True))
        return {name: self.belief @ np.array(holds, float) for name, holds in facts.items()}

    def __len__(self) -> int:
        return len(self.walk.acts)

    def __repr__(self) -> str:
        rated = zip(self.things, self.rating[-1].tolist(), strict=True)
        told = ", ".join(f"{name} {rating:.1f}" for name, rating in rated)
        return f"<DesirePosterior of {self.walk.name!r}: {told}>"


def infer_desires(
    model: Model,
    planned: PlannedWorlds,
    walk: Walk,
    course: Course,
    wants: Annotated[Floats, "utility efficiency"] | None = None,
) -> DesirePosterior:
    """Return the posterior of a path; ``wants`` is the prior, if it is not the uniform one."""
    (uncertain, minds, valued), at = planned, course.situation
    efficiencies = 1.0 / np.array(model.desires.temperatures)
    if wants is None:
        shape = len(minds.utilities), len(efficiencies)
        wants = np.full(shape, 1.0 / np.prod(shape))
    with np.errstate(divide="ignore"):
        prior = np.log(wants[:, None] * minds.prior[:, None])
        acting, astray = np.log1p(-model.desires.random) + prior, np.log(model.desires.random)
    joint, wild = _joint(acting, prior + astray)
    found = [_margins(minds, joint, wild)]
    for situation, option in zip(at[:-1].tolist(), course.option.tolist(), strict=True):
        log, many = _log_policy(valued, situation, option, efficiencies)
        acting, astray = acting + log, astray - np.log(many)
        joint, wild = _joint(acting, prior + astray)
        found.append(_margins(minds, joint, wild))
    utility, best, belief, efficiency, random = (np.array(one) for one in zip(*found, strict=True))
    return DesirePosterior(
        walk=walk,
        uncertain=uncertain,
        minds=minds,
        efficiencies=efficiencies,
        possible=valued.situations.possible[at],
        utility=utility,
        best=best,
        belief=belief,
        efficiency=efficiency,
        random=random,
        joint=joint,
        had=_had(uncertain, walk, valued.situations.offers[at[-1]]),
    )


def _had(uncertain: Uncertain, walk: Walk, there: Annotated[Bools, "thing"]) -> tuple[str, ...]:
    took = walk.acts[-1:] == (HAVE,)
    return tuple(name for name, can in zip(uncertain.things, there, strict=True) if took and can)


def _log_policy(
    valued: Valued, situation: int, option: int, efficiencies: Annotated[Floats, "efficiency"]
) -> tuple[Joint, int]:
    """Return log pi(option), and the number of options."""
    best, many = valued.worth(situation), 0
    chosen = total = np.zeros(1)
    for worth in valued.options(situation):
        scaled = efficiencies * (worth - best)[..., None]
        chosen = scaled if many <= option else chosen
        total, many = total + np.exp(scaled), many + 1
    return chosen - np.log(total), many


def _joint(planned: Joint, astray: Joint) -> tuple[Joint, float]:
    """Return a posterior from the logarithms of its two parts, and the share of the second part."""
    top = max(planned.max(), astray.max())
    wild = np.exp(astray - top)
    joint = np.exp(planned - top) + wild
    total = joint.sum()
    return joint / total, float(wild.sum() / total)


def _margins(
    minds: Minds, joint: Joint, wild: float
) -> tuple[Floats, Floats, Floats, Floats, float]:
    """Return P(u) by thing and level, P(best), E[b], P(efficiency), and P(at random)."""
    wants, things = joint.sum(axis=(1, 2)), minds.utilities.shape[1]
    cube = wants.reshape((len(minds.levels),) * things)
    others = (tuple(one for one in range(things) if one != thing) for thing in range(things))
    utility = np.array([cube.sum(axis=one) for one in others])
    belief = joint.sum(axis=(0, 2)) @ minds.beliefs
    return utility, wants @ minds.best, belief, joint.sum(axis=(0, 1)), wild
