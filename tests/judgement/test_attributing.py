"""What agents want and believe, in plans and gridworlds: tables, sentences, and people."""

from __future__ import annotations

import runpy
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest

import hbtom
from domains import EXAMPLES
from hbtom.model import with_settings
from hbtom.show.desire_text import explain_desires
from hbtom.world.gridworld_file import load_gridworlds
from hbtom.world.pddl import (
    World,
    ground,
    make_goal,
    read_domain,
    read_partial_plan,
    read_plan,
    read_problem,
)

ROOT = Path(__file__).parents[2]
PEOPLE = ROOT.parent / "shared" / "data" / "people" / "btom-2017"
TRUCKS = ROOT / "worlds" / "trucks.toml"
PANTRY = EXAMPLES / "pantry"
MODEL = with_settings(
    hbtom.Model.preset("paper"),
    {"desires.utilities": [-5.0, 4.0, 9.0], "desires.fineness": 3, "desires.lacking": 1.0},
)


# A gridworld, and the same world in PDDL

ROWS = ["1.@.", ".##.", ".#2."]
FREE = [(r, c) for r, c in product(range(3), range(4)) if ROWS[r][c] != "#"]
IN_SIGHT = "(or (at c22) (at c23))"  # place 2 is in sight
DOMAIN = """
(define (domain walking)
  (:requirements :strips :typing :disjunctive-preconditions)
  (:types cell truck)
  (:predicates (at ?c - cell) (next ?a ?b - cell) (stands ?t - truck ?c - cell))
  (:action go
    :parameters (?a ?b - cell)
    :precondition (and (at ?a) (next ?a ?b))
    :effect (and (not (at ?a)) (at ?b))))
"""


def walking(name: str, trucks: str) -> World:
    near = (
        f"(next c{a}{b} c{r}{c})"
        for (a, b), (r, c) in product(FREE, FREE)
        if abs(a - r) + abs(b - c) == 1
    )
    cells = " ".join(f"c{r}{c}" for r, c in FREE)
    init = f"(at c02) (stands k c00) {trucks} {' '.join(near)}"
    objects = f"{cells} - cell k l m - truck"
    text = f"(define (problem {name}) (:domain walking) (:objects {objects}) (:init {init})"
    return ground(read_problem(f"{text} (:goal (at c00)))", read_domain(DOMAIN)))


@pytest.mark.parametrize("moves", ["E S S W take", "E S N W wait W", "W W take"])
def test_plans_and_gridworlds_are_the_same(moves: str) -> None:
    drawn = hbtom.Gridworld(
        "\n".join(ROWS),
        {"k": "1", "l": "2"},
        moves.replace("wait ", ""),
        known=("k",),
        missing=("l", "m"),
        diagonal=False,
    )
    worlds = [
        walking(*one) for one in (("l", "(stands l c22)"), ("m", "(stands m c22)"), ("n", ""))
    ]
    goals = [
        make_goal(worlds[0], thing, f"(exists (?c - cell) (and (at ?c) (stands {thing} ?c)))")
        for thing in ("k", "l", "m")
    ]
    sees = [make_goal(worlds[0], t, f"(and {IN_SIGHT} (stands {t} c22))") for t in ("l", "m")]
    steps = pairwise(drawn.path)
    told = "\n".join(f"(go c{a}{b} c{c}{d})" for (a, b), (c, d) in steps)
    plan = read_plan(worlds[0], told)
    given = {"possible": worlds[1:], "sees": sees, "stopped": "take" in moves}
    in_pddl = hbtom.attribute_plans(goals, [plan], MODEL, **given).posteriors[0]
    on_map = hbtom.attribute(drawn, MODEL).posteriors[0]
    np.testing.assert_allclose(in_pddl.joint, on_map.joint, atol=1e-12)
    np.testing.assert_allclose(in_pddl.belief, on_map.belief, atol=1e-12)
    np.testing.assert_array_equal(in_pddl.possible, on_map.possible)


# The pantry


def pantry(plan: str, *problems: str, **given: object) -> hbtom.Attribution:
    worlds = [hbtom.load_world(PANTRY / "domain.pddl", PANTRY / f"{one}.pddl") for one in problems]
    goals, sees = (hbtom.load_goals(worlds[0], PANTRY / f"{one}.txt") for one in ("goals", "sees"))
    seen = [hbtom.load_plan(worlds[0], PANTRY / "plans" / f"{plan}.plan")]
    return hbtom.attribute_plans(goals, seen, possible=worlds[1:], sees=sees, **given)


def test_an_agent_that_looks_and_turns_back_wanted_what_was_missing() -> None:
    found = pantry("turns-back", "no-cake", "problem", stopped=True).posteriors[0]
    assert found.things == ("apple", "cake", "both")
    assert found.best[-1].argmax() == 1
    assert found.desire[-1, 0] > 0 > found.desire[0, 0] - 1e-9
    assert found.belief[-1, 1] > 0.8  # that there is cake
    assert found.possible.sum(axis=1).tolist() == [2, 1, 1, 1, 1, 1]
    told = "went to see whether it was there, and took apple instead; it expected cake"
    assert explain_desires(found) == f"it probably likes cake best, {told}"


def test_an_agent_that_knows_there_is_no_cake_does_not_go_there() -> None:
    found = pantry("turns-back", "no-cake", stopped=True).posteriors[0]
    assert explain_desires(found) == "it seems to act at random"
    assert found.worlds == ("no-cake",)


def test_an_agent_may_want_both_things() -> None:
    found = pantry("both", "problem", stopped=True).posteriors[0]
    assert found.best[-1].argmax() == 2
    assert explain_desires(found) == "it likes both best and took it"


def test_plans_that_cannot_be_used() -> None:
    world = hbtom.load_world(PANTRY / "domain.pddl", PANTRY / "problem.pddl")
    goals = hbtom.load_goals(world, PANTRY / "goals.txt")
    gap = read_partial_plan(world, "(walk sofa door)\n?\n")
    with pytest.raises(hbtom.BadInput, match="some actions were not observed"):
        hbtom.attribute_plans(goals, [gap])
    gripper = EXAMPLES / "unreliable-gripper"
    lucky = hbtom.load_world(gripper / "domain.pddl", gripper / "problem.pddl")
    plan = hbtom.load_plan(lucky, gripper / "plans" / "cup.plan")
    wanted = hbtom.load_goals(lucky, gripper / "goals.txt")
    with pytest.raises(hbtom.BadInput, match="outcomes are certain"):
        hbtom.attribute_plans(wanted, [plan])
    plan = hbtom.load_plan(world, PANTRY / "plans" / "apple.plan")
    with pytest.raises(hbtom.BadInput, match="of another domain"):
        hbtom.attribute_plans(goals, [plan], possible=[lucky])
    with pytest.raises(hbtom.BadInput, match="more than 3 states"):
        hbtom.attribute_plans(goals, [plan], most=3)


# The example with food trucks


@pytest.fixture(scope="module")
def trucks() -> hbtom.Attribution:
    return hbtom.attribute(load_gridworlds(TRUCKS))


def test_the_example_gives_the_stated_result(trucks: hbtom.Attribution) -> None:
    told = {one.walk.name: explain_desires(one).partition(";")[0] for one in trucks.posteriors}
    assert list(told.values()) == [
        "it probably likes Korean best and took it",
        "it likes Lebanese or Mexican best",
        "it likes Mexican best, went to see whether it was there, and took Korean instead",
        "it probably likes Lebanese best, went to see whether it was there, and took it",
        "it likes Lebanese or Mexican best, went to see what was there, and took Korean instead",
    ]


def test_ratings_are_on_the_scale_of_people(trucks: hbtom.Attribution) -> None:
    for one in trucks.posteriors:
        np.testing.assert_allclose(one.rating[0], 4.0)  # the middle
        assert ((one.rating >= 1) & (one.rating <= 7)).all()
        np.testing.assert_allclose(one.rating, 4 + one.desire / 20)
        np.testing.assert_allclose(one.best.sum(axis=1), 1)
        np.testing.assert_allclose(one.belief.sum(axis=1), 1)


def test_all_exports_agree(trucks: hbtom.Attribution) -> None:
    one, plain, table = trucks.posteriors[2], trucks.to_dict()["paths"][2], trucks.to_pandas()
    last = plain["steps"][-1]
    assert last["action"] == "take"
    assert list(last["desire"].values()) == one.desire[-1].tolist()
    assert last["possible"] == ["Lebanese at 2"] == [plain["world"]]
    rows = table[(table["scenario"] == one.walk.name) & (table["time"] == len(one))]
    assert rows["value"].tolist() == [*one.desire[-1], *one.belief[-1]]
    assert rows["goal"].tolist() == [*one.things, *one.expected]
    data = trucks.to_xarray(2)
    wants = data["posterior"].sum(["beliefs", "beta"])
    np.testing.assert_allclose(wants @ data["utilities_of"], one.desire[-1])
    assert float(data["belief"].sel(step=len(one), world="Mexican at 2")) == one.belief[-1, 1]


def test_expectations_are_given_place_by_place() -> None:
    picture = "1..#2\n.@...\n...#3"
    things = {"things": {"K": "1", "L": "2"}, "known": ("K",), "missing": ("L", "M")}
    found = hbtom.attribute(hbtom.Gridworld(picture, moves="E E", **things), MODEL).posteriors[0]
    assert list(found.expected) == [
        f"{what} at {at}" for at in "23" for what in ("L", "M", "nothing")
    ]
    chances = np.array([*found.expected.values()]).reshape(2, 3, -1)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    index = [number for number, name in enumerate(found.worlds) if "L at 2" in name]
    np.testing.assert_allclose(chances[0, 0], found.belief[:, index].sum(axis=1))


def test_too_many_minds_are_refused() -> None:
    fine = with_settings(MODEL, {"desires.utilities": list(range(100)), "desires.fineness": 100})
    with pytest.raises(hbtom.BadInput, match="3 things and 3 possible worlds make too many minds"):
        hbtom.attribute(load_gridworlds(TRUCKS), fine)


def test_one_agent_has_one_set_of_things() -> None:
    one = hbtom.Gridworld("1@2", {"a": "1", "b": "2"}, known=("a", "b"), agent="ann")
    other = hbtom.Gridworld("1@.", {"a": "1"}, known=("a",), agent="ann")
    with pytest.raises(hbtom.BadInput, match="path 2: 'ann' had different things before"):
        hbtom.attribute([one, other], MODEL)


# People


@pytest.mark.skipif(not PEOPLE.is_dir(), reason="the ratings of people are not part of hbtom")
def test_people_and_model_agree_about_food_trucks() -> None:
    agreement = runpy.run_path(str(ROOT / "benchmarks" / "trucks.py"))["agreement"]
    for desires, beliefs, centred in agreement(PEOPLE).values():
        assert desires > 0.85
        assert beliefs > 0.80
        assert centred > 0.60
