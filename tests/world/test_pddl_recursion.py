"""Recursive derived predicates, compared with closures that are computed independently."""

from __future__ import annotations

from itertools import permutations

import pytest

from hbtom.errors import BadInput
from hbtom.world.pddl import explore, ground, make_goal, read_domain, read_problem
from hbtom.world.pddl.grounded_world import World, bits

BLOCKS = """
(define (domain blocks) (:predicates (on ?a ?b) (clear ?a) (table ?a))
  (:derived (above ?a ?b) (or (on ?a ?b) (exists (?c) (and (on ?a ?c) (above ?c ?b)))))
  (:action stack :parameters (?a ?b)
    :precondition (and (table ?a) (clear ?a) (clear ?b) (not (= ?a ?b)))
    :effect (and (on ?a ?b) (not (table ?a)) (not (clear ?b))))
  MORE
  (:action take :parameters (?a ?b) :precondition (and (on ?a ?b) (clear ?a))
    :effect (and (table ?a) (clear ?b) (not (on ?a ?b)))))
"""
START = """
(define (problem p) (:domain blocks) (:objects a b c d)
  (:init (table a) (table b) (table c) (table d) (clear a) (clear b) (clear c) (clear d)))
"""


MARKS = """
  (:action over :parameters (?a ?b) :precondition (above ?a ?b) :effect (and))
  (:action apart :parameters (?a ?b) :precondition (and (not (above ?a ?b)) (not (= ?a ?b)))
    :effect (and))
"""


def blocks(more: str = "") -> World:
    domain = read_domain(BLOCKS.replace("MORE", more))
    return ground(read_problem(START, domain))


def on(world: World) -> list[set[tuple[str, str]]]:
    """Return which blocks are on which in each reachable state."""
    true = bits(explore(world).states)
    some = [(fact[1:], number) for fact, number in world.number.items() if fact[0] == "on"]
    return [{(a, b) for (a, b), number in some if row[number]} for row in true]


def closure(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    while more := {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs:
        pairs = pairs | more
    return pairs


def test_a_goal_may_use_recursive_predicates() -> None:
    world = blocks()
    graph, whole = explore(world), [closure(pairs) for pairs in on(world)]
    for a, b in permutations("abcd", 2):
        wanted = [(a, b) in pairs for pairs in whole]
        assert make_goal(world, "g", f"(above {a} {b})").holds(graph.states).tolist() == wanted
        lacks = make_goal(world, "g", f"(not (above {a} {b}))").holds(graph.states)
        assert lacks.tolist() == [not one for one in wanted]
    some = make_goal(world, "g", "(exists (?x) (and (above ?x d) (above a ?x)))")
    between = [any((x, "d") in pairs and ("a", x) in pairs for x in "abcd") for pairs in whole]
    assert some.holds(graph.states).tolist() == between


def test_actions_may_need_a_recursive_predicate_or_its_negation() -> None:
    graph = explore(blocks(MARKS))
    world = graph.world
    for state, pairs in enumerate(map(closure, on(world))):
        able = graph.action[graph.choices[state] : graph.choices[state + 1]].tolist()
        told = {name[0]: set() for name in world.actions}
        for action in able:
            name, *objects = world.actions[action]
            told[name].add(tuple(objects))
        assert told["over"] == pairs
        assert told["apart"] == {*permutations("abcd", 2)} - pairs


REACH = """
(define (domain d) (:predicates (at ?x) (road ?x ?y) (open ?x ?y))
  (:derived (near ?x) (or (at ?x) (exists (?y) (and (near ?y) (pass ?y ?x)))))
  (:derived (pass ?x ?y) (or (road ?x ?y) (and (open ?x ?y) (near ?x))))
  (:derived (far ?x) (not (near ?x)))
  (:action jump :parameters (?x ?y) :precondition (and (at ?x) (near ?y))
    :effect (and (at ?y) (not (at ?x))))
  (:action unlock :parameters (?x ?y) :precondition (at ?x) :effect (open ?x ?y)))
"""


def test_predicates_may_be_mutually_recursive() -> None:
    domain = read_domain(REACH)
    start = "(define (problem p) (:domain d) (:objects a b c) (:init (at a) (road a b)))"
    world = ground(read_problem(start, domain))
    far, near = (make_goal(world, "g", f"({one} c)") for one in ("far", "near"))
    graph = explore(world)
    assert (far.holds(graph.states) == ~near.holds(graph.states)).all()
    assert far.holds(graph.states[:1]).all()
    assert ("jump", "a", "b") in world.actions
    opened = near.holds(graph.states) & ~bits(graph.states)[:, world.number["at", "c"]]
    assert opened.any()


def test_too_large_recursions_are_refused_with_name_and_line() -> None:
    many = " ".join(f"b{number}" for number in range(8))
    start = f"(define (problem p) (:domain blocks) (:objects {many}) (:init (table b0)))"
    with pytest.raises(BadInput, match=r"line 3: \(above .*\) follows from more than 1,000 sets"):
        read_problem(start, read_domain(BLOCKS.replace("MORE", "")))
