"""The likelihood, log P(step | hypothesis, efficiency): the interface between worlds and minds.

Every motion model ends in a likelihood; inference, surprise and plots need nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hbtom.arrays import Bools, Floats, Ints, frozen
from hbtom.errors import BadInput, count
from hbtom.mind.hypotheses import GOALS_ONLY, OUTDATED, RANDOM, TRUE, Hypotheses
from hbtom.mind.lapses import add_lapses, drop_unexplained_steps
from hbtom.mind.policy import log_boltzmann, log_headings, log_seen
from hbtom.mind.regret import Actions, BeliefRegret, FilteredChoice, Headings, Regret
from hbtom.model import Model
from hbtom.observe import Identity

if TYPE_CHECKING:
    from hbtom.mind.company import Company


class Likelihood(Struct, frozen=True, eq=False):
    """What the steps of one trial say about each hypothesis and efficiency.

    Hypotheses are ordered by goal, then belief, then process.
    """

    regret: Regret
    log: Annotated[Floats, "step hypothesis efficiency"]  # or for every depth and efficiency
    efficiencies: Annotated[Floats, "efficiency"]
    hypotheses: Hypotheses = GOALS_ONLY
    missed: tuple[Regret, ...] = ()  # under the other beliefs; ``regret`` is under the first
    company: Company | None = None  # the other agents and the things, if the agent has company
    foresights: tuple[float, ...] = (math.inf,)  # depths; efficiencies are repeated for each
    foreseen: tuple[Regret, ...] = ()  # under each depth, if that makes a difference
    switching: Annotated[Floats, "step"] | None = None  # P(the goal is drawn anew before a step)

    @property
    def believed(self) -> tuple[Regret, ...]:
        """The regret of the steps under each belief."""
        return self.regret, *self.missed

    @property
    def full_regret(self) -> Regret:
        """The regret that the likelihood was made from: in company, that of every hypothesis.

        Under other beliefs and depths of foresight, it was also made from ``missed`` and
        ``foreseen``.
        """
        return self.regret if self.company is None else self.company.regret

    @property
    def goals(self) -> tuple[Identity, ...]:
        return self.regret.goals

    @property
    def reachable(self) -> Annotated[Bools, "goal"]:
        return self.regret.reachable

    @property
    def frame(self) -> Annotated[Ints, "step"]:
        return self.regret.frame

    @property
    def log_prior(self) -> Annotated[Floats, "explanation"]:
        """log P(belief, process), or in company for each goal in turn."""
        return self.hypotheses.log_prior.flatten()

    @property
    def axes(self) -> tuple[int, ...]:
        """The numbers of goals, beliefs, processes, depths (if several) and efficiencies."""
        kinds = len(self.hypotheses.beliefs), len(self.hypotheses.processes)
        depths = () if len(self.foresights) == 1 else (len(self.foresights),)
        return len(self.goals), *kinds, *depths, len(self.efficiencies)

    def __len__(self) -> int:
        return len(self.log)

    def __repr__(self) -> str:
        steps, hypotheses, _ = self.log.shape
        under = count(hypotheses, "hypothesis", "hypotheses")
        if len(self.foresights) > 1:
            under += f", {count(len(self.foresights), 'depth')} of foresight"
        both = f"{under} and {count(len(self.efficiencies), 'efficiency', 'efficiencies')}"
        return f"<Likelihood of {count(steps, 'step')} under {both}>"


def find_likelihood(
    model: Model,
    regret: Regret,
    outdated: Regret | None = None,
    believed: tuple[BeliefRegret, ...] = (),
    foreseen: tuple[Regret, ...] = (),
    *,
    known: Likelihood | None = None,
) -> Likelihood:
    """Return the likelihood of a trial under all hypotheses of a model.

    ``outdated`` is the regret of the same steps in the world that the agent believes in if it has
    missed a change. ``believed`` is what it may believe at first about where things are, if it may
    not know where. ``foreseen`` is its regret for each depth of foresight; without it, all agents
    foresee everything that matters. ``known`` is the likelihood of ``regret`` alone, if it has been
    computed already.
    """
    if model.foresight.bounded and not foreseen and regret.nearest is None:
        hint = "use a model whose only depth is inf, such as 'paper'"
        raise BadInput("limited foresight needs every action to be seen", hint=hint)
    some = [_one_depth(model, one) for one in foreseen]
    if not some:
        likelihood = _one_depth(model, regret, outdated, believed, known=known)
        some = [likelihood] * len(model.foresight.depths)
    if foreseen or model.foresight.bounded:
        log = np.concatenate([one.log for one in some], axis=2)
        depths = model.foresight.depths
        likelihood = replace(some[-1], log=log, foresights=depths, foreseen=foreseen)
    if model.goals.switching > 0:
        if regret.share is None or isinstance(regret.choice, FilteredChoice):
            raise BadInput(
                "goals cannot change where steps are not seen for certain",
                hint="set goals.switching or observation.noise to 0",
            )
        switching = -np.expm1(-model.goals.switching * regret.share)
        likelihood = replace(likelihood, switching=switching)
    return drop_unexplained_steps(model, likelihood) if foreseen else likelihood


def _one_depth(
    model: Model,
    regret: Regret,
    outdated: Regret | None = None,
    believed: tuple[BeliefRegret, ...] = (),
    *,
    known: Likelihood | None = None,
) -> Likelihood:
    """Return the likelihood of a trial for agents with the same depth of foresight."""

    def likelihood_of(one: Regret, known: Likelihood | None = None) -> Likelihood:
        if known is None:
            known = log_likelihood(one, model.efficiency.values)
        if model.acts.lapse == 0:
            return known
        return replace(known, log=add_lapses(known.log, log_random(one), model.acts.lapse))

    likelihood = likelihood_of(regret, known)
    if believed:
        some = {one.name: likelihood_of(one.regret) for one in believed}
        likelihood = join_beliefs(some, [one.prior for one in believed])
    elif outdated is not None and model.hypotheses.outdated > 0:
        prior = 1.0 - model.hypotheses.outdated, model.hypotheses.outdated
        likelihood = join_beliefs({TRUE: likelihood, OUTDATED: likelihood_of(outdated)}, prior)
    if model.hypotheses.random > 0:
        return add_random_process(likelihood, model.hypotheses.random)
    return likelihood


def company_likelihood(model: Model, regret: Regret, company: Company) -> Likelihood:
    """Return the likelihood of a trial under all goals, places and manners.

    ``regret`` is that of the likeliest place and manner of each goal.
    """
    every = log_likelihood(company.regret, model.efficiency.values)
    kinds = company.hypotheses
    likelihood = Likelihood(regret, every.log, every.efficiencies, kinds, company=company)
    if model.hypotheses.random > 0:
        return add_random_process(likelihood, model.hypotheses.random)
    return likelihood


def log_likelihood(regret: Regret, efficiency: Annotated[Floats, "efficiency"]) -> Likelihood:
    """Turn the regret of each step into its log-probability for agents of every efficiency."""
    return log_likelihoods((regret,), efficiency)[0]


def log_likelihoods(
    regrets: Iterable[Regret], efficiency: Annotated[Floats, "efficiency"]
) -> list[Likelihood]:
    """Return the likelihood of several trials; steps with choices of the same shape go together."""
    found = list[Likelihood]()
    for _, some in groupby(regrets, _shape):
        together = tuple(some)
        log, begin = _log_steps(together, efficiency), 0
        for one in together:
            end = begin + len(one.frame)
            found.append(Likelihood(one, _only_reachable(one, log[begin:end]), efficiency))
            begin = end
    return found


def _shape(regret: Regret) -> tuple[object, ...]:
    """Return what the choices in a trial have in common with those in others, or with none."""
    choice, goals = regret.choice, regret.step_regret.shape[1]
    if isinstance(choice, Headings):
        return Headings, goals, choice.act
    if isinstance(choice, FilteredChoice) or choice.noise is not None:
        return (id(regret),)
    return Actions, goals, choice.action_regret.shape[1]


def _log_steps(
    regrets: Sequence[Regret], efficiency: Annotated[Floats, "efficiency"]
) -> Annotated[Floats, "step goal efficiency"]:
    """Return the log-probability of all steps of trials whose choices have the same shape."""
    choice, step_regret = regrets[0].choice, [one.step_regret for one in regrets]
    if isinstance(choice, FilteredChoice):
        return choice.filter(efficiency)
    every: Any = [one.choice for one in regrets]
    if isinstance(choice, Headings):
        length = np.concatenate([one.length for one in every])
        moves = np.concatenate([one.moves for one in every])
        return log_headings(np.concatenate(step_regret), length, moves, choice.act, efficiency)
    if choice.noise is not None:
        seen = choice.noise.likelihood, choice.noise.visible
        return log_seen(choice.action_regret, *seen, efficiency)
    options = np.concatenate([one.action_regret for one in every])
    return log_boltzmann(np.concatenate(step_regret), options, efficiency)


def _only_reachable(
    regret: Regret, log: Annotated[Floats, "step goal efficiency"]
) -> Annotated[Floats, "step goal efficiency"]:
    """Let headings say nothing about goals that are out of reach: the agent may go anywhere."""
    nearest = regret.nearest
    if isinstance(nearest, Headings):
        if nearest is regret.choice and False in regret.reachable.tolist():
            log[:, ~regret.reachable] = 0.0
        if nearest.silent is not None:
            log[nearest.silent] = 0.0
    return log


def join_beliefs(beliefs: Mapping[str, Likelihood], prior: Sequence[float]) -> Likelihood:
    """Join the likelihoods of the same steps under several beliefs of the agent.

    ``prior`` is the probability of each belief. A goal is on offer if any belief lets the agent
    reach it.
    """
    first, *others = beliefs.values()
    if any(one.goals != first.goals or one.log.shape != first.log.shape for one in others):
        raise BadInput("likelihoods under different beliefs must share their steps and goals")
    log_prior = np.log(prior)[:, None] + first.hypotheses.log_prior
    kinds = Hypotheses(tuple(beliefs), first.hypotheses.processes, frozen(log_prior))
    reachable = np.any([one.reachable for one in beliefs.values()], axis=0)
    regret = replace(first.regret, reachable=reachable)
    missed = tuple(one.regret for one in others)
    joined = replace(first, log=_joined(beliefs.values(), 2), hypotheses=kinds)
    return replace(joined, regret=regret, missed=missed)


def add_random_process(likelihood: Likelihood, probability: float) -> Likelihood:
    """Add the hypothesis that the agent moves at random in this trial, whatever its goal."""
    log_steps = log_random(likelihood.regret)[:, None, None]
    log = np.broadcast_to(log_steps, likelihood.log.shape)
    before = likelihood.hypotheses
    plan, random = (before.log_prior + one for one in np.log([1.0 - probability, probability]))
    if len(before.processes) > 1:  # in company
        random = np.logaddexp.reduce(random, axis=-1, keepdims=True)
        log = np.zeros((len(log), len(log[0]) // len(before.processes), log.shape[2]))
    log_prior = np.concatenate([plan, random], axis=-1)
    kinds = Hypotheses(before.beliefs, (*before.processes, RANDOM), frozen(log_prior))
    aimless = replace(before, processes=(RANDOM,))
    both = likelihood, replace(likelihood, log=log, hypotheses=aimless)
    return replace(likelihood, log=_joined(both, 3), hypotheses=kinds)


def _joined(some: Collection[Likelihood], axis: int) -> Annotated[Floats, "step hypothesis k"]:
    """Join log-likelihoods along the axis of beliefs, 2, or of processes, 3."""
    log = np.concatenate([one.log.reshape(len(one), *one.axes) for one in some], axis=axis)
    return log.reshape(len(log), math.prod(log.shape[1:4]), log.shape[4])


def log_random(regret: Regret) -> Annotated[Floats, "step"]:
    """Return the log-probability of each step of an agent that moves at random.

    Headings and acts are measured relative to a random heading or the toss of a coin, so theirs is
    0. All legal actions are equally probable.
    """
    choice, steps = regret.choice, len(regret.frame)
    if isinstance(choice, FilteredChoice):
        raise BadInput(
            "random motion is not supported where steps are not seen for certain",
            hint="set hypotheses.random, acts.lapse or observation.noise to 0, "
            "or give all actions of a plan",
        )
    if isinstance(choice, Headings):
        return np.zeros(steps)
    if choice.legal is not None:
        return -np.log(choice.legal)
    legal = np.isfinite(choice.action_regret).any(axis=2, keepdims=True)
    aimless = replace(choice, action_regret=np.where(legal, 0.0, np.inf))
    idle = replace(regret, step_regret=np.zeros((steps, 1)), choice=aimless)
    return log_likelihood(idle, np.ones(1)).log[:, 0, 0]
