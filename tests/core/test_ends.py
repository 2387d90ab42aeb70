"""Ends, chance in explored worlds, stakes in what is not known, weights of goals."""

from __future__ import annotations

from itertools import permutations
from math import log

import numpy as np
import pytest

import hbtom as hb

CORRIDOR = hb.maze("A.@.B", horizon=6)
walker = hb.Agent(
    traits={"efficiency": [1.0]},
    reward=lambda world: -world["cost"],
    end=lambda world, goal: world[goal],
)


def test_who_goes_on_after_an_end_did_not_want_it() -> None:
    p = hb.watch(walker, hb.Walk("left left right", world=CORRIDOR))
    assert p["goal"] == {"A": 0.0, "B": 1.0}
    assert p.margin("goal")[2, 0] > 0.9  # before it turns


def test_nothing_happens_after_an_end() -> None:
    short = hb.watch(walker, hb.Walk("left left", world=CORRIDOR))
    stays = hb.watch(walker, hb.Walk("left left up", world=CORRIDOR))  # against the wall
    lingers = stays.margin("goal")[-1]
    assert lingers[0] > short.margin("goal")[-1][0]  # an agent that wants B would have gone on
    of_b = hb.watch(walker.but(goals=["B"]), hb.Walk("left left up", world=CORRIDOR))
    joint = log(0.5) + np.array([0.0, of_b.log_evidence[3] - of_b.log_evidence[2]])
    before = np.log(short.margin("goal")[-1]) - log(0.5)
    assert np.allclose(np.log(lingers[0] / lingers[1]), (before + joint) @ [1, -1])


def test_hidden_agents_stop_at_their_end() -> None:
    seen = hb.watch(walker, hb.Walk(states=[2, 1, 0, 0, 0], world=CORRIDOR))
    hidden = hb.watch(walker, hb.Walk(states=[2, 1, None, 0, 0], world=CORRIDOR))
    assert seen["goal"]["A"] > 0.98
    assert hidden["goal"]["A"] > 0.98
    gone = hb.watch(walker, hb.Walk(states=[2, None, None, 0, None, 1], world=CORRIDOR))
    assert gone["goal"] == {"A": 0.0, "B": 1.0}


def test_evidence_agrees_with_simulation_past_ends() -> None:
    start = hb.watch(walker, hb.Walk([], world=CORRIDOR))
    walks = start.sample(400, rounds=6, seed=1)
    right = sum(
        max((p := hb.watch(walker, walk)["goal"]), key=p.__getitem__) == walk.truth["goal"]
        for walk in walks
    )
    sure = np.mean([max(hb.watch(walker, walk)["goal"].values()) for walk in walks])
    assert abs(right / 400 - sure) < 3 * np.sqrt(sure * (1 - sure) / 400) + 1e-9


def test_chance_in_explored_worlds() -> None:
    def move(action: str, at: np.ndarray) -> list[tuple[float, dict[str, np.ndarray]]]:
        to = np.clip(at + {"on": 1, "back": -1}[action], 0, 3)
        return [(0.75, {"at": to}), (0.25, {})]

    world = hb.explore({"at": 0}, [("", ["on", "back"], move)])
    hb.check_world(world, hb.Walk(["on"], [0, 1], world))
    assert world["at"].tolist() == [0, 1, 2, 3]
    agent = hb.Agent(reward=-1, end=world["at"] == 3)
    value = agent.plan(world).V.ravel()
    assert np.allclose(value, [-4, -8 / 3, -4 / 3, 0])  # 4 / 3 tries for each step


def test_nothing_happens_where_nothing_is_possible() -> None:
    def move(action: str, at: np.ndarray) -> dict[str, np.ndarray]:
        return {"at": at + 1, "legal": at < 2}

    world = hb.explore({"at": 0}, [("", ["on"], move)])
    assert world.ahead(world["at"]).ravel().tolist() == [1, 2, 2]


def helper(stake: object, known: bool) -> hb.Agent:
    small = hb.Agent(
        goals={"left": 1, "right": 3}, traits={"efficiency": [2.0]}, reward=-1,
        final=lambda world, goal: 4.0 * (world["at"] == {"left": 0, "right": 4}[goal]),
        others={"big": hb.Agent(traits={}, policy=hb.uniform)},
    )  # fmt: skip
    return hb.Agent(
        goals=["help", "hinder"], traits={"wants": small.goals} if known else {},
        policy=lambda Q: hb.boltzmann(Q, 4.0), stake={"small": stake},
        others={"small": small.known(goal="wants") if known else small},
    )  # fmt: skip


def pushing() -> hb.World:
    def walk(action: str, at: np.ndarray) -> dict[str, np.ndarray]:
        return {"at": np.clip(at + {"left": -1, "stay": 0, "right": 1}[action], 0, 4)}

    ways = ["left", "stay", "right"]
    return hb.explore({"at": 2}, [("big", ways, walk), ("small", ways, walk)], horizon=2)


def test_a_stake_in_what_is_not_known_is_averaged() -> None:
    stake, world = {"help": 1.0, "hinder": -1.0}, pushing()
    by_function = helper(lambda goal: stake[goal], False).plan(world, "big").V
    assert np.array_equal(helper(stake, False).plan(world, "big").V, by_function)
    blind = helper(stake, False).act(world, "big", goal="help")[0, 0][0]
    told = helper(stake, True)
    both = [told.act(world, "big", goal="help", wants=want)[0, 0][0] for want in ("left", "right")]
    assert both[0][0] > both[0][2]
    assert both[1][0] < both[1][2]
    assert blind[2] > blind[0]  # small rather wants to go right


@pytest.mark.parametrize("weights", [{"A": 1, "B": 1}, {"A": 3, "B": 1}])
def test_weights_of_goals_are_parameters_of_the_urn(weights: dict[str, float]) -> None:
    agent = walker.but(goals=weights, choose=hb.dirichlet(2.0))
    urn = {goal: 2.0 * 2 * w / sum(weights.values()) for goal, w in weights.items()}
    sure = [hb.Walk(states=[2, 1, 0], world=CORRIDOR), hb.Walk(states=[2, 3, 4], world=CORRIDOR)]
    p = hb.watch(agent, hb.Walk([], world=CORRIDOR))
    assert p["goal"]["A"] == pytest.approx(urn["A"] / sum(urn.values()))
    total = {
        round(hb.watch(agent, [*some]).log_evidence[-1], 9)
        for some in permutations([sure[0], sure[0], sure[1]])
    }
    assert len(total) == 1  # whatever the order


def test_a_goal_is_chosen_again_by_the_changed_traits() -> None:
    lover = walker.but(
        traits={"efficiency": [2.0], "love": [0.0, 50.0]}, choose=lambda V: V,
        final=lambda world, goal, love: love * (goal == "B") * world["B"],
    )  # fmt: skip
    p = hb.watch(lover, hb.Walk("left left", world=CORRIDOR))
    other = hb.maze("A..@.B", horizon=6)
    assert p.would(other["B"], do={"love": 50.0}, world=other) > 0.95
    assert p.would(other["B"], love=0.0, world=other) < 0.9


def test_a_goal_that_is_ruled_out_does_not_rule_out_the_others() -> None:
    blur = np.full(5, 0.2)
    p = hb.watch(walker, hb.Walk(states=[2, 1, 0, 1, blur], world=CORRIDOR))
    assert p["goal"] == {"A": 0.0, "B": 1.0}
    assert np.isfinite(p.log_evidence).all()


def test_rewards_of_explored_worlds_may_look_ahead() -> None:
    world = pushing()
    hopes = hb.Agent(goals=["x"], reward=lambda world: world.ahead(world["at"] == 4.0))
    others = {"small": hb.Agent(traits={}, policy=hb.uniform)}
    assert hopes.but(others=others).plan(world, "big").V.shape[-1] >= 1


@pytest.mark.parametrize("known", [False, True])
def test_who_lets_another_choose_need_not_know_what_it_wants(known: bool) -> None:
    """Small gets 1 if it may choose, whatever it wants, and .7 if it may not."""
    world = hb.explore(
        {"free": 0},
        [
            ("big", ["let", "give"], lambda action, free: {"free": int(action == "let")}),
            ("small", ["l", "r"], lambda action, free: {}),
        ],
        horizon=1,
    )

    def reward(world: hb.World, goal: str) -> np.ndarray:
        wanted = np.array(["l", "r"]) == goal
        return np.where((world["free"] == 1)[:, None], wanted, 0.7)

    idle = hb.Agent(traits={}, policy=hb.uniform)
    small = hb.Agent(
        goals=["l", "r"], traits={"efficiency": [50.0]}, reward=reward, others={"big": idle}
    )
    big = hb.Agent(
        traits={"efficiency": [10.0], **({"wants": ["l", "r"]} if known else {})},
        others={"small": small.known(goal="wants") if known else small}, stake={"small": 1},
    )  # fmt: skip
    lets = hb.watch({"big": big, "small": small}, hb.Walk([], world=world)).next()["let"]
    assert lets == pytest.approx(1 / (1 + np.exp(-10 * (1 - 0.7))), abs=1e-9)
