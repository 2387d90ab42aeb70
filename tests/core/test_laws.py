"""Laws that hold whatever the theory: of order, of names, of sums, and at the limits."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import lasting, random_world

S, A = 4, 3
SEEDS = range(4)


def theory(seed: int, **changes: Any) -> Any:
    """Return an agent with random rewards, and trials that were drawn at random."""
    rng = np.random.default_rng(seed)
    P, R = random_world(seed, S, A, sure=0.2), rng.normal(size=(3, 2, S, A))
    parts: dict[str, Any] = {
        "goals": dict(zip("abc", rng.dirichlet([2, 2, 2]).tolist(), strict=True)),
        "step": P,
        "reward": lambda goal, fear: R["abc".index(goal), fear],
        "discount": 0.8,
        "traits": {"fear": {0: 2.0, 1: 1.0}, "efficiency": [0.5, 2.0, 5.0]},
    }
    agent = hb.Agent(**parts | changes)
    trials = hb.watch(hb.Agent(step=P, traits={}, policy=hb.uniform), hb.Walk([], [0])).sample(
        3, rounds=4, seed=seed
    )  # fmt: skip
    return agent, [hb.Walk(walk.actions, walk.states) for walk in trials]


def same(p: Any, q: Any, *names: str) -> None:
    """Compare two posteriors by labels, at all times."""
    assert np.allclose(p.log_evidence, q.log_evidence, atol=1e-9)
    for name in names or p.names:
        mine, theirs = p.margin(name), q.margin(name)
        for i, label in enumerate(p.axis(name).labels):
            assert np.allclose(mine[:, i], theirs[:, q.axis(name).labels.index(label)], atol=1e-9)
        assert np.ptp(mine[-1]) > 1e-3


RULES = {
    "prior": 0.0,
    "utility": lambda V: V,
    "dirichlet": hb.dirichlet(0.7),
    "both": lambda V, counts, fear: V + np.log(1.0 + counts) * fear,
}


def rule_of(name: str) -> dict[str, Any]:
    """Return a rule; preferences that are learnt begin alike."""
    return {"choose": RULES[name]} | ({"goals": ["a", "b", "c"]} if name == "dirichlet" else {})


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_goals_and_traits_does_not_matter(seed: int, rule: str) -> None:
    agent, trials = theory(seed, choose=RULES[rule])
    p = hb.watch(agent, trials)
    goals = dict(reversed(agent.goals.items()))
    traits = {"efficiency": [5.0, 0.5, 2.0], "fear": {1: 1.0, 0: 2.0}}
    same(p, hb.watch(agent.but(goals=goals, traits=traits), trials))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", SEEDS)
def test_names_of_states_and_actions_do_not_matter(seed: int, rule: str) -> None:
    agent, trials = theory(seed, choose=RULES[rule])
    rng = np.random.default_rng(seed)
    states, actions = rng.permutation(S), rng.permutation(A)  # new number of each
    P, reward = np.empty((S, A, S)), agent.reward
    P[np.ix_(states, actions, states)] = agent.step

    def moved(goal: str, fear: int) -> Any:
        R = np.empty((S, A))
        R[np.ix_(states, actions)] = reward(goal, fear)
        return R

    walks = [
        hb.Walk([f"act {actions[a]}" for a in w.actions], [int(states[s]) for s in w.states])
        for w in trials
    ]
    names = [f"act {a}" for a in range(A)]
    same(hb.watch(agent, trials), hb.watch(agent.but(step=P, reward=moved, actions=names), walks))


@pytest.mark.parametrize("rule", ["prior", "utility", "dirichlet"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_trials_does_not_matter_for_what_lasts(seed: int, rule: str) -> None:
    agent, trials = theory(seed, **rule_of(rule))
    p = hb.watch(agent, trials)
    for order in permutations(range(3)):
        q = hb.watch(agent, [trials[i] for i in order])
        assert abs(p.log_evidence[-1] - q.log_evidence[-1]) < 1e-9
        assert np.allclose(
            p.margin("fear", "efficiency")[-1], q.margin("fear", "efficiency")[-1], atol=1e-9
        )
        if rule == "dirichlet":
            assert p.preference() == pytest.approx(q.preference(), abs=1e-9)


@pytest.mark.parametrize("rule", ["prior", "utility", "dirichlet"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_trial_of_no_steps_says_nothing(seed: int, rule: str) -> None:
    """Not even where goals are learnt: a draw from an urn that nobody saw tells nothing."""
    agent, trials = theory(seed, **rule_of(rule))
    p = hb.watch(agent, trials)
    nothing = hb.Walk([], [2])
    q = hb.watch(agent, [nothing, trials[0], nothing, nothing, *trials[1:]])
    same(p, q)
    first = hb.watch(agent, nothing)
    assert first.log_evidence == pytest.approx([0.0], abs=1e-12)
    assert first["fear"] == pytest.approx({0: 2 / 3, 1: 1 / 3})
    if rule == "prior":
        assert first["goal"] == pytest.approx(agent.goals)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", SEEDS)
def test_evidence_adds_over_trials_and_steps(seed: int, rule: str) -> None:
    agent, trials = theory(seed, choose=RULES[rule])
    whole = hb.watch(agent, trials)
    before = None
    for trial, one in zip(trials, whole.series, strict=True):
        start = 0.0 if before is None else before.log_evidence[-1]
        before = hb.watch(agent, trial, before=before)
        assert one.log_evidence[0] == pytest.approx(start, abs=1e-9)
        assert one.log_evidence[-1] == pytest.approx(start + one.log_likelihood.sum(), abs=1e-9)
        same(one, before)
        for cut in range(len(trial) + 1):
            short = hb.Walk(trial.actions[:cut], trial.states[: cut + 1])
            part = hb.watch(agent, short, before=one.before)
            assert part.log_evidence[-1] == pytest.approx(one.log_evidence[cut], abs=1e-9)
            assert np.allclose(part.joint(), one.joint(cut), atol=1e-9)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("anew", [None, 0.0, 0.3, 1.0])
def test_all_that_may_be_seen_has_probability_one(rule: str, anew: float | None) -> None:
    traits = {"fear": hb.Trait({0: 2.0, 1: 1.0}, anew=anew), "efficiency": [0.5, 2.0]}
    agent, trials = theory(1, choose=RULES[rule], traits=traits)
    before = hb.watch(agent, trials[0])
    ways = [*product(range(A), range(S))]
    total, unnamed, blurred = 0.0, 0.0, 0.0
    for (a, s), (b, to) in product(ways, ways):
        if agent.step[0, a, s] * agent.step[s, b, to] > 0:
            p = hb.watch(agent, hb.Walk([a, b], [0, s, to]), before=before)
            total += math.exp(p.log_evidence[-1] - before.log_evidence[-1])
    assert total == pytest.approx(1.0, abs=1e-9)
    for path in product(range(S), repeat=2):
        if any(agent.step[0, a, path[0]] * agent.step[path[0], b, path[1]] > 0 for a in range(A)
               for b in range(A)):  # fmt: skip
            p = hb.watch(agent, hb.Walk(None, [0, *path]), before=before)
            unnamed += math.exp(p.log_evidence[-1] - before.log_evidence[-1])
    assert unnamed == pytest.approx(1.0, abs=1e-9)
    if not anew:
        looks = np.random.default_rng(2).dirichlet([1, 1, 1], size=S).T  # P(seen | state)
        for one, two in product(looks, repeat=2):
            p = hb.watch(agent, hb.Walk(None, [0, one, two]), before=before)
            blurred += math.exp(p.log_evidence[-1] - before.log_evidence[-1])
        assert blurred == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_constant_that_is_added_to_all_values_changes_nothing(seed: int) -> None:
    agent, trials = theory(seed, choose=lambda V: V, horizon=6, discount=1.0)
    low, high = agent.but(final=-3.0), agent.but(final=7.0)
    same(hb.watch(low, trials), hb.watch(high, trials))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_scale_of_rewards_and_efficiency_are_one(seed: int) -> None:
    agent, trials = theory(seed)
    reward = agent.reward
    large = agent.but(
        reward=lambda goal, fear: 4 * reward(goal, fear),
        traits={"fear": {0: 2.0, 1: 1.0}, "efficiency": [0.125, 0.5, 1.25]},
    )  # fmt: skip
    p, q = hb.watch(agent, trials), hb.watch(large, trials)
    same(p, q, "goal", "fear")
    assert np.allclose(p.margin("efficiency"), q.margin("efficiency"), atol=1e-9)


@pytest.mark.parametrize("rule", ["prior", "utility", "dirichlet"])
@pytest.mark.parametrize("anew", [None, 0.0, 0.3, 1.0])
def test_a_value_may_be_split_in_two_equal_ones(rule: str, anew: float | None) -> None:
    agent, trials = theory(2, choose=RULES[rule])
    reward, fears = agent.reward, {"none": 0, "some": 1, "also": 1}
    parts = [{"none": 2.0, "some": 1.0}, {"none": 2.0, "some": 0.25, "also": 0.75}]
    p, q = (
        hb.watch(
            agent.but(
                reward=lambda goal, fear: reward(goal, fears[fear]),
                traits={"fear": hb.Trait(part, anew=anew), "efficiency": [0.5, 2.0, 5.0]},
            ),
            trials,
        )
        for part in parts
    )
    same(p, q, "goal", "efficiency")
    for smoothed in (False, True):
        one, two = p.margin("fear", smoothed=smoothed), q.margin("fear", smoothed=smoothed)
        assert np.allclose(one[:, 1], two[:, 1:].sum(axis=1), atol=1e-9)
        if anew in (None, 0.0):
            assert np.allclose(3 * two[:, 1], two[:, 2], atol=1e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_value_without_weight_is_no_value(seed: int) -> None:
    agent, trials = theory(seed)
    traits = {"fear": {0: 2.0, 1: 1.0}, "efficiency": {0.5: 1, 2.0: 1, 5.0: 1, 9.0: 0}}
    p, q = hb.watch(agent, trials), hb.watch(agent.but(traits=traits), trials)
    same(p, q)
    assert q["efficiency"][9.0] == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cue_that_is_the_same_for_all_adds_to_the_evidence_alone(seed: int) -> None:
    agent, trials = theory(seed)
    walk = trials[0]
    p = hb.watch(agent, walk)
    q = hb.watch(agent, hb.Walk(walk.actions, walk.states, cues=[hb.Cue(2, log=lambda goal: -1.5)]))
    assert np.allclose(p.joint(), q.joint(), atol=1e-12)
    assert np.allclose(q.log_evidence - p.log_evidence, [0, 0, -1.5, -1.5, -1.5])


@pytest.mark.parametrize("seed", SEEDS)
def test_agents_who_have_nothing_to_do_with_each_other_are_independent(seed: int) -> None:
    rng = np.random.default_rng(seed)
    liking = rng.normal(size=(2, 3))

    def mind(who: str, other: str) -> hb.Agent:
        return hb.Agent(
            goals=[0, 1], traits={"efficiency": [0.5, 2.0, 4.0]}, discount=0.6,
            reward=lambda world, goal: liking[goal][world[who]][:, None] + 0 * world.states,
            others={other: idle},
        )  # fmt: skip

    idle = hb.Agent(traits={}, policy=hb.uniform, values=lambda phase: 0.0 * phase.step.legal)
    moves = [
        ("red", [0, 1], lambda action, red: {"red": (red + action) % 3}),
        ("blue", [1, 2], lambda action, blue: {"blue": (blue + action) % 3}),
    ]
    world = hb.explore({"red": 0, "blue": 1}, moves)
    walk = hb.Walk([1, 2, 0, 2, 1, 1], world=world)
    red, blue = mind("red", "blue"), mind("blue", "red")
    p = hb.watch({"red": red, "blue": blue}, [walk, walk])
    alone = [hb.watch({who: one}, [walk, walk]) for who, one in (("red", red), ("blue", blue))]
    assert p.log_evidence[-1] == pytest.approx(sum(one.log_evidence[-1] for one in alone))
    for one in alone:
        for name in one.names:
            assert p[name] == pytest.approx(one[name], abs=1e-9)
            assert max(one[name].values()) - min(one[name].values()) > 1e-3


@pytest.mark.parametrize("seed", SEEDS)
def test_sparse_worlds_are_dense_ones(seed: int) -> None:
    agent, trials = theory(seed)
    order = np.random.default_rng(seed).permutation(S)
    targets = np.broadcast_to(order, (S, A, S))
    sparse = hb.Sparse(targets, agent.step[..., order])
    same(hb.watch(agent, trials), hb.watch(agent.but(step=sparse), trials))
    halves = np.concatenate([0.25 * sparse.P, 0.75 * sparse.P], axis=-1)
    twice = hb.Sparse(np.concatenate([targets, targets], axis=-1), halves)
    same(hb.watch(agent, trials), hb.watch(agent.but(step=twice), trials))
    unseen = hb.Walk(None, [trials[0].states[0], None, trials[0].states[2]])
    same(hb.watch(agent, unseen), hb.watch(agent.but(step=twice), unseen))


# Limits


@pytest.mark.parametrize("seed", SEEDS)
def test_without_efficiency_all_acts_are_equal_and_nothing_is_learnt(seed: int) -> None:
    agent, trials = theory(seed, traits={"fear": {0: 2.0, 1: 1.0}, "efficiency": [0.0]})
    p = hb.watch(agent, trials)
    assert p["goal"] == pytest.approx(agent.goals, abs=1e-12)
    assert p["fear"] == pytest.approx({0: 2 / 3, 1: 1 / 3}, abs=1e-12)
    walk = trials[-1]
    there = [agent.step[s].sum(axis=-1) > 0 for s in walk.states[:-1]]
    steps = [
        agent.step[s, a, to] / there[t].sum()
        for t, (s, a, to) in enumerate(
            zip(walk.states, walk.actions, walk.states[1:], strict=False)
        )
    ]
    assert np.allclose(p.log_likelihood, np.log(steps))
    assert [*p.next().values()] == pytest.approx([1 / A] * A)


@pytest.mark.parametrize("seed", SEEDS)
def test_agents_that_never_err_do_what_is_best(seed: int) -> None:
    traits = {"fear": [0, 1], "efficiency": [1e8]}
    agent, _ = theory(seed, traits=traits)
    for fear in (0, 1):
        for goal in "abc":
            Q = lasting(agent.step, agent.reward(goal, fear).tolist(), discount=0.8, rounds=200)
            sure = agent.but(goals=[goal], traits={"fear": [fear], "efficiency": [1e8]})
            for s in range(S):
                following = hb.watch(sure, hb.Walk([], [s])).next()
                best = int(np.argmax(Q[s]))
                assert following[best] == pytest.approx(1.0, abs=1e-9)
                p = hb.watch(agent, hb.Walk([best], [s, int(np.argmax(agent.step[s, best]))]))
                weights = p.margin("goal", "fear")[-1]
                assert weights["abc".index(goal), fear] > 0.01


@pytest.mark.parametrize("seed", SEEDS)
def test_firm_preferences_are_a_plain_prior(seed: int) -> None:
    agent, trials = theory(seed, goals=["a", "b", "c"])
    p = hb.watch(agent, trials)
    q = hb.watch(agent.but(choose=hb.dirichlet(1e9)), trials)
    assert np.allclose(p.joint(), q.joint(), atol=1e-7)
    assert abs(p.log_evidence[-1] - q.log_evidence[-1]) < 1e-7


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_moods_at_the_limits_of_change(rate: float) -> None:
    """What never changes is drawn once for a trial; what is new in each step says nothing of it."""
    agent, trials = theory(3)
    traits = dict(agent.traits)
    near = abs(rate - 1e-12)
    p, q = (
        hb.watch(agent.but(traits={**traits, "fear": hb.Trait({0: 2, 1: 1}, anew=r)}), trials)
        for r in (rate, near)
    )
    assert np.allclose(p.joint(), q.joint(), atol=1e-8)
    assert np.allclose(p.smoothed, q.smoothed, atol=1e-8)
    assert abs(p.log_evidence[-1] - q.log_evidence[-1]) < 1e-8
    if rate == 1.0:
        assert np.allclose(p.margin("fear", smoothed=True)[0], [2 / 3, 1 / 3])


@pytest.mark.parametrize("seed", SEEDS)
def test_theories_that_are_made_again_are_the_same(seed: int) -> None:
    """And theories that differ are not, however alike they look."""
    (one, trials), (two, _) = theory(seed), theory(seed)
    same(hb.watch(one, trials), hb.watch(two, trials))
    weights = np.ones((S, A))
    array = hb.Agent(step=one.step, reward=lambda goal: goal * weights, goals=[1, 2], discount=0.5,
                     traits={"efficiency": [1.0]})  # fmt: skip
    flat = hb.watch(array, trials[0])
    assert flat["goal"] == pytest.approx({1: 0.5, 2: 0.5})
    weights[:, 1] = 3.0
    assert abs(hb.watch(array, trials[0])["goal"][1] - 0.5) > 1e-3
