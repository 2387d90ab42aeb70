"""Everything that is known about trials before anything is believed about their agents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from hbtom.mind.believed_places import EMPTY_MEMORY, Memory
from hbtom.mind.company import Company, find_company
from hbtom.mind.likelihood import Likelihood, company_likelihood, find_likelihood
from hbtom.mind.motion_regret import PlannedTrials, find_regrets, planned_alone, regrets_of
from hbtom.mind.regret import BeliefRegret, Regret
from hbtom.model import Model
from hbtom.observe import Identity, Trial
from hbtom.plan import CostToGo, plan_trial
from hbtom.plan.cost_to_go import cost_to_go_at
from hbtom.plan.planning import plans_in
from hbtom.world.seeing import Earlier, Seen, see, see_trials

if TYPE_CHECKING:
    from hbtom.world.whereabouts import Whereabouts


class Planned(Struct, frozen=True, eq=False, dict=True):
    """What is known about a trial before anything is believed about the agent."""

    together: PlannedTrials  # the trial, and others that were planned with it
    number: int  # of the trial among them
    regret: Regret
    outdated: Regret | None = None  # as if the agent had missed the change of the world
    believed: tuple[BeliefRegret, ...] = ()  # what the agent may believe, if it may not know places
    company: Company | None = None  # the other agents and the things, if company is modelled
    memory: Memory = EMPTY_MEMORY  # what is remembered after the trial

    @property
    def agent(self) -> Identity:
        return self.together.seen.steady[self.number].agent.look

    @property
    def waited(self) -> tuple[float, ...]:
        """The cost of waiting for a barrier, if there was one."""
        return self.together.seen.waited[self.number]

    @cached_property
    def seen(self) -> Seen:
        """The world, and the trajectory in it."""
        return self.together.seen.one(self.number)

    @cached_property
    def cost_to_go(self) -> CostToGo:
        """The cost-to-go of every item in this world."""
        costs = cost_to_go_at(self.together.plans, self.number)
        return costs._replace(world=self.seen.world)

    def likelihood(self, model: Model, known: Likelihood | None = None) -> Likelihood:
        """Return the likelihood of the trial under all hypotheses of a model.

        ``known`` is that of its steps alone, if it has been computed already.
        """
        if self.company is not None:
            return company_likelihood(model, self.regret, self.company)
        return find_likelihood(model, self.regret, self.outdated, self.believed, known=known)


def plan_one(
    model: Model,
    trial: Trial,
    openings: tuple[float, ...] = (),
    memory: Memory = EMPTY_MEMORY,
    *,
    earlier: tuple[Trial, ...] = (),
    whereabouts: Whereabouts | None = None,
) -> Planned:
    """Return the world, trajectory, cost-to-go and regret of one trial.

    ``openings`` is what waiting for barriers cost in earlier trials, and ``memory`` is what else is
    remembered about them. If agents may not know where things are, ``whereabouts`` says where the
    things may be; by default, where they lay in ``earlier`` trials or lie in this one.
    """
    if model.knowledge.plan or whereabouts is not None:
        from hbtom.mind.knowledge import find_informed

        informed = find_informed(model, trial, openings, earlier, whereabouts)
        if informed is not None:
            seen, costs, believed = informed
            alone = planned_alone(model, trial, seen, costs)
            return Planned(alone, 0, believed[0].regret, believed=believed, memory=memory)
    social = model.minds
    if social is not None and not trial.changes and (memory.company or trial.company):
        seen, costs, regret, company, after = find_company(
            model, social, trial, openings, replace(memory, company=True)
        )
        alone = planned_alone(model, trial, seen, costs)
        return Planned(alone, 0, regret, company=company, memory=after)
    return plan_each(model, (trial,), (Earlier(openings),))[0]


def plan_each(model: Model, trials: Sequence[Trial], earlier: Sequence[Earlier]) -> list[Planned]:
    """Do what :func:`plan_one` does, for trials that share nothing but earlier waiting costs.

    Trials of the same size whose worlds do not change are planned together.
    """
    planned = list[Planned]()
    for size, some in groupby(trials, lambda one: None if one.changes else one.size):
        if size is None:
            for one in some:
                before = _earlier(earlier[len(planned)], planned)
                planned.append(_plan_changing(model, one, before.openings))
        else:
            together = tuple(some)
            now = earlier[len(planned) : len(planned) + len(together)]
            planned += _plan_still(
                model, together, [_earlier(one, planned) for one in now] if planned else now
            )
    return planned


def _earlier(one: Earlier, planned: Sequence[Planned]) -> Earlier:
    """Return what came before a trial, given the trials that have been planned already."""
    done = len(planned)
    known = (wait for number in one.trials if number < done for wait in planned[number].waited)
    left = [number - done for number in one.trials if number >= done]
    return Earlier((*one.openings, *known), left)


def _plan_still(
    model: Model, trials: tuple[Trial, ...], earlier: Sequence[Earlier]
) -> list[Planned]:
    """Plan in worlds of the same size that do not change."""
    seen = see_trials(model, trials, earlier)
    plans = plans_in(model.motion, seen.worlds, seen.trajectories, model.observation.noise > 0)
    together = PlannedTrials(model, trials, seen, plans)
    regrets = regrets_of(model.motion, together)
    return [Planned(together, number, regret) for number, regret in enumerate(regrets)]


def _plan_changing(model: Model, trial: Trial, openings: tuple[float, ...]) -> Planned:
    """Plan in a world that changes, stage by stage."""
    seen = see(model, trial, openings)
    costs = plan_trial(model, seen)
    regrets = find_regrets(model, trial, seen, costs)
    return Planned(planned_alone(model, trial, seen, costs), 0, *regrets)
