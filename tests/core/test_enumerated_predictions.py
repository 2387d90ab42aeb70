"""Predictions, samples and counterfactuals against sums over all ways to go on."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import lasting, random_world, soft, walked

S, A = 4, 3
P, OTHER = random_world(51, S, A), random_world(52, S, A)
R = np.random.default_rng(9).normal(size=(2, S, A))
ACTS, STATES = [1, 0], [0, 1, 2]
EFFICIENCIES = {0.5: 1, 2.0: 2}
END = np.arange(S) == 3
AGENT = hb.Agent(
    goals={0: 3, 1: 2}, step=P, reward=lambda goal: R[goal], discount=0.7, actions="abc",
    traits={"efficiency": EFFICIENCIES}, end=END, final=lambda goal: 1.0 * goal * END,
    choose=lambda V: V,
)  # fmt: skip
WALK = hb.Walk("ba", STATES)


def naive_q(step: Any, goal: int) -> Any:
    return lasting(step, R[goal], end=END, final=(1.0 * goal * END).tolist(), discount=0.7,
                   rounds=150)  # fmt: skip


QS = {(name, goal): naive_q(step, goal) for name, step in (("P", P), ("other", OTHER))
      for goal in (0, 1)}  # fmt: skip


def chosen(name: str, start: int) -> list[float]:
    weight = [w * math.exp(1.0 * g if END[start] else max(QS[name, g][start]))
              for g, w in ((0, 0.6), (1, 0.4))]  # fmt: skip
    return [w / sum(weight) for w in weight]


def posterior() -> dict[Any, float]:
    weights = {}
    for goal, efficiency in product((0, 1), EFFICIENCIES):
        like = walked(P, lambda t, s: soft(QS["P", goal][s], efficiency), STATES, ACTS)  # noqa: B023
        weights[goal, efficiency] = chosen("P", 0)[goal] * EFFICIENCIES[efficiency] / 3 * like
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


def reached(step: Any, pi: Any, start: int, rounds: int) -> list[float]:
    """Return P(last state), summed over all paths; nothing more happens in the end."""
    last = [0.0] * S
    for path in product(range(S), repeat=rounds):
        for acts in product(range(A), repeat=rounds):
            state, chance = start, 1.0
            for t, (to, a) in enumerate(zip(path, acts, strict=True)):
                if END[state]:
                    chance *= (to == state) / A
                else:
                    chance *= pi(t, state)[a] * step[state][a][to]
                state = to
            last[state] += chance
    return last


@pytest.mark.parametrize(
    ("changes", "name", "start", "rounds"),
    [
        ({"rounds": 3}, "P", 0, 3),
        ({"rounds": 4, "since": 2}, "P", 2, 2),
        ({"rounds": 3, "since": 1}, "P", 1, 2),
        ({"goal": 1, "rounds": 3}, "P", 0, 3),
        ({"do": {"efficiency": 0.5}, "rounds": 2}, "P", 0, 2),
        ({"do": {"efficiency": 0.5, "goal": 0}, "since": 2, "rounds": 4}, "P", 2, 2),
        ({"rounds": 3, "world": True}, "other", 0, 3),
        ({"rounds": 3, "world": True, "keep": "goal"}, "other", 0, 3),
        ({"rounds": 3, "world": True, "goal": 0}, "other", 0, 3),
        ({}, "P", 0, 2),
    ],
)
def test_what_would_have_been(changes: Any, name: str, start: int, rounds: int) -> None:
    home = hb.World.of(P, actions="abc")
    p = hb.watch(AGENT, WALK)
    if "world" in changes:
        p = hb.watch(AGENT.but(step=None), hb.Walk("ba", STATES, home))
    do = changes.get("do", {}) | ({"goal": changes["goal"]} if "goal" in changes else {})
    answer, step = np.zeros(S), {"P": P, "other": OTHER}[name]
    anew = "world" in changes and "keep" not in changes and "goal" not in do
    for (goal, efficiency), weight in posterior().items():
        efficiency = do.get("efficiency", efficiency)
        for g, share in enumerate(chosen(name, 0)) if anew else [(do.get("goal", goal), 1.0)]:
            pi = lambda t, s: soft(QS[name, g][s], efficiency)  # noqa: B023, E731
            answer += weight * share * np.array(reached(step, pi, start, rounds))
    other = {"world": hb.World.of(OTHER, actions="abc")}
    changes = changes | (other if "world" in changes else {})
    assert np.allclose(p.would(**changes), answer, atol=1e-9)
    some = np.array([True, False, True, False])
    assert p.would(some, **changes) == pytest.approx(answer[0] + answer[2], abs=1e-9)
    place = p.would(lambda world: np.arange(world.states) == 2, **changes)
    assert place == pytest.approx(answer[2], abs=1e-9)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_what_comes_next(at: int) -> None:
    p = hb.watch(AGENT, WALK)
    weights, total = dict.fromkeys("abc", 0.0), 0.0
    for goal, efficiency in product((0, 1), EFFICIENCIES):
        pi = lambda t, s: soft(QS["P", goal][s], efficiency)  # noqa: B023, E731
        like = chosen("P", 0)[goal] * EFFICIENCIES[efficiency]
        like *= walked(P, pi, STATES[: at + 1], ACTS[:at])
        total += like
        for name, q in zip("abc", pi(at, STATES[at]), strict=True):
            weights[name] += like * q
    assert p.next(at) == pytest.approx({name: w / total for name, w in weights.items()}, abs=1e-9)
    if at == 2:
        assert p.next() == p.next(2)


def test_agents_may_be_wrong_about_the_other_world() -> None:
    """What an agent says of its step is what it believes, wherever it is."""
    answer = np.zeros(S)
    for (goal, efficiency), weight in posterior().items():
        pi = lambda t, s: soft(QS["P", goal][s], efficiency)  # noqa: B023, E731
        answer += weight * np.array(reached(OTHER, pi, 0, 3))
    then = hb.watch(AGENT, WALK).would(
        world=hb.World.of(OTHER, actions="abc"), rounds=3, keep="goal"
    )
    assert np.allclose(then, answer, atol=1e-9)


def frequencies(walks: Any, of: Any) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for walk in walks:
        found[of(walk)] = found.get(of(walk), 0.0) + 1 / len(walks)
    return found


def assert_as_frequent(found: dict[Any, float], exact: dict[Any, float], many: int) -> None:
    assert abs(sum(exact.values()) - 1) < 1e-9
    assert set(found) <= {key for key, P in exact.items() if P > 0}
    for key, P in exact.items():
        assert abs(found.get(key, 0.0) - P) < 4.5 * math.sqrt(P * (1 - P) / many) + 1e-12, key


def test_samples_go_on_as_they_would() -> None:
    many, p = 4000, hb.watch(AGENT, WALK)
    walks = p.sample(many, rounds=2, seed=1)
    exact: dict[Any, float] = {}
    for (goal, efficiency), weight in posterior().items():
        for a, b in product(range(A), repeat=2):
            for s, to in product(range(S), repeat=2):
                chance = weight * soft(QS["P", goal][2], efficiency)[a] * P[2, a, s]
                if END[s]:
                    chance *= (a == a) * (b == 0) * (to == 0)
                    key: Any = (goal, (a,), (2, s))
                else:
                    chance *= soft(QS["P", goal][s], efficiency)[b] * P[s, b, to]
                    key = (goal, (a, b), (2, s, to))
                exact[key] = exact.get(key, 0.0) + chance
    found = frequencies(
        walks,
        lambda w: (w.truth["goal"], tuple("abc".index(a) for a in w.actions), tuple(w.states)),
    )
    assert_as_frequent(found, exact, many)
    assert p.sample(3, seed=5)[2].states == p.sample(3, seed=5)[2].states
    assert [w.states for w in p.sample(9, seed=5)] != [w.states for w in p.sample(9, seed=6)]


def test_samples_from_a_state_that_was_not_seen_for_sure() -> None:
    look = [0.2, 0.5, 0.9, 0.0]
    p = hb.watch(AGENT, hb.Walk(None, [0, [1, 1, 1, 0], look]))
    exact = dict.fromkeys(product((0, 1), range(S)), 0.0)
    for goal, efficiency in product((0, 1), EFFICIENCIES):
        pi = [soft(QS["P", goal][s], efficiency) for s in range(S)]
        prior = chosen("P", 0)[goal] * EFFICIENCIES[efficiency]
        for a, b, s, to in product(range(A), range(A), range(3), range(S)):
            exact[goal, to] += prior * pi[0][a] * P[0, a, s] * pi[s][b] * P[s, b, to] * look[to]
    total = sum(exact.values())
    walks = p.sample(3000, rounds=1)
    found = frequencies(walks, lambda walk: (walk.truth["goal"], walk.states[0]))
    assert_as_frequent(found, {key: w / total for key, w in exact.items()}, 3000)


def test_samples_of_what_changes_and_of_habits() -> None:
    def moody(Q: Any, mood: Any, efficiency: Any, previous: Any, time: Any) -> Any:
        again = 2.0 * (np.arange(A) == previous) * (1 + time)
        return hb.boltzmann(Q + again + mood * np.array([0, 1, -1]), efficiency)

    moods, rate = (1.5, -1.5), 0.4
    agent = hb.Agent(
        step=P, reward=R[0], discount=0.7, policy=moody,
        traits={"mood": hb.Trait(moods, anew=rate), "efficiency": [1.0]},
    )  # fmt: skip
    Q = lasting(P, R[0], discount=0.7, rounds=150)

    def pi(s: int, a: int, mood: float, before: int, time: int) -> float:
        q = [Q[s][b] + 2.0 * (b == before) * (1 + time) + mood * [0, 1, -1][b] for b in range(A)]
        return soft(q, 1.0)[a]

    p = hb.watch(agent, hb.Walk([1], [0, 2]))
    now = {mood: pi(0, 1, mood, -1, 0) for mood in moods}
    exact: dict[Any, float] = {}
    for mood, first, second in product(moods, repeat=3):
        moves = (rate / 2 + (1 - rate) * (mood == first)) * (
            rate / 2 + (1 - rate) * (first == second)
        )
        for a, b, s in product(range(A), range(A), range(S)):
            chance = now[mood] / sum(now.values()) * moves * pi(2, a, first, 1, 1) * P[2, a, s]
            key = mood, a, b, s
            exact[key] = exact.get(key, 0.0) + chance * pi(s, b, second, a, 2)
    walks = p.sample(4000, rounds=2, seed=2)
    found = frequencies(walks, lambda w: (w.truth["mood"], *w.actions, w.states[1]))
    assert_as_frequent(found, exact, 4000)
    coming = {a: sum(v for key, v in exact.items() if key[1] == a) for a in range(A)}
    assert p.next() == pytest.approx(coming, abs=1e-9)
    with pytest.raises(hb.BadInput, match="asks for 'previous', which is not known"):
        p.would(rounds=3)
    with pytest.raises(hb.BadInput, match="asks for 'previous', which is not known"):
        hb.watch(agent, hb.Walk(None, [0, 1])).next()


@pytest.mark.parametrize("rate", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("since", [0, 2])
def test_moods_change_in_what_would_have_been(rate: float, since: int) -> None:
    """From a time on, moods are as they were then, looking back, and change as they do."""

    def moody(Q: Any, mood: Any, efficiency: Any) -> Any:
        return hb.boltzmann(Q + mood * np.array([0, 1, -1]), efficiency)

    moods = {1.5: 2, -1.5: 1}
    agent = hb.Agent(
        step=P, reward=R[0], discount=0.7, policy=moody,
        traits={"mood": hb.Trait(moods, anew=rate), "efficiency": [1.0]},
    )  # fmt: skip
    Q = lasting(P, R[0], discount=0.7, rounds=150)
    act = {
        (s, mood): soft([q + mood * x for q, x in zip(Q[s], [0, 1, -1], strict=True)], 1.0)
        for s, mood in product(range(S), moods)
    }

    def move(old: float, new: float) -> float:
        return rate * moods[new] / 3 + (1 - rate) * (old == new)

    minds = dict.fromkeys(moods, 0.0)
    for path in product(moods, repeat=3):
        like = moods[path[0]] / 3
        for t, a in enumerate(ACTS):
            like *= move(path[t], path[t + 1]) * act[STATES[t], path[t + 1]][a]
            like *= P[STATES[t], a, STATES[t + 1]]
        minds[path[since]] += like
    answer = np.zeros(S)
    for mood, first, second in product(moods, repeat=3):
        weight = minds[mood] / sum(minds.values()) * move(mood, first) * move(first, second)
        one = np.array(act[STATES[since], first]) @ P[STATES[since]]
        for s in range(S):
            answer += weight * one[s] * (np.array(act[s, second]) @ P[s])
    p = hb.watch(agent, hb.Walk(ACTS, STATES))
    assert np.allclose(p.would(since=since, rounds=since + 2), answer, atol=1e-9)
    held = p.would(do={"mood": 1.5}, since=since, rounds=since + 2)
    one = np.array(act[STATES[since], 1.5]) @ P[STATES[since]]
    assert np.allclose(held, sum(one[s] * (np.array(act[s, 1.5]) @ P[s]) for s in range(S)))


def test_what_another_does_may_depend_on_time() -> None:
    def waits(legal: Any, time: Any) -> Any:
        first = np.where(np.arange(2) == 0, 0.0, -np.inf) + 0.0 * legal
        return np.where(time < 2, first, hb.uniform(legal))

    move = lambda action, a, b: {"a": (a + action) % 3}  # noqa: E731
    turn = lambda action, a, b: {"b": (b + action) % 3}  # noqa: E731
    b = hb.Agent(traits={}, policy=waits, values=lambda phase: 0.0 * phase.step.legal)
    world = hb.explore({"a": 0, "b": 0}, [("a", [0, 1], move), ("b", [0, 1], turn)], horizon=2)
    acts = b.act(world, "b")
    assert np.allclose(acts[0, 1][0], [1, 0])
    assert np.allclose(acts[1, 1][0], [0.5, 0.5])
    a = hb.Agent(
        traits={"efficiency": [1.0]},
        final=lambda world: 1.0 * (world["b"] == 1) * (world["a"] == 0),
        others={"b": b},
    )  # fmt: skip
    assert a.plan(world, "a").V.ravel()[0] == pytest.approx(0.5)
    endless = hb.explore({"a": 0, "b": 0}, [("a", [0, 1], move), ("b", [0, 1], turn)])
    with pytest.raises(hb.BadInput, match="asks for 'time', which is not known"):
        b.act(endless, "b")


def test_there_is_no_time_after_the_last_step() -> None:
    p = hb.watch(AGENT, WALK)
    for since in (-1, 3):
        with pytest.raises(hb.BadInput, match=f"there are no {since} steps, but 2"):
            p.would(since=since)
        with pytest.raises(hb.BadInput, match="there is no step"):
            p.next(since)


def test_another_world_begins_where_it_says() -> None:
    p = hb.watch(AGENT.but(step=None), hb.Walk("ba", STATES, hb.World.of(P, actions="abc")))
    other, answer = hb.World.of(OTHER, actions="abc", start=2), np.zeros(S)
    for (_, efficiency), weight in posterior().items():
        for goal, share in enumerate(chosen("other", 2)):
            pi = lambda t, s: soft(QS["other", goal][s], efficiency)  # noqa: B023, E731
            answer += weight * share * np.array(reached(OTHER, pi, 2, 2))
    assert np.allclose(p.would(world=other, rounds=2), answer, atol=1e-9)


def test_habits_are_of_ones_own_acts() -> None:
    """Two by turns, one of whom does again what it did before, whatever the other does."""

    def again(Q: Any, previous: Any) -> Any:
        return hb.boltzmann(Q + 2.0 * (np.arange(3) == previous), 1.0)

    odds = [math.exp(2) / (math.exp(2) + 2), 1 / (math.exp(2) + 2)]
    still: Any = {"values": lambda phase: 0.0 * phase.step.legal, "traits": {}}
    minds = {"a": hb.Agent(policy=again, **still), "b": hb.Agent(policy=hb.uniform, **still)}
    rounds = [(who, "xyz", lambda action, a, b: {}) for who in minds]
    world = hb.explore({"a": 0, "b": 0}, rounds)
    p = hb.watch(minds, hb.Walk("xyxzy", world=world))
    chances = [1 / 3, 1 / 3, odds[0], 1 / 3, odds[1]]
    assert np.allclose(np.exp(p.log_likelihood), chances)
    assert p.next() == pytest.approx(dict.fromkeys("xyz", 1 / 3))
    assert p.next(4) == pytest.approx({"x": odds[0], "y": odds[1], "z": odds[1]})
    walks = hb.watch(minds, hb.Walk("xyxz", world=world)).sample(3000, rounds=2, seed=1)
    exact = {}
    for acts in product("xyz", repeat=4):
        a = odds[acts[0] != "x"] * odds[acts[2] != acts[0]]
        exact["".join(acts)] = a / 9
    assert_as_frequent(frequencies(walks, lambda walk: "".join(walk.actions)), exact, 3000)


def swapped(world: hb.World) -> Any:
    """Return what an agent believes who takes A for B, perhaps."""
    return {"right": (1, world), "wrong": (3, world.but(A=world["B"], B=world["A"]))}


@pytest.mark.parametrize("knows", [None, swapped])
@pytest.mark.parametrize("gone", [(1,), (2,), (1, 2), (3,)])
def test_predictions_do_not_depend_on_states_that_follow_from_acts(
    knows: Any, gone: tuple[int, ...]
) -> None:
    world = hb.maze("@...A\n.....\n...B.")
    agent = hb.Agent(reward=-1.0, end=lambda world, goal: world[goal], knows=knows)
    acts = "right down right"
    known = hb.watch(agent, hb.Walk(acts, world=world))
    states = [None if i in gone else s for i, s in enumerate(known.steps.states)]
    states[3] = np.ones(world.states) if 3 in gone else states[3]  # anything may have been seen
    p = hb.watch(agent, hb.Walk(acts, states, world=world))
    for at in range(4):
        assert p.next(at) == pytest.approx(known.next(at))
    goal = lambda world: world["A"]  # noqa: E731
    assert p.would(goal, since=1, rounds=4) == pytest.approx(known.would(goal, since=1, rounds=4))


def test_rounds_that_there_are_not() -> None:
    world = hb.maze("@...A", horizon=5)
    p = hb.watch(hb.Agent(reward=-1.0), hb.Walk("right", world=world))
    assert p.would(np.arange(5) == 0, rounds=0) == 1.0
    for rounds in (-1, 6):
        with pytest.raises(hb.BadInput, match=f"there are no {rounds} rounds"):
            p.would(rounds=rounds)
