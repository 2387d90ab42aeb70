"""Goals that change during a trial: an exact filter over goals, for every history and character.

Before each step the goal is drawn anew with probability s_t, from the same distribution as the
first goal, P(g | c). The character k (foresight and efficiency) and the explanation x (belief and
process) stay the same:

    a_0(g) = W(c, k) P(x) P(g | c)
    a_t(g) = P(o_t | g, x, k) [ (1 - s_t) a_{t-1}(g)  +  s_t P(g | c) sum_g' a_{t-1}(g') ]

A trial adds one to the counts, as it does if goals do not change. It counts for one of the goals
that the agent had, in proportion to the number of steps for which it had that goal:

    W'(c + 1_m, k) ~ 1/T sum over t of  P(c, k, g_t = m, o_1:T)

So c is an urn: goals of a trial are drawn from it and put back, and at the end one more is added,
the goal of a step chosen at random. With s = 0 this is :mod:`hbtom.mind.bayes`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.errors import BadInput
from hbtom.mind.bayes import add_goal_counts, mean_preference
from hbtom.mind.histories import Choice, History, NestedOffers, goal_by_history, summed_over_goals

MOST_PAIRS = 1 << 22  # pairs of goals, for every history, explanation and character
Log = Annotated[Floats, "history goal explanation character"]
Steps = Annotated[Floats, "step goal explanation character"]


@dataclass(frozen=True, eq=False)
class _Chain:
    """The goals of a trial as a Markov chain, for every history."""

    start: Log  # log P(c, g, x, k)
    log_share: Annotated[Floats, "history goal 1 1"]  # log P(g | c)
    seen: Steps  # log P(o_t | g, x, k)
    log_stay: Annotated[Floats, "step"]
    log_draw: Annotated[Floats, "step"]

    def moved(self, step: int, log: Floats) -> Floats:
        """Return the belief about goals at a step, given the belief after the step before."""
        anew = np.logaddexp.reduce(log, axis=1, keepdims=True) + self.log_draw[step]
        share = self.log_share.reshape(*self.log_share.shape[:2], *(1,) * (log.ndim - 2))
        return np.logaddexp(log + self.log_stay[step], anew + share)

    def forward(self) -> tuple[list[Log], list[Floats]]:
        """Return log P(c, g, x, k, o_1:t) and log P(c, m, k, o_1:t).

        m is the goal at a step up to t that is chosen at random.
        """
        now, had = self.start, np.full(self._pairs, -np.inf)
        same = np.arange(now.shape[1])
        beliefs, marked = [now], [np.logaddexp.reduce(now, axis=2)]
        for step, seen in enumerate(self.seen):
            now, had = self.moved(step, now), self.moved(step, had)
            had[:, same, same] = np.logaddexp(had[:, same, same], now)
            now, had = now + seen, had + seen[:, None]
            beliefs.append(now)
            marked.append(np.logaddexp.reduce(had, axis=(1, 3)) - math.log(step + 1))
        return beliefs, marked

    @property
    def _pairs(self) -> tuple[int, ...]:
        histories, goals, explanations, many = self.start.shape
        return histories, goals, goals, explanations, many

    def changed(self, beliefs: list[Log]) -> Annotated[Floats, "step"]:
        """Return P(g_t is not g_{t-1} | o_1:T) for each step; it is 0 for the first."""
        later, changed = np.zeros_like(self.start), np.zeros(len(self.seen))
        total = _all(beliefs[-1])
        for step in range(len(self.seen) - 1, 0, -1):
            ahead = self.seen[step] + later
            anew = self.log_share + ahead + self.log_draw[step]
            kept = np.logaddexp(self.log_stay[step] + ahead, anew)
            changed[step] = max(-math.expm1(min(_all(beliefs[step] + kept) - total, 0.0)), 0.0)
            both = np.logaddexp.reduce(anew, axis=1, keepdims=True)
            later = np.logaddexp(self.log_stay[step] + ahead, both)
        return changed


def _chain(
    history: History,
    choice: Choice,
    before: NestedOffers,
    log_likelihood: Annotated[Floats, "step hypothesis character"],
    switching: Annotated[Floats, "step"],
) -> _Chain:
    steps, _, many = log_likelihood.shape
    goals, explanations = len(choice.among), len(choice.log_prior)
    if len(history.counts) * goals * goals * explanations * many > MOST_PAIRS:
        hint = "inference is exact; leave out goals or trials, or set goals.switching to 0"
        raise BadInput("too many goals and trials for goals that change", hint=hint)
    alone = history._replace(log_weight=np.zeros((len(history.counts), 1)))
    share = goal_by_history(alone, choice, before)[:, :, None]
    start = share + history.log_weight[:, None, None] + choice.log_prior[:, None]
    seen = log_likelihood.reshape(steps, goals, explanations, many)
    with np.errstate(divide="ignore"):
        return _Chain(start, share, seen, np.log1p(-switching), np.log(switching))


def bayes_switching(
    history: History,
    choice: Choice,
    before: NestedOffers,
    after: NestedOffers,
    log_likelihood: Annotated[Floats, "step hypothesis character"],
    switching: Annotated[Floats, "step"],
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return what :func:`hbtom.mind.bayes.bayes` does, and P(the goal changed) for each step."""
    chain = _chain(history, choice, before, log_likelihood, switching)
    beliefs, marked = chain.forward()
    log_total = np.array([_all(one) for one in beliefs])
    joint = np.array([np.exp(np.logaddexp.reduce(one, axis=0)) for one in _shares(beliefs)])
    none = np.zeros((1, len(choice.among), 1))
    mean = np.array(
        [mean_preference(counts[None], none, none[0], choice, after) for counts in history.counts]
    )[:, :, 0]
    weight = [np.exp(one).sum(axis=2) for one in _shares(marked)]
    preference = np.array([np.einsum("hg,hgj->j", one, mean) for one in weight])
    hypotheses = log_likelihood.shape[1:]
    return joint.reshape(-1, *hypotheses), preference, log_total, chain.changed(beliefs)


def learn_switching(
    history: History,
    choice: Choice,
    before: NestedOffers,
    log_likelihood: Annotated[Floats, "step hypothesis character"],
    switching: Annotated[Floats, "step"],
) -> tuple[Ints, Floats]:
    """Return the counts and log-weights after the trial."""
    chain = _chain(history, choice, before, log_likelihood, switching)
    final = _shares(chain.forward()[1][-1:])[0]
    if choice.counts:
        return add_goal_counts(history.counts, final, choice.among, choice.reachable)
    return history.counts.copy(), summed_over_goals(final)


def _shares(logs: list[Floats]) -> list[Floats]:
    """Return log-probabilities that add up to one."""
    return [one - _all(one) for one in logs]


def _all(log: Floats) -> float:
    return float(np.logaddexp.reduce(log, axis=None))
