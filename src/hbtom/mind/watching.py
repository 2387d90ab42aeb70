"""Watching a sequence of trials: what is learnt from one carries over to the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from hbtom.errors import BadInput
from hbtom.mind.beliefs import Beliefs
from hbtom.mind.believed_places import EMPTY_MEMORY, Memory
from hbtom.mind.company import Company, find_company
from hbtom.mind.company_inference import infer_company, learn_company
from hbtom.mind.inference import infer_agent, learn
from hbtom.mind.likelihood import Likelihood, company_likelihood, find_likelihood
from hbtom.mind.motion_regret import find_regrets
from hbtom.mind.posterior import Posterior
from hbtom.mind.regret import BeliefRegret, Regret
from hbtom.model import Model
from hbtom.observe import Identity, Trial
from hbtom.observe.checks import check_once
from hbtom.plan import CostToGo, plan_trial
from hbtom.world.seeing import Seen, see_all

if TYPE_CHECKING:
    from hbtom.world.whereabouts import Whereabouts


class Planned(NamedTuple):
    """What is known about a trial before anything is believed about the agent."""

    seen: Seen  # the world, and the trajectory in it
    cost_to_go: CostToGo
    regret: Regret
    outdated: Regret | None = None  # as if the agent had missed the change of the world
    believed: tuple[BeliefRegret, ...] = ()  # what the agent may believe, if it may not know places
    company: Company | None = None  # the other agents and the things, if company is modelled
    memory: Memory = EMPTY_MEMORY  # what is remembered after the trial

    @property
    def agent(self) -> Identity:
        return self.seen.steady.agent.look

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
            return Planned(seen, costs, believed[0].regret, believed=believed, memory=memory)
    social = model.minds
    if social is not None and not trial.changes and (memory.company or trial.company):
        seen, costs, regret, company, after = find_company(
            model, social, trial, openings, replace(memory, company=True)
        )
        return Planned(seen, costs, regret, company=company, memory=after)
    return plan_each(model, (trial,), openings)[0]


def plan_each(
    model: Model, trials: Sequence[Trial], openings: tuple[float, ...] = ()
) -> list[Planned]:
    """Do what :func:`plan_one` does, for trials that share nothing but earlier waiting costs."""
    seen = see_all(model, trials, openings)
    costs = [plan_trial(model, one) for one in seen]
    regrets = [find_regrets(model, *one) for one in zip(trials, seen, costs, strict=True)]
    every = zip(seen, costs, regrets, strict=True)
    return [Planned(one, cost, *both) for one, cost, both in every]


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
    likelihood, waited = one.likelihood(model), one.seen.waited
    if one.company is None:
        return infer_agent(model, beliefs, one.agent, likelihood, waited=waited)
    posterior, after = infer_company(model, beliefs, one.agent, likelihood)
    return posterior, replace(after.after(waited, {}), memory=one.memory)


def learn_planned(model: Model, beliefs: Beliefs, one: Planned) -> Beliefs:
    """Return what is believed after a trial."""
    likelihood, waited = one.likelihood(model), one.seen.waited
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
