"""Minds in company: inference matches brute force, and is calibrated."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import product

import numpy as np
import pytest
from scipy.stats import chisquare

from hbtom import Beliefs, Model
from hbtom.mind.believed_places import Candidate
from hbtom.mind.company import Company
from hbtom.mind.company_hypotheses import COPY, REACH
from hbtom.mind.company_inference import infer_company
from hbtom.mind.deeds import Deed
from hbtom.mind.hypotheses import TRUE, Hypotheses
from hbtom.mind.likelihood import company_likelihood
from hbtom.mind.regret import Headings, Regret
from hbtom.model import with_settings
from hbtom.observe import Identity

AGENT, FRIEND, STRANGER, BALL = map(Identity, ("agent", "friend", "stranger", "ball"))
HERE = (Candidate((0.0, 0.0), 1.0),)
SAME = 0.3  # P(touched) and P(untouched): if they are equal, their sums for both kinds are, too
MODEL = with_settings(
    Model.preset("default"),
    {
        "efficiency.temperatures": [0.2, 0.9],
        "social.touched": SAME,
        "social.untouched": SAME,
        "social.moved": 0.4,
    },
)
BETA, PRIOR = MODEL.efficiency.values, np.exp(MODEL.efficiency.log_prior)


@dataclass
class Shown:
    """A trial: turns [step, goal, manner] of each step relative to each hypothesis."""

    goals: tuple[Identity, ...]
    turns: np.ndarray
    touched: bool | None = None
    deeds: tuple[Deed, ...] = ()
    prior: np.ndarray = field(init=False)  # P(manner | goal)

    def __post_init__(self) -> None:
        things = np.array([goal == BALL for goal in self.goals])
        self.prior = np.where(things[:, None], [1.0, 0.0], [0.5, 0.5])

    @property
    def regret(self) -> np.ndarray:
        return 1.0 - np.cos(self.turns)  # of steps of length 1

    def likelihood(self):
        steps, many = len(self.turns), len(self.goals) * 2
        flat = self.regret.reshape(steps, many)
        moves, length = np.ones(steps, dtype=bool), np.ones(steps)
        can = self.prior.reshape(-1) > 0
        with np.errstate(divide="ignore"):
            kinds = Hypotheses((TRUE,), (REACH, COPY), np.log(self.prior)[:, None])
        names = tuple(goal for goal in self.goals for _ in range(2))
        frame = np.arange(1, steps + 1)
        every = Regret(names, can, frame, flat, Headings(moves, length, flat, 1.0))
        reach = self.regret[:, :, 0]
        seen = np.ones(len(self.goals), dtype=bool)
        plain = Regret(self.goals, seen, frame, reach, Headings(moves, length, reach, 1.0))
        places = (HERE,) * len(self.goals)
        company = Company(self.goals, places, kinds, every, self.touched, self.deeds)
        return company_likelihood(MODEL, plain, company)

    def chance(self, step: int, goal: int, manner: int, k: int) -> float:
        """P(a step), relative to a random heading."""
        return (
            math.exp(-BETA[k] * self.regret[step, goal, manner])
            / np.i0(BETA[k])
            * math.exp(BETA[k])
        )


def watched(trials):
    beliefs = Beliefs()
    for one in trials:
        posterior, beliefs = infer_company(MODEL, beliefs, AGENT, one.likelihood())
    return posterior


# Brute force


@dataclass(frozen=True)
class State:
    """One possible state of everything, and its probability."""

    moved: bool
    k: int
    rho: tuple[tuple[Identity, int], ...]
    chosen: tuple[Identity, ...]
    weight: float

    def wants(self, goals) -> np.ndarray:
        if self.moved:
            return np.full(len(goals), 1 / len(goals))
        warm = dict(self.rho)
        alpha = MODEL.preference.concentration
        own = [
            alpha * MODEL.social.warmth ** warm.get(goal, 0) + self.chosen.count(goal)
            for goal in goals
        ]
        return np.array(own) / sum(own)


def with_deed(states, deed):
    if deed.actor not in dict(states[0].rho):
        states = [
            State(one.moved, one.k, (*one.rho, (deed.actor, rho)), one.chosen, one.weight / 3)
            for one in states
            for rho in (-1, 0, 1)
        ]
    own = [one for one in states if not one.moved]
    wanted = sum(one.weight * one.wants(deed.goals) for one in own) / sum(x.weight for x in own)
    value = float(wanted @ deed.gain)
    found = []
    for one in states:
        steep = BETA * np.clip(dict(one.rho)[deed.actor] * value, -1.0, 1.0)
        chance = float(PRIOR @ (2 / (1 + np.exp(-steep))))
        found.append(State(one.moved, one.k, one.rho, one.chosen, one.weight * chance))
    return found


def onset(one, touched):
    if touched is None:
        return 1.0
    return {True: SAME, False: 1.0}[touched] if not one.moved else {True: 1.0, False: SAME}[touched]


def enumerated(trials):
    """Return P(goal, manner), P(moved), P(rho) and P(k) at the end of the last trial."""
    moved = MODEL.social.moved
    states = [
        State(z, k, (), (), (moved if z else 1 - moved) * PRIOR[k])
        for z, k in product((False, True), range(len(BETA)))
    ]
    for trial in trials:
        for deed in trial.deeds:
            states = with_deed(states, deed)
        after, ways = [], list(product(range(len(trial.goals)), (0, 1)))
        seen = {
            (*way, k): math.prod(trial.chance(step, *way, k) for step in range(len(trial.turns)))
            for way, k in product(ways, range(len(BETA)))
        }
        for one in states:
            wants = one.wants(trial.goals)
            for goal, manner in ways:
                prior = trial.prior[goal, manner] if not one.moved else float(manner == 0)
                chance = prior * seen[goal, manner, one.k] * onset(one, trial.touched)
                weight = one.weight * wants[goal] * chance
                counts = len(trial.goals) > 1 and not one.moved
                chosen = (*one.chosen, trial.goals[goal]) if counts else one.chosen
                after.append((State(one.moved, one.k, one.rho, chosen, weight), goal, manner))
        states = [one for one, _, _ in after]
    total = sum(one.weight for one in states)
    joint = np.zeros((len(trial.goals), 2, len(BETA)))
    cause, rho = np.zeros(2), {actor: np.zeros(3) for actor, _ in states[0].rho}
    for one, goal, manner in after:
        joint[goal, manner, one.k] += one.weight / total
        cause[int(one.moved)] += one.weight / total
        for actor, value in one.rho:
            rho[actor][value + 1] += one.weight / total
    return joint, cause, rho


def some_trials(seed: int) -> list[Shown]:
    rng = np.random.default_rng(seed)

    def turns(goals):
        return rng.uniform(-math.pi, math.pi, (2, len(goals), 2))

    everybody = (FRIEND, STRANGER, BALL)
    helped = Deed(FRIEND, everybody, rng.uniform(-2, 2, 3), np.zeros(3, dtype=bool))
    barred = Deed(STRANGER, (BALL, FRIEND), rng.uniform(-2, 2, 2), np.zeros(2, dtype=bool))
    trials = [
        Shown(everybody, turns(everybody), touched=bool(rng.integers(2))),
        Shown(everybody, turns(everybody), deeds=(helped,)),
        Shown(everybody, turns(everybody), touched=False, deeds=(barred, helped)),
        Shown(everybody, turns(everybody)),
    ]
    return trials[: 2 + seed % 3]


@pytest.mark.parametrize("seed", range(6))
def test_inference_equals_the_sum_over_all_possible_states(seed):
    trials = some_trials(seed)
    found = watched(trials)
    joint, cause, rho = enumerated(trials)
    assert found.full[-1, :, 0] == pytest.approx(joint, abs=1e-12)
    assert found.company.cause[-1] == pytest.approx(cause, abs=1e-12)
    assert found.company.attitudes.keys() == rho.keys()
    for actor, chances in found.company.attitudes.items():
        assert chances[-1] == pytest.approx(rho[actor], abs=1e-12)


def test_the_joint_of_all_axes_has_the_same_margins():
    found = watched(some_trials(2))
    every = found.company.by_attitude
    assert every.sum(axis=(5, 6, 7)) == pytest.approx(found.full, abs=1e-12)
    assert every.sum(axis=(1, 2, 3, 4, 6, 7)) == pytest.approx(found.company.cause, abs=1e-12)
    friend, stranger = found.company.attitudes.values()
    assert every.sum(axis=(1, 2, 3, 4, 5, 7)) == pytest.approx(friend, abs=1e-12)
    assert every.sum(axis=(1, 2, 3, 4, 5, 6)) == pytest.approx(stranger, abs=1e-12)


def test_the_order_of_goals_does_not_matter():
    trials = some_trials(1)
    turned = [Shown(one.goals[::-1], one.turns[:, ::-1], one.touched, one.deeds) for one in trials]
    found, other = watched(trials), watched(turned)
    assert other.full[:, ::-1] == pytest.approx(found.full, abs=1e-12)
    assert other.log_likelihood == pytest.approx(found.log_likelihood, abs=1e-12)


# Calibration


def drawn(rng):
    """Draw an agent and its trials from the model; return the trials and the true values."""
    social, goals = MODEL.social, (FRIEND, STRANGER)
    one = State(bool(rng.random() < social.moved), int(rng.choice(len(BETA), p=PRIOR)), (), (), 1.0)
    rho = int(rng.integers(-1, 2))
    trials = []
    for number in range(3):
        deeds = ()
        if number == 1:  # the deed is either this or its opposite, and the agent wants one thing
            one = State(one.moved, one.k, ((FRIEND, rho),), one.chosen, 1.0)
            kind = PRIOR @ (1 / (1 + np.exp(-BETA * np.clip(rho * 0.7, -1, 1))))
            gain = 0.7 if rng.random() < kind else -0.7
            deeds = (Deed(FRIEND, (BALL,), np.array([gain]), np.array([False])),)
        goal = int(rng.choice(2, p=one.wants(goals)))
        manner = 0 if one.moved else int(rng.integers(2))
        turns = rng.uniform(-math.pi, math.pi, (3, 2, 2))
        turns[:, goal, manner] = rng.vonmises(0.0, BETA[one.k], 3)
        often = (1.0 if one.moved else SAME) / (1 + SAME)
        trials.append(Shown(goals, turns, bool(rng.random() < often), deeds))
        if not one.moved:
            one = State(one.moved, one.k, one.rho, (*one.chosen, goals[goal]), 1.0)
    return trials, {"goal": goal, "cause": int(one.moved), "attitude": rho + 1, "k": one.k}


def ranks(model_trials, draws: int, seed: int) -> dict[str, list[float]]:
    rng = np.random.default_rng(seed)
    found: dict[str, list[float]] = {}
    for _ in range(draws):
        trials, true = drawn(rng)
        seen = watched(model_trials(trials))
        chances = {
            "goal": seen.goal[-1],
            "cause": seen.company.cause[-1],
            "attitude": seen.company.attitudes[FRIEND][-1],
            "k": seen.efficiency[-1],
        }
        for name, chance in chances.items():
            rank = chance[: true[name]].sum() + rng.random() * chance[true[name]]
            found.setdefault(name, []).append(float(rank))
    return found


def evenness(values: list[float]) -> float:
    return float(chisquare(np.histogram(values, 10, (0.0, 1.0))[0]).pvalue)


def test_beliefs_about_minds_are_calibrated():
    for name, values in ranks(lambda trials: trials, 150, seed=3).items():
        assert evenness(values) > 0.01, name


def test_an_observer_that_misreads_onsets_is_not_calibrated():
    def misread(trials):
        return [Shown(one.goals, one.turns, not one.touched, one.deeds) for one in trials]

    assert evenness(ranks(misread, 60, seed=3)["cause"]) < 1e-3
