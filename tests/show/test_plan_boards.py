"""Boards of plans: everything is drawn where the facts say it is, and nothing is hidden."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest

from domains import EXAMPLES, SWITCHES, example, world_of
from hbtom.show.plans.board import Board, BoardBox, Token, draw_board
from hbtom.world.pddl import Plan, load_goals, load_plan, make_goal, read_plan

PLANS = sorted(EXAMPLES.glob("*/plans/*.plan"))


def seen(world: str, name: str) -> tuple[Plan, Board]:
    """Return a plan of an example, and its board."""
    known = example(world)
    plan = load_plan(known, EXAMPLES / world / "plans" / f"{name}.plan")
    assert isinstance(plan, Plan)
    return plan, draw_board(plan, load_goals(known, EXAMPLES / world / "goals.txt"))


def panel(board: Board, name: str) -> BoardBox:
    return next(one for one in board.panels if one.name == name)


def token(board: Board, name: str, kind: str = "thing") -> Token:
    return next(one for one in board.tokens if (one.name, one.kind) == (name, kind))


def inside(one: Token, state: int, box: BoardBox) -> bool:
    """Return whether a token is completely inside a box."""
    spot = one.spots[state]
    left, top, wide, high = box.box
    return spot is not None and all(
        low <= middle - size / 2 and middle + size / 2 <= low + length
        for middle, size, low, length in zip(spot, one.size, (left, top), (wide, high), strict=True)
    )


def test_everything_is_where_the_facts_say() -> None:
    plan, board = seen("doors-keys-gems", "wrong-door")
    for number, state in enumerate(plan.states):
        true = plan.world.true_in(state)
        shown = {one.name for one in board.tokens if one.kind == "thing" and one.spots[number]}
        assert shown == {fact[1] for fact in true if fact[0] in ("lies", "has")}
        for name, *terms in true:
            if name == "at":
                assert inside(token(board, "agent", "agent"), number, panel(board, terms[0]))
            elif name == "lies":
                assert inside(token(board, terms[0]), number, panel(board, terms[1]))
            elif name == "has":
                assert inside(token(board, terms[0]), number, panel(board, "has"))
        marks = [one for one in board.tokens if one.kind == "mark" and one.spots[number]]
        assert len(marks) == sum(fact[0] == "locked" for fact in true)


def test_a_maze_is_drawn_with_its_original_layout() -> None:
    """Cells are named by row and column."""
    _, board = seen("doors-keys-gems", "gem-a")
    side = panel(board, "c00").box[2]
    for one in (one for one in board.panels if one.kind == "cell"):
        row, column = map(int, one.name[1:])
        assert one.box == (column * side, row * side, side, side)
    assert not board.walls
    assert not board.links


@pytest.mark.parametrize("path", PLANS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_nothing_hides_anything(path) -> None:
    plan, board = seen(path.parts[-3], path.stem)
    for state in range(len(plan.states)):
        there = [one for one in board.tokens if one.spots[state]]
        for one, other in combinations(there, 2):
            assert any(
                abs(a - b) >= (mine + its) / 2 - 1e-6
                for a, b, mine, its in zip(
                    one.spots[state], other.spots[state], one.size, other.size, strict=True
                )
            ), (one.name, other.name, state)
    for one, other in combinations([one.box for one in board.panels], 2):
        apart = (one[k] + one[k + 2] <= other[k] + 1e-6 for k in (0, 1))
        beyond = (other[k] + other[k + 2] <= one[k] + 1e-6 for k in (0, 1))
        assert any([*apart, *beyond])


def test_towers_stand_on_a_table() -> None:
    plan, board = seen("block-words", "power")
    high = token(board, "p").size[1]
    for number, state in enumerate(plan.states):
        true = plan.world.true_in(state)
        grounds = set()
        for name, *terms in true:
            spot = token(board, terms[0]).spots[number] if terms else None
            if name == "on":
                below = token(board, terms[1]).spots[number]
                assert spot
                assert below
                assert spot[0] == below[0]
                assert high <= below[1] - spot[1] < high + 5
            elif name == "on-table":
                grounds.add(spot and spot[1])
            elif name == "holding":
                assert inside(token(board, terms[0]), number, panel(board, "holding"))
        assert len(grounds) <= 1
    assert [one.name for one in board.panels if one.kind == "row"] == [
        "holding"
    ]  # neither clear nor hand


def test_blocks_stay_where_they_are_until_they_are_moved() -> None:
    plan, board = seen("block-words", "slip")
    for one in board.tokens:
        for state, step in enumerate(plan.steps):
            if one.spots[state] != one.spots[state + 1]:
                assert one.name in step.strip("()").split()


def test_roads_lead_from_place_to_place() -> None:
    plan, board = seen("logistics", "coast-road")
    ends = [
        {
            one.name
            for one in board.panels
            for x, y in (link[:2], link[2:])
            if (one.box[0] + one.box[2] / 2, one.box[1] + one.box[3] / 2) == pytest.approx((x, y))
        }
        for link in board.links
    ]
    roads = {frozenset(fact[1:]) for fact in plan.world.always if fact[0] == "road"}
    assert {frozenset(one) for one in ends} == roads
    assert panel(board, "school").goal == 0  # one goal alone is about it
    assert panel(board, "town").goal is None


WALK = """
(define (domain walk)
  (:requirements :strips :typing)
  (:types cell way)
  (:constants right left up down - way)
  (:predicates (at-robot ?c - cell) (adjacent ?a ?b - cell ?w - way))
  (:action move :parameters (?a ?b - cell ?w - way)
    :precondition (and (at-robot ?a) (adjacent ?a ?b ?w))
    :effect (and (at-robot ?b) (not (at-robot ?a)))))
"""
ROOM = """
(define (problem room) (:domain walk)
  (:objects p-1-1 p-2-1 p-1-2 p-2-2 - cell)
  (:init (at-robot p-1-1)
    (adjacent p-1-1 p-2-1 right) (adjacent p-2-1 p-1-1 left)
    (adjacent p-2-1 p-2-2 up) (adjacent p-2-2 p-2-1 down)
    (adjacent p-2-2 p-1-2 left) (adjacent p-1-2 p-2-2 right))
  (:goal (at-robot p-1-2)))
"""


def test_columns_go_right_and_rows_go_up() -> None:
    """Here the first number of a cell is its column, rows count up, and there is a wall."""
    world = world_of(WALK, ROOM)
    plan = read_plan(world, "(move p-1-1 p-2-1 right)\n(move p-2-1 p-2-2 up)")
    board = draw_board(plan, [make_goal(world, "far", "(at-robot p-1-2)")])
    start, right, end = token(board, "agent", "agent").spots
    assert start
    assert right
    assert end
    assert start[0] < right[0] == end[0]
    assert start[1] == right[1] > end[1]
    ((x, y, to_x, to_y),) = board.walls  # between p-1-1 and p-1-2
    assert y == to_y == panel(board, "p-1-1").box[1]
    assert (x, to_x) == (panel(board, "p-1-1").box[0], panel(board, "p-2-1").box[0])


NUMBERS = """
(define (domain numbers)
  (:requirements :strips :typing :numeric-fluents)
  (:types gem)
  (:predicates (lies ?g - gem) (has ?g - gem))
  (:functions (x) (y) (xloc ?g - gem) (yloc ?g - gem))
  (:action right :parameters () :precondition (< (x) 3) :effect (increase (x) 1))
  (:action up :parameters () :precondition (< (y) 2) :effect (increase (y) 1))
  (:action take :parameters (?g - gem)
    :precondition (and (lies ?g) (= (x) (xloc ?g)) (= (y) (yloc ?g)))
    :effect (and (has ?g) (not (lies ?g)))))
"""
GEMS = """
(define (problem gems) (:domain numbers)
  (:objects a b - gem)
  (:init (= (x) 0) (= (y) 0) (= (xloc a) 3) (= (yloc a) 0) (= (xloc b) 1) (= (yloc b) 2)
    (lies a) (lies b))
  (:goal (has a)))
"""


def test_places_may_be_numbers() -> None:
    world = world_of(NUMBERS, GEMS)
    plan = read_plan(world, "(right)\n(up)\n(up)\n(take b)")
    board = draw_board(plan, [make_goal(world, name, f"(has {name})") for name in "ab"])
    cells = [one for one in board.panels if one.kind == "cell"]
    side = cells[0].box[2]
    agent, gem, other = token(board, "agent", "agent"), token(board, "b"), token(board, "a")
    walked = [(x / side, y / side) for x, y in agent.spots if agent.spots]
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(walked)]
    assert steps == [pytest.approx(one) for one in ((1, 0), (0, -1), (0, -1), (0, 0))]
    assert len(cells) == 12
    assert [bool(spot) for spot in gem.spots] == [True, True, True, True, False]
    assert other.spots[0]
    assert gem.spots[0]
    assert agent.spots[3]
    assert gem.spots[0][0] == agent.spots[3][0]
    assert (gem.goal, other.goal) == (1, 0)


def test_a_world_without_places_is_a_list_of_facts() -> None:
    world = world_of()
    plan = read_plan(world, "(turn-on stairs)\n(turn-off hall)")
    board = draw_board(plan, [make_goal(world, "light", "(on stairs)")])
    assert [one.name for one in board.panels] == ["on"]
    shown = {one.name: [bool(spot) for spot in one.spots] for one in board.tokens}
    assert shown == {"hall": [True, True, False], "stairs": [False, True, True]}


def test_a_world_in_which_nothing_changes_has_an_empty_board() -> None:
    still = SWITCHES.replace(":effect (on ?l)", ":effect (and)")
    world = world_of(still.replace(":effect (not (on ?l))", ":effect (and)"))
    board = draw_board(read_plan(world, "(turn-on stairs)"), [])
    assert not board.tokens
    assert not board.panels
    assert min(board.size) > 0
