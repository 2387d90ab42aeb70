"""Mistakes in theories are told, with the function or the step and what would be right."""

from __future__ import annotations

import numpy as np
import pytest

import hbtom as hb

LANE = hb.maze("A..@..B")
ANN = hb.Agent(reward=-1, end=lambda world, goal: world[goal])
LEFT = hb.Walk("left", world=LANE)
P = hb.watch(ANN, LEFT)
WAYS = {"left": -1, "right": 1}


def watched(**changes):
    return lambda: hb.watch(ANN.but(**changes), LEFT)


def explored(move, **start):
    return lambda: hb.explore(start or {"cell": 0}, [("ann", [*WAYS], move)], horizon=2)


def one(efficiency):
    return ANN.but(traits={"efficiency": [efficiency]})


class Lost:
    states, start, actions = (0, 1), 5, ("on",)

    def after(self, state, action):
        return {0: 1.0}


MISTAKES = {
    "the concentration of preferences is -1": lambda: hb.dirichlet(-1),
    "cannot start in state 9": lambda: hb.World.of(np.eye(2)[:, None], start=9),
    "the start 5 is no state": lambda: hb.adopt(Lost()),
    "a walk has no state": lambda: hb.Walk(states=[], world=LANE),
    "the range of 'efficiency' is empty": lambda: hb.fit(one, [LEFT], efficiency=[]),
    "there are no 4 rounds": lambda: hb.watch(
        ANN, hb.Walk("left", world=hb.maze("A.@.B", horizon=3))
    ).would(rounds=4),
    "'end' has the value 6": watched(end=lambda world, goal: world.find(B=True)),
    "'end' returns 'A' for goal = 'A'": watched(end=lambda goal: goal),
    "world.ahead(x) is what x [S]": watched(reward=lambda world: -1.0 * world["A"]),
    "NaN) at (0, 0) for goal = 'B'": watched(reward=lambda goal: np.nan if goal == "B" else -1),
    "no end can be reached": watched(end=None),
    "a discount is 1.5": watched(discount=1.5),
    "an agent has the horizon 3": watched(horizon=3),
    "the policy sums to": watched(policy=lambda Q, efficiency: efficiency * Q),
    "the policy is 'boltzmann', not": watched(policy="boltzmann"),
    "a mixture has the weight 2.0": watched(
        policy=lambda Q, efficiency: hb.mix(hb.boltzmann(Q, efficiency), hb.uniform(Q), 2.0)
    ),
    "as hb.dirichlet() does": watched(choose=hb.dirichlet),
    "<Walk: left> is no agent": lambda: hb.watch(LEFT, ANN),
    "'left' is not a trial": lambda: hb.watch(ANN, "left"),
    "in place of actions or states": lambda: hb.Walk(LANE, "left"),
    "is no world": lambda: hb.watch(ANN, hb.Walk("left", world="lane")),
    "has no action 'west'": lambda: hb.watch(ANN, hb.Walk("left west", world=LANE)),
    "(it leads elsewhere)": lambda: hb.watch(ANN, hb.Walk("left", [3, 3], LANE)),
    "world of one agent, and 2": lambda: hb.watch({"ann": ANN, "bob": ANN}, LEFT),
    "'<lambda>' asks for 'w'": lambda: P.would(lambda w: w["A"]),
    "there is nothing to vary": lambda: hb.fit(ANN, [LEFT], efficiency=(1, 2)),
    "one walk is given for people": lambda: hb.fit(one, LEFT, efficiency=(1, 2)),
    "the range of 'efficiency' is 1": lambda: hb.fit(one, [LEFT], efficiency=1),
    "what do the ratings rate?": lambda: hb.fit(one, [LEFT], [0.5], efficiency=(1, 2)),
    "'ask' returns {'A'": lambda: hb.fit(
        one, [LEFT], [0.5], ask=lambda p: p["goal"], efficiency=(1, 2)
    ),
    "people are <Walk: left>": lambda: hb.log_evidence(ANN, LEFT),
    "there is no parameter 'fear'": lambda: hb.recover(one, [LEFT], 1, efficiency=[1]).r("fear"),
    "two theories are needed": lambda: hb.separate(ANN, ANN),
    "the move 'left' returns": explored(lambda action, cell: cell),
    "a move returns 'cell' of the shape": explored(lambda action, cell: {"cell": [1, 2, 3]}),
    "'cell' starts at 0.5": explored(lambda action, cell: {"cell": cell}, cell=0.5),
    "a round is not made of phases": lambda: hb.explore({"cell": 0}, [("ann", WAYS)]),
    "new states still come about": lambda: hb.explore(
        {"cell": 0}, [("ann", ["on"], lambda action, cell: {"cell": cell + 1})]
    ),
    "'Agent' is a class": lambda: hb.adopt(hb.Agent),
    "it is a class": lambda: hb.check_world(hb.World),
}


@pytest.mark.parametrize("told", MISTAKES)
def test_a_mistake_is_told(told):
    with pytest.raises(hb.BadInput) as error:
        MISTAKES[told]()
    assert told in str(error.value)
    assert "Hint" in str(error.value)


def test_errors_of_functions_say_for_which_values():
    with pytest.raises(KeyError) as error:
        watched(reward=lambda goal: {"A": -1}[goal])()
    assert "goal = 'B'" in error.value.__notes__[0]


def test_what_is_well_meant_is_taken():
    drawn = hb.maze("""
        #####
        #A@B#
        #####
    """)
    assert drawn.states == 3
    cue = hb.Cue(0, lambda goal: np.log(0.9 if goal == "A" else 0.1))
    p = hb.watch(ANN, hb.Walk([], world=drawn, cues=cue))
    assert p["goal"]["A"] == pytest.approx(0.9)
    idle = hb.Agent(traits={}, values=0, policy=lambda options: hb.only("up", options))
    assert hb.watch(idle, hb.Walk("up up", world=LANE)).log_evidence[-1] == pytest.approx(0)
    gate = hb.explore({"gate": 0}, [("ann", ["open"], lambda action: {"gate": 1})], horizon=1)
    assert gate["gate"].tolist() == [0, 1]


@pytest.mark.parametrize(("actions", "many"), [("left left", 2), (["left"], 1), ("left", 1)])
def test_a_walk_tells_its_steps(actions, many):
    walk = hb.Walk(actions, world=LANE)
    assert len(walk) == many
    assert repr(walk) == f"<Walk: {', '.join(['left'] * many)}>"


def test_letters_are_actions():
    world = hb.World.of(np.eye(2)[[[0, 1], [0, 1]]], actions="LR")
    assert hb.Walk("LRR", world=world).replayed(world).states == (0, 0, 1, 1)
    assert len(hb.Walk("LRR", world=world)) == len(hb.Walk("L R R", world=world)) == 3
    with pytest.raises(hb.BadInput, match="no action 'X'"):
        hb.Walk("LX", world=world).replayed(world)


def test_a_lake_of_gymnasium():
    gymnasium = pytest.importorskip("gymnasium")
    env = gymnasium.make("FrozenLake-v1")
    lake = hb.adopt(env, actions=["left", "down", "right", "up"])
    assert lake.states == 16
    assert lake["end"].sum() == 5  # four holes and the present
    hb.check_world(lake)
    skater = hb.Agent(
        goals=["present"], discount=0.99, end=lambda world: world["end"],
        reward=lambda world: world["reward"],
    )  # fmt: skip
    P, V = env.unwrapped.P, np.zeros(16)
    for _ in range(2000):
        V = np.array([
            max(sum(p * (r + 0.99 * V[t] * (not over)) for p, t, r, over in P[s][a]) for a in P[s])
            for s in P
        ])  # fmt: skip
    ends = lake["end"]
    assert np.allclose(skater.plan(lake).V[0, 0][~ends], V[~ends])


def test_efficiencies_far_out_have_a_prior():
    prior = hb.inverse_gamma(1, 1, (2000.0, 2001.0))  # exp(-2000) is too small for a number
    assert [*prior.values()] == pytest.approx([1 / (1 + np.exp(-1)), 1 / (1 + np.exp(1))])
