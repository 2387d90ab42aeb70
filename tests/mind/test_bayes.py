"""Bayes' rule compared with an enumeration of all goal histories that never merges them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hbtom.mind.bayes import Choice, History, bayes, learn_counts, log_sum
from hbtom.mind.preference_tree import NO_OFFERS

few = settings(max_examples=60)
seeds = st.integers(0, 2**32 - 1)
HARD = [0.0, -0.5, -745.0, -1e4, -1e6, 900.0, -math.inf]


@dataclass(frozen=True)
class Seen:
    """A trial: the goals, which are reachable, whether the choice counts, and the evidence."""

    among: list[int]
    reachable: list[bool]
    choice: bool
    log: np.ndarray  # [step, goal, efficiency]


ONES = np.ones(8)


def added(logs: Iterable[float]) -> float:
    """Return log sum exp, with a sum that is exact."""
    logs = list(logs)
    top = max(logs, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(log - top) for log in logs))


class Enumerated:
    """All sequences of goals so far, with the log-probability of each at every efficiency."""

    def __init__(self, log_prior: list[float], alpha: np.ndarray) -> None:
        self.alpha, self.many = alpha, len(log_prior)
        self.sequences: dict[tuple, list[float]] = {(): log_prior}  # of (item, whether it counts)

    def counts(self, sequence: tuple, items: int) -> tuple[int, ...]:
        wanted = [item for item, counts in sequence if counts]
        return tuple(wanted.count(item) for item in range(items))

    def watch(self, trial: Seen, items: int) -> list[tuple[float, np.ndarray, np.ndarray]]:
        """Return log P(o_1:t), P(g, beta) and E[theta] for every time, and learn from the trial."""
        longer: dict[tuple, list[float]] = {}
        for sequence, logs in self.sequences.items():
            counts = self.counts(sequence, items)
            shares = [
                self.alpha[item] + counts[item] if can else 0.0
                for item, can in zip(trial.among, trial.reachable, strict=True)
            ]
            for item, share in zip(trial.among, shares, strict=True):
                if share > 0:
                    log = math.log(share / sum(shares))
                    longer[(*sequence, (item, trial.choice))] = [each + log for each in logs]
        times = [self._believed(longer, trial, items)]
        for step in trial.log:
            for sequence, logs in longer.items():
                says = step[trial.among.index(sequence[-1][0])]
                longer[sequence] = [log + float(say) for log, say in zip(logs, says, strict=True)]
            times.append(self._believed(longer, trial, items))
        self.sequences = longer
        return times

    def _believed(
        self, sequences: dict, trial: Seen, items: int
    ) -> tuple[float, np.ndarray, np.ndarray]:
        total = added(log for logs in sequences.values() for log in logs)
        joint, theta = np.zeros((len(trial.among), self.many)), np.zeros(items)
        for sequence, logs in sequences.items():
            shares = self.alpha[:items] + np.array(self.counts(sequence, items))
            believed = np.array([math.exp(log - total) for log in logs])
            joint[trial.among.index(sequence[-1][0])] += believed
            theta += believed.sum() * shares / shares.sum()
        return total, joint, theta

    def merged(self, items: int) -> dict[tuple[int, ...], np.ndarray]:
        """Return the probability of every table of counts at every efficiency, by addition."""
        total = added(log for logs in self.sequences.values() for log in logs)
        tables: dict[tuple[int, ...], np.ndarray] = {}
        for sequence, logs in self.sequences.items():
            counts = self.counts(sequence, items)
            believed = np.array([math.exp(log - total) for log in logs])
            tables[counts] = tables.get(counts, 0.0) + believed
        return tables


def watch(history: History, trial: Seen, alpha: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return all results for a trial, with all choices counted alike."""
    among, reachable = np.array(trial.among), np.array(trial.reachable)
    choice = Choice(among, reachable, trial.choice, alpha, np.zeros(1))
    joint, preference, log_total = bayes(history, choice, NO_OFFERS, NO_OFFERS, trial.log)
    *learnt, _ = learn_counts(history, choice, NO_OFFERS, trial.log)
    return joint, preference, np.diff(log_total), *learnt


def some_prior(rng: np.random.Generator, many: int) -> np.ndarray:
    return np.log(rng.dirichlet([2.0] * many))


def assert_exact(trials: list[Seen], log_prior: np.ndarray, alpha: np.ndarray = ONES) -> None:
    """Compare all results of Bayes' rule with the enumeration, trial by trial."""
    exact = Enumerated(log_prior.tolist(), alpha)
    counts, log_weight, total = np.zeros((1, 0), dtype=np.int64), log_prior[None], 0.0
    for trial in trials:
        items = max(counts.shape[1], max(trial.among) + 1)
        new = np.zeros((len(counts), items - counts.shape[1]), dtype=np.int64)
        counts = np.concatenate([counts, new], axis=1)
        before = counts.copy(), log_weight.copy()
        joint, preference, log_likelihood, learnt, weight = watch(
            History(counts, log_weight), trial, alpha[:items]
        )
        np.testing.assert_array_equal(counts, before[0])  # earlier counts are not changed
        np.testing.assert_array_equal(log_weight, before[1])
        times = exact.watch(trial, items)
        assert len(joint) == len(preference) == len(log_likelihood) + 1 == len(times)
        for t, (_, wanted, theta) in enumerate(times):
            np.testing.assert_allclose(joint[t], wanted, atol=1e-8)
            np.testing.assert_allclose(preference[t], theta, atol=1e-8)
        gains = [after - before for (before, *_), (after, *_) in pairwise(times)]
        np.testing.assert_allclose(log_likelihood, gains, rtol=1e-10, atol=1e-8)
        assert_merged(learnt, weight, exact.merged(items))
        counts, log_weight, total = learnt, weight, total + log_likelihood.sum()
    assert total == pytest.approx(added(x for logs in exact.sequences.values() for x in logs))


def assert_merged(counts: np.ndarray, log_weight: np.ndarray, wanted: dict) -> None:
    """Check that histories are sorted, unique and complete, and that weights are added up."""
    rows = [tuple(row) for row in counts.tolist()]
    assert rows == sorted(set(rows))
    assert set(rows) == set(wanted)
    for row, log in zip(rows, log_weight, strict=True):
        np.testing.assert_allclose(np.exp(log), wanted[row], atol=1e-8)
    assert np.exp(log_weight).sum() == pytest.approx(1.0)


def some_trials(rng: np.random.Generator, trials: int, most: int, many: int) -> list[Seen]:
    """Return trials with some of the known items, in any order, and perhaps with a new one."""
    seen, known = [], 0
    for _ in range(trials):
        known = min(known + int(rng.integers(0 if known else 1, 3)), most)
        newest = known - 1
        some = rng.permutation(known)[: rng.integers(1, known + 1)].tolist()
        among = some if newest in some else [*some, newest]
        reachable = rng.random(len(among)) < 0.7
        reachable[rng.integers(len(among))] = True
        log = rng.normal(scale=2.0, size=(rng.integers(0, 4), len(among), many))
        seen.append(Seen(among, reachable.tolist(), bool(rng.random() < 0.7), log))
    return seen


# Compared with the enumeration


@few
@given(seed=seeds, trials=st.integers(1, 4), alpha=st.sampled_from([0.2, 1.0, 3.5]))
def test_all_histories_are_added_up(seed: int, trials: int, alpha: float) -> None:
    """Goals come and go, new ones appear, and not every trial counts."""
    rng = np.random.default_rng(seed)
    many = int(rng.integers(1, 4))
    shares = alpha * rng.choice([0.3, 1.0, 2.0], size=4)  # some goals are likelier than others
    assert_exact(some_trials(rng, trials, 4, many), some_prior(rng, many), shares)


@few
@given(seed=seeds)
def test_extreme_evidence(seed: int) -> None:
    """Steps may be impossible, nearly impossible or uninformative, if any goal is possible."""
    rng = np.random.default_rng(seed)
    trials = some_trials(rng, 3, 3, 2)
    for trial in trials:
        trial.log[:] = rng.choice(HARD, size=trial.log.shape)
        possible = trial.reachable.index(True)
        trial.log[:, possible, 0] = np.maximum(trial.log[:, possible, 0], -1e6)
    assert_exact(trials, some_prior(rng, 2))


@pytest.mark.parametrize("choice", [False, True])
def test_uninformative_evidence_changes_nothing(choice: bool) -> None:
    trials = [Seen([0, 1, 2], [True, True, False], choice, np.zeros((3, 3, 2)))] * 3
    assert_exact(trials, np.log([0.25, 0.75]))
    counts, log_weight = np.zeros((1, 3), dtype=np.int64), np.log([[0.25, 0.75]])
    for trial in trials:
        joint, preference, log_likelihood, counts, log_weight = watch(
            History(counts, log_weight), trial, ONES[:3]
        )
        np.testing.assert_allclose(joint, np.tile([[[0.125, 0.375]] * 2 + [[0, 0]]], (4, 1, 1)))
        np.testing.assert_allclose(preference, preference[:1].repeat(4, axis=0))
        np.testing.assert_allclose(log_likelihood, 0.0, atol=1e-15)


def test_eight_goals() -> None:
    rng = np.random.default_rng(8)
    log = rng.normal(size=(2, 8, 2))
    trials = [Seen(rng.permutation(8).tolist(), [True] * 8, True, log + k) for k in range(3)]
    assert_exact(trials, some_prior(rng, 2))


# Compared with the integral over preferences: theta ~ Dirichlet(alpha), goals drawn from theta


@few
@given(seed=seeds, alpha=st.sampled_from([0.2, 1.0, 3.5]))
def test_counting_equals_integrating_over_preferences(seed: int, alpha: float) -> None:
    """P(g_1 ... g_n) = Gamma(a) / Gamma(a + n) prod over j of Gamma(a_j + c_j) / Gamma(a_j).

    The parameter of each goal is a_j, and a is their sum.
    """
    rng = np.random.default_rng(seed)
    items, trials, many = int(rng.integers(2, 4)), 4, 2
    shares = alpha * rng.choice([0.3, 1.0, 2.0], size=items)
    log_prior = some_prior(rng, many)
    logs = rng.normal(size=(trials, 1, items, many))
    counts, log_weight, total = np.zeros((1, items), dtype=np.int64), log_prior[None], 0.0
    for log in logs:
        trial = Seen(list(range(items)), [True] * items, True, log)
        _, _, log_likelihood, counts, log_weight = watch(History(counts, log_weight), trial, shares)
        total += log_likelihood.sum()

    def log_probability(goals: tuple[int, ...]) -> float:
        log = math.lgamma(shares.sum()) - math.lgamma(shares.sum() + trials)
        for item, share in enumerate(shares.tolist()):
            log += math.lgamma(share + goals.count(item)) - math.lgamma(share)
        return log

    wanted = added(
        log_prior[k] + log_probability(goals) + sum(logs[n, 0, g, k] for n, g in enumerate(goals))
        for goals in product(range(items), repeat=trials)
        for k in range(many)
    )
    assert total == pytest.approx(wanted, abs=1e-9)


# The sum itself


@few
@given(st.lists(st.sampled_from(HARD) | st.floats(-50, 50), min_size=1, max_size=9))
def test_the_sum_in_logarithms(logs: list[float]) -> None:
    assert log_sum(np.array(logs)) == pytest.approx(added(logs), abs=1e-12)


def test_the_log_of_a_sum_of_zeros_is_minus_infinity() -> None:
    assert log_sum(np.full(3, -np.inf)) == -math.inf
