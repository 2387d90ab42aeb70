"""What agents may want and believe: grids of utilities and beliefs.

Each thing has a utility u for an agent, and at first the agent believes in each possible world w
with probability b_w. Both are on grids:

    u in levels^things, uniformly          b in the simplex, in multiples of 1 / n
    p(b) ~ product over worlds in which something is lacking of (b_w + 1 / 2n)^(lacking - 1)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, product
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Floats
from hbtom.assumptions import Desires
from hbtom.errors import BadInput
from hbtom.world.possible_worlds import Uncertain

MOST_MINDS = 1 << 20  # combinations of utilities, a belief and an efficiency


class Minds(NamedTuple):
    """The grids of what an agent may want and believe, and the prior over beliefs."""

    levels: Annotated[Floats, "level"]
    utilities: Annotated[Floats, "utility thing"]
    beliefs: Annotated[Floats, "belief world"]
    prior: Annotated[Floats, "belief"]
    best: Annotated[Floats, "utility thing+1"]  # which thing is worth most; last: no thing is


def minds_of(assumed: Desires, uncertain: Uncertain) -> Minds:
    """Return the grids for the things and the possible worlds."""
    things, worlds, parts = len(uncertain.things), len(uncertain.worlds), assumed.fineness
    if not things:
        raise BadInput("there is nothing that agents could want", hint="name things, or goals")
    many = len(assumed.utilities) ** things, math.comb(parts + worlds - 1, parts)
    if math.prod(many) * len(assumed.temperatures) > MOST_MINDS:
        problem = f"{things} things and {worlds} possible worlds make too many minds"
        hint = "use coarser grids (desires.utilities, desires.fineness), or leave things out"
        raise BadInput(problem, hint=hint)
    utilities = np.array([*product(assumed.utilities, repeat=things)])
    beliefs = np.array([*_simplex(parts, worlds)]) / parts
    lacking = np.log(beliefs[:, list(uncertain.lacking)] + 0.5 / parts).sum(axis=1)
    log = (assumed.lacking - 1.0) * lacking
    prior = np.exp(log - log.max())
    levels = np.array(assumed.utilities)
    return Minds(levels, utilities, beliefs, prior / prior.sum(), _best(utilities))


def _best(
    utilities: Annotated[Floats, "utility thing"],
) -> Annotated[Floats, "utility thing+1"]:
    """Return which thing is worth most, with ties shared; none if no thing is worth more than 0."""
    worth = np.hstack([utilities, np.zeros((len(utilities), 1))])
    top = worth == worth.max(axis=1, keepdims=True)
    top[:, :-1] &= utilities > 0
    return top / top.sum(axis=1, keepdims=True)


def _simplex(parts: int, worlds: int) -> Iterator[Annotated[Floats, "world"]]:
    """Yield all ways to distribute equal parts among worlds."""
    for bars in combinations(range(parts + worlds - 1), worlds - 1):
        yield np.diff([-1, *bars, parts + worlds - 1]) - 1.0
