"""What the core should say, written as naively as possible: loops over paths, goals and traits.

Nothing here is shared with hbtom: numbers are Python's, plans are loops over states and actions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

Table = Sequence[Sequence[float]]  # [state][action]


def soft(q: Sequence[float], efficiency: float) -> list[float]:
    """Return P(action) ~ exp(efficiency q), 0 for actions that are not there."""
    top = max(q)
    weight = [math.exp(efficiency * (x - top)) if x > -math.inf else 0.0 for x in q]
    return [w / sum(weight) for w in weight]


def expecting(efficiency: float) -> Callable[[Sequence[float]], float]:
    """Return the worth of a state to an agent that knows how well it will act."""

    def worth(q: Sequence[float]) -> float:
        return sum(p * x for p, x in zip(soft(q, efficiency), q, strict=True) if p > 0)

    return worth


def backward(
    P: Any, R: Any, rounds: int, *, end: Any = None, final: Any = None, discount: float = 1.0,
    worth: Callable[[Sequence[float]], float] = max, last: Any = None,
) -> list[list[list[float]]]:  # fmt: skip
    """Return Q [round][state][action], from what it is worth that time is up."""
    S, A = len(P), len(P[0])
    end = [False] * S if end is None else end
    final = [0.0] * S if final is None else final
    V = [float(v) for v in (final if last is None else last)]
    found = []
    for _ in range(rounds):
        Q = [[-math.inf] * A for _ in range(S)]
        for s, a in product(range(S), range(A)):
            if sum(P[s][a]) > 0.5:
                later = sum(P[s][a][to] * V[to] for to in range(S))
                Q[s][a] = float(R[s][a]) + discount * later
        V = [float(final[s]) if end[s] else worth(Q[s]) for s in range(S)]
        found.insert(0, Q)
    return found


def lasting(P: Any, R: Any, rounds: int = 800, **more: Any) -> list[list[float]]:
    """Return Q [state][action] when there is no horizon."""
    end, final = more.get("end"), more.get("final")
    last = [final[s] if end is not None and final is not None and end[s] else 0.0
            for s in range(len(P))]  # fmt: skip
    return backward(P, R, rounds, last=last, **more)[0]


def walked(P: Any, pi: Callable[[int, int], Sequence[float]], states: Any, actions: Any) -> float:
    """Return P(actions and states | first state), for pi(time, state) -> P(action)."""
    chance = 1.0
    for t, a in enumerate(actions):
        chance *= pi(t, states[t])[a] * P[states[t]][a][states[t + 1]]
    return chance


def seen(
    P: Any, pi: Callable[[int, int], Sequence[float]], states: Any, actions: Any
) -> tuple[float, list[float]]:
    """Return P(what was seen), summed over all paths, and P(what was seen, last state).

    A state is a number, None, or P(seen | state); an action is a number or None. The first state
    has a uniform prior if it was not seen for sure.
    """
    S, A = len(P), len(P[0])
    looks = [[1.0 * (s == one) for s in range(S)] if isinstance(one, int) else
             [1.0] * S if one is None else [float(x) for x in one] for one in states]  # fmt: skip
    first = sum(looks[0])
    last = [0.0] * S
    ways = [range(A) if a is None else [a] for a in actions]
    for path in product(range(S), repeat=len(states)):
        saw = math.prod(look[s] for look, s in zip(looks, path, strict=True)) / first
        if saw > 0:
            for acts in product(*ways):
                last[path[-1]] += saw * walked(P, pi, path, acts)
    return sum(last), last


def assert_same(
    p: Any, weights: Mapping[Any, float], names: Sequence[str], at: int = -1,
    smoothed: bool = False,
) -> None:  # fmt: skip
    """Compare a posterior with {labels: P(labels, what was seen)}, and the evidence."""
    total = sum(weights.values())
    if not smoothed:
        assert abs(p.log_evidence[at] - math.log(total)) < 1e-9
    margin = p.margin(*names, smoothed=smoothed)[at]
    assert margin.size == len(weights)
    assert max(weights.values()) > 1.02 * min(weights.values()), "any posterior would do"
    for labels, weight in weights.items():
        labels = labels if isinstance(labels, tuple) else (labels,)
        at_ = tuple(p.axis(n).labels.index(one) for n, one in zip(names, labels, strict=True))
        assert abs(margin[at_] - weight / total) < 1e-9, (labels, margin[at_], weight / total)


def summed(weights: Mapping[Any, float], *places: int) -> dict[Any, float]:
    """Return {some labels: sum of weights}."""
    found: dict[Any, float] = {}
    for labels, weight in weights.items():
        key = tuple(labels[i] for i in places)
        found[key] = found.get(key, 0.0) + weight
    return found


def random_world(seed: int, S: int, A: int, sure: float = 0.0) -> Any:
    """Return P [S, A, S] of a random world; some outcomes are sure, with this probability."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(S) * 0.7, size=(S, A))
    for s, a in np.argwhere(rng.random((S, A)) < sure).tolist():
        P[s, a] = np.eye(S)[rng.integers(S)]
    return P
