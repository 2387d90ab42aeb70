"""What is wrong in a theory, a world or a walk is told in one line, with what would be right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hbtom as hb
from naive import random_world

P = random_world(0, 3, 2)
R = np.random.default_rng(0).normal(size=(3, 2))
WALK = hb.Walk([0, 1], [0, 1, 2])


def agent(**parts: Any) -> hb.Agent:
    return hb.Agent(**{"step": P, "reward": R, "discount": 0.8} | parts)


def watched(walk: Any = WALK, **parts: Any) -> Any:
    return hb.watch(agent(**parts), walk)


def seen(*states: Any, **more: Any) -> Any:
    return watched(hb.Walk([0] * (len(states) - 1), states, **more))


def cued(at: Any, log: Any, **more: Any) -> Any:
    return seen(0, 1, 2, cues=[hb.Cue(at, log=log, **more)])


def changed(*at: int, to: float) -> Any:
    step = P.copy()
    step[at] = to
    return step


def alone(horizon: int | None = None) -> hb.World:
    moves = [(who, [0], lambda action, a: {"a": a}) for who in ("a", "b")]
    return hb.explore({"a": 0, "b": 0}, moves, horizon=horizon)


CASES: dict[str, Callable[[], Any]] = {
    # names
    r"'policy' asks for 'efficency'. Hint: the traits are efficiency": lambda: agent(
        policy=lambda Q, efficency: Q
    ),
    "'reward' asks for 'gaol'. .*ask for goal, world, phase": lambda: agent(reward=lambda gaol: R),
    "'choose' asks for 'goal'": lambda: agent(choose=lambda goal: 0.0),
    "'policy' has a default for 'efficiency', which is a trait": lambda: agent(
        policy=lambda Q, efficiency=2.0: hb.boltzmann(Q, efficiency)
    ),
    "'reward' has a default for 'fear'": lambda: agent(
        reward=lambda *, fear=1: R, traits={"fear": [1, 2], "efficiency": [1]}
    ),
    "no function asks for the trait 'fear'": lambda: agent(traits={"efficiency": [1], "fear": [1]}),
    "no function asks for the trait 'efficiency'": lambda: agent(
        traits={"efficiency": [1, 2]}, policy=hb.uniform
    ),
    "a trait cannot be called 'goal'": lambda: agent(traits={"goal": [1]}),
    "a trait cannot be called 'state'": lambda: agent(traits={"state": [1]}),
    "an agent has no part 'rewards'": lambda: agent().but(rewards=1),
    "the weight of 'efficiency' asks for 'fear'": lambda: watched(
        traits={"efficiency": hb.Trait([1, 2], weight=lambda fear: {1: 1})}
    ),
    "'others, bob' asks for 'wants'": lambda: agent(others={"bob": agent().known(goal="wants")}),
    "an agent has no 'gaol'": lambda: agent().known(gaol="wants"),
    "a stake needs the other mind.* 'bob'": lambda: agent(stake={"bob": 1}),
    "'knows' asks for 'worlds'": lambda: watched(knows=lambda worlds: {}),
    # values
    "'traits' is .'efficiency'.": lambda: agent(traits=["efficiency"]),
    "'bob' of others is 3": lambda: agent(others={"bob": 3}),
    "'efficiency' needs values; got 'high'": lambda: watched(traits={"efficiency": "high"}),
    r"'efficiency' needs values; got 2.0. Hint: .*efficiency=\[2.0\]": lambda: watched(
        traits={"efficiency": 2.0}
    ),
    "'efficiency' needs values, with weights that are not all 0; got -1": lambda: watched(
        traits={"efficiency": {1: -1, 2: 2}}
    ),
    "'efficiency' has a value twice among 2: 1, 1.0": lambda: watched(
        traits={"efficiency": [1, 1.0]}
    ),
    "drawn anew with probability 1.5": lambda: watched(
        traits={"efficiency": hb.Trait([1, 2], anew=1.5)}
    ),
    "'goal' has a value twice": lambda: watched(goals=["a", "a"]),
    "a discount is 1.2": lambda: watched(discount=1.2),
    "a depth is 0": lambda: watched(depth=0),
    "a depth is 1.5": lambda: watched(depth=lambda: 1.5),
    "'efficiency' had other values in earlier trials.*they were 3, 4": lambda: hb.watch(
        agent(traits={"efficiency": [1, 2]}), WALK, before=watched(traits={"efficiency": [3, 4]})
    ),
    # what functions return
    r"'reward' returns \(2, 3\). Hint: return numbers of the shape \(3, 2\)": lambda: watched(
        reward=np.ones((2, 3))
    ),
    r"'reward' returns \(5,\) for goal = 'b'": lambda: watched(
        goals=["a", "b"], reward=lambda goal: R if goal == "a" else np.ones(5)
    ),
    r"'reward' is not a number \(NaN\) at \(1, 0\)": lambda: watched(
        reward=np.where(np.arange(6).reshape(3, 2) == 2, np.nan, R)
    ),
    r"'reward' is infinite at \(0, 0\)": lambda: watched(reward=R + np.inf),
    "'final' is infinite": lambda: watched(final=[0, -np.inf, 0]),
    "'end' returns .2,.": lambda: watched(end=[True, False]),
    "'values' returns .5,.": lambda: watched(values=lambda goal: np.zeros(5)),
    "'worth' returns the shape": lambda: watched(worth=lambda Q: Q),
    "'choose' returns .3,. for V": lambda: watched(goals=["a", "b"], choose=lambda V: np.zeros(3)),
    "gives no goal a probability": lambda: watched(goals=["a", "b"], choose=lambda V: V - np.inf),
    "gives no goal a probability, or NaN": lambda: watched(
        goals=["a", "b"], choose=lambda V: V + np.inf
    ),
    "'knows' returns <World of 3 states>": lambda: watched(knows=lambda world: world),
    # policies
    r"'half' sums to 0.5 in step 1, where Q is": lambda: watched(policy=half),
    "'broken' sums to nan in step 1": lambda: watched(policy=broken),
    "sums to nan": lambda: watched(traits={"efficiency": [np.inf]}),
    "'short' returns the shape .3,. for Q": lambda: watched(policy=short),
    # worlds
    r"P\(s' \| s = 1, a = 0\) sums to 2": lambda: watched(
        step=changed(1, 0, to=2 / 3)
    ),
    r"sums to 1.1 \(6 such rows\)": lambda: watched(step=P * 1.1),
    r"P\(s' \| s = 0, a = 0\) sums to 1, and its least is -0.5": lambda: hb.World.of(
        [[[1.5, -0.5]], [[0, 1]]]
    ),
    "state 1 has no action": lambda: hb.World.of([[[1.0, 0]], [[0, 0]]]),
    r"has the shape \(3, 3\), not \[S, A, S\]": lambda: hb.World.of(np.eye(3)),
    r"an array of a world is nan at \(2, 1, 0\)": lambda: hb.World.of(changed(2, 1, 0, to=np.nan)),
    "not an array of numbers. Hint: check that rows are alike": lambda: hb.World.of(
        [[[1, 0], [1]], [[1, 0], [1, 0]]]
    ),
    "action 1 in state 0 leads to state 2. Hint: .*0 to 1": lambda: hb.Sparse([[1, 2], [0, 1]]),
    "action 1 in state 0 leads to state -2": lambda: hb.Sparse([[1, -2], [0, 1]]),
    "there are 2 actions and 1 names": lambda: watched(actions=["a"]),
    "in which world": lambda: hb.watch(hb.Agent(), WALK),
    "still changes after .* rounds.* give a discount below 1": lambda: watched(
        reward=1.0, discount=1.0
    ),
    "no end can be reached from the first state": lambda: hb.watch(
        hb.Agent(step=hb.Sparse([[1, 0], [0, 1], [2, 2]]), reward=-1, end=[0, 0, 1]),
        hb.Walk([0], [0, 1]),
    ),
    "a move of 'a' asks for 'b'": lambda: hb.explore(
        {"a": 0}, [("a", [1], lambda action, b: {"a": b})]
    ),
    "after '1', a state has no 'b'": lambda: hb.explore(
        {"a": 0}, [("a", [1], lambda action, a: {"b": a})]
    ),
    "'a' starts at 0.5": lambda: hb.explore({"a": 0.5}, [("a", [1], lambda action, a: {"a": a})]),
    "states have no field 'red'": lambda: hb.World.of(P)["red"],
    "'bob' has no phase in this world": lambda: hb.watch(
        {"bob": hb.Agent()}, hb.Walk([0], world=alone())
    ),
    "what does 'b' do, in the eyes of 'a'": lambda: hb.watch(
        {"a": agent(step=None, reward=0.0)}, hb.Walk([0], world=alone())
    ),
    # walks
    "step 2: the agent has no action 'up'. Hint: there are: left, right": lambda: watched(
        hb.Walk(["left", "up"], [0, 1, 2]), actions=["left", "right"]
    ),
    r"there is no state 3 \(after 2 steps\). Hint: .*0 to 2": lambda: seen(0, 1, 3),
    r"there is no state 9 \(after 0 steps\)": lambda: watched(hb.Walk([0], start=9)),
    "there is no state -1": lambda: seen(0, -1, 2),
    "the state after 1 steps is 'here'": lambda: seen(0, "here", 2),
    r"the state after 1 steps is \[0.5, 0.5\]": lambda: seen(0, [0.5, 0.5], 2),
    "what was seen after 1 steps is .*above 0": lambda: seen(0, [0, 0, 0], 2),
    "what was seen after 1 steps": lambda: seen(0, [0.5, -0.5, 1], 2),
    "not an array of numbers|is nan": lambda: seen(0, [0.5, np.nan, 1], 2),
    "there are 2 actions and 4 states": lambda: watched(hb.Walk([0, 1], [0, 1, 2, 0])),
    "time is up after 1 rounds, and there are 2 steps": lambda: watched(horizon=1),
    "'until' has the shape .2,.": lambda: seen(0, 1, 2, until=[0, 1]),
    "step 1 has probability 0 for every goal and trait.*in state 0": lambda: watched(
        step=np.array([[[1.0, 0, 0]] * 2] * 3)
    ),
    "step 2 has probability 0 .* would do .*in state 1": lambda: watched(
        step=np.concatenate([P[:, :1], 0 * P[:, 1:]], axis=1)
    ),
    "there is no trial to watch": lambda: hb.watch(agent(), []),
    r"this world has states, and \[0, 1\] has none": lambda: hb.watch(agent(), [[0, 1]]),
    "'ann' is no agent": lambda: hb.watch("ann", WALK),  # type: ignore[arg-type]
    "'a' is not an agent, but 3": lambda: hb.watch({"a": 3}, WALK),  # type: ignore[dict-item]
    # cues
    "cue 1 is after 3 steps. Hint: give a number from 0 to 2": lambda: cued(3, 0.0),
    "cue 1 is after -1 steps": lambda: cued(-1, 0.0),
    "cue 1 is after 0.5 steps": lambda: cued(0.5, 0.0),
    "cue 1 asks for 'gaol'": lambda: cued(1, lambda gaol: 0.0),
    "cue 1 is of nobody watched, 'bob'": lambda: cued(1, 0.0, of="bob"),
    r"cue 1 has a log-probability of \+inf": lambda: cued(1, np.inf),
    r"'cue 1' is not a number \(NaN\)": lambda: cued(1, np.nan),
    "'cue 1' returns .2,.": lambda: cued(1, lambda goal: [0, 1]),
    "cue 1 is <function": lambda: seen(0, 1, cues=[lambda goal: 0.0]),
    "after 1 steps, no goal and traits are left": lambda: cued(1, -np.inf),
    # questions
    "there is no step 6 of 2": lambda: watched().next(5),
    "time is up after 2 steps": lambda: watched(horizon=2).next(),
    "no goal or trait 'fear'. Hint: there are: efficiency, goal": lambda: watched()["fear"],
    "no goal or trait 'fear'": lambda: watched().would(do={"fear": 1}),
    "'goal' is one of a, b, not 'c'": lambda: watched(goals=["a", "b"]).would(goal="c"),
    "'of' has the shape .2,., for 3 states": lambda: watched().would([1, 0]),
    "there is no agent 'bob'": lambda: watched().would(without="bob"),
    "this world cannot leave out": lambda: watched().would(without=""),
    "keep='all' is not possible": lambda: watched().would(keep="all"),
    "'goal' has no mean": lambda: watched(goals=["a", "b"]).mean("goal"),
    "'' learns no preferences": lambda: watched().preference(),
}  # fmt: skip


def half(Q: Any) -> Any:
    return hb.uniform(Q) - np.log(2)


def broken(Q: Any) -> Any:
    return hb.uniform(Q) * np.nan


def short(Q: Any) -> Any:
    return np.log([0.5, 0.3, 0.2])


@pytest.mark.parametrize("told", CASES)
def test_what_is_wrong_is_told_in_one_line(told: str) -> None:
    with pytest.raises(hb.BadInput, match=told) as caught:
        CASES[told]()
    message = str(caught.value)
    assert len(message) < 300
    assert "\n" not in message


def test_lines_stay_short_where_there_is_much_to_tell() -> None:
    many = 200
    step = hb.Sparse(np.tile(np.arange(many), (many, 1)))
    names = [f"walk to the place with the number {n}" for n in range(many)]
    large = hb.Agent(step=step, reward=-1.0, discount=0.9, actions=names)
    wrong: list[Callable[[], Any]] = [
        lambda: hb.watch(large, hb.Walk(["walk on" * 50], [0, 1])),
        lambda: hb.watch(large, hb.Walk([names[3]], [0, 1])),
        lambda: hb.watch(large, hb.Walk([names[3]], [0, np.ones(many - 1)])),
        lambda: hb.watch(large, hb.Walk([names[3]], [0, -np.ones(many)])),
        lambda: hb.watch(large.but(policy=half), hb.Walk([names[3]], [0, 3])),
        lambda: hb.watch(large, hb.Walk([names[3]], [0, 3])).would(do={"goal": "g" * 500}),
        lambda: hb.watch(large, hb.Walk([names[3]], [0, 3], cues=[np.ones((50, 50))])),
        lambda: hb.watch({"ann": np.ones((90, 90))}, WALK),  # type: ignore[dict-item]
        lambda: hb.watch(large.but(traits={"efficiency": "x" * 500}), WALK),
        lambda: hb.watch(large.but(goals=[*map(str, range(500)), "1"]), WALK),
        lambda: hb.watch(large.but(knows=lambda: np.ones((90, 90))), WALK),
        lambda: hb.watch(large.but(traits={"efficiency": dict.fromkeys(range(400), -1)}), WALK),
    ]  # fmt: skip
    for case in wrong:
        with pytest.raises(hb.BadInput) as caught:
            case()
        assert len(str(caught.value)) < 300, str(caught.value)
        assert "\n" not in str(caught.value)
