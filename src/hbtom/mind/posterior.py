"""What the observer believes during one trial, step by step."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated

import numpy as np
from msgspec import Struct

from hbtom.arrays import Bools, Floats, Ints
from hbtom.errors import BadInput, count
from hbtom.mind.hypotheses import AXES, FORESIGHT, IN_COMPANY, Hypotheses
from hbtom.mind.kinds_of_minds import CompanyPosterior
from hbtom.mind.likelihood import Likelihood
from hbtom.observe import Identity
from hbtom.plottable import Plottable


class Posterior(Struct, Plottable, frozen=True, eq=False, dict=True):
    """What the observer believes during one trial; row 0 is before the first step."""

    agent: Identity
    goals: tuple[Identity, ...]
    reachable: Annotated[Bools, "goal"]
    full: Annotated[Floats, "1+step goal belief process efficiency"]  # P(g, x, beta | o_1:t), or
    # with an axis for foresight before efficiency, if there are several depths
    preferred: tuple[Identity, ...]  # everything that the agent could have wanted so far
    preference: Annotated[Floats, "1+step preferred"]  # E[theta | o_1:t]
    log_likelihood: Annotated[Floats, "step"]  # log P(o_t | o_<t)
    likelihood: Likelihood
    warnings: tuple[str, ...] = ()
    company: CompanyPosterior | None = None  # beliefs about other minds, if there are any
    changed: Annotated[Floats, "step"] | None = None  # P(its goal changed before a step | o_1:T)

    @property
    def hypotheses(self) -> Hypotheses:
        """The beliefs and processes that may explain the trial."""
        return self.likelihood.hypotheses

    @property
    def joint(self) -> Annotated[Floats, "1+step goal efficiency"]:
        """P(g, beta | o_1:t)."""
        single = self.full.shape[2:-1] == (1, 1)  # one belief, one process, one depth
        return self.full[:, :, 0, 0] if single else self.margin("goal", "efficiency")

    @property
    def aims(self) -> Annotated[Floats, "1+step aim efficiency"]:
        """P(aim, beta | o_1:t), where an aim is a goal or, in company, a goal at a place."""
        if not self.hypotheses.by_goal:
            return self.joint
        steps, goals, places, _, many = self.full.shape
        return self.full.sum(axis=3).reshape(steps, goals * places, many)

    def margin(self, *axes: str) -> Annotated[Floats, "1+step ..."]:
        """Return the probability of each goal, belief, process or efficiency at every time.

        There is also the axis ``foresight`` if the model has several depths.

        For several axes it is the joint probability. The order of axes is always that of ``full``.
        In company, beliefs may be called ``place`` and processes ``manner``; the cause of the
        agent's motion and the attitudes of others are in ``company``.
        """
        depths = () if len(self.foresights) == 1 else (FORESIGHT,)
        named = IN_COMPANY if self.hypotheses.by_goal else AXES
        known, plain = ((*names[:3], *depths, names[3]) for names in (named, AXES))
        for axis in axes:
            if axis not in (*known, *plain):
                raise BadInput(
                    f"there is no axis '{axis}'", hint=f"the axes are {', '.join(known)}"
                )
        both = enumerate(zip(plain, known, strict=True), start=1)
        return self.full.sum(axis=tuple(i for i, names in both if not {*names} & {*axes}))

    @property
    def belief(self) -> Annotated[Floats, "1+step belief"]:
        """P(belief | o_1:t)."""
        return self.margin("belief")

    @property
    def process(self) -> Annotated[Floats, "1+step process"]:
        """P(process | o_1:t)."""
        return self.margin("process")

    @property
    def efficiencies(self) -> Annotated[Floats, "efficiency"]:
        """The grid of efficiencies, beta."""
        return self.likelihood.efficiencies

    @property
    def foresights(self) -> tuple[float, ...]:
        """The depths of foresight; infinite where agents foresee everything."""
        return self.likelihood.foresights

    @property
    def foresight(self) -> Annotated[Floats, "1+step foresight"]:
        """P(foresight | o_1:t)."""
        if len(self.foresights) == 1:
            return np.ones((len(self.full), 1))
        return self.margin(FORESIGHT)

    @cached_property
    def frame(self) -> Annotated[Ints, "1+step"]:
        """The frame at which each step is complete; 0 before the first."""
        return np.concatenate([[0], self.likelihood.frame])

    @property
    def goal(self) -> Annotated[Floats, "1+step goal"]:
        """P(g | o_1:t)."""
        return self.joint.sum(axis=2)

    @property
    def efficiency(self) -> Annotated[Floats, "1+step efficiency"]:
        """P(beta | o_1:t)."""
        return self.joint.sum(axis=1)

    def __len__(self) -> int:
        return len(self.log_likelihood)

    def __repr__(self) -> str:
        wants = ", ".join(
            f"{goal} {belief:.3f}" for goal, belief in zip(self.goals, self.goal[-1], strict=True)
        )
        return f"<Posterior about {self.agent} after {count(len(self), 'step')}: {wants}>"
