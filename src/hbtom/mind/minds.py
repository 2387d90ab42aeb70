"""Inference about an agent in company: whether it moves by itself, and who wishes it well.

An agent is of one kind throughout: it moves by itself or only when it is pushed (z), and each other
agent that has acted on its world wishes it ill, is indifferent or wishes it well (rho = -1, 0, 1).
Within a kind, inference is that of :mod:`hbtom.mind.inference`; kinds are weighed. All is exact.

    theta | rho        ~ Dirichlet(alpha warmth^rho)
    P(goal | z moved)  = 1 / number on offer, and teaches nothing about theta
    P(onset | z)       = touched, 1         if it starts while it is touched
                         1, untouched       if it does not                (z = self, moved)
    P(deed | rho)      = sum_k P(beta_k) 2 sigma(beta_k clip(rho dV, -act, act))
    dV                 = sum_g P(the agent wants g) gain_g

An attitude exists from the first deed on: the deed changes what the agent likes from then on.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hbtom.arrays import Bools, Floats
from hbtom.assumptions import Social
from hbtom.mind.bayes import bayes, learn_counts
from hbtom.mind.beliefs import AgentBeliefs, Beliefs
from hbtom.mind.company import Company
from hbtom.mind.deeds import Deed
from hbtom.mind.inference import Given, Offer, Posterior, caveats, given
from hbtom.mind.likelihood import Likelihood
from hbtom.mind.preference_tree import NO_OFFERS, PreferenceTree
from hbtom.model import Model
from hbtom.observe import Identity

ATTITUDES = -1, 0, 1  # wishes it ill, is indifferent, wishes it well
ATTITUDE_NAMES = "hinders", "neutral", "helps"
CAUSES = "self", "moved"
MOST_KINDS = 100  # of agents: attitudes of four others, at most


class Kind(NamedTuple):
    """What an agent may be like, throughout."""

    moved: bool = False  # only when it is pushed; then it does not matter who wishes it well
    attitudes: tuple[int, ...] = ()  # of each other agent that has acted, towards this one


class Mixture(Struct, frozen=True, eq=False):
    """Beliefs about an agent that may be of several kinds: P(kind, counts, efficiency), jointly."""

    kinds: tuple[Kind, ...]
    known: tuple[AgentBeliefs, ...]  # for each kind, with its probability in their weights
    actors: tuple[Identity, ...] = ()  # those that have acted on the agent's world
    meant: Annotated[Floats, "actor attitude"] = np.zeros((0, 3))  # P(attitude | deeds alone)

    @staticmethod
    def of(known: AgentBeliefs, model: Model, social: Social) -> Mixture:
        """Return what is believed of an agent that was never seen in company."""
        itself = replace(known, log_weight=known.log_weight + math.log1p(-social.moved))
        if social.moved == 0:
            return Mixture((Kind(),), (itself,))
        pushed = AgentBeliefs.prior(model.log_character + math.log(social.moved))
        pushed = pushed.knowing(known.goals)
        return Mixture((Kind(), Kind(moved=True)), (itself, pushed))

    @property
    def average(self) -> AgentBeliefs:
        """What is believed if the agent moves by itself, whoever wishes it well."""
        own = [known for kind, known in zip(self.kinds, self.known, strict=True) if not kind.moved]
        log = np.logaddexp.reduce([one.log_weight for one in own], axis=0)
        return replace(own[0], log_weight=log - np.logaddexp.reduce(log, axis=None))

    def liking(self, kind: Kind, social: Social) -> dict[Identity, float]:
        """Return how much more, or less, a kind likes those that have acted."""
        warm = (social.warmth**one for one in kind.attitudes)
        return {} if kind.moved else dict(zip(self.actors, warm, strict=True))

    def regarding(self, actor: Identity) -> Mixture:
        """Return beliefs with an attitude for one more actor, unless it has one."""
        if actor in self.actors or len(self.kinds) * len(ATTITUDES) > MOST_KINDS:
            return self
        kinds: list[Kind] = []
        known: list[AgentBeliefs] = []
        third = -math.log(len(ATTITUDES))
        for kind, one in zip(self.kinds, self.known, strict=True):
            if kind.moved:
                kinds, known = [*kinds, kind], [*known, one]
                continue
            kinds += [Kind(False, (*kind.attitudes, attitude)) for attitude in ATTITUDES]
            known += [replace(one, log_weight=one.log_weight + third)] * len(ATTITUDES)
        meant = np.concatenate([self.meant, np.full((1, len(ATTITUDES)), math.exp(third))])
        return Mixture(tuple(kinds), tuple(known), (*self.actors, actor), meant)

    def seeing(self, actor: Identity, chance: Annotated[Floats, "attitude"]) -> Mixture:
        """Return beliefs after a deed, given how probable it is under each attitude."""
        index = self.actors.index(actor)
        both = self.meant[index] * chance
        meant = self.meant.copy()
        meant[index] = both / both.sum()
        log = [
            math.log(both.sum() if kind.moved else chance[kind.attitudes[index] + 1])
            for kind in self.kinds
        ]
        return replace(self, known=_scaled(self.known, log), meant=meant)


def _scaled(known: Sequence[AgentBeliefs], log: Sequence[float]) -> tuple[AgentBeliefs, ...]:
    """Return beliefs with the probability of each kind multiplied."""
    both = zip(known, log, strict=True)
    return tuple(replace(one, log_weight=one.log_weight + more) for one, more in both)


class CompanyPosterior(Struct, frozen=True, eq=False):
    """What is believed about kinds of minds during a trial; row 0 is before the first step."""

    kinds: tuple[Kind, ...]
    actors: tuple[Identity, ...]
    meant: Annotated[Floats, "actor attitude"]  # P(attitude | deeds alone)
    full: Annotated[Floats, "kind 1+step goal place manner efficiency"]
    places: Mapping[Identity, tuple[tuple[tuple[float, float], float], ...]]

    def __repr__(self) -> str:
        itself = f"moves by itself {self.cause[-1, 0]:.3f}"
        helps = (f"{actor} helps {chance[-1, 2]:.3f}" for actor, chance in self.attitudes.items())
        places = (f"{goal} in {len(some)} places" for goal, some in self.places.items() if some[1:])
        return f"<CompanyPosterior: {', '.join([itself, *helps, *places])}>"

    @property
    def kind(self) -> Annotated[Floats, "1+step kind"]:
        """P(kind | o_1:t)."""
        return self.full.sum(axis=(2, 3, 4, 5)).T

    @property
    def cause(self) -> Annotated[Floats, "1+step cause"]:
        """P(the agent moves by itself) and P(it moves only when it is pushed)."""
        moved = np.array([kind.moved for kind in self.kinds])
        return np.stack([self.kind[:, ~moved].sum(axis=1), self.kind[:, moved].sum(axis=1)], axis=1)

    @property
    def attitudes(self) -> dict[Identity, Annotated[Floats, "1+step attitude"]]:
        """P(hinders), P(neutral) and P(helps) for each other agent that has acted."""
        return {actor: self._attitude(index) for index, actor in enumerate(self.actors)}

    @property
    def by_attitude(self) -> Annotated[Floats, "1+step goal place manner efficiency cause ..."]:
        """P(all | o_1:t), with an axis for the cause and one for the attitude of each actor.

        Of what is pushed, deeds alone say who wishes it well.
        """
        meant = np.ones(())
        for each in self.meant:
            meant = np.multiply.outer(meant, each)
        one: tuple[int | slice, ...]
        found = np.zeros((*self.full.shape[1:], 2, *meant.shape))
        for kind, full in zip(self.kinds, self.full, strict=True):
            if kind.moved:
                one = (1, *(slice(None) for _ in self.actors))
                found[(..., *one)] += np.multiply.outer(full, meant)
            else:
                one = (0, *(1 + attitude for attitude in kind.attitudes))
                found[(..., *one)] += full
        return found

    def _attitude(self, actor: int) -> Annotated[Floats, "1+step attitude"]:
        """Sum over kinds; of what is pushed, deeds alone say who wishes it well."""
        found = self.cause[:, 1:] * self.meant[actor]
        for index, kind in enumerate(self.kinds):
            if not kind.moved:
                found[:, kind.attitudes[actor] + 1] += self.kind[:, index]
        return found


def infer_company(
    model: Model, beliefs: Beliefs, agent: Identity, likelihood: Likelihood
) -> tuple[Posterior, Beliefs]:
    """Update beliefs about an agent in company, as :func:`hbtom.mind.inference.infer_agent`."""
    company, social = _both(model, likelihood)
    before = _with_deeds(model, social, beliefs.about(agent), company)
    fulls, preferences, totals = [], [], []
    for kind, one, log in _by_kind(model, social, before, likelihood):
        full, preference, total = bayes(one.history, one.choice, one.before, one.after(), log)
        total[1:] += _log_onset(social, kind, company.touched)
        fulls.append(full.reshape(len(full), *likelihood.axes))
        preferences.append(preference)
        totals.append(total)
    total = np.logaddexp.reduce(totals, axis=0)
    share = np.exp(np.array(totals) - total)  # of each kind
    joint = share[:, :, None, None, None, None] * np.array(fulls)
    places = {
        goal: tuple((one.place, one.probability) for one in some)
        for goal, some in zip(company.goals, company.places, strict=True)
    }
    after = _after(model, social, before, likelihood)
    posterior = Posterior(
        agent=agent,
        goals=likelihood.goals,
        reachable=likelihood.reachable,
        full=joint.sum(axis=0),
        preferred=after.average.goals,
        preference=np.einsum("kt,ktj->tj", share, np.array(preferences)),
        log_likelihood=np.diff(total),
        likelihood=likelihood,
        warnings=(*caveats(likelihood.regret, after.average), *_left_out(before, company)),
        company=CompanyPosterior(before.kinds, before.actors, before.meant, joint, places),
    )
    return posterior, beliefs.knowing(agent, after)


def learn_company(
    model: Model, beliefs: Beliefs, agent: Identity, likelihood: Likelihood
) -> Beliefs:
    """Return what is believed after a trial in company, without a posterior."""
    company, social = _both(model, likelihood)
    before = _with_deeds(model, social, beliefs.about(agent), company)
    return beliefs.knowing(agent, _after(model, social, before, likelihood))


def _left_out(mixture: Mixture, company: Company) -> Iterator[str]:
    """Say if more agents have acted than can have attitudes."""
    if any(deed.actor not in mixture.actors for deed in company.deeds):
        yield "so many agents move doors that the attitudes of some are left out"


def _both(model: Model, likelihood: Likelihood) -> tuple[Company, Social]:
    assert likelihood.company is not None
    assert model.social is not None
    return likelihood.company, model.social


def _by_kind(
    model: Model, social: Social, mixture: Mixture, likelihood: Likelihood
) -> Iterator[tuple[Kind, Given, Annotated[Floats, "step hypothesis efficiency"]]]:
    """Yield each kind with what it chooses from, and the likelihood of the trial for it."""
    for kind, one in _choosing(model, social, mixture, likelihood):
        yield (kind, *_pushed(one, likelihood)) if kind.moved else (kind, one, likelihood.log)


def _choosing(
    model: Model, social: Social, mixture: Mixture, offer: Offer
) -> Iterator[tuple[Kind, Given]]:
    """Yield what each kind chooses from. Kinds differ in what they like, and in their weights."""
    first = None
    for kind, known in zip(mixture.kinds, mixture.known, strict=True):
        weight = mixture.liking(kind, social)
        if first is None or kind.moved:
            one = given(model, known, offer, weight)
            first = one if first is None else first
            yield kind, one
            continue
        concentration = model.preference.concentration
        alpha = np.array([concentration * weight.get(goal, 1.0) for goal in first.preferred])
        history = first.history._replace(log_weight=known.log_weight)
        yield kind, first._replace(history=history, choice=first.choice._replace(alpha=alpha))


def _pushed(
    one: Given, likelihood: Likelihood
) -> tuple[Given, Annotated[Floats, "step hypothesis efficiency"]]:
    """Return what becomes of what only moves when it is pushed: anything it can reach, alike."""
    log_prior, log = likelihood.hypotheses.pushed, likelihood.log
    can = np.array(np.isfinite(log_prior).any(axis=(1, 2)))
    choice = one.choice._replace(counts=False, reachable=can, log_prior=log_prior.flatten())
    if not can.any():  # then nothing tells where it is pushed
        choice, log = one.choice._replace(counts=False), np.zeros_like(log)
    return one._replace(choice=choice, before=NO_OFFERS, tree=PreferenceTree()), log


def _after(model: Model, social: Social, before: Mixture, likelihood: Likelihood) -> Mixture:
    """Return what is believed after a trial, of each kind and about its probability."""
    assert likelihood.company is not None
    known, totals = [], []
    for kind, one, log in _by_kind(model, social, before, likelihood):
        counts, weight, total = learn_counts(one.history, one.choice, one.before, log)
        known.append(AgentBeliefs(one.preferred, counts, weight, one.tree))
        totals.append(total + _log_onset(social, kind, likelihood.company.touched))
    every = float(np.logaddexp.reduce(totals))
    return replace(before, known=_scaled(known, [total - every for total in totals]))


def _log_onset(social: Social, kind: Kind, touched: bool | None) -> float:
    """Return log P(the agent starts while it is touched, or while it is not | kind)."""
    if touched is None:
        return 0.0
    if touched:
        return 0.0 if kind.moved else math.log(social.touched)
    return math.log(social.untouched) if kind.moved else 0.0


# Deeds


def _with_deeds(
    model: Model, social: Social, known: AgentBeliefs | Mixture | None, company: Company
) -> Mixture:
    """Return what is believed before the agent sets off: others may have done something by then."""
    if not isinstance(known, Mixture):
        alone = known or AgentBeliefs.prior(model.log_character)
        known = Mixture.of(alone, model, social)
    for deed in company.deeds:
        known = known.regarding(deed.actor)
        if deed.actor in known.actors:
            value = float(_wants(model, social, known, deed) @ deed.gain)
            known = known.seeing(deed.actor, _deed_chance(model, value))
    return known


def _wants(model: Model, social: Social, mixture: Mixture, deed: Deed) -> Annotated[Floats, "goal"]:
    """Return how probable it is that the agent wants each goal, if it moves by itself."""
    nothing = np.zeros((0, len(deed.goals), len(model.efficiency.values)))
    offer = _Offered(deed.goals, np.ones(len(deed.goals), dtype=np.bool_))
    wanted = np.zeros(len(deed.goals))
    for kind, one in _choosing(model, social, mixture, offer):
        if not kind.moved:
            full, _, total = bayes(one.history, one.choice, one.before, one.after(), nothing)
            wanted += math.exp(total[0]) * full[0].sum(axis=1)
    return wanted / wanted.sum()


def _deed_chance(model: Model, value: float) -> Annotated[Floats, "attitude"]:
    """Return P(deed | attitude), relative to the toss of a coin, of a deed of some value."""
    act, prior = model.acts.cost, np.exp(model.efficiency.log_prior)
    steep = np.outer(np.clip(np.array(ATTITUDES) * value, -act, act), model.efficiency.values)
    return 2.0 / (1.0 + np.exp(-steep)) @ prior


class _Offered(NamedTuple):
    """Goals that are on offer, of which no step says anything."""

    goals: tuple[Identity, ...]
    reachable: Annotated[Bools, "goal"]
    log_prior: Annotated[Floats, "explanation"] = np.zeros(1)
