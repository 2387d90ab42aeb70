"""Exact inference compared with the enumeration of all goal histories."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations, product

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import (
    ACORN,
    CLOVE,
    HEART,
    SPOON,
    block,
    border,
    episode,
    key_trial,
    read,
    ring,
    to_thing,
    trial,
    walk,
)
from hbtom import BadInput, Beliefs, Episode, Model, infer, judge
from hbtom.judgement import watch
from hbtom.mind import (
    Actions,
    Likelihood,
    Posterior,
    Regret,
    infer_agent,
)
from hbtom.mind import learn as learn_one
from hbtom.mind.inference import Watched, learn_trials
from hbtom.mind.regret import NOTHING
from hbtom.observe import Identity

few = settings(max_examples=20)
seeds = st.integers(0, 2**32 - 1)

AGENT = Identity("agent.png")
GOALS = tuple(Identity(f"{name}.png") for name in ("cup", "key", "bell"))
BASE = Model.preset("paper")


def model(*, alpha: float = 1.0, temperatures=(0.2, 0.5, 0.9), feasible: bool = True) -> Model:
    """Return a model with a few efficiencies; only its priors matter here."""
    return msgspec.structs.replace(
        BASE,
        preference=msgspec.structs.replace(BASE.preference, concentration=alpha, feasible=feasible),
        efficiency=msgspec.structs.replace(BASE.efficiency, temperatures=tuple(temperatures)),
    )


def seen(goals: tuple[Identity, ...], reachable: list[bool], log: np.ndarray) -> Likelihood:
    """Return a likelihood from its tensor; regret plays no part in inference."""
    frame, step_regret = np.arange(1, len(log) + 1), np.zeros(log.shape[:2])
    choice = Actions(np.zeros((len(log), 1, len(goals))))
    regret = Regret(goals, np.array(reachable), frame, step_regret, choice)
    return Likelihood(regret, log, np.arange(1.0, log.shape[2] + 1))


def random_trial(
    rng: np.random.Generator, goals: tuple[Identity, ...] = GOALS, reach: float = 0.7
) -> Likelihood:
    """Return up to three steps of random evidence; not all goals may be out of reach."""
    reachable = rng.random(len(goals)) < reach
    reachable[rng.integers(len(goals))] = True
    shape = (rng.integers(0, 4), len(goals), 3)
    return seen(goals, reachable.tolist(), rng.normal(scale=1.5, size=shape))


def learn(model: Model, trials: list[Likelihood]) -> list[Posterior]:
    """Return the posteriors of all trials of one agent."""
    beliefs, posteriors = Beliefs(), []
    for likelihood in trials:
        posterior, beliefs = infer_agent(model, beliefs, AGENT, likelihood)
        posteriors.append(posterior)
    return posteriors


# Enumeration


@dataclass
class Exact:
    """What is believed at one time: P(g, beta), E[theta], and log P(everything seen so far)."""

    joint: dict[tuple[Identity, int], float]
    preference: dict[Identity, float]
    log_evidence: float


Past = list[tuple[frozenset[Identity], Identity]]  # what was on offer, and what was chosen


def nested(offers: Iterable[frozenset[Identity]]) -> bool:
    return all(a <= b or b <= a or not a & b for a, b in combinations(set(offers), 2))


def share(goal: Identity, offer: frozenset[Identity], past: Past, alpha: float) -> float:
    """Return P(goal | offer, past): by the tree of offers if they are nested, else by counts."""
    earlier = {each for each, _ in past}
    inner = {each for each in earlier if each < offer} if nested({*earlier, offer}) else set()
    branches = {each for each in inner if not any(each < other for other in inner)}
    branches |= {frozenset([each]) for each in offer if not any(each in b for b in branches)}
    exact = nested({*earlier, offer})
    weight = {
        branch: alpha * len(branch)
        + sum(chosen in branch for each, chosen in past if each >= offer or not exact)
        for branch in branches
    }
    (own,) = (branch for branch in branches if goal in branch)
    below = share(goal, own, past, alpha) if len(own) > 1 else 1.0
    return weight[own] / sum(weight.values()) * below


def enumerate_histories(model: Model, trials: list[Likelihood], steps: int) -> Exact:
    """Sum over all goal histories and efficiencies, up to a step of the last trial."""
    alpha = model.preference.concentration
    known = tuple(dict.fromkeys(goal for likelihood in trials for goal in likelihood.goals))
    joint: dict[tuple[Identity, int], float] = {}
    preference = dict.fromkeys(known, 0.0)
    log_weights: list[tuple[float, tuple[Identity, ...], int, list[float]]] = []
    temperatures = model.efficiency.temperatures
    prior = [math.exp(-t) / sum(math.exp(-u) for u in temperatures) for t in temperatures]
    for history in product(*(likelihood.goals for likelihood in trials)):
        past: Past = []
        chosen = 1.0
        for goal, likelihood in zip(history, trials, strict=True):
            can = dict(zip(likelihood.goals, likelihood.reachable, strict=True))
            any_way = not any(can.values()) or not model.preference.feasible
            offered = frozenset(each for each in likelihood.goals if can[each] or any_way)
            if goal not in offered:
                chosen = 0.0
                break
            chosen *= share(goal, offered, past, alpha)
            if len(offered) > 1 and any(can.values()):
                past.append((offered, goal))
        if chosen == 0.0:
            continue
        theta = [share(goal, frozenset(known), past, alpha) for goal in known]
        for k in range(len(prior)):
            log = math.log(chosen) + math.log(prior[k])
            for number, (goal, likelihood) in enumerate(zip(history, trials, strict=True)):
                shown = steps if number == len(trials) - 1 else len(likelihood)
                log += float(likelihood.log[:shown, likelihood.goals.index(goal), k].sum())
            log_weights.append((log, history, k, theta))
    top = max(log for log, *_ in log_weights)
    total = sum(math.exp(log - top) for log, *_ in log_weights)
    for log, history, k, theta in log_weights:
        probability = math.exp(log - top) / total
        joint[history[-1], k] = joint.get((history[-1], k), 0.0) + probability
        for goal, part in zip(known, theta, strict=True):
            preference[goal] += probability * part
    return Exact(joint, preference, top + math.log(total))


def assert_exact(model: Model, trials: list[Likelihood]) -> None:
    for number, posterior in enumerate(learn(model, trials), start=1):
        so_far = trials[:number]
        before = None
        for step in range(len(so_far[-1]) + 1):
            exact = enumerate_histories(model, so_far, step)
            wanted = [
                [exact.joint.get((goal, k), 0.0) for k in range(len(posterior.efficiencies))]
                for goal in posterior.goals
            ]
            np.testing.assert_allclose(posterior.joint[step], wanted, atol=1e-9)
            np.testing.assert_allclose(posterior.goal[step], np.sum(wanted, axis=1), atol=1e-9)
            np.testing.assert_allclose(
                posterior.efficiency[step], np.sum(wanted, axis=0), atol=1e-9
            )
            liked = dict(zip(posterior.preferred, posterior.preference[step], strict=True))
            assert liked == pytest.approx(exact.preference, abs=1e-9)
            if before is not None:
                gain = exact.log_evidence - before
                assert posterior.log_likelihood[step - 1] == pytest.approx(gain, abs=1e-9)
            before = exact.log_evidence


@few
@given(
    seed=seeds,
    goals=st.integers(1, 3),
    trials=st.integers(1, 4),
    alpha=st.sampled_from([0.3, 1.0, 2.5]),
    feasible=st.booleans(),
)
def test_inference_is_the_sum_over_all_histories(
    seed: int, goals: int, trials: int, alpha: float, feasible: bool
) -> None:
    rng = np.random.default_rng(seed)
    likelihood = [random_trial(rng, GOALS[:goals]) for _ in range(trials)]
    assert_exact(model(alpha=alpha, feasible=feasible), likelihood)


@few
@given(seeds)
def test_goals_may_come_and_go(seed: int) -> None:
    """Each trial shows some of the goals, in any order."""
    rng = np.random.default_rng(seed)
    trials = []
    for _ in range(4):
        some = rng.permutation(3)[: rng.integers(1, 4)]
        trials.append(random_trial(rng, tuple(GOALS[index] for index in some)))
    assert_exact(model(), trials)


@few
@given(seeds)
def test_a_trial_without_reachable_goals_says_nothing_about_goals(seed: int) -> None:
    rng = np.random.default_rng(seed)
    hopeless = seen(GOALS, [False] * 3, np.zeros((2, 3, 3)))
    trials = [random_trial(rng), hopeless, random_trial(rng, reach=1)]
    assert_exact(model(), trials)
    first, between, last = learn(model(), trials)
    np.testing.assert_allclose(between.preference[0], first.preference[-1], atol=1e-12)
    assert (np.abs(between.joint - between.joint[0]) < 1e-12).all()
    np.testing.assert_allclose(last.preference[0], first.preference[-1], atol=1e-12)
    assert "no goal can be reached" in between.warnings[0]


# Invariances


@few
@given(seeds)
def test_the_order_of_goals_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trials = [random_trial(rng) for _ in range(4)]
    mixed = []
    for likelihood in trials:
        order = rng.permutation(3)
        goals = tuple(likelihood.goals[index] for index in order)
        log = np.ascontiguousarray(likelihood.log[:, order])
        mixed.append(seen(goals, likelihood.reachable[order].tolist(), log))
    for one, other in zip(learn(model(), trials), learn(model(), mixed), strict=True):
        back = [other.goals.index(goal) for goal in one.goals]
        np.testing.assert_allclose(other.joint[:, back], one.joint, atol=1e-12)
        liked = [other.preferred.index(goal) for goal in one.preferred]
        np.testing.assert_allclose(other.preference[:, liked], one.preference, atol=1e-12)
        np.testing.assert_allclose(other.log_likelihood, one.log_likelihood, atol=1e-12)


@few
@given(seeds)
def test_one_reachable_goal_leaves_preference_untouched(seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = random_trial(rng)
    alone = seen(GOALS, [False, True, False], rng.normal(size=(3, 3, 3)))
    first, only, after = learn(model(), [before, alone, random_trial(rng, reach=1)])
    np.testing.assert_allclose(only.goal, np.tile([0.0, 1.0, 0.0], (4, 1)), atol=1e-15)
    # It may show how efficient the agent is and so, in hindsight, what it wanted before.
    exact = enumerate_histories(model(), [before, alone], 3)
    assert dict(zip(GOALS, after.preference[0], strict=True)) == pytest.approx(exact.preference)
    flat = seen(GOALS, [False, True, False], np.zeros((3, 3, 3)))
    _, only = learn(model(), [before, flat])
    np.testing.assert_allclose(only.preference, np.tile(first.preference[-1], (4, 1)), atol=1e-12)


# Extremes


@pytest.mark.parametrize("size", [1, 5000])
def test_long_trials_do_not_underflow(size: int) -> None:
    """Log-likelihoods may be -5000 in one step, or -1 in each of 5000 steps."""
    log = np.full((size, 2, 3), -5000.0 / size)
    log[:, 1] -= 2.0 / size
    trials = [seen(GOALS[:2], [True, True], log)] * 3
    posteriors = learn(model(), trials)
    assert all(np.isfinite(posterior.joint).all() for posterior in posteriors)
    small = [seen(GOALS[:2], [True, True], log + 5000.0 / size)] * 3
    for one, other in zip(posteriors, learn(model(), small), strict=True):
        np.testing.assert_allclose(one.joint, other.joint, atol=1e-9)
        np.testing.assert_allclose(one.preference, other.preference, atol=1e-9)
        np.testing.assert_allclose(
            one.log_likelihood, other.log_likelihood - 5000.0 / size, atol=1e-8
        )


def test_a_nearly_excluded_efficiency_can_recover() -> None:
    """One trial rules out an efficiency by e^-800, the next the others by e^-1600."""
    first, second = np.zeros((1, 2, 3)), np.zeros((1, 2, 3))
    first[..., 0], second[..., 1] = 800.0, 1600.0
    trials = [seen(GOALS[:2], [True, True], log) for log in (first, second)]
    assert_exact(model(), trials)
    np.testing.assert_allclose(learn(model(), trials)[-1].efficiency[-1], [0, 1, 0], atol=1e-12)


def test_a_trial_without_steps_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    trials = [random_trial(rng), seen(GOALS, [True] * 3, np.zeros((0, 3, 3))), random_trial(rng)]
    assert_exact(model(), trials)
    still = learn(model(), trials)[1]
    assert still.joint.shape == (1, 3, 3)
    assert len(still) == 0


# Priors


def test_a_new_agent_is_expected_to_like_all_goals_equally() -> None:
    (posterior,) = learn(model(), [seen(GOALS, [True] * 3, np.zeros((1, 3, 3)))])
    np.testing.assert_allclose(posterior.goal, 1 / 3)
    np.testing.assert_allclose(posterior.preference, 1 / 3)


@pytest.mark.parametrize(("shape", "scale"), [(1.0, 1.0), (2.5, 0.7)])
def test_the_efficiency_prior_is_a_gamma_density_of_temperature(shape: float, scale: float) -> None:
    prior = msgspec.structs.replace(
        BASE.efficiency, shape=shape, scale=scale, temperatures=(0.2, 0.8)
    )
    np.testing.assert_allclose(prior.values, [5.0, 1.25])
    density = [t ** (shape - 1) * math.exp(-scale * t) for t in (0.2, 0.8)]
    np.testing.assert_allclose(np.exp(prior.log_prior), np.array(density) / sum(density))


# Whole trials


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_agents_are_independent(preset: str) -> None:
    """What another agent does in between changes nothing, not even the last digit."""
    one = to_thing(HEART.at(120, 60), others=[SPOON.at(60, 150)])
    two = to_thing(SPOON.at(60, 150), others=[HEART.at(120, 60)])
    other = to_thing(SPOON.at(60, 150), others=[HEART.at(120, 60)], who=ACORN)
    alone = watch(Model.preset(preset), read(episode(one, two, one)))
    mixed = watch(Model.preset(preset), read(episode(other, one, other, two, other, one)))
    mine = [posterior for posterior in mixed if str(posterior.agent) == "clove.png"]
    assert CLOVE.image.endswith("clove.png")
    for posterior, same in zip(alone, mine, strict=True):
        np.testing.assert_array_equal(posterior.joint, same.joint)
        np.testing.assert_array_equal(posterior.preference, same.preference)
        np.testing.assert_array_equal(posterior.log_likelihood, same.log_likelihood)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_an_agent_that_is_shut_in_teaches_nothing(preset: str) -> None:
    shut = [*border(), *ring(2, 5)]  # around the agent's cell
    familiar = to_thing(HEART.at(120, 60), others=[SPOON.at(60, 150)])
    objects = [HEART.at(120, 110), SPOON.at(150, 150)]
    hopeless = trial(walk((44, 106), (54, 114), (46, 112)), objects, walls=shut)
    model = Model.preset(preset)
    first, shut_in, last = watch(model, read(episode(familiar, hopeless, familiar)))
    assert not shut_in.reachable.any()
    np.testing.assert_allclose(shut_in.joint, np.tile(shut_in.joint[:1], (len(shut_in) + 1, 1, 1)))
    np.testing.assert_allclose(last.preference[0], first.preference[-1], atol=1e-12)
    np.testing.assert_allclose(last.efficiency[0], first.efficiency[-1], atol=1e-12)


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_beliefs_are_not_changed_by_watching(preset: str) -> None:
    """Inference is pure: the same trial and beliefs always give the same result."""
    model, trial = Model.preset(preset), read(episode(to_thing(HEART.at(120, 60))))[0]
    _, beliefs = infer(model, Beliefs(), trial)
    one, after = infer(model, beliefs, trial)
    other, _ = infer(model, beliefs, trial)
    np.testing.assert_array_equal(one.joint, other.joint)
    assert len(beliefs.agents) == len(after.agents) == 1


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_waiting_is_learnt_even_if_there_is_nothing_to_want(preset: str) -> None:
    """A vanishing barrier takes time even if the agent has nothing to want."""
    model, whole = Model.preset(preset), read([key_trial()])[0]
    empty = replace(whole, objects=(), key=None, key_path=None)
    posterior, after = infer(model, Beliefs(), empty)
    assert [str(goal) for goal in posterior.goals] == ["nothing"]
    assert len(after.openings) == 1
    judged = judge(Episode((empty, whole)), model)
    assert judged.beliefs[0].openings == after.openings
    assert infer(model, after, whole)[1].openings == judged.beliefs[-1].openings


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_the_key_can_be_excluded_from_the_goals(preset: str) -> None:
    base = Model.preset(preset)
    without = msgspec.structs.replace(
        base, preference=msgspec.structs.replace(base.preference, keys=False)
    )
    trial = read([key_trial()])[0]
    assert [str(goal) for goal in infer(base, Beliefs(), trial)[0].goals] == ["heart.png", "key"]
    assert [str(goal) for goal in infer(without, Beliefs(), trial)[0].goals] == ["heart.png"]
    only_a_key = Episode((trial, replace(trial, objects=())))
    assert [str(goal) for goal in judge(only_a_key, without).test.goals] == ["nothing"]


def test_a_wall_can_leave_only_one_goal() -> None:
    """Unreachable goals are not among the choices."""
    walls = [*border(), *(block(100, y) for y in range(20, 180, 20))]
    seen = read([to_thing(HEART.at(60, 60), others=[SPOON.at(150, 100)], walls=walls)])
    for preset in ("default", "paper"):
        posterior, _ = infer(Model.preset(preset), Beliefs(), seen[0])
        assert posterior.reachable.tolist() == [True, False]
        np.testing.assert_allclose(posterior.goal, np.tile([1.0, 0.0], (len(posterior) + 1, 1)))


# Several trials at once


@few
@given(seeds)
def test_trials_learnt_from_together_match_trials_learnt_from_one_by_one(seed: int) -> None:
    """Series of the same choice are cut where agents, goals or what is within reach differ."""
    rng = np.random.default_rng(seed)
    agents, some = (AGENT, Identity("other.png")), (GOALS, GOALS[:2], (NOTHING,))
    watched, agent, goals, reach = list[Watched](), AGENT, GOALS, 1.0
    for _ in range(rng.integers(1, 9)):
        if rng.random() < 0.3:
            agent, goals = agents[rng.integers(2)], some[rng.integers(3)]
            reach = float(rng.choice([0.4, 1.0]))
        waited = (float(rng.random()),) if rng.random() < 0.3 else ()
        watched.append(Watched(agent, random_trial(rng, goals, reach), waited))
    together = learn_trials(model(), Beliefs(), watched)
    beliefs = Beliefs()
    for one, found in zip(watched, together, strict=True):
        beliefs = learn_one(model(), beliefs, *one)
        assert found.openings == beliefs.openings
        assert found.agents.keys() == beliefs.agents.keys()
        for look, known in beliefs.agents.items():
            mine = found.agents[look]
            assert (mine.goals, mine.tree) == (known.goals, known.tree)
            np.testing.assert_array_equal(mine.counts, known.counts)
            np.testing.assert_array_equal(mine.log_weight, known.log_weight)


def test_a_series_that_grows_too_large_is_refused_at_the_right_trial() -> None:
    goals = tuple(Identity(f"thing {number}") for number in range(8))
    one = Watched(AGENT, seen(goals, [True] * 8, np.zeros((1, 8, 3))))
    with pytest.raises(BadInput, match="too many goals and trials") as refused:
        learn_trials(model(), Beliefs(), [one] * 14, number=3)
    sizes = [math.comb(trials + 7, 7) * 8 for trials in range(14)]
    assert refused.value.place.trial == 3 + next(
        n for n, size in enumerate(sizes) if size > 1 << 18
    )
