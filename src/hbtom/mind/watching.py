"""Watching a sequence of trials: what is learnt from one carries over to the next."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from hbtom.errors import BadInput
from hbtom.mind.beliefs import Beliefs
from hbtom.mind.believed_places import EMPTY_MEMORY, Memory
from hbtom.mind.company import Company, find_company
from hbtom.mind.company_inference import infer_company, learn_company
from hbtom.mind.inference import infer_agent, learn
from hbtom.mind.likelihood import Likelihood, company_likelihood, find_likelihood
from hbtom.mind.motion_regret import PlannedTrials, find_regrets, planned_alone, regrets_of
from hbtom.mind.posterior import Posterior
from hbtom.mind.regret import BeliefRegret, Regret
from hbtom.model import Model
from hbtom.observe import Identity, Trial
from hbtom.observe.checks import check_once
from hbtom.plan import CostToGo, plan_trial
from hbtom.plan.cost_to_go import cost_to_go_at
from hbtom.plan.planning import plans_in
from hbtom.world.seeing import Seen, see, see_trials

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

    def likelihood(self, model: Model) -> Likelihood:
        """Return the likelihood of the trial under all hypotheses of a model."""
        if self.company is not None:
            return company_likelihood(model, self.regret, self.company)
        return find_likelihood(model, self.regret, self.outdated, self.believed)


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
    return plan_each(model, (trial,), openings)[0]


def plan_each(
    model: Model, trials: Sequence[Trial], openings: tuple[float, ...] = ()
) -> list[Planned]:
    """Do what :func:`plan_one` does, for trials that share nothing but earlier waiting costs.

    Trials of the same size whose worlds do not change are planned together.
    """
    planned = list[Planned]()
    for _, some in groupby(trials, lambda one: id(one) if one.changes else one.size):
        together, before = tuple(some), openings + tuple(w for one in planned for w in one.waited)
        if together[0].changes:
            planned.append(_plan_changing(model, together[0], before))
        else:
            planned += _plan_still(model, together, before)
    return planned


def _plan_still(
    model: Model, trials: tuple[Trial, ...], openings: tuple[float, ...]
) -> list[Planned]:
    """Plan in worlds of the same size that do not change."""
    seen = see_trials(model, trials, openings)
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


def infer(
    model: Model, beliefs: Beliefs, trial: Trial, *, whereabouts: Whereabouts | None = None
) -> tuple[Posterior, Beliefs]:
    """Watch one trial: return what is believed during it, and what is believed after it.

    ``whereabouts`` says where things may be, if agents may not know that (``knowledge.plan``).
    """
    check_once(trial)
    one = plan_one(model, trial, beliefs.openings, beliefs.memory, whereabouts=whereabouts)
    posterior, after = infer_planned(model, beliefs, one)
    return posterior, after if one.memory is beliefs.memory else replace(after, memory=one.memory)


def infer_planned(model: Model, beliefs: Beliefs, one: Planned) -> tuple[Posterior, Beliefs]:
    """Return what is believed during a trial, and what is believed after it."""
    likelihood, waited = one.likelihood(model), one.waited
    if one.company is None:
        return infer_agent(model, beliefs, one.agent, likelihood, waited=waited)
    posterior, after = infer_company(model, beliefs, one.agent, likelihood)
    return posterior, replace(after.after(waited, {}), memory=one.memory)


def learn_planned(model: Model, beliefs: Beliefs, one: Planned) -> Beliefs:
    """Return what is believed after a trial."""
    likelihood, waited = one.likelihood(model), one.waited
    if one.company is None:
        return learn(model, beliefs, one.agent, likelihood, waited)
    after = learn_company(model, beliefs, one.agent, likelihood).after(waited, {})
    return replace(after, memory=one.memory)


def watch_trials(
    model: Model, trials: tuple[Planned, ...], learnt: tuple[Beliefs, ...] = ()
) -> tuple[Posterior, tuple[Beliefs, ...]]:
    """Return the posterior of the last trial, and what is believed at the end of each.

    ``learnt`` is what was believed at the end of the first trials, if that is known already.
    """
    beliefs, last = list(learnt[: len(trials) - 1]), len(trials) - 1
    for index in range(len(beliefs), len(trials)):
        one, before = trials[index], beliefs[-1] if beliefs else Beliefs()
        try:
            if index == last:
                test, after = infer_planned(model, before, one)
            else:
                after = learn_planned(model, before, one)
        except BadInput as error:
            raise error.at(trial=index + 1) from None
        beliefs.append(after)
    return test, tuple(beliefs)
