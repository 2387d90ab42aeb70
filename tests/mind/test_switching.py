"""Goals that change: the filter matches all sequences of goals, and is calibrated."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest

import hbtom
from calibrated import rank, uniform
from hbtom.judgement.plan_judging import infer_plans
from hbtom.mind import Beliefs, find_likelihood, infer_agent
from hbtom.mind.bayes import Choice, History, bayes, learn_counts
from hbtom.mind.graph_regret import foreseen_regrets
from hbtom.mind.lapses import unexplained
from hbtom.mind.preference_tree import NO_OFFERS
from hbtom.mind.regret import Regret
from hbtom.mind.simulate import Simulated
from hbtom.mind.switching import bayes_switching, learn_switching
from hbtom.model import Model, with_settings
from hbtom.observe import Identity
from hbtom.plan.foresight import foresee
from hbtom.plan.graph import plan_on_graph
from hbtom.world.pddl import explore, follow, make_goal, read_plan
from locked import LOCKED_OUT, corridor, gems

PEOPLE = Model.preset("people")
GOALS, WAYS, CHARACTERS, STEPS = 3, 2, 2, 4
ALPHA = np.array([1.0, 0.5, 2.0])


def case(seed: int, *, counts: bool = True) -> tuple[History, Choice, np.ndarray, np.ndarray]:
    """Return a random history, choice, likelihood and switching; the third goal is out of reach."""
    rng = np.random.default_rng(seed)
    log = np.log(rng.dirichlet(np.ones(2 * CHARACTERS)).reshape(2, CHARACTERS))
    history = History(np.array([[0, 1, 0], [2, 0, 0]]), log)
    reachable = np.array([True, True, seed % 2 == 0])
    prior = np.log([0.7, 0.3])
    choice = Choice(np.arange(GOALS), reachable, counts, ALPHA, prior)
    seen = np.log(rng.random((STEPS, GOALS * WAYS, CHARACTERS)))
    return history, choice, seen, np.append(0.0, rng.random(STEPS - 1))


def enumerated(
    history: History, choice: Choice, seen: np.ndarray, switching: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray, dict[tuple[tuple[int, ...], int], float]]:
    """Return P(hypothesis, k), P(o_1:T), P(changed) and P(counts, k) at the end, by brute force."""
    steps = len(seen)
    joint, changed = np.zeros((GOALS * WAYS, CHARACTERS)), np.zeros(steps)
    weights: dict[tuple[tuple[int, ...], int], float] = defaultdict(float)
    cases = itertools.product(
        range(len(history.counts)),
        range(WAYS),
        range(CHARACTERS),
        itertools.product(range(GOALS), repeat=steps),
    )
    for h, x, k, goals in cases:
        share = np.where(choice.reachable, ALPHA + history.counts[h], 0.0)
        share = share / share.sum()
        p = math.exp(history.log_weight[h, k] + choice.log_prior[x]) * share[goals[0]]
        for t in range(1, steps):
            p *= (1 - switching[t]) * (goals[t] == goals[t - 1]) + switching[t] * share[goals[t]]
        for t, g in enumerate(goals):
            p *= math.exp(seen[t, g * WAYS + x, k])
        joint[goals[-1] * WAYS + x, k] += p
        changed += p * np.append(False, np.diff(goals) != 0)
        for g in goals:
            after = history.counts[h] + (np.arange(GOALS) == g if choice.counts else 0)
            weights[tuple(after.tolist()), k] += p / steps
    total = joint.sum()
    return (
        joint / total,
        math.log(total),
        changed / total,
        {key: p / total for key, p in weights.items()},
    )


@pytest.mark.parametrize("seed", [0, 1])
def test_the_filter_sums_over_all_sequences_of_goals(seed: int) -> None:
    history, choice, seen, switching = case(seed)
    joint, _, log_total, changed = bayes_switching(
        history, choice, NO_OFFERS, NO_OFFERS, seen, switching
    )
    for steps in range(1, STEPS + 1):
        wanted, log, _, _ = enumerated(history, choice, seen[:steps], switching[:steps])
        assert joint[steps] == pytest.approx(wanted)
        assert log_total[steps] == pytest.approx(log)
    assert changed == pytest.approx(enumerated(history, choice, seen, switching)[2])


@pytest.mark.parametrize("counts", [True, False])
def test_preferences_are_learnt_from_all_goals_of_a_trial(counts: bool) -> None:
    """Each counts in proportion to the number of steps with this goal."""
    history, choice, seen, switching = case(2, counts=counts)
    learnt, log = learn_switching(history, choice, NO_OFFERS, seen, switching)
    wanted = enumerated(history, choice, seen, switching)[3]
    for row, weights in zip(learnt.tolist(), np.exp(log), strict=True):
        assert weights == pytest.approx([wanted[tuple(row), k] for k in range(CHARACTERS)])
    assert np.exp(log).sum() == pytest.approx(1.0)
    preference = bayes_switching(history, choice, NO_OFFERS, NO_OFFERS, seen, switching)[1][-1]
    mean = sum(p * (ALPHA + row) / (ALPHA + row).sum() for (row, _), p in wanted.items())
    assert preference == pytest.approx(mean)


@pytest.mark.parametrize("counts", [True, False])
def test_without_switching_the_filter_is_the_plain_model(counts: bool) -> None:
    history, choice, seen, _ = case(4, counts=counts)
    known, never = (history, choice, NO_OFFERS), np.zeros(STEPS)
    some, none = bayes_switching(*known, NO_OFFERS, seen, never), bayes(*known, NO_OFFERS, seen)
    for one, other in zip(some[:3], none, strict=True):
        assert one == pytest.approx(other)
    assert some[3] == pytest.approx(np.zeros(STEPS), abs=1e-12)
    for one, other in zip(
        learn_switching(*known, seen, never), learn_counts(*known, seen), strict=False
    ):
        assert np.exp(one) == pytest.approx(np.exp(other))


# Agents drawn from the prior that foresee little, lapse, and change their minds

CONDITIONS = {
    "gem": "(has gem-a)",
    "both": "(and (has gem-c) (has key-2))",
    "open": "(and (has gem-c) (not (locked side)))",
}
SETTINGS = {
    "foresight.depths": (0.0, 1.0, math.inf),
    "foresight.prior": (1.0, 1.0, 2.0),
    "goals.switching": 10.0,
    "acts.lapse": 0.02,
    "efficiency.temperatures": (0.1, 1.0),
}
DRAWS = 300
Drawn = tuple[Simulated, tuple[Regret, ...]]


@pytest.fixture(scope="module")
def drawn() -> list[Drawn]:
    """Simulated agents, and the regret of their actions for each depth of foresight."""
    world, model = corridor(), with_settings(Model.preset("paper"), SETTINGS)
    goals = tuple(make_goal(world, name, text) for name, text in CONDITIONS.items())
    plans = foresee(plan_on_graph(explore(world), goals), model.foresight.depths)
    ahead = [plans.ahead[depth] for depth in model.foresight.depths]
    made = []
    for number in range(DRAWS):
        agent = hbtom.simulate(plans, model, seed=(3, number), most=5)  # none arrives before
        path = follow(plans.graph, agent.plan)
        made.append((agent, foreseen_regrets(plans, ahead, agent.plan, path)))
    return made


def evenness(drawn: list[Drawn], **assumed: float) -> float:
    """Return the smallest p-value of uniform ranks of goals, foresights and efficiencies.

    The observer may assume something other than the truth.
    """
    model, rng = with_settings(Model.preset("paper"), SETTINGS), np.random.default_rng(5)
    model = with_settings(model, {name.replace("_", "."): one for name, one in assumed.items()})
    found: dict[str, list[float]] = {"goal": [], "foresight": [], "efficiency": []}
    for agent, regrets in drawn:
        likelihood = find_likelihood(model, regrets[-1], foreseen=regrets)
        belief = infer_agent(model, Beliefs(), Identity("agent"), likelihood)[0]
        goal = [str(one) for one in belief.goals].index(agent.goals[-1].name)
        beta = int(np.abs(belief.efficiencies - agent.efficiency).argmin())
        true = goal, belief.foresights.index(agent.foresight), beta
        for name, one in zip(found, true, strict=True):
            found[name].append(rank(belief.margin(name)[-1], one, rng))
    return min(map(uniform, found.values()))


def test_beliefs_about_fallible_agents_are_calibrated(
    drawn: list[Drawn],
) -> None:
    assert evenness(drawn) > 0.01


def test_an_observer_that_ignores_changes_is_not_calibrated(drawn: list[Drawn]) -> None:
    assert evenness(drawn, goals_switching=1e-3) < 1e-4


# Steps that no hypothesis explains


def test_an_unexplained_step_is_reported_and_left_out() -> None:
    """For agents that foresee what an action uses up, the wrong door gives up the gem."""
    world = corridor()
    goals = (make_goal(world, "gem", "(has gem-a)"),)
    plan = [read_plan(world, LOCKED_OUT)]
    blind = with_settings(Model.preset("paper"), {"foresight.depths": [1, 2]})
    told = infer_plans(goals, plan, blind)
    assert any("nothing explains step 2; it is left out" in warning for warning in told.warnings)
    assert told.test.log_likelihood[1] == pytest.approx(0.0)
    some = with_settings(Model.preset("paper"), {"foresight.depths": [0, 1, 2]})
    assert "nothing explains" not in " ".join(infer_plans(goals, plan, some).warnings)


def test_a_goal_that_was_ruled_out_stays_so_unless_goals_change() -> None:
    never = -math.inf
    log = np.array([[[0.0], [never]], [[never], [0.0]], [[0.0], [0.0]]])
    offered = np.ones(2, dtype=np.bool_)
    assert unexplained(log, offered, switching=False).tolist() == [False, True, False]
    assert unexplained(log, offered, switching=True).tolist() == [False, False, False]
    assert unexplained(log, offered & [False, True], switching=True).tolist() == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("feasible", [True, False])
def test_unreachable_goals_explain_nothing_and_do_no_harm(feasible: bool) -> None:
    """Some would be reachable if nothing were ever used up."""
    world = corridor()
    conditions = {
        "open": "(and (not (locked east)) (has key-1))",
        "in": "(and (at east) (has key-1))",
    }
    goals = [make_goal(world, name, text) for name, text in conditions.items()]
    settings = {"preference.feasible": feasible, "foresight.depths": [1, 2, math.inf]}
    told = infer_plans(goals, [read_plan(world, LOCKED_OUT)], with_settings(PEOPLE, settings))
    assert told.test.goal.sum(axis=1) == pytest.approx(np.ones(4))


def test_empty_plans_and_something_else_are_accepted() -> None:
    world = corridor()
    plans = [read_plan(world, ""), read_plan(world, LOCKED_OUT)]
    told = infer_plans(gems(world), plans, "people", something_else=0.5)
    assert told.posteriors[0].goal.shape == (1, 3)
    assert told.posteriors[1].goal[-1].sum() == pytest.approx(1.0)
