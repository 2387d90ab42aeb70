"""Eleven changes of a theory, with public names only; numbers follow from reasoning by hand."""

from __future__ import annotations

import numpy as np
import pytest

import hbtom as hb

LANE = hb.maze("A..@..B")  # three steps to either side; up and down lead nowhere
STEP = 1 / (1 + 2 * np.exp(-1) + np.exp(-2))  # P(towards the goal) at efficiency 1
WALKER = hb.Agent(reward=-1, end=lambda world, goal: world[goal], traits={"efficiency": [1]})


def close(found, expected):
    return found == pytest.approx(expected, abs=1e-9)


def odds(x):
    return 1 / (1 + np.exp(-x))


def test_a_an_mdp_of_arrays_with_chance():
    T = np.zeros((3, 2, 3))
    T[0, 0, 1] = T[1, 0, 0] = T[1, 1, 2] = T[2, 0, 1] = T[2, 1, 2] = 1
    T[0, 1] = [0.5, 0, 0.5]  # on ice, half of the steps to 2 come to nothing
    place = {"one": 1, "two": 2}
    agent = hb.Agent(
        goals=["one", "two"], step=T, actions=["near", "far"],
        end=lambda goal: np.arange(3) == place[goal],
        reward=lambda fear: -1 - fear * (np.arange(2) == 1),
        traits={"efficiency": [1], "fear": [0, 1]},
    )  # fmt: skip
    plan = agent.plan()
    assert close(plan.Q[0, 0][0, 0, 0, 0], [-1, -2])  # without fear, for one: 2 steps in the mean
    assert close(plan.Q[0, 0][0, 0, 1, 0], [-2, -2])  # for two, both ways take 2
    p = hb.watch(agent.but(traits={"efficiency": [1]}, reward=-1), hb.Walk(["far"], [0, 0]))
    assert close(
        np.exp(p.log_evidence[-1]), 0.5 * (odds(-1) + 0.5) / 2
    )  # chance is in the evidence
    assert close(p["goal"]["two"], 0.5 / (0.5 + odds(-1)))


def test_b_greedy_with_lapses_and_habits():
    left = hb.Walk("left left up", world=LANE)
    greedy = WALKER.but(goals=["A"], policy=hb.greedy, traits={"epsilon": [0.1, 0.4]})
    likely = [(1 - 0.75 * e) ** 2 * e / 4 for e in (0.1, 0.4)]
    assert close([*hb.watch(greedy, left)["epsilon"].values()], likely / np.sum(likely))

    def habit(Q, options, efficiency, habit, lapse):
        drawn = hb.boltzmann(efficiency * Q + habit * (options == "up"))
        return hb.mix(drawn, hb.uniform(Q), lapse)

    agent = WALKER.but(
        goals=["A"], policy=habit, traits={"efficiency": [1], "habit": [0, 1], "lapse": [0.2]}
    )
    up = [
        0.8 * np.exp(h - 1) / (1 + np.exp(h - 1) + np.exp(-1) + np.exp(-2)) + 0.05 for h in (0, 1)
    ]
    found = hb.watch(agent, hb.Walk("up", world=LANE))["habit"]
    assert close([*found.values()], up / np.sum(up))


def test_b_a_habit_needs_the_act_before():
    def inertia(Q, options, previous, inertia):
        return hb.boltzmann(0 * Q + inertia * (np.arange(len(options)) == previous))

    agent = WALKER.but(policy=inertia, traits={"inertia": [0, 2]})
    again = np.exp(2) / (np.exp(2) + 3)  # the first act is free, then two of three are repeated
    likely = [1 / 64, again**2 * (1 - again) / 3]
    p = hb.watch(agent, hb.Walk("up up up down", world=LANE))
    assert close([*p["inertia"].values()], likely / np.sum(likely))


def test_c_utility_minus_cost():
    U = [0, 2, 4]
    agent = WALKER.but(
        goals=["none", "A", "B"], choose=lambda V: V,
        end=lambda world, goal: world[goal] if goal != "none" else True,
        traits={"efficiency": [1], "red": U, "blue": U, "step": [1, 2]},
        reward=lambda step: -step,
        final=lambda goal, red, blue: {"none": 0, "A": red, "B": blue}[goal],
    )  # fmt: skip
    p = hb.watch(agent, hb.Walk([], world=LANE))
    assert close(sum(p["goal"].values()), 1)
    weight = {g: np.exp([[[v - 3 * c for c in (1, 2)] for v in U]]) for g in "AB"}
    red, blue = weight["A"].reshape(3, 1, 2), weight["B"].reshape(1, 3, 2)
    assert close(p["goal"]["A"], (red / (1 + red + blue)).mean())
    joint = p.joint()[0, :, :, :, 1]  # of the goal A: [red, blue, step]
    assert close(joint, red / (1 + red + blue) / 18)


def test_d_a_trait_that_is_made_up():
    lane = hb.maze("A..@..B", stay=True)

    def lazily(Q, options, efficiency, laziness):
        return hb.mix(hb.boltzmann(Q, efficiency), hb.only("stay", options), laziness)

    agent = WALKER.but(
        policy=lazily, goals=["A"], traits={"efficiency": [60], "laziness": [0.1, 0.5]}
    )
    p = hb.watch(agent, hb.Walk("left stay stay left", world=lane))
    likely = [z**2 * (1 - z) ** 2 for z in (0.1, 0.5)]
    assert close([*p["laziness"].values()], likely / np.sum(likely))


def test_e_beliefs_and_what_was_seen_before():
    left, right = hb.maze("#c..@...#"), hb.maze("#...@..c#")
    agent = WALKER.but(goals=["c"], knows=lambda: {"left": (1, left), "right": (3, right)})
    for n in (1, 2):  # each step is exp(2) times as probable towards as away
        p = hb.watch(agent, hb.Walk(["left"] * n, world=right))
        assert close(p["belief"]["left"], odds(2 * n - np.log(3)))
        assert close(p.next()["left"], STEP * sum(
            p["belief"][side] * np.exp(-2 * (side == "right")) for side in ("left", "right")
        ))  # fmt: skip
    keeps = WALKER.but(goals=["c"], knows=lambda world, earlier: {"old": (1, [*earlier, world][0])})
    first = hb.watch(keeps, hb.Walk("left", world=left))
    assert close(hb.watch(keeps, hb.Walk([], world=right), before=first).next()["left"], STEP)


def helping(wants=("flower", "nothing"), effort=0.5, pull=1.0):
    """Return the world and minds of a gate, which big may open before small can go through."""
    phases = [
        ("big", ["wait", "open"], lambda action, gate: {"gate": int(action == "open")}),
        ("small", ["stay", "go"], lambda action, small, gate: {"small": gate * (action == "go")}),
    ]
    world = hb.explore({"small": 0, "gate": 0}, phases, horizon=1)
    small = hb.Agent(
        goals=[*wants], traits={"efficiency": [1]}, others={"big": hb.Agent(
            traits={}, values=0, policy=hb.uniform)},
        final=lambda world, goal: pull * (goal == "flower") * (world["small"] == 1),
    )  # fmt: skip
    big = hb.Agent(
        goals=["help", "neither", "hinder"], traits={"efficiency": [2], "wants": [*wants]},
        reward=lambda phase: -effort * (np.array(phase.actions) == "open"),
        others={"small": small.known(goal="wants")},
        stake={"small": lambda goal: {"help": 1, "neither": 0, "hinder": -1}[goal]},
    )  # fmt: skip
    return world, {"small": small, "big": big}


def test_f_helping_and_hindering():
    world, minds = helping()
    p = hb.watch(minds, hb.Walk(["open"], world=world))
    goes = odds(1.0)  # if it wants the flower and the gate is open
    opens = np.array(
        [[odds(2 * (stake * goes * flower - 0.5)) for flower in (1, 0)] for stake in (1, 0, -1)]
    )
    assert close(p.margin("big.goal", "small.goal")[-1], opens / opens.sum())
    assert p.names == ("small.efficiency", "small.goal", "big.efficiency", "big.goal")
    q = hb.watch(minds, hb.Walk(["open", "go"], world=world))  # what small does bears on big
    both = opens * [goes, 0.5]
    assert close([*q["big.goal"].values()], both.sum(axis=1) / both.sum())
    assert close(q.would(lambda world: world["small"] == 1, without="big"), 0)


def test_g_an_utterance_at_any_time():
    says = {"A": 0.8, "B": 0.1}
    before = hb.Cue(at=0, log=lambda goal: np.log(says[goal]))
    after = hb.Cue(at=1, log=lambda goal: np.log(says[goal]))
    p = hb.watch(WALKER, hb.Walk("right", world=LANE, cues=[before]))
    assert close(p.margin("goal")[0], [8 / 9, 1 / 9])
    assert close(p["goal"]["A"], odds(np.log(8) - 2))
    q = hb.watch(WALKER, hb.Walk("right", world=LANE, cues=[after]))
    assert close(q.margin("goal")[0], [0.5, 0.5])
    assert close(q["goal"], p["goal"])
    assert close(q.log_evidence[-1], p.log_evidence[-1])


def leaning(efficiency, left):
    def policy(Q, options, efficiency, left):
        return hb.boltzmann(efficiency * Q + left * (options == "left"))

    return WALKER.but(
        goals=["A"], policy=policy, traits={"efficiency": [efficiency], "left": [left]}
    )


def test_h_two_parameters_are_fitted_to_choices():
    done = ["left"] * 16 + ["up"] * 2 + ["down"] * 2 + ["right"]
    people = [hb.Walk(one, world=LANE) for one in done]
    # three kinds of acts: log (16 / 2) = efficiency + left, log (1 / 2) = -efficiency
    found = hb.fit(leaning, people, efficiency=(0.1, 3), left=(-2, 3))
    assert found.values["efficiency"] == pytest.approx(np.log(2), abs=0.01)
    assert found.values["left"] == pytest.approx(np.log(4), abs=0.01)
    assert found.log_likelihood == pytest.approx(
        16 * np.log(16 / 21) + 4 * np.log(2 / 21) + np.log(1 / 21), abs=1e-3
    )


def test_h_two_parameters_are_fitted_to_ratings():
    def make(efficiency, prior):
        return WALKER.but(goals={"A": prior, "B": 1 - prior}, traits={"efficiency": [efficiency]})

    walks = [hb.Walk(one, world=LANE) for one in ("left", "right", "up", "left left")]
    ratings = [odds(np.log(0.7 / 0.3) + 2 * 0.5 * n) for n in (1, -1, 0, 2)]
    ask = lambda p: p["goal"]["A"]  # noqa: E731
    found = hb.fit(make, walks, ratings, ask=ask, efficiency=(0.1, 2), prior=(0.1, 0.9))
    assert found.values["efficiency"] == pytest.approx(0.5, abs=0.01)
    assert found.values["prior"] == pytest.approx(0.7, abs=0.01)
    assert found.r == pytest.approx(1, abs=1e-4)


def test_h_parameters_can_be_recovered():
    people = [[hb.Walk("left left left", world=LANE)]] * 40
    found = hb.recover(leaning, people, number=5, efficiency=[0.2, 1, 3], left=[-2, 0])
    assert found.r("efficiency") > 0.7
    assert len(found.true) == len(found.fitted) == 5


def test_i_predict_sample_simulate():
    p = hb.watch(WALKER, hb.Walk("left", world=LANE))
    A = odds(2)
    assert close(p["goal"]["A"], A)
    assert close(p.next()["left"], STEP * (A + (1 - A) * np.exp(-2)))
    prior = hb.watch(WALKER, hb.Walk([], world=LANE))
    walks = prior.sample(400, rounds=1)
    share = np.mean([walk.actions == ["left"] for walk in walks])
    assert share == pytest.approx(STEP * odds(0) * (1 + np.exp(-2)), abs=4 * 0.5 / 20)
    sure = hb.watch(WALKER.but(traits={"efficiency": [60]}), hb.Walk([], world=LANE))
    for walk in sure.sample(20):  # the best agents go where they want
        assert walk.actions == [{"A": "left", "B": "right"}[walk.truth["goal"]]] * 3


def test_j_what_would_have_been():
    def there(world):
        return world["A"]

    sure = WALKER.but(
        traits={"efficiency": [60], "red": [4, 8]}, choose=lambda V: V,
        final=lambda goal, red: red if goal == "A" else 4,
    )  # fmt: skip
    p = hb.watch(sure, hb.Walk("left left left", world=LANE))
    assert close(p.would(there), 1)
    assert close(p.would(there, goal="B"), 0)
    liked = np.array([odds(0), odds(4)]) / (odds(0) + odds(4))  # P(red | it chose A)
    assert close([*p["red"].values()], liked)
    far = hb.maze("A.......@..B")  # 8 steps to A, 3 to B: the goal is chosen again
    again = liked @ [odds(4 - 8 - (4 - 3)), odds(8 - 8 - (4 - 3))]
    assert close(p.would(there, world=far, rounds=8), again)
    assert close(p.would(there, world=far, rounds=8, keep="goal"), 1)
    assert close(p.would(there, do={"goal": "A", "red": 4}, rounds=2), 0)  # it takes three steps


def test_k_the_most_informative_trial():
    fork = hb.maze("""
        .....
        .###.
        @...B
    """)
    careful = hb.Agent(
        goals=["B"], traits={"efficiency": [60]}, end=lambda world, goal: world[goal],
        reward=lambda world: -1 - 9 * world.ahead((world["row"] == 2) & (world["column"] == 2)),
    )  # fmt: skip
    careless = careful.but(reward=-1)
    trials = [hb.Walk([], world=fork, start=fork.find(row=1, column=4)), hb.Walk([], world=fork)]
    best, other = hb.separate(careful, careless, trials, number=20, rounds=12)
    assert (best.number, other.number) == (1, 0)
    assert close(best.gain, np.log(2))  # one way is never taken by the other
    assert abs(other.gain) < 1e-9  # below the corner, both do the same
    same, _ = hb.separate(careless, careless.but(), trials, number=5, rounds=12)
    assert close(same.gain, 0)
