"""A gridworld in which moves slip: the domain in PDDL, plain loops, limits and sums."""

from __future__ import annotations

import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hbtom
from episodes import HEART, SPOON, border, key_trial, read, simple_episode, trial, walk
from floors import Floor, grid_steps, in_mode, world_of
from hbtom import BadInput, Model, Trial
from hbtom.assumptions import Acts
from hbtom.judgement.prediction import tail
from hbtom.mind import Actions, Regret, log_likelihood
from hbtom.mind.action_noise import noisy_values
from hbtom.mind.grid import action_values
from hbtom.mind.regret import ActionNoise
from hbtom.model import with_settings
from hbtom.plan import GRID, cost_to_go
from hbtom.plan.graph import GraphCosts, plan_on_graph
from hbtom.plan.slippery import BESIDE, Slippery, slippery_cost_to_go
from hbtom.world.pddl import StateGraph, explore, ground, make_goal, read_domain, read_problem
from hbtom.world.pddl.gridworld import DOMAIN, SLIPPERY, write_domain
from mind.test_grid_likelihood import Slow, done, random_trial, trials
from regrets import regret_at
from world.test_pddl_gridworld import Grid, corridor, grids, number_of, place_of, steps_from
from worlds import odd_trial

PAPER = Model.preset("paper")
BETAS = np.array([0.5, 2.0, 5.0])
MOVES = len(GRID.moves)


def slippery(slip: float, acts: Acts = PAPER.acts) -> Model:
    motion = msgspec.structs.replace(PAPER.motion, slip=slip)
    return msgspec.structs.replace(PAPER, motion=motion, acts=acts)


def graph_of(grid: Grid, slip: float) -> StateGraph:
    problem = grid.problem(slippery=True)
    return explore(ground(read_problem(problem, read_domain(write_domain(slip)))))


def plans_of(grid: Grid, graph: StateGraph) -> GraphCosts:
    wanted = [
        (name, f"({'held' if item == grid.key else 'touched'} {name})")
        for item, name in enumerate(grid.items)
    ]
    return plan_on_graph(graph, tuple(make_goal(graph.world, *goal) for goal in wanted))


# The same world in PDDL


@settings(max_examples=25)
@given(grids(), st.sampled_from([0.1, 0.3, 0.75]))
def test_the_grid_and_pddl_agree_in_every_state(grid: Grid, slip: float) -> None:
    graph = graph_of(grid, slip)
    by_pddl = plans_of(grid, graph)
    plans = slippery_cost_to_go(grid.world, slip)
    places = [place_of(grid, graph, state) for state in range(len(graph))]
    steps = steps_from(plans.world, places)
    legal, q = action_values(plans, steps, GRID.table)
    q = noisy_values(q, plans, steps, slip)
    for state, (row, column, mode, touched) in enumerate(places):
        first, last = graph.choices[state : state + 2]
        done = [number_of(grid, graph.world.actions[one]) for one in graph.action[first:last]]
        assert sorted(done) == np.flatnonzero(legal[state]).tolist()
        price = by_pddl.prices(first, last)
        for goal in set(range(len(grid.items))) - touched:
            cost = in_mode(plans, mode)[goal, row, column]
            assert by_pddl.cost[goal, state] == pytest.approx(cost, rel=1e-8)
            assert -q[state, done, goal] == pytest.approx(price[goal], rel=1e-8)
        ground = Slippery(grid.floor.blocked(mode), slip)
        here = row * grid.floor.open.shape[1] + column
        for choice, move in zip(range(first, last), done, strict=True):
            if move < MOVES:
                expected = summed(ground.outcomes[here, move], ground.probability)
                outcome = slice(*graph.outcomes[choice : choice + 2])
                cells = [
                    places[target][0] * grid.floor.open.shape[1] + places[target][1]
                    for target in graph.target[outcome]
                ]
                assert summed(cells, graph.probability[outcome]) == pytest.approx(expected)


def summed(cells, probability) -> dict[int, float]:
    total: dict[int, float] = {}
    for cell, chance in zip(cells, probability, strict=True):
        total[int(cell)] = total.get(int(cell), 0.0) + float(chance)
    return total


def test_the_shipped_domain_is_written_for_a_slip_of_a_fifth() -> None:
    assert write_domain(0.2) == SLIPPERY.read_text(encoding="utf-8")
    assert write_domain(0.0) == DOMAIN.read_text(encoding="utf-8")
    assert "0.7 (at ?to) 0.15 (at ?left) 0.15 (at ?right)" in write_domain(0.3)


@pytest.mark.parametrize("slip", [1e-9, 1 / 3, 0.1 + 0.2, 0.999999])
def test_written_probabilities_add_up_to_one(slip: float) -> None:
    move = read_domain(write_domain(slip)).actions[0]
    assert [outcome.probability for outcome in move.outcomes] == pytest.approx(
        [1 - slip, slip / 2, slip / 2], rel=1e-6
    )


@pytest.mark.parametrize("slip", [-0.1, 1.0, math.nan])
def test_a_slip_must_be_a_probability(slip: float) -> None:
    with pytest.raises(BadInput, match="the slip is"):
        write_domain(slip)


def test_slips_are_to_moves_at_45_degrees() -> None:
    for move, sides in zip(GRID.moves, BESIDE, strict=True):
        for side in sides:
            down, right = GRID.moves[side]
            cosine = (move[0] * down + move[1] * right) / (
                math.hypot(*move) * math.hypot(down, right)
            )
            assert cosine == pytest.approx(math.sqrt(0.5))


# Values


def by_value_iteration(ground: Slippery, seed: np.ndarray) -> np.ndarray:
    """Return the cost-to-go of a map by sweeping over all cells until nothing changes much."""
    rows, columns = ground.blocked.shape
    value = np.where(ground.blocked, np.inf, 1e4).ravel()
    while True:
        new = value.copy()
        for cell in np.flatnonzero(~ground.blocked.ravel()):
            ways = [seed.ravel()[cell]]
            for move in np.flatnonzero(ground.legal[cell]):
                later = ground.probability @ value[ground.outcomes[cell, move]]
                ways.append(math.hypot(*GRID.moves[move]) + later)
            new[cell] = min(ways)
        free = ~ground.blocked.ravel()
        if np.allclose(new[free], value[free], rtol=1e-12, atol=0):
            return new.reshape(rows, columns)
        value = new


@pytest.mark.parametrize("slip", [0.15, 0.6])
def test_key_and_lock_by_plain_value_iteration(slip: float) -> None:
    """Modes are solved in turn, each with the costs of the next one where it begins."""
    grid = corridor()
    blocked = np.zeros((4, 5), dtype=bool)
    wide = [np.repeat(one, 4, axis=0) for one in (grid.floor.closed, grid.floor.open)]
    to = np.full((2, 4, 5), np.inf)
    to[0, :, 4] = to[1, 2, 0] = 0.0
    lock = np.full((4, 5), np.inf)
    lock[1:3, 2] = 0.0
    floor = Floor(10.0, wide[0], wide[1] | blocked, to, lock)
    plans = slippery_cost_to_go(world_of(floor, grid.costs, 1), slip)
    closed, opened = Slippery(floor.closed, slip), Slippery(floor.open, slip)
    after = by_value_iteration(opened, 1.0 + to[0])
    held = by_value_iteration(closed, np.minimum(1.0 + to[0], 2.5 + lock + after))
    start = by_value_iteration(closed, np.minimum(1.0 + to[0], 1.0 + to[1] + held))
    for layer, expected in enumerate((start, held, after)):
        cost = plans.cost[0, layer]
        known = expected < 1e3
        assert np.allclose(cost[known], expected[known], rtol=1e-8)
        assert np.isinf(cost[~known]).all()
    assert np.isfinite(plans.cost[0, 0, 0, 0])
    assert (plans.cost[1, 1:] == 0).all()


@settings(max_examples=20)
@given(grids())
def test_without_slips_costs_match_the_plain_gridworld(grid: Grid) -> None:
    sure = cost_to_go(grid.world, GRID)
    for slip, near in ((0.0, 1e-9), (1e-9, 1e-6)):
        plans = slippery_cost_to_go(grid.world, slip)
        assert plans.cost.shape == sure.cost.shape
        assert np.array_equal(np.isinf(plans.cost), np.isinf(sure.cost))
        finite = np.isfinite(sure.cost)
        assert np.allclose(plans.cost[finite], sure.cost[finite], rtol=near)


def test_slips_cost_something() -> None:
    grid = corridor()
    room = world_of(replace(grid.floor, closed=grid.floor.open), grid.costs, 1)
    costs = [slippery_cost_to_go(room, s).cost[0, 0, 0, 0] for s in (0, 0.3, 0.6)]
    assert costs[0] == 4 + 1
    assert costs[1] == pytest.approx(
        4 / 0.7 + 1
    )  # an agent that slips in a corridor stays and tries again
    assert costs[2] == pytest.approx(4 / 0.4 + 1)


# Evidence


class Slipping(Slow):
    """The gridworld of plain loops, in which moves slip."""

    def __init__(self, trial: Trial, opening: float, slip: float) -> None:
        self.slip = slip
        super().__init__(trial, opening)

    def ends(self, state, action, goal):
        """Return the cost of an action, and the probability and state of each outcome."""
        cost, after = self.result(state, action, goal)
        if action[0] != "move":
            return cost, [(1.0, after)]
        legal = set(self.actions(state))
        angle = math.atan2(action[2], action[1])
        some = [(1 - self.slip, after)]
        for turn in (-math.pi / 4, math.pi / 4):
            side = ("move", round(math.cos(angle + turn)), round(math.sin(angle + turn)))
            to = self.result(state, side, goal)[1] if side in legal else state
            some.append((self.slip / 2, to))
        return cost, some

    def _solve(self, goal):
        """Sweep over all states, from above, until nothing changes much."""
        value = {
            state: (0.0 if goal == self.key and state[2] != 0 else 1e5) for state in self.states
        }
        ways = {
            state: [self.ends(state, action, goal) for action in self.actions(state)]
            for state in self.states
        }
        while True:
            change = 0.0
            for state in self.states:
                if goal == self.key and state[2] != 0:
                    continue
                best = min(
                    (
                        cost + sum(p * (0.0 if to is None else value[to]) for p, to in some)
                        for cost, some in ways[state]
                    ),
                    default=math.inf,
                )
                if best < value[state]:
                    change = max(change, value[state] - best if value[state] < 5e4 else 1.0)
                    value[state] = best
            if change < 1e-11:
                return {state: cost if cost < 5e4 else math.inf for state, cost in value.items()}

    def q(self, state, action, goal):
        cost, some = self.ends(state, action, goal)
        return -(cost + sum(p * (0.0 if to is None else self.values[goal][to]) for p, to in some))

    def log_seen(self, state, seen, goal, beta):
        """Return the log-probability of what is seen, given that something is seen."""
        actions = [*{*self.actions(state), *([] if seen[0] == "move" else [seen])}]
        q = {action: self.q(state, action, goal) for action in actions}
        best = max(q.values())
        weight = {one: 1.0 if best == -math.inf else math.exp(beta * (q[one] - best)) for one in q}
        policy = {action: weight[action] / sum(weight.values()) for action in actions}
        here, shown, stays = self.result(state, seen, goal)[1], 0.0, 0.0
        for action, chance in policy.items():
            if action[0] != "move":
                shown += chance * (action == seen)
            else:
                for p, to in self.ends(state, action, goal)[1]:
                    stays += chance * p * (to == state)
                    shown += chance * p * (to == here and seen[0] == "move")
        return math.log(shown) - math.log(1 - stays)


@pytest.mark.parametrize(
    ("number", "final", "slip"),
    [
        (0, False, 0.2),
        (1, True, 0.5),
        (4, True, 0.5),
        (5, False, 0.2),
        (8, False, 0.2),
        (8, True, 0.5),
    ],
)
def test_evidence_by_plain_loops(number: int, final: bool, slip: float) -> None:
    trial = trials()[number]
    slow = Slipping(trial, 1.5, slip)
    acts = msgspec.structs.replace(PAPER.acts, final=final)
    regret = regret_at(slippery(slip, acts), trial, 1.5)
    likelihood = log_likelihood(regret, BETAS)
    trajectory = grid_steps(trial, 10.0, final=final)
    assert regret.warnings == ()
    assert len(likelihood) == len(trajectory.act) > 0
    for step, (state, action) in enumerate(done(trajectory)):
        for goal in range(len(trial.items)):
            for k, beta in enumerate(BETAS):
                wanted = slow.log_seen(state, action, goal, beta)
                assert likelihood.log[step, goal, k] == pytest.approx(wanted, abs=1e-6)
    column, row = (int(place // 10) for place in trial.path[0])
    reachable = [math.isfinite(value[column, row, 0]) for value in slow.values]
    assert likelihood.reachable.tolist() == reachable


def every_sight(regret: Regret) -> np.ndarray:
    """Return the log-probability of each possible observation, [option step goal k]."""
    choice = regret.choice
    many = choice.action_regret.shape[1]
    logs = []
    for option in range(many):
        seen = ActionNoise(choice.noise.chance, np.full(len(regret.frame), option))
        logs.append(
            log_likelihood(
                msgspec.structs.replace(regret, choice=Actions(choice.action_regret, seen)), BETAS
            ).log
        )
    return np.array(logs)


@pytest.mark.parametrize("seed", range(6))
def test_all_possible_observations_add_up_to_one(seed: int) -> None:
    for odd in (odd_trial(seed), random_trial(seed, with_key=seed % 2 == 0)):
        regret = regret_at(slippery(0.3), odd, 2.0)
        assert np.exp(every_sight(regret)).sum(axis=0) == pytest.approx(1.0)
        assert (log_likelihood(regret, BETAS).log <= 1e-12).all()


@settings(max_examples=12)
@given(seed=st.integers(0, 10_000), final=st.booleans())
def test_as_slips_vanish_the_evidence_approaches_the_exact_model(seed: int, final: bool) -> None:
    """In odd worlds, too: steps that say nothing without slips say nothing with them."""
    odd = odd_trial(seed)
    acts = msgspec.structs.replace(PAPER.acts, final=final)
    sure = regret_at(slippery(0.0, acts), odd, 2.5)
    unsure = regret_at(slippery(1e-9, acts), odd, 2.5)
    assert sure.warnings == unsure.warnings
    assert sure.goals == unsure.goals
    assert sure.frame.tolist() == unsure.frame.tolist()
    assert sure.reachable.tolist() == unsure.reachable.tolist()
    assert np.allclose(
        log_likelihood(unsure, BETAS).log, log_likelihood(sure, BETAS).log, atol=1e-5
    )
    assert np.allclose(sure.step_regret, unsure.step_regret, atol=1e-5)


def sideways_step() -> Trial:
    """Return a step up in the open, with one object far to the right and one above."""
    seen = trial(walk((65, 105), (65, 95)), [HEART.at(165, 105), SPOON.at(65, 45)])
    return read([seen])[0]


def test_deviations_of_a_perfect_agent_are_slips() -> None:
    """A step at 90 degrees cannot be a slip; for a perfect agent, one at 45 degrees must be."""
    for stop, chance in (((75, 95), 0.1), ((75, 105), 0.8), ((65, 95), 0.0)):
        seen = read([trial(walk((65, 105), stop), [HEART.at(165, 105)])])[0]
        regret = regret_at(slippery(0.2), seen, 1.0)
        log = log_likelihood(regret, np.array([1e3])).log[0, 0, 0]
        assert math.exp(log) == pytest.approx(chance, abs=1e-6)


def test_random_moves_are_equally_likely_with_slips() -> None:
    """With efficiency 0, eight moves in the open are equally likely, with slips or without."""
    regret = regret_at(slippery(0.4), sideways_step(), 1.0)
    assert np.exp(log_likelihood(regret, np.array([0.0])).log) == pytest.approx(1 / 8)


def test_possible_slips_weaken_the_evidence_for_another_goal() -> None:
    """Steps at 45 degrees towards another thing say less if agents slip."""
    path = walk((65, 125), (75, 115), (85, 105), (95, 105))
    seen = read([trial(path, [HEART.at(165, 125), SPOON.at(165, 45)])])[0]
    regrets = [regret_at(model, seen, 1.0) for model in (PAPER, slippery(0.4))]
    heart = [str(goal) for goal in regrets[0].goals].index("heart.png")
    shift = [
        log_likelihood(regret, BETAS).log[:2, heart].sum()
        - log_likelihood(regret, BETAS).log[:2, 1 - heart].sum()
        for regret in regrets
    ]
    assert shift[0] < shift[1] < 0


# Whole judgements


def test_slips_are_a_parameter_of_the_model() -> None:
    model = with_settings(PAPER, {"motion.slip": 0.1})
    assert model.motion.slip == 0.1
    assert model.fingerprint != PAPER.fingerprint
    assert Model.from_toml(model.to_toml()) == model
    assert PAPER.fingerprint == "02b256855fbb"  # as it was before there were slips
    for wrong in (-0.1, 1.0, "often"):
        with pytest.raises(BadInput, match="slip"):
            with_settings(PAPER, {"motion.slip": wrong})


@pytest.mark.parametrize("episode", [simple_episode(), [key_trial(), key_trial(jump=False)]])
def test_episodes_are_judged(episode) -> None:
    model = with_settings(PAPER, {"motion.slip": 0.2})
    judgement = hbtom.judge(read(episode), model)
    assert 0 <= judgement.plausibility <= 1
    assert judgement.test.goal.sum(axis=1) == pytest.approx(1)
    assert 0 < judgement.predictive <= 1


def test_keys_need_not_be_goals() -> None:
    model = with_settings(PAPER, {"motion.slip": 0.2, "preference.keys": False})
    seen = read([key_trial()])[0]
    posterior, _ = hbtom.infer(model, hbtom.Beliefs(), seen)
    assert len(posterior.goals) == len(seen.objects)
    assert np.isfinite(posterior.likelihood.log).all()


def test_the_predictive_score_expects_slips() -> None:
    """The expected waste of an agent includes that of its slips."""
    regret = regret_at(slippery(0.4), sideways_step(), 1.0)
    waste, goal = regret.choice.action_regret[0, :, 0], 0
    chance = np.exp(every_sight(regret)[:, 0, goal, 1])
    more = chance[np.rint(waste * 50) >= np.rint(regret.step_regret[0, goal] * 50)].sum()
    assert tail(regret, goal, BETAS[1]) == pytest.approx(more)


def test_a_wall_across_the_world_leaves_no_path() -> None:
    walls = [*border(), [[100, 0], [20, 200]]]
    seen = trial(walk((45, 85), (55, 85)), [HEART.at(150, 85), SPOON.at(45, 150)], walls=walls)
    regret = regret_at(slippery(0.3), read([seen])[0], 1.0)
    assert sorted(regret.reachable.tolist()) == [False, True]
    assert np.exp(every_sight(regret)).sum(axis=0) == pytest.approx(1.0)
