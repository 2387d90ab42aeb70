"""Agents that do not know where things are: inference matches enumeration, and limits."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belief_mdp import MOVES, BeliefMDP, cells_of, draw
from episodes import HEART as SHAPE
from episodes import episode, key_trial, read
from hbtom import BadInput, Beliefs, Episode, Model, Posterior, Trial, infer, judge
from hbtom.judgement.shared_work import judge_pair
from hbtom.judgement.tables import to_pandas, to_xarray
from hbtom.mind.knowledge import known_along
from hbtom.mind.planned_trials import plan_one
from hbtom.model import with_settings
from hbtom.observe import Body, Identity, Other
from hbtom.world.text_gridworld import MOVES as COMPASS
from hbtom.world.text_gridworld import Gridworld
from hbtom.world.whereabouts import Whereabouts, whereabouts_of

LOOKING = {"knowledge.plan": True, "knowledge.walls_hide": True, "knowledge.certain": 0.4}
PLAIN = {name: Model.preset(name) for name in ("paper", "default")}
KNOWING = {name: with_settings(model, LOOKING) for name, model in PLAIN.items()}
FEW = {"efficiency.temperatures": [0.3, 0.9]}
both_motions = pytest.mark.parametrize("preset", ["paper", "default"])
HEART, SPOON = Identity("heart"), Identity("spoon")


def believed(model: Model, trial: Trial, where: Whereabouts | None = None) -> Posterior:
    return infer(model, Beliefs(), trial, whereabouts=where)[0]


# Enumeration


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_the_posterior_matches_an_enumeration_of_all_hypotheses(seed: int) -> None:
    rng, model = np.random.default_rng(seed), with_settings(KNOWING["paper"], FEW)
    picture = draw(rng)
    rows = picture.splitlines()
    mdp = BeliefMDP(rows, cells_of(rows))
    names = sorted(mdp.places)
    heart, spoon = rng.permutation(names)[:2].tolist()
    beliefs = {
        one: dict(zip(names, rng.dirichlet(np.ones(len(names))).tolist(), strict=True))
        for one in ("this", "that")
    }
    path, moves = [next((r, row.index("@")) for r, row in enumerate(rows) if "@" in row)], []
    for _ in range(6):
        near = {to for to, _ in mdp.moves(path[-2])} if len(path) > 1 else set()
        ways = [to for to, _ in mdp.moves(path[-1]) if to not in near]  # two moves are not one
        if ways:
            path.append(ways[rng.integers(len(ways))])
            step = path[-1][0] - path[-2][0], path[-1][1] - path[-2][1]
            moves.append(next(name for name, way in COMPASS.items() if way == step))
    prior = {"this": 0.3, "that": 0.7}
    world = Gridworld(
        picture, {"heart": heart, "spoon": spoon}, " ".join(moves), (), beliefs, prior
    )
    posterior = believed(model, world.trial, world.whereabouts)
    log = np.array(
        [
            [
                [
                    math.log(prior[one]) + p + log_path(mdp, values, path, goals, beta)
                    for beta, p in zip(
                        model.efficiency.values, model.efficiency.log_prior, strict=True
                    )
                ]
                for one, values in ((one, mdp.values(b)) for one, b in beliefs.items())
            ]
            for goals in ((heart, spoon), (spoon, heart))
        ]
    )
    found = np.exp(log - log.max())
    if posterior.hypotheses.beliefs == ("true",):  # everything was in sight
        np.testing.assert_allclose(
            posterior.joint[-1], found.sum(axis=1) / found.sum(), rtol=0, atol=1e-9
        )
    else:
        assert posterior.hypotheses.beliefs == ("this", "that")
        np.testing.assert_allclose(posterior.full[-1, :, :, 0], found / found.sum(), atol=1e-9)


def log_path(mdp: BeliefMDP, values, path, lie: tuple[str, str], beta: float) -> float:
    """Return the log-probability of a path to the first of two things, given where they lie."""
    log, knowns = 0.0, [frozenset(mdp.places)] * 2
    for here, there in pairwise(path):
        knowns = [mdp.after(here, k, at) for k, at in zip(knowns, lie, strict=True)]
        cost = {to: way + values[to, knowns[0]] for to, way in mdp.moves(here)}
        for goal, (known, at) in enumerate(zip(knowns, lie, strict=True)):
            if len(known) == 1 and mdp.in_reach(here, mdp.places[at]):
                cost["touch", goal] = mdp.act + (0.0 if goal == 0 else values[here, knowns[0]])
        log -= beta * cost[there] + math.log(sum(math.exp(-beta * one) for one in cost.values()))
    return log


def test_there_are_eight_moves() -> None:
    assert sorted(COMPASS.values()) == MOVES


# Limits

WALL = [[96.0, 0.0, 8.0, 150.0]]  # the path from left to right leads around its lower end
PLACES = {"near": (131.0, 43.0), "far": (171.0, 157.0)}


def walk(*corners: tuple[float, float]) -> np.ndarray:
    """Return places about 3 pixels apart on a path through corners."""
    parts = [
        np.linspace(one, other, int(math.dist(one, other) / 3) + 1)[1:]
        for one, other in pairwise(corners)
    ]
    return np.concatenate([[corners[0]], *parts])


LOOKS = walk((41.0, 83.0), (93.0, 163.0), (111.0, 161.0), (111.0, 143.0), (153.0, 153.0))


def room(path: np.ndarray = LOOKS, heart: str = "far", **more: object) -> Trial:
    """Return a trial whose heart lies behind a wall, and whose spoon lies in front of it."""
    given = {
        "size": (200.0, 200.0),
        "walls": np.array(WALL),
        "barrier": np.zeros((0, 4)),
        "objects": (Body(HEART, PLACES[heart], 9.0), Body(SPOON, (31.0, 31.0), 9.0)),
        "agent": Body(Identity("agent"), (path[0, 0], path[0, 1]), 6.0),
        "path": path,
        "barrier_left": np.zeros(len(path)),
    }
    return Trial(**{**given, **more})


def where(**more: object) -> Whereabouts:
    return Whereabouts(**{"places": PLACES, "things": ("heart",), **more})


def assert_same(one: Posterior, other: Posterior) -> None:
    """Check that two posteriors are the same, bit for bit, apart from the name of the belief."""
    np.testing.assert_array_equal(one.full, other.full)
    np.testing.assert_array_equal(one.log_likelihood, other.log_likelihood)
    np.testing.assert_array_equal(
        one.likelihood.regret.step_regret, other.likelihood.regret.step_regret
    )


@both_motions
def test_being_sure_of_the_truth_equals_knowing(preset: str) -> None:
    sure = where(beliefs={"right": {"far": 1.0}})
    found = believed(KNOWING[preset], room(), sure)
    assert found.hypotheses.beliefs == ("right",)
    assert_same(found, believed(PLAIN[preset], room()))


@both_motions
def test_walls_that_hide_nothing_leave_everything_known(preset: str) -> None:
    model = with_settings(KNOWING[preset], {"knowledge.walls_hide": False})
    assert_same(believed(model, room(), where()), believed(PLAIN[preset], room()))


@both_motions
def test_a_single_place_is_known(preset: str) -> None:
    one = Whereabouts({"far": PLACES["far"]}, things=("heart",))
    assert_same(believed(KNOWING[preset], room(), one), believed(PLAIN[preset], room()))


def test_two_things_that_may_have_swapped_places_do_not_block_each_other() -> None:
    """At the spoon's place, reaching the heart costs as much as without a spoon, around a cup."""
    heart, spoon = Body(HEART, PLACES["far"], 9.0), Body(SPOON, PLACES["near"], 9.0)
    cup = Body(Identity("cup"), (67.0, 123.0), 9.0)
    sure = where(beliefs={"wrong": {"near": 1.0}})
    both = replace(sure, things=("heart", "spoon"))
    one = believed(KNOWING["default"], room(objects=(heart, cup, spoon)), both)
    other = believed(KNOWING["default"], room(objects=(heart, cup)), sure)
    unseen = slice(0, 4), 0  # steps before anything comes into sight; the goal is the heart
    regrets = [each.likelihood.regret.step_regret[unseen] for each in (one, other)]
    np.testing.assert_array_equal(*regrets)


BEHIND = SHAPE.at(160, 52)  # a wall hides it from where the agent begins


@both_motions
def test_a_key_and_a_lock_change_nothing_for_an_agent_that_knows(preset: str) -> None:
    trial = read(episode(key_trial(goal=BEHIND)))[0]
    other, (x, y) = (136.0, 32.0), trial.objects[0].centre
    sure = Whereabouts({"here": (x, y), "there": other}, {"right": {"here": 1.0}})
    assert_same(believed(KNOWING[preset], trial, sure), believed(PLAIN[preset], trial))
    unsure = believed(KNOWING[preset], trial, Whereabouts(sure.places))
    assert unsure.hypotheses.beliefs == ("unsure", "at here", "at there")
    assert np.isfinite(unsure.log_likelihood).all()


# Changes that must not matter


def turned(trial: Trial, how: str) -> Trial:
    """Return a mirrored trial, or one with x and y swapped."""
    boxes = trial.walls.copy()
    if how == "mirrored":
        boxes[:, 0] = 200.0 - boxes[:, 0] - boxes[:, 2]
    else:
        boxes = boxes[:, [1, 0, 3, 2]]
    bodies = [replace(one, centre=turn(one.centre, how)) for one in (*trial.objects, trial.agent)]
    path = np.array([turn((x, y), how) for x, y in trial.path.tolist()])
    return replace(trial, walls=boxes, objects=tuple(bodies[:-1]), agent=bodies[-1], path=path)


def turn(place: tuple[float, float], how: str) -> tuple[float, float]:
    x, y = place
    return (200.0 - x, y) if how == "mirrored" else (y, x)


@both_motions
@pytest.mark.parametrize("how", ["mirrored", "transposed"])
def test_mirrored_and_turned_worlds_are_judged_the_same(preset: str, how: str) -> None:
    places = {name: turn(place, how) for name, place in PLACES.items()}
    one = believed(KNOWING[preset], room(), where())
    other = believed(KNOWING[preset], turned(room(), how), where(places=places))
    np.testing.assert_allclose(one.full, other.full, atol=1e-9)
    assert one.hypotheses.beliefs == ("unsure", "at near", "at far")


@both_motions
def test_the_order_of_places_and_things_does_not_matter(preset: str) -> None:
    places = {**PLACES, "left": (31.0, 171.0)}
    one = believed(KNOWING[preset], room(), where(places=places))
    back = dict(reversed(places.items()))
    trial = replace(room(), objects=room().objects[::-1])
    other = believed(KNOWING[preset], trial, where(places=back))
    np.testing.assert_allclose(one.goal, other.goal[:, ::-1], atol=1e-12)
    for name, belief in zip(one.hypotheses.beliefs, one.belief.T, strict=True):
        again = other.belief[:, other.hypotheses.beliefs.index(name)]
        np.testing.assert_allclose(belief, again, atol=1e-12)


# What is inferred

ALCOVES = """
    ###########
    #..#......#
    #.........#
    #1.#......#
    ####....@.#
    #2.#......#
    #.........#
    #..#......#
    ###########
"""


def test_an_agent_that_looks_and_turns_back_wanted_what_was_not_there() -> None:
    moves = "NW NW W W W E S S S S W W"  # the sixth leads back from where the spoon is in sight
    world = Gridworld(ALCOVES, {"heart": "2", "spoon": "1"}, moves)
    found = believed(KNOWING["paper"], world.trial, world.whereabouts)
    np.testing.assert_allclose(found.goal[5], 0.5, atol=1e-9)
    assert found.goal[6, 0] > 0.95
    joint = found.margin("goal", "belief")[-1]
    believes = found.hypotheses.beliefs.index("at 1"), found.hypotheses.beliefs.index("at 2")
    assert joint[0, believes[0]] > 10 * joint[0, believes[1]]
    knows = believed(PLAIN["paper"], world.trial)
    assert knows.goal[6, 0] < 0.05
    assert found.efficiency[-1, 0] > 1000 * knows.efficiency[-1, 0]  # nothing was wasted


@both_motions
def test_boards_hide_and_beliefs_last_until_they_are_gone(preset: str) -> None:
    board = np.tile([111.0, 100.0], (len(LOOKS), 1))
    for gone in (False, True):
        board[len(LOOKS) // 2 :] = np.nan if gone else board[0]
        panel = Other("occluder", Identity("board"), (10.0, 180.0), board, np.zeros(len(LOOKS)))
        trial = room(walls=np.zeros((0, 4)), others=(panel,))
        model = with_settings(KNOWING[preset], {"knowledge.walls_hide": False})
        seen = plan_one(model, trial, whereabouts=where()).seen
        assert len(seen.stages) == 2
        unknown = [np.isinf(one.reach[0]).all() for one in seen.stages]
        assert unknown == [True, False]
        first_known = seen.trajectory.frame[seen.trajectory.mode > 0].min()
        assert (first_known <= len(LOOKS) // 2 + 15) == gone


def test_knowledge_grows_until_the_thing_is_moved() -> None:
    #       nothing   place 2   it moves to 0 unseen   it is carried   it is seen
    sees = [[0, 0, 0], [0, 0, 1], [0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1, 0]]
    lies = [1, 1, 0, -1, 0, 0]
    known = known_along(np.array(sees, dtype=bool), np.array(lies))
    assert [set(one) for one in known] == [{0, 1, 2}, {0, 1}, {0, 1, 2}, {0, 1, 2}, {0}, {0}]


@both_motions
def test_a_thing_that_was_moved_out_of_sight_is_looked_for_where_it_was(preset: str) -> None:
    path = walk((41.0, 99.0), (91.0, 27.0))  # up around a wall, behind which it was moved down
    up, down = (131.0, 63.0), (131.0, 137.0)
    places = np.repeat([[up, (31.0, 31.0)]], len(path), axis=0)
    places[4:, 0] = down
    objects = Body(HEART, up, 9.0), Body(SPOON, (31.0, 31.0), 9.0)
    wall = np.array([[96.0, 40.0, 8.0, 120.0]])
    moved = room(path, walls=wall, objects=objects, object_paths=places)
    for trial in (moved, replace(moved, still=True)):  # readers of scenes set ``still``
        found = believed(KNOWING[preset], trial)
        names = found.hypotheses.beliefs
        wanted = found.margin("goal", "belief")[-1][0]
        assert wanted[names.index("at (131, 63)")] > 5 * wanted[names.index("at (131, 137)")]


def test_places_of_earlier_trials_are_candidates() -> None:
    path = walk((41.0, 83.0), (93.0, 163.0), (109.0, 161.0), (113.0, 91.0), (127.0, 57.0))
    before, after = room(path, "near"), room(path, "far")
    model = KNOWING["paper"]
    judgement = judge(Episode((before, after)), model)
    assert "at (131, 43)" in judgement.test.hypotheses.beliefs
    assert judgement.posteriors[0].hypotheses.beliefs == ("true",)  # because the spoon is in sight
    alone = judge(Episode((after,)), model)
    assert "at (131, 43)" not in alone.test.hypotheses.beliefs
    pair = Episode((before, before)), Episode((before, after))
    models = [PLAIN["paper"], model]
    for one, judged in zip(models, judge_pair(models, *pair), strict=True):
        alike = [judge(member, one).plausibility for member in pair]
        assert [member.plausibility for member in judged] == pytest.approx(alike, rel=1e-9)


def test_things_that_cannot_be_elsewhere_are_known() -> None:
    """An object inside a wall is known to be there; so is its twin, which has the same name."""
    inside, outside = Body(HEART, (99.0, 70.0), 9.0), Body(HEART, PLACES["far"], 9.0)
    assert whereabouts_of(room(objects=(inside, outside)), (room(heart="near"),)) is None
    spoon = Body(SPOON, (31.0, 31.0), 9.0)
    found = whereabouts_of(room(objects=(inside, spoon)), (room(heart="near"),))
    assert found is not None
    assert found.things == ("spoon",)
    assert set(found.places.values()) == {(31.0, 31.0), PLACES["near"]}


def test_desires_and_beliefs_come_out_together_and_labelled() -> None:
    judgement = judge(Episode((room(heart="near"), room())), KNOWING["paper"])
    table = to_xarray(judgement.test)["posterior"]
    assert table.dims == ("step", "goal", "belief", "efficiency")
    assert list(table.coords["belief"].values) == list(judgement.test.hypotheses.beliefs)
    np.testing.assert_allclose(
        table[-1].sum("efficiency"), judgement.test.margin("goal", "belief")[-1]
    )
    assert set(to_pandas(judgement.posteriors)["variable"]) >= {"goal", "belief"}
    assert pickle.loads(pickle.dumps(judgement)).plausibility == judgement.plausibility
    last = judgement.to_dict(trace=True)["trace"][-1]["steps"][-1]
    assert set(last["belief"]) == set(judgement.test.hypotheses.beliefs)
    joint = [list(one.values()) for one in last["goal_and_belief"].values()]
    np.testing.assert_array_equal(joint, judgement.test.margin("goal", "belief")[-1])


# Bad input


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"places": {}}, "field 'places': there are no places"),
        ({"places": {"a": (5.0, 5.0), "b": (5.0, 5.0)}}, "two places are the same"),
        ({"places": {str(i): (i, i) for i in range(5)}}, "there are 5 places"),
        (
            {"beliefs": {"odd": {"near": 0.5}}},
            "field 'beliefs': the belief 'odd' is 0.5, with a sum of 0.5",
        ),
        ({"beliefs": {"odd": {"near": 1.5, "far": -0.5}}}, "the belief 'odd' is 1.5, -0.5"),
        ({"beliefs": {"odd": {"moon": 1.0}}}, "the belief 'odd' has the unknown name 'moon'"),
        ({"beliefs": {"a": {"far": 1}}, "prior": {"a": 0.5}}, "field 'prior': the prior is 0.5"),
        ({"beliefs": {"a": {"far": 1}}, "prior": {"b": 1}}, "the prior has the unknown name 'b'"),
    ],
)
def test_senseless_places_and_beliefs(given: dict, message: str) -> None:
    with pytest.raises(BadInput, match=message.replace("(", r"\(")) as error:
        where(**given)
    assert error.value.hint


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"places": {**PLACES, "wall": (99.0, 70.0)}}, r"'wall' at \(99, 70\) is inside a wall"),
        ({"places": {**PLACES, "off": (250.0, 70.0)}}, "outside the world"),
        ({"places": {"near": PLACES["near"]}}, "'heart' lies at none of the places"),
        ({"things": ("moon",)}, "there is no object 'moon'"),
    ],
)
def test_places_that_do_not_fit_the_trial(given: dict, message: str) -> None:
    with pytest.raises(BadInput, match=message) as error:
        believed(KNOWING["default"], room(), where(**given))
    assert error.value.hint


def test_models_that_cannot_plan_over_knowledge_say_so() -> None:
    with pytest.raises(BadInput, match="always know where things are"):
        believed(PLAIN["paper"], room(), where())
    for setting in ({"motion.slip": 0.1}, {"observation.noise": 1.0}):
        with pytest.raises(BadInput, match="moves that are certain and seen"):
            believed(with_settings(KNOWING["paper"], setting), room(), where())
