"""Numbers that actions change: coordinates and counted keys, compared with a simulation."""

from __future__ import annotations

from collections import Counter

import pytest

from domains import world_of
from hbtom import BadInput
from hbtom.world.pddl import explore, make_goal, read_plan

MAZE = """
(define (domain maze)
  (:requirements :fluents :conditional-effects)
  (:types key direction)
  (:constants left right - direction)
  (:predicates (lies ?k - key) (open))
  (:functions (x) - integer (width) (keys) (place ?k - key) (door) (total-cost))
  (:action right :precondition (and (< (x) (width)) (or (open) (not (= (+ (x) 1) (door)))))
    :effect (increase (x) 1))
  (:action left :precondition (> (x) 0) :effect (decrease (x) 1))
  (:action take :parameters (?k - key)
    :precondition (and (lies ?k) (= (x) (place ?k)))
    :effect (and (not (lies ?k)) (increase (keys) 1)))
  (:action unlock :precondition (and (>= (keys) 2) (= (x) (- (door) 1)) (not (open)))
    :effect (and (open) (decrease (keys) 2)))
  (:action home :precondition (not (= (x) 0)) :effect (and (assign (x) 0) (when (open)
    (assign (keys) 0)))))
"""
START = """
(define (problem start) (:domain maze) (:objects a b c - key)
  (:init (= (x) 1) (= (width) 5) (= (keys) 0) (= (door) 4) (lies a) (lies b) (lies c)
    (= (place a) 0) (= (place b) 2) (= (place c) 5)))
"""
PLACES = {"a": 0, "b": 2, "c": 5}
State = tuple[int, int, bool, frozenset[str]]  # x, keys, whether the door is open, keys that lie


def moves(state: State) -> dict[tuple[str, ...], State]:
    """Return the possible actions and their results."""
    x, keys, opened, lies = state
    found: dict[tuple[str, ...], State] = {}
    if x < 5 and (opened or x + 1 != 4):
        found["right",] = x + 1, keys, opened, lies
    if x > 0:
        found["left",] = x - 1, keys, opened, lies
    for key in sorted(lies):
        if PLACES[key] == x:
            found["take", key] = x, keys + 1, opened, lies - {key}
    if keys >= 2 and x == 3 and not opened:
        found["unlock",] = x, keys - 2, True, lies
    if x != 0:
        found["home",] = 0, 0 if opened else keys, opened, lies
    return found


def by_hand() -> dict[State, dict[tuple[str, ...], State]]:
    known: dict[State, dict[tuple[str, ...], State]] = {}
    waiting: list[State] = [(1, 0, False, frozenset("abc"))]
    while waiting:
        state = waiting.pop()
        if state not in known:
            known[state] = moves(state)
            waiting += known[state].values()
    return known


def test_states_and_moves_match_a_simulation() -> None:
    graph = explore(world_of(MAZE, START))

    def read(state: int) -> State:
        true = graph.world.true_in(graph.states[state])
        number = {
            fact[0].split("=")[0]: int(fact[0].split("=")[1]) for fact in true if "=" in fact[0]
        }
        lies = frozenset(fact[1] for fact in true if fact[0] == "lies")
        return number["x"], number["keys"], ("open",) in true, lies

    hand, states = by_hand(), [read(state) for state in range(len(graph))]
    assert set(states) == set(hand)
    assert len(set(states)) == len(states)
    for state, spelt in enumerate(states):
        choices = range(graph.choices[state], graph.choices[state + 1])
        done = {
            graph.world.actions[graph.action[one]]: states[graph.target[one]] for one in choices
        }
        assert done == hand[spelt]


def test_goals_compare_numbers() -> None:
    graph = explore(world_of(MAZE, START))
    for condition, many in (
        ("(>= (x) 4)", lambda s: s[0] >= 4),
        ("(and (= (keys) 1) (not (< (x) (place b))))", lambda s: s[1] == 1 and s[0] >= 2),
        ("(> (* 2 (keys)) (- (x) 1))", lambda s: 2 * s[1] > s[0] - 1),
    ):
        holds = make_goal(graph.world, "goal", condition).holds(graph.states)
        assert holds.sum() == sum(map(many, by_hand()))


def test_plans_are_followed_and_impossible_steps_are_reported() -> None:
    world = world_of(MAZE, START)
    plan = read_plan(
        world, "(left)\n(take a)\n(right)\n(right)\n(take b)\n(right)\n(unlock)\n(right)"
    )
    assert {("x=4",), ("keys=0",), ("open",)} <= world.true_in(plan.states[-1])
    with pytest.raises(BadInput, match=r"step 2, \(left\), is impossible"):
        read_plan(world, "(left)\n(left)")


def test_a_number_without_bounds_is_refused() -> None:
    domain = "(define (domain d) (:functions (n)) (:action more :effect (increase (n) 1)))"
    problem = "(define (problem p) (:domain d) (:init (= (n) 0)))"
    with pytest.raises(BadInput, match="line 1: the number 'n' has more than 100 values"):
        explore(world_of(domain, problem))


@pytest.mark.parametrize(
    ("change", "line", "why"),
    [
        (("(= (x) 1)", ""), 8, "the number 'x' has no initial value"),
        (("(increase (x) 1)", "(scale-up (x) 2)"), 9, "'scale-up' in an effect"),
        (("(increase (x) 1)", "(and (increase (x) 1) (increase (x) 2))"), 9, "changes twice"),
        (("(increase (x) 1)", "(forall (?k - key) (increase (x) 1))"), 9, "within 'forall'"),
        (("(increase (x) 1)", "(assign (total-cost) 1)"), 9, r"'assign' of \(total-cost\)"),
        (("(increase (x) 1)", "(increase (x) many)"), 9, "'many' is not a number"),
        (("(increase (x) 1)", "(increase (y) 1)"), 9, "no function 'y'"),
        (("(increase (x) 1)", "(increase (total-cost) (keys))"), 9, "cannot be a cost"),
        (("(+ (x) 1)", "(/ (x) 1)"), 8, "'/' with these numbers"),
    ],
)
def test_unsupported_features_are_refused_with_their_line(change, line: int, why: str) -> None:
    before, after = change
    domain, problem = MAZE.replace(before, after, 1), START.replace(before, after, 1)
    assert (domain, problem) != (MAZE, START)
    with pytest.raises(BadInput, match=why) as caught:
        world_of(domain, problem)
    assert caught.value.place.line in (line, line + 1)


def test_derived_facts_may_compare_numbers() -> None:
    domain = MAZE.replace("(:action right", "(:derived (beyond) (>= (x) (door))) (:action right", 1)
    graph = explore(world_of(domain, START))
    one, other = (make_goal(graph.world, "g", text) for text in ("(beyond)", "(>= (x) 4)"))
    assert one.holds(graph.states).any()
    assert (one.holds(graph.states) == other.holds(graph.states)).all()


PURSE = """
(define (domain purse) (:requirements :fluents :typing) (:types spot)
  (:predicates (shut ?s - spot)) (:functions (coins) (x) (y) (px ?s - spot) (py ?s - spot))
  (:action earn :effect (increase (coins) 1))
  (:action pay :parameters (?s - spot)
    :precondition (and (shut ?s) (>= (coins) 1) (= (x) (px ?s)) (= (y) (py ?s)))
    :effect (and (not (shut ?s)) (decrease (coins) 1)))
  (:action go :parameters (?s - spot)
    :precondition (and (= (px ?s) (+ (x) 1)) (= (py ?s) (y))) :effect (increase (x) 1)))
"""
SPOTS = range(12)
STREET = f"""
(define (problem street) (:domain purse) (:objects {" ".join(f"s{n}" for n in SPOTS)} - spot)
  (:init (= (coins) 0) (= (x) 0) (= (y) 1) (shut s0)
    {" ".join(f"(= (px s{n}) {n}) (= (py s{n}) 1)" for n in SPOTS)}))
"""


def test_an_action_has_one_variant_for_each_value_that_it_changes() -> None:
    """Variants that need two values of a number, or two objects in one place, are left out."""
    world = world_of(PURSE, STREET)
    ways = Counter(world.actions[action][0] for action in world.action)
    assert ways == {"earn": 100, "pay": 99, "go": 11}
