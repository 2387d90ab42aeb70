"""What changes within a trial, against enumeration over all sequences of values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import assert_same, lasting, random_world, soft, summed

S, A = 4, 3
P = random_world(23, S, A)
R = np.random.default_rng(5).normal(size=(2, S, A))
WALKS = [([1, 0, 2, 0], [0, 1, 3, 0, 2]), ([2, 2, 1], [2, 0, 3, 1])]
MOODS = {1.0: 2, -1.0: 1}
QS = {goal: lasting(P, R[goal], discount=0.6, rounds=100) for goal in (0, 1)}


def policy(Q: Any, mood: Any, efficiency: Any) -> Any:
    return hb.boltzmann(Q + mood * np.array([0, 1, -1]), efficiency)


def act(goal: int, mood: float, efficiency: float, s: int, a: int) -> float:
    return soft([q + mood * x for q, x in zip(QS[goal][s], [0, 1, -1], strict=True)], efficiency)[a]


def stepped(n: int, t: int, goal: int, mood: float, efficiency: float) -> float:
    """Return P(step t of walk n | what holds then)."""
    acts, states = WALKS[n]
    return act(goal, mood, efficiency, states[t], acts[t]) * P[states[t], acts[t], states[t + 1]]


def sequences(
    steps: int, rates: Sequence[float], prior: Callable[..., float], spaces: Sequence[Any]
) -> list[tuple[tuple[Any, ...], float]]:
    """Return all sequences of values [0..steps] and their probabilities.

    ``prior(i, value, values)`` is P(value of axis i | values of the others). Before a step, axes
    are drawn anew one after the other.
    """
    first = []
    for values in product(*spaces):
        chance, known = 1.0, [None] * len(spaces)
        for i, value in enumerate(values):
            known[i] = value
            chance *= prior(i, value, values)
        first.append(((values,), chance))
    found = first
    for _ in range(steps):
        longer = []
        for path, chance in found:
            for after in product(*spaces):
                now, move = list(path[-1]), chance
                for i, rate in enumerate(rates):
                    old, now[i] = now[i], after[i]
                    move *= (1 - rate) * (old == after[i]) + rate * prior(i, after[i], now)
                if move > 0:
                    longer.append(((*path, after), move))
        found = longer
    return found


def agent(moods: float | None, switch: float | None, **changes: Any) -> hb.Agent:
    theory: dict[str, Any] = {
        "goals": hb.Trait({0: 3, 1: 2}, anew=switch),
        "step": P,
        "reward": lambda goal: R[goal],
        "discount": 0.6,
        "traits": {"mood": hb.Trait(MOODS, anew=moods), "efficiency": [0.5, 2.0]},
        "policy": policy,
    }
    return hb.Agent(**theory | changes)


def prior(i: int, value: Any, values: Any) -> float:
    return MOODS[value] / 3 if i == 0 else {0: 0.6, 1: 0.4}[value]


@pytest.mark.parametrize("moods", [0.0, 1.0, 0.3])
@pytest.mark.parametrize("goals", [0.0, 1.0, 0.3])
def test_moods_and_goals_that_change(moods: float, goals: float) -> None:
    p = hb.watch(agent(moods, goals), hb.Walk(*WALKS[0]))
    many = len(WALKS[0][0])
    for at in range(many + 1):
        filtered: dict[Any, float] = {}
        for efficiency in (0.5, 2.0):
            for path, chance in sequences(at, (moods, goals), prior, (MOODS, (0, 1))):
                like = chance / 2
                for t in range(at):
                    mood, goal = path[t + 1]
                    like *= stepped(0, t, goal, mood, efficiency)
                key = (*path[at], efficiency)
                filtered[key] = filtered.get(key, 0.0) + like
        assert_same(p, filtered, ["mood", "goal", "efficiency"], at=at)
    back: list[dict[Any, float]] = [{} for _ in range(many + 1)]
    for efficiency in (0.5, 2.0):
        for path, chance in sequences(many, (moods, goals), prior, (MOODS, (0, 1))):
            like = chance / 2
            for t in range(many):
                mood, goal = path[t + 1]
                like *= stepped(0, t, goal, mood, efficiency)
            for at in range(many + 1):
                key = (*path[at], efficiency)
                back[at][key] = back[at].get(key, 0.0) + like
    for at in range(many + 1):
        assert_same(p, back[at], ["mood", "goal", "efficiency"], at=at, smoothed=True)
    coming = [0.0] * A
    for (mood, goal, efficiency), weight in filtered.items():
        for next_mood, next_goal in product(MOODS, (0, 1)):
            move = moods * MOODS[next_mood] / 3 + (1 - moods) * (mood == next_mood)
            move *= goals * [0.6, 0.4][next_goal] + (1 - goals) * (goal == next_goal)
            for a in range(A):
                coming[a] += weight * move * act(next_goal, next_mood, efficiency, 2, a)
    total = sum(filtered.values())
    assert np.allclose([*p.next().values()], np.array(coming) / total, atol=1e-9)


def test_what_lasts_is_learnt_through_moods_that_change() -> None:
    p = hb.watch(agent(0.3, 0.0), [hb.Walk(*walk) for walk in WALKS])
    weights: dict[Any, float] = {}
    for efficiency in (0.5, 2.0):
        parts = []
        for n, (acts, _) in enumerate(WALKS):
            part: dict[Any, float] = {}
            for path, chance in sequences(len(acts), (0.3, 0.0), prior, (MOODS, (0, 1))):
                like = chance
                for t in range(len(acts)):
                    mood, goal = path[t + 1]
                    like *= stepped(n, t, goal, mood, efficiency)
                part[path[-1]] = part.get(path[-1], 0.0) + like
            parts.append(part)
        for last, like in parts[1].items():
            weights[*last, efficiency] = 0.5 * sum(parts[0].values()) * like
    assert_same(p, weights, ["mood", "goal", "efficiency"])


def test_a_mood_that_depends_on_the_goal_and_on_another_trait() -> None:
    def weight(goal: int, shy: str) -> dict[float, float]:
        return {1.0: 1 + goal, -1.0: {"no": 1, "some": 2, "very": 4}[shy]}

    traits = {
        "mood": hb.Trait(list(MOODS), anew=0.3, weight=weight),
        "shy": ["no", "some", "very"],
        "efficiency": [0.5, 2.0],
    }
    p = hb.watch(agent(None, 0.5, traits=traits), hb.Walk(*WALKS[0]))
    smoothed: list[dict[Any, float]] = [{} for _ in range(5)]
    for shy, efficiency in product(["no", "some", "very"], [0.5, 2.0]):

        def given(i: int, value: Any, values: Any) -> float:
            if i == 1:
                return {0: 0.6, 1: 0.4}[value]
            own = weight(values[1], shy)  # noqa: B023
            return own[value] / sum(own.values())

        for path, chance in sequences(4, (0.3, 0.5), given, (MOODS, (0, 1))):
            like = chance / 6
            for t in range(4):
                mood, goal = path[t + 1]
                like *= stepped(0, t, goal, mood, efficiency)
            for t in range(5):
                key = (*path[t], shy, efficiency)
                smoothed[t][key] = smoothed[t].get(key, 0.0) + like
    names = ["mood", "goal", "shy", "efficiency"]
    assert_same(p, smoothed[-1], names)
    for t in range(5):
        assert_same(p, smoothed[t], names, at=t, smoothed=True)


@pytest.mark.parametrize("order", [["bold", "mood", "efficiency"], ["mood", "efficiency", "bold"]])
def test_a_lasting_trait_whose_weight_depends_on_another(order: list[str]) -> None:
    def weight(bold: int) -> dict[float, float]:
        return {1.0: 3.0, -1.0: 1.0} if bold else {1.0: 1.0, -1.0: 1.0}

    every = {
        "mood": hb.Trait(list(MOODS), weight=weight),
        "bold": {0: 1, 1: 2},
        "efficiency": hb.Trait([0.5, 2.0], weight=lambda bold: {0.5: 1.0, 2.0: 1.0 + bold}),
    }
    mind = agent(None, 0.0, traits={name: every[name] for name in order})
    p = hb.watch(mind, [hb.Walk(*walk) for walk in WALKS])
    weights: dict[Any, float] = {}
    for bold, mood, efficiency in product([0, 1], MOODS, [0.5, 2.0]):
        like = [1 / 3, 2 / 3][bold] * weight(bold)[mood] / sum(weight(bold).values())
        like *= (1.0 if efficiency == 0.5 else 1.0 + bold) / (2.0 + bold)
        parts = [
            [[0.6, 0.4][goal] * math.prod(stepped(n, t, goal, mood, efficiency)
             for t in range(len(acts))) for goal in (0, 1)]
            for n, (acts, _) in enumerate(WALKS)
        ]  # fmt: skip
        for goal in (0, 1):
            weights[bold, mood, efficiency, goal] = like * sum(parts[0]) * parts[1][goal]
    assert_same(p, weights, ["bold", "mood", "efficiency", "goal"])


def test_weights_that_depend_on_themselves_or_on_what_does_not_last() -> None:
    def told(**traits: Any) -> Any:
        return hb.watch(agent(None, 0.0, traits=traits), hb.Walk(*WALKS[0]))

    even = {1.0: 1.0, -1.0: 1.0}
    own = hb.Trait([0.5, 2.0], weight=lambda mood: {0.5: 1.0})
    with pytest.raises(hb.BadInput, match="weight of 'mood' depends on itself"):
        told(mood=hb.Trait(list(MOODS), weight=lambda efficiency: even), efficiency=own)
    with pytest.raises(hb.BadInput, match="'mood' lasts, and its weight depends on 'goal'"):
        told(mood=hb.Trait(list(MOODS), weight=lambda goal: even), efficiency=[1.0])
    with pytest.raises(hb.BadInput, match="'efficiency' lasts, and its weight depends on 'mood'"):
        told(mood=hb.Trait(MOODS, anew=0.3), efficiency=own)


def test_goals_whose_weight_depends_on_a_trait() -> None:
    goals = hb.Trait([0, 1], weight=lambda mood: {0: 1.0, 1: 3.0 if mood > 0 else 0.5})
    p = hb.watch(agent(None, None, goals=goals), [hb.Walk(*walk) for walk in WALKS])
    weights: dict[Any, float] = {}
    for mood, efficiency in product(MOODS, [0.5, 2.0]):
        odds = [1.0, 3.0] if mood > 0 else [1.0, 0.5]
        parts = [
            [odds[g] / sum(odds) * math.prod(stepped(n, t, g, mood, efficiency)
             for t in range(len(acts))) for g in (0, 1)]
            for n, (acts, _) in enumerate(WALKS)
        ]  # fmt: skip
        for goal in (0, 1):
            like = MOODS[mood] / 6 * sum(parts[0]) * parts[1][goal]
            weights[mood, efficiency, goal] = like
    assert_same(p, weights, ["mood", "efficiency", "goal"])


def test_goals_that_switch_and_are_learnt() -> None:
    """A trial counts for the goal of a step chosen at random."""
    mind = agent(0.0, 0.4, choose=hb.dirichlet(1.0), goals=hb.Trait([0, 1], anew=0.4))
    p = hb.watch(mind, [hb.Walk(*walk) for walk in WALKS])
    table: dict[Any, float] = {}  # P(goal counted in the first trial, efficiency)
    flat = lambda i, value, values: MOODS[value] / 3 if i == 0 else 0.5  # noqa: E731
    for efficiency in (0.5, 2.0):
        for path, chance in sequences(4, (0.0, 0.4), flat, (MOODS, (0, 1))):
            like = chance / 2
            for t in range(4):
                mood, goal = path[t + 1]
                like *= stepped(0, t, goal, mood, efficiency)
            for t in range(4):
                key = path[t + 1][1], efficiency
                table[key] = table.get(key, 0.0) + like / 4
    weights: dict[Any, float] = {}
    for (counted, efficiency), known in table.items():
        urn = [(2 - counted) / 3, (1 + counted) / 3]
        learnt = lambda i, value, values: MOODS[value] / 3 if i == 0 else urn[value]  # noqa: B023, E731
        for path, chance in sequences(3, (0.0, 0.4), learnt, (MOODS, (0, 1))):
            like = known * chance
            for t in range(3):
                mood, goal = path[t + 1]
                like *= stepped(1, t, goal, mood, efficiency)
            key = (*path[-1], efficiency)
            weights[key] = weights.get(key, 0.0) + like
    assert_same(p, weights, ["mood", "goal", "efficiency"])


def test_sequences_are_a_probability() -> None:
    found = sequences(3, (0.3, 0.5), prior, (MOODS, (0, 1)))
    assert len({path for path, _ in found}) == len(found) == 4**4
    assert abs(sum(chance for _, chance in found) - 1) < 1e-12
    assert summed({path[-1]: 1.0 for path, _ in found}, 0)


@pytest.mark.parametrize("states", [[0, None, 3, 0], [0, 1, [0.1, 0.2, 0.5, 0.3]]])
def test_what_changes_needs_states_that_were_seen(states: Any) -> None:
    with pytest.raises(hb.BadInput, match="drawn anew within a trial"):
        hb.watch(agent(0.3, 0.0), hb.Walk(None, states))
