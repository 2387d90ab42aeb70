"""Several agents by turns, each with other minds in mind, against plain dictionaries and loops."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import assert_same, soft, summed

# A corridor of four cells, with a gate between the last two

ENDS = {"left": 0, "right": 3}
WALK, WORK = ["left", "stay", "right"], ["nothing", "open", "jam"]
ROUNDS = [("small", WALK), ("big", WORK), ("boss", WORK)]
STAKES = {"help": (1.0, 0.45), "none": (0.0, 0.1), "hinder": (-1.0, 0.45)}
HORIZON, START = 3, (2, 0)


def step(action: Any, small: Any) -> Any:
    return small + {"left": -1, "stay": 0, "right": 1}[action]


def walking(action: Any, small: Any, gate: Any) -> Any:
    to = np.clip(step(action, small), 0, 3)
    return {"small": np.where((small < 0) | ((small == 2) & (to == 3) & (gate == 0)), small, to)}


def working(action: Any, gate: Any) -> Any:
    return {
        "gate": {"nothing": gate, "open": np.ones_like(gate), "jam": np.zeros_like(gate)}[action]
    }


def the_corridor() -> hb.World:
    moves = {"small": walking, "big": working, "boss": working}
    start = {"small": 2, "gate": 0, "big": 0, "boss": 0}
    return hb.explore(start, [(who, acts, moves[who]) for who, acts in ROUNDS], horizon=HORIZON)


idle = hb.Agent(
    traits={}, policy=hb.uniform,
    values=lambda phase: hb.only("nothing", phase.actions) + 0.0 * phase.step.legal,
)  # fmt: skip
small = hb.Agent(
    goals={"left": 2, "right": 3}, traits={"efficiency": {0.5: 1, 2.0: 2}}, reward=-1,
    end=lambda world, goal: world["small"] == ENDS[goal],
    final=lambda world, goal: np.where(
        world["small"] == ENDS[goal], 5, -2.0 * abs(world["small"] - ENDS[goal])
    ),
    others={"big": idle, "boss": idle},
)  # fmt: skip
_social: dict[str, Any] = {
    "goals": {name: weight for name, (_, weight) in STAKES.items()},
    "end": lambda world, wants: world["small"] == ENDS[wants],
    "worth": hb.as_it_acts,
    "reward": lambda phase: -0.3 * (np.array(phase.actions) != "nothing"),
    "stake": {"small": lambda goal: STAKES[goal][0]},
}
big = hb.Agent(
    traits={"wants": list(ENDS), "efficiency": [0.7, 2.0]},
    others={"small": small.known(goal="wants"), "boss": idle},
    **_social,
)  # fmt: skip
boss = hb.Agent(
    traits={"wants": list(ENDS), "efficiency": [1.0]},
    others={"small": small.known(goal="wants"), "big": big.known(wants="wants")},
    **_social,
)

# The same, naively: a state is (small, gate); plans are {(round, who, state): Q}


def moved(who: str, state: Any, action: str) -> Any:
    at, gate = state
    if who != "small":
        return at, {"nothing": gate, "open": 1, "jam": 0}[action]
    to = min(max(step(action, at), 0), 3)
    return (at if at == 2 and to == 3 and gate == 0 else to), gate


STATES = [*product(range(4), range(2))]


def planned(
    who: str, reward: Any, end: Any, final: Any, worth: Any, others: Any
) -> Any:  # fmt: skip
    """Return {(round, state): Q of who}; others[name](round, state) is P(action)."""
    V = {s: final(s) for s in STATES}
    found = {}
    for t in reversed(range(HORIZON)):
        for name, acts in (one for one in reversed(ROUNDS) if one[0] in (who, *others)):
            new = {}
            for s in STATES:
                Q = [reward(name, a, s) + V[moved(name, s, a)] for a in acts]
                if name == who:
                    found[t, s] = Q
                    new[s] = worth(Q)
                else:
                    new[s] = sum(p * q for p, q in zip(others[name](t, s), Q, strict=True))
                if end(s):
                    new[s] = final(s)
            V = new
    return found


def nothing(t: int, s: Any) -> list[float]:
    return [1.0, 0.0, 0.0]


def finals(s: Any, goal: str) -> float:
    return 5.0 if s[0] == ENDS[goal] else -2.0 * abs(s[0] - ENDS[goal])


def naive_small(goal: str, efficiency: float) -> Any:
    Q = planned(
        "small", lambda name, a, s: -1.0 if name == "small" else 0.0,
        lambda s: s[0] == ENDS[goal], lambda s: finals(s, goal), max,
        {"big": nothing, "boss": nothing},
    )  # fmt: skip
    return lambda t, s: soft(Q[t, s], efficiency)


def average(*some: Any) -> Any:
    return lambda t, s: [sum(w * pi(t, s)[a] for w, pi in some) for a in range(3)]


def naive_social(who: str, goal: str, wants: str, efficiency: float, others: Any) -> Any:
    stake = STAKES[goal][0]

    def reward(name: str, a: str, s: Any) -> float:
        return -0.3 * (a != "nothing") if name == who else -stake if name == "small" else 0.0

    def worth(Q: Any) -> float:
        return sum(p * q for p, q in zip(soft(Q, efficiency), Q, strict=True))

    Q = planned(
        who, reward, lambda s: s[0] == ENDS[wants], lambda s: stake * finals(s, wants), worth,
        others,
    )  # fmt: skip
    return lambda t, s: soft(Q[t, s], efficiency)


PACE = {0.5: 1 / 3, 2.0: 2 / 3}
SMALL = {(goal, e): naive_small(goal, e) for goal, e in product(ENDS, PACE)}
KNOWN_SMALL = {goal: average(*((w, SMALL[goal, e]) for e, w in PACE.items())) for goal in ENDS}
BIG = {
    (goal, wants, e): naive_social(
        "big", goal, wants, e, {"small": KNOWN_SMALL[wants], "boss": nothing}
    )
    for goal, wants, e in product(STAKES, ENDS, [0.7, 2.0])
}
KNOWN_BIG = {
    wants: average(
        *((w / 2, BIG[goal, wants, e]) for (goal, (_, w)), e in product(STAKES.items(), [0.7, 2.0]))
    )
    for wants in ENDS
}
BOSS = {
    (goal, wants): naive_social(
        "boss", goal, wants, 1.0, {"small": KNOWN_SMALL[wants], "big": KNOWN_BIG[wants]}
    )
    for goal, wants in product(STAKES, ENDS)
}
LONE_BOSS = {  # in a world without big
    (goal, wants): naive_social("boss", goal, wants, 1.0, {"small": KNOWN_SMALL[wants]})
    for goal, wants in product(STAKES, ENDS)
}
SEEN = ["left", "open", "nothing", "right", "nothing", "jam", "right"]
NAMES = ["small.goal", "small.efficiency", "big.goal", "big.efficiency", "boss.goal"]


def minds() -> Iterator[tuple[Any, float, dict[str, Any]]]:
    """Yield all combinations of labels, their prior, and what each agent does."""
    for wants, pace, helps, e, backs in product(ENDS, PACE, STAKES, [0.7, 2.0], STAKES):
        prior = {"left": 0.4, "right": 0.6}[wants] * PACE[pace] * STAKES[helps][1] / 2
        acts = {
            "small": SMALL[wants, pace],
            "big": BIG[helps, wants, e],
            "boss": BOSS[backs, wants],
        }
        yield (wants, pace, helps, e, backs), prior * STAKES[backs][1], acts


def enumerated(many: int) -> dict[Any, float]:
    weights = {}
    for labels, prior, acts in minds():
        state = START
        for i, action in enumerate(SEEN[:many]):
            t, k = divmod(i, 3)
            name, some = ROUNDS[k]
            after = moved(name, state, action)
            if state[0] == ENDS[labels[0]]:  # all is over for all three: nothing happens
                prior *= after == state
            else:
                prior *= acts[name](t, state)[some.index(action)]
            state = after
        weights[labels] = prior
    return weights


def ahead(acts: Any, state: Any, since: int, rounds: int, without: str = "") -> dict[Any, float]:
    """Return P(last state), summed over all ways to go on."""
    found = {state: 1.0}
    for i in range(since, 3 * rounds):
        name, some = ROUNDS[i % 3]
        if name == without:
            continue
        after: dict[Any, float] = {}
        for s, p in found.items():
            for a, q in zip(some, acts[name](i // 3, s), strict=True):
                to = moved(name, s, a)
                if acts["ended"](name, s):
                    to, q = s, 1.0 / 3
                after[to] = after.get(to, 0.0) + p * q
        found = after
    return found


def ended(wants: str) -> Any:
    return lambda name, s: s[0] == ENDS[wants]  # for all three, all is over then


TRIO = {"small": small, "big": big, "boss": boss}


def test_three_minds_by_turns() -> None:
    p = hb.watch(TRIO, hb.Walk(SEEN, world=the_corridor()))
    assert set(p.names) == {*NAMES, "boss.efficiency"}
    for at in range(len(SEEN) + 1):
        assert_same(p, enumerated(at), NAMES, at=at)
    assert p.names.count("small.goal") == 1
    assert abs(p["big.goal"]["help"] - 0.45) > 0.05


def test_agents_are_watched_in_any_order() -> None:
    p = hb.watch(
        {who: TRIO[who] for who in ("boss", "small", "big")}, hb.Walk(SEEN, world=the_corridor())
    )
    assert_same(p, enumerated(len(SEEN)), NAMES)


def test_one_of_several_alone() -> None:
    p = hb.watch({"big": big}, hb.Walk(SEEN, world=the_corridor()))
    weights = {}
    for helps, wants, e in product(STAKES, ENDS, [0.7, 2.0]):
        state, like = START, STAKES[helps][1] / 4
        for i, action in enumerate(SEEN):
            name, some = ROUNDS[i % 3]
            if name == "big":
                like *= BIG[helps, wants, e](i // 3, state)[some.index(action)]
            state = moved(name, state, action)
        weights[helps, wants, e] = like
    assert_same(p, weights, ["big.goal", "big.wants", "big.efficiency"])


def test_what_comes_next_and_what_would_have_been() -> None:
    world = the_corridor()
    p = hb.watch(TRIO, hb.Walk(SEEN, world=world))
    weights = enumerated(len(SEEN))
    total, state = sum(weights.values()), START
    for i, action in enumerate(SEEN):
        state = moved(ROUNDS[i % 3][0], state, action)
    coming = [0.0] * 3
    for labels, _, acts in minds():
        for a, q in enumerate(acts["big"](2, state)):
            coming[a] += weights[labels] / total * q
    assert np.allclose([*p.next().values()], coming, atol=1e-9)

    there = lambda world: world["small"] == 3  # noqa: E731
    cases: dict[str, Any] = {
        "as it was": {},
        "do": {"do": {"big.goal": "hinder", "boss.goal": "none"}},
        "do what is known": {"do": {"small.goal": "left"}},
        "goal": {"do": {"small.efficiency": 2.0, "small.goal": "right"}},
        "since": {"since": 4, "do": {"boss.goal": "help"}},
        "rounds": {"rounds": 2},
        "without": {"without": "big"},
    }
    answers = {}
    for name, changes in cases.items():
        do = changes.get("do", {})
        since, rounds = changes.get("since", 0), changes.get("rounds", HORIZON)
        state = START
        for i, action in enumerate(SEEN[:since]):
            state = moved(ROUNDS[i % 3][0], state, action)
        answer = 0.0
        kept: dict[Any, float] = {}
        for labels, weight in weights.items():
            new = tuple(do.get(n, label) for n, label in zip(NAMES, labels, strict=True))
            kept[new] = kept.get(new, 0.0) + weight / total
        for labels, _, acts in minds():
            if labels in kept:
                if "without" in changes:
                    acts["boss"] = LONE_BOSS[labels[4], labels[0]]
                found = ahead(
                    acts | {"ended": ended(labels[0])}, state, since, rounds,
                    changes.get("without", ""),
                )  # fmt: skip
                answer += kept[labels] * sum(q for s, q in found.items() if s[0] == 3)
        answers[name] = answer
        assert abs(p.would(there, **changes) - answer) < 1e-9, name
    assert len({round(answer, 6) for answer in answers.values()}) == len(answers)


def test_samples_are_as_frequent_as_they_are_probable() -> None:
    p = hb.watch(TRIO, hb.Walk(SEEN[:4], world=the_corridor()))
    exact = p.would(since=4)
    walks = p.sample(4000, seed=3)
    counts = np.bincount([walk.states[-1] for walk in walks], minlength=len(exact))
    assert {len(walk) for walk in walks} <= set(range(6))
    error = np.sqrt(exact * (1 - exact) / 4000)
    assert (abs(counts / 4000 - exact) <= 4 * error + 1e-12).all()
    goals = [walk.truth["big.goal"] for walk in walks]
    for goal, P in p["big.goal"].items():
        assert abs(goals.count(goal) / 4000 - P) < 4 * math.sqrt(P * (1 - P) / 4000)


# Two on a ring, each of whom thinks that the other wanders; no horizon

RING = [-1, 0, 1]


def turning(who: str, other: str) -> Any:
    def move(action: Any, red: Any, blue: Any) -> Any:
        mine, theirs = (red, blue) if who == "red" else (blue, red)
        to = (mine + action) % 4
        return {who: np.where(to == theirs, mine, to)}

    return move


wanderer = hb.Agent(traits={}, policy=hb.uniform, values=lambda phase: 0.0 * phase.step.legal)


def ringing(who: str, other: str) -> hb.Agent:
    return hb.Agent(
        goals=[0, 2], traits={"efficiency": [1.0, 3.0], "shy": [0.0, 2.0]}, discount=0.7,
        reward=lambda world, goal, shy: (
            1.0 * (world[who] == goal) - shy * ((world[who] - world[other]) % 2)
        )[:, None] + 0.1 * np.array(RING),
        others={other: wanderer},
    )  # fmt: skip


def ring_acts(who: str, goal: int, efficiency: float, shy: float) -> Any:
    """Return P(action | state) by value iteration over rounds, red first."""
    states = [(r, b) for r, b in product(range(4), repeat=2) if r != b]
    me, V, kept = (0 if who == "red" else 1), dict.fromkeys(states, 0.0), {}
    for _ in range(120):
        V = {s: 0.7 * v for s, v in V.items()}
        for k in (1, 0):
            new = {}
            for s in states:
                Q = []
                for a in RING:
                    to = (s[k] + a) % 4
                    after = s if to == s[1 - k] else ((to, s[1]) if k == 0 else (s[0], to))
                    Q.append(V[after])
                if k == me:
                    R = (s[me] == goal) - shy * ((s[me] - s[1 - me]) % 2)
                    kept[s] = Q = [q + R + 0.1 * a for q, a in zip(Q, RING, strict=True)]
                new[s] = max(Q) if k == me else sum(Q) / 3
            V = new
    return lambda s: soft(kept[s], efficiency)


def test_two_at_once_without_a_horizon() -> None:
    moves = [(who, RING, turning(who, other)) for who, other in (("red", "blue"), ("blue", "red"))]
    world = hb.explore({"red": 0, "blue": 1}, moves)
    assert world.states == 12
    acts = [-1, 0, -1, 1, 0, 1]
    p = hb.watch(
        {"red": ringing("red", "blue"), "blue": ringing("blue", "red")},
        hb.Walk(acts, world=world),
    )  # fmt: skip
    weights = []
    for k, who in enumerate(("red", "blue")):
        own = {}
        for goal, efficiency, shy in product([0, 2], [1.0, 3.0], [0.0, 2.0]):
            pi, s, like = ring_acts(who, goal, efficiency, shy), [0, 1], 1 / 8
            for i, a in enumerate(acts):
                if i % 2 == k:
                    like *= pi(tuple(s))[RING.index(a)]
                to = (s[i % 2] + a) % 4
                s[i % 2] = s[i % 2] if to == s[1 - i % 2] else to
            own[goal, efficiency, shy] = like
        weights.append(own)
    both = {(*r, *b): weights[0][r] * weights[1][b] for r, b in product(*weights)}
    names = [f"{who}.{n}" for who in ("red", "blue") for n in ("goal", "efficiency", "shy")]
    assert_same(p, both, names)


# Axes that are shared


def test_a_trait_whose_weight_depends_on_what_is_known_of_another() -> None:
    def weight(wants: str) -> dict[float, float]:
        return {0.7: 1.0, 2.0: 3.0 if wants == "left" else 1.0}

    liking = hb.Trait([0.7, 2.0], weight=weight, anew=0.0)
    able = big.but(traits={"wants": list(ENDS), "efficiency": liking})
    p = hb.watch({"small": small, "big": able}, hb.Walk(SEEN, world=the_corridor()))
    weights: dict[Any, float] = {}
    for wants, pace, helps, e in product(ENDS, PACE, STAKES, [0.7, 2.0]):
        odds = weight(wants)
        like = {"left": 0.4, "right": 0.6}[wants] * PACE[pace] * STAKES[helps][1]
        like *= odds[e] / sum(odds.values())
        state = START
        for i, action in enumerate(SEEN):
            name, some = ROUNDS[i % 3]
            if name == "small":
                like *= SMALL[wants, pace](i // 3, state)[some.index(action)]
            if name == "big":
                like *= BIG[helps, wants, e](i // 3, state)[some.index(action)]
            state = moved(name, state, action)
        weights[wants, pace, helps, e] = like
    assert_same(p, weights, ["small.goal", "small.efficiency", "big.goal", "big.efficiency"])
    lasts = able.but(
        traits={"wants": list(ENDS), "efficiency": hb.Trait([0.7, 2.0], weight=weight)}
    )
    with pytest.raises(hb.BadInput, match=r"'big.efficiency' lasts.*'small.goal', which does not"):
        hb.watch({"small": small, "big": lasts}, hb.Walk(SEEN, world=the_corridor()))


def test_values_of_shared_axes_must_be_the_same() -> None:
    wrong = big.but(traits={"wants": ["right", "left"], "efficiency": [1.0]})
    with pytest.raises(hb.BadInput, match=r"'wants' of 'big' is the same as 'small.goal'"):
        hb.watch({"small": small, "big": wrong}, hb.Walk(SEEN, world=the_corridor()))


def test_evidence_of_several_adds_over_trials() -> None:
    """Traits last, and goals that are known are drawn for each trial with them."""
    walk = hb.Walk(SEEN, world=the_corridor())
    p = hb.watch(TRIO, [walk, walk])
    weights = enumerated(len(SEEN))
    pairs: dict[Any, float] = {}
    for first, last in product(weights, repeat=2):
        if (first[1], first[3]) == (last[1], last[3]):
            prior = PACE[last[1]] / 2
            pairs[last] = pairs.get(last, 0.0) + weights[first] * weights[last] / prior
    assert_same(p, pairs, NAMES)
    assert summed(pairs, 0)


@pytest.mark.parametrize("stake", [0.0, 1.0])
def test_what_another_would_never_do_costs_nothing(stake: float) -> None:
    moves = [
        ("big", [0, 1], lambda action: {}),
        ("small", [0, 1], lambda small, action: {"small": np.maximum(small, action)}),
    ]
    world = hb.explore({"big": 0, "small": 0}, moves, horizon=1)
    random = hb.Agent(values=0, policy=hb.uniform, traits={})
    forbidden = lambda world: np.where(world["small"][:, None] + [0, 1] == 0, -np.inf, -1.0)  # noqa: E731
    small = hb.Agent(reward=forbidden, others={"big": random})
    big = hb.Agent(reward=-3.0, others={"small": small}, stake={"small": stake})
    assert big.plan(world, "big").V[..., world.start] == pytest.approx(-3.0 - stake)


def test_agents_with_rewards_by_goal_travel_to_other_processes() -> None:
    agent = hb.Agent(goals=["A", "B"], step=np.eye(2)[:, None], reward={"A": 1.0, "B": 2.0},
                     discount=0.5)  # fmt: skip
    same = pickle.loads(pickle.dumps(agent))
    assert np.array_equal(same.plan().V, agent.plan().V)
