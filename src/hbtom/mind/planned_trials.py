"""Everything that is known about trials before anything is believed about their agents."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from hbtom.mind.believed_places import EMPTY_MEMORY, Memory
from hbtom.mind.company import Company, find_company
from hbtom.mind.likelihood import Likelihood, company_likelihood, find_likelihood
from hbtom.mind.motion_regret import PlannedSteps, find_regrets, regrets_of
from hbtom.mind.regret import BeliefRegret, Regret
from hbtom.model import Model
from hbtom.observe import Identity, Trial
from hbtom.plan import CostToGo, Plans, plan_trial
from hbtom.plan.cost_to_go import cost_to_go_at
from hbtom.plan.planning import plans_in
from hbtom.world.seeing import Earlier, Seen, SeenTrials, see, see_trials

if TYPE_CHECKING:
    from hbtom.world.whereabouts import Whereabouts


class Alone(NamedTuple):
    """A trial that was planned alone."""

    seen: Seen
    cost_to_go: CostToGo

    @property
    def steady(self) -> Trial:
        """The trial with the noise removed."""
        return self.seen.steady

    @property
    def waited(self) -> tuple[float, ...]:
        return self.seen.waited


class Together(NamedTuple):
    """A trial that was planned together with others; its values are views into those of all."""

    trials: SeenTrials
    plans: Plans
    number: int  # of the trial

    @property
    def seen(self) -> Seen:
        return self.trials.one(self.number)

    @property
    def cost_to_go(self) -> CostToGo:
        return cost_to_go_at(self.plans, self.number)

    @property
    def steady(self) -> Trial:
        """The trial with the noise removed."""
        return self.trials.steady[self.number]

    @property
    def waited(self) -> tuple[float, ...]:
        return self.trials.waited[self.number]


class Planned(Struct, frozen=True, eq=False, dict=True):
    """What is known about a trial before anything is believed about the agent."""

    how: Alone | Together
    regret: Regret
    outdated: Regret | None = None  # as if the agent had missed the change of the world
    believed: tuple[BeliefRegret, ...] = ()  # what the agent may believe, if it may not know places
    company: Company | None = None  # the other agents and the things, if company is modelled
    memory: Memory = EMPTY_MEMORY  # what is remembered after the trial

    @property
    def steady(self) -> Trial:
        """The trial with the noise removed."""
        return self.how.steady

    @property
    def agent(self) -> Identity:
        return self.how.steady.agent.look

    @property
    def waited(self) -> tuple[float, ...]:
        """The cost of waiting for a barrier, if there was one."""
        return self.how.waited

    @cached_property
    def seen(self) -> Seen:
        """The world, and the trajectory in it."""
        return self.how.seen

    @cached_property
    def cost_to_go(self) -> CostToGo:
        """The cost-to-go of every item in this world."""
        return self.how.cost_to_go._replace(world=self.seen.world)

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
            regret = believed[0].regret
            return Planned(Alone(seen, costs), regret, believed=believed, memory=memory)
    social = model.minds
    if social is not None and not trial.changes and (memory.company or trial.company):
        seen, costs, regret, company, after = find_company(
            model, social, trial, openings, replace(memory, company=True)
        )
        return Planned(Alone(seen, costs), regret, company=company, memory=after)
    return plan_each(model, (trial,), (Earlier(openings),))[0]


def plan_each(model: Model, trials: Sequence[Trial], earlier: Sequence[Earlier]) -> list[Planned]:
    """Do what :func:`plan_one` does, for trials that share nothing but earlier waiting costs.

    Successive trials are planned together if they have the same size and their worlds do not
    change.
    """
    keys, planned = model.preference.keys, list[Planned]()
    alike = groupby(
        trials, lambda one: (one.changes, one.size, not (one.items if keys else one.objects))
    )
    for (changes, *_), some in alike:
        together = tuple(some)
        before = earlier[len(planned) : len(planned) + len(together)]
        if changes:
            for one, known in zip(together, before, strict=True):
                planned.append(_plan_changing(model, one, _earlier(known, planned).openings))
            continue
        if planned:
            before = [_earlier(one, planned) for one in before]
        planned += _plan_still(model, together, before)
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
    """Plan in worlds of the same size that do not change; all trials have goals, or none has."""
    seen = see_trials(model, trials, earlier)
    plans = plans_in(model.motion, seen.worlds, seen.trajectories, model.observation.noise > 0)
    steps = PlannedSteps(model, trials, seen.steady, seen.trajectories, plans)
    every = enumerate(regrets_of(steps))
    return [Planned(Together(seen, plans, number), regret) for number, regret in every]


def _plan_changing(model: Model, trial: Trial, openings: tuple[float, ...]) -> Planned:
    """Plan in a world that changes, stage by stage."""
    seen = see(model, trial, openings)
    costs = plan_trial(model, seen)
    return Planned(Alone(seen, costs), *find_regrets(model, trial, seen, costs))
