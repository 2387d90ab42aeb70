"""Probabilistic effects: their meaning, what is refused, and plans with observed outcomes."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains import EXAMPLES, domain_with, example, problem_with, world_of
from hbtom.errors import BadInput
from hbtom.world.pddl import Plan, explore, load_plan, load_world, make_goal, read_domain, read_plan
from hbtom.world.pddl.effects import MOST_OUTCOMES

HEAD = """(define (domain d)
(:requirements :probabilistic-effects)
(:predicates (p) (q) (r) (s ?x))
(:functions (total-cost) (f))
"""


def outcomes(effect: str) -> dict[frozenset[str], float]:
    """Return the probability of each set of changes of an effect."""
    (action,) = read_domain(f"{HEAD}(:action a :effect {effect}))").actions
    return {
        frozenset(
            str(one.atom) if one.holds else f"(not {one.atom})" for one in outcome.changes
        ): outcome.probability
        for outcome in action.outcomes
    }


def of(*changes: str) -> frozenset[str]:
    return frozenset(changes)


# What is read


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        ("(p)", {of("(p)"): 1.0}),
        ("(and)", {of(): 1.0}),
        ("(probabilistic 0.25 (p))", {of("(p)"): 0.25, of(): 0.75}),
        ("(probabilistic 1/4 (p) 3/4 (q))", {of("(p)"): 0.25, of("(q)"): 0.75}),
        ("(probabilistic 1 (p))", {of("(p)"): 1.0}),
        ("(probabilistic 0 (p))", {of(): 1.0}),
        ("(probabilistic .5 (and) 0.5 (p))", {of(): 0.5, of("(p)"): 0.5}),
        ("(and (q) (probabilistic 0.5 (p)))", {of("(p)", "(q)"): 0.5, of("(q)"): 0.5}),
        ("(probabilistic 0.5 (and (p) (not (q))))", {of("(p)", "(not (q))"): 0.5, of(): 0.5}),
        # equal outcomes are one, in any order
        ("(probabilistic 0.2 (and (p) (q)) 0.3 (and (q) (p)))", {of("(p)", "(q)"): 0.5, of(): 0.5}),
        ("(probabilistic 0.1 (p) 0.2 (p) 0.7 (p))", {of("(p)"): 1.0}),
        # nested
        (
            "(probabilistic 0.5 (probabilistic 0.5 (p) 0.25 (q)) 0.25 (q))",
            {of("(p)"): 0.25, of("(q)"): 0.375, of(): 0.375},
        ),
        # independent of each other
        (
            "(and (probabilistic 0.5 (p)) (probabilistic 0.25 (q)))",
            {of("(p)", "(q)"): 0.125, of("(p)"): 0.375, of("(q)"): 0.125, of(): 0.375},
        ),
    ],
)
def test_the_outcomes_of_an_effect(effect: str, expected: dict) -> None:
    assert outcomes(effect) == expected


def test_a_third_is_a_third() -> None:
    thirds = outcomes("(probabilistic 1/3 (p) 1/3 (q) 1/3 (r))")
    assert list(thirds.values()) == [1 / 3] * 3  # nothing is left over
    tenths = outcomes("(probabilistic " + "0.1 (p) " * 10 + ")")
    assert tenths == {of("(p)"): 1.0}


@st.composite
def effects(draw: st.DrawFn, deep: int = 3) -> str:
    kind = draw(st.sampled_from(["atom", "not", "and", "chance"] if deep else ["atom", "not"]))
    if kind in ("atom", "not"):
        atom = draw(st.sampled_from(["(p)", "(q)", "(r)"]))
        return atom if kind == "atom" else f"(not {atom})"
    parts = draw(st.lists(effects(deep - 1), min_size=1, max_size=2))
    if kind == "and":
        return f"(and {' '.join(parts)})"
    shares = draw(st.sampled_from([("1/2", "1/4"), ("0.125", "0.875"), ("0", "1/2")]))
    return f"(probabilistic {' '.join(f'{p} {e}' for p, e in zip(shares, parts, strict=False))})"


def sampled(effect: object, rng: np.random.Generator) -> frozenset[str]:
    """Apply an effect by drawing its outcomes in sequence."""
    head = str(effect.parts[0])
    if head == "and":
        return frozenset().union(*(sampled(part, rng) for part in effect.parts[1:]))
    if head == "probabilistic":
        drawn = rng.random()
        for chance, part in zip(effect.parts[1::2], effect.parts[2::2], strict=True):
            over, _, under = str(chance).partition("/")
            drawn -= float(over) / float(under or 1)
            if drawn < 0:
                return sampled(part, rng)
        return frozenset()
    return frozenset([str(effect)])


@settings(max_examples=25)
@given(effects())
def test_probabilities_of_outcomes_match_samples(effect: str) -> None:
    from hbtom.world.pddl.syntax import read_form

    expected = outcomes(effect)
    assert sum(expected.values()) == pytest.approx(1.0)
    form, rng, many = read_form(effect), np.random.default_rng(1), 2000
    found: dict[frozenset[str], int] = {}
    for _ in range(many):
        drawn = sampled(form, rng)
        found[drawn] = found.get(drawn, 0) + 1
    assert set(found) <= set(expected)
    for changes, chance in expected.items():
        error = 5 * np.sqrt(chance * (1 - chance) / many) + 1e-9
        assert found.get(changes, 0) / many == pytest.approx(chance, abs=error)


def test_a_world_has_all_outcomes_of_all_its_actions() -> None:
    throw = """(:action throw :parameters (?t - thing ?p - place) :precondition (in ?t home)
      :effect (and (not (in ?t home)) (probabilistic 0.25 (in ?t ?p) 0.25 (in ?t home))))"""
    text = domain_with(throw, more="(:requirements :probabilistic-effects)")
    graph = explore(world_of(text, problem_with("(in ball home)")))
    assert not graph.world.certain
    assert graph.probability.reshape(-1, 3).tolist() == [[0.25, 0.25, 0.5]] * 3
    where = [sorted(graph.world.true_in(graph.states[target])) for target in graph.target]
    assert where[0] == where[1] == [("in", "ball", "home")]  # thrown home, or caught again
    assert where[2] == []
    assert len(graph) == 4


# Refused input

WRONG = {
    "(probabilistic 1.5 (p))": "1.5 is more than 1",
    "(probabilistic 0.6 (p) 0.5 (q))": "add up to 1.1, more than 1",
    "(probabilistic -0.5 (p))": "'-0.5' is not a probability",
    "(probabilistic half (p))": "'half' is not a probability",
    "(probabilistic (f) (p))": "'(f)' is not a probability",
    "(probabilistic 1/0 (p))": "'1/0' is not a probability",
    "(probabilistic 1e-3 (p))": "'1e-3' is not a probability",
    f"(probabilistic 0.{'3' * 5000} (p))": "is not a probability",
    "(probabilistic 0.5 (p) 0.5)": "needs an effect for each probability",
    "(probabilistic)": "needs an effect for each probability",
    "(probabilistic 0.5 p)": "'p' is not an effect",
    "(when (p) (probabilistic 0.5 (q)))": "'probabilistic' within 'when'",
    "(probabilistic 0.5 (increase (total-cost) 1))": "a cost within 'probabilistic'",
    "(forall (?x) (probabilistic 0.5 (s ?x)))": "'probabilistic' within 'forall'",
    "(oneof (p) (q))": "'oneof' in an effect",
}


@pytest.mark.parametrize("effect", WRONG)
def test_errors_are_refused_with_their_line(effect: str) -> None:
    with pytest.raises(BadInput) as caught:
        read_domain(f"{HEAD}(:action a\n:effect {effect}))")
    assert WRONG[effect] in str(caught.value)
    assert caught.value.place.line == 6


def test_chance_must_be_declared() -> None:
    text = f"{HEAD}(:action a\n:effect (probabilistic 0.5 (p))))"
    with pytest.raises(BadInput) as caught:
        read_domain(text.replace(":probabilistic-effects", ":strips"))
    assert caught.value.place.line == 6
    assert "needs the requirement :probabilistic-effects" in str(caught.value)
    assert len(read_domain(text).actions[0].outcomes) == 2


def test_the_number_of_outcomes_of_an_action_is_limited() -> None:
    predicates = " ".join(f"(p{number})" for number in range(9))
    coins = [f"(probabilistic 0.5 (p{number}))" for number in range(9)]
    head = f"(define (domain d) (:requirements :probabilistic-effects) (:predicates {predicates})\n"
    eight = read_domain(f"{head}(:action a :effect (and {' '.join(coins[:8])})))").actions[0]
    assert len(eight.outcomes) == MOST_OUTCOMES == 256
    with pytest.raises(BadInput, match="more than 256 outcomes") as caught:
        read_domain(f"{head}(:action a :effect (and {' '.join(coins)})))")
    assert caught.value.place.line == 2


SOME = ["probabilistic", "and", "not", "forall", "0.5", "1/2", "2", "(p)", "(q)", "p", "?x", "(?x)"]
WORDS = st.sampled_from([*SOME, "(s ?x)", "()"])
TREES = st.recursive(WORDS, lambda part: st.lists(part, max_size=5), max_leaves=20)


@given(TREES)
def test_nonsense_is_refused_without_crashing_the_reader(tree: object) -> None:
    def told(node: object) -> str:
        return f"({' '.join(map(told, node))})" if isinstance(node, list) else str(node)

    with suppress(BadInput):
        assert sum(outcomes(told(tree)).values()) == pytest.approx(1.0)


def test_files_are_named(tmp_path) -> None:
    text = (EXAMPLES / "unreliable-gripper" / "domain.pddl").read_text(encoding="utf-8")
    line = 1 + text[: text.index("(probabilistic 1/2")].count("\n")
    (tmp_path / "domain.pddl").write_text(text.replace("1/2", "3/2"))
    with pytest.raises(BadInput) as caught:
        load_world(tmp_path / "domain.pddl", EXAMPLES / "unreliable-gripper" / "problem.pddl")
    start = f"{tmp_path / 'domain.pddl'}: line {line}: the probability 3/2 is more than 1"
    assert str(caught.value).startswith(start)


# Plans


def seen(*lines: str) -> Plan:
    return read_plan(example("unreliable-gripper"), "\n".join(lines))


def facts(plan: Plan, time: int) -> set[str]:
    return {" ".join(fact) for fact in plan.world.true_in(plan.states[time])}


THERE = "(move table shelf)"


def test_the_outcome_of_an_action_follows_from_the_next_action() -> None:
    again = seen(THERE, "(grasp cup shelf)", "(grasp cup shelf)", "(put cup shelf)")
    assert "on cup shelf" in facts(again, 2)
    assert {"holding cup", "busy"} <= facts(again, 3)
    assert again.steps[1:3] == ("(grasp cup shelf)", "(grasp cup shelf)")


def test_the_outcome_may_follow_much_later() -> None:
    plan = seen(
        THERE, "(grasp cup shelf)", "(move shelf table)", "(move table bin)", "(put cup bin)"
    )
    assert all("holding cup" in facts(plan, time) for time in (2, 3, 4))


def test_an_observed_outcome_is_given_after_an_arrow() -> None:
    plans = [
        seen(THERE, f"(grasp cup shelf) => {told}", "(move shelf bin)")
        for told in ("(holding cup)", "(on cup shelf)", "(not (on cup shelf)) (busy)")
    ]
    assert ["holding cup" in facts(plan, 2) for plan in plans] == [True, False, True]
    stamped = seen(f"0: {THERE} [1.0] => (at shelf)", "1: (grasp cup shelf) [1]=>(busy)")
    assert "busy" in facts(stamped, 2)


def test_the_last_action_may_have_any_outcome() -> None:
    plan = seen(THERE, "(grasp-fragile glass shelf)")
    assert "holding glass" in facts(plan, 2)  # the likeliest
    told = seen(THERE, "(grasp-fragile glass shelf) => (broken glass)")
    assert "broken glass" in facts(told, 2)


UNCLEAR = [
    (
        (THERE, "(grasp cup shelf)", "(move shelf bin)", "(move bin table)"),
        2,
        "the outcome of step 2, (grasp cup shelf), is unclear",
    ),
    (
        (THERE, "(grasp cup shelf) => (on cup bin)"),
        2,
        "step 2, (grasp cup shelf), cannot have led to (on cup bin)",
    ),
    ((f"{THERE} => (at table)",), 1, "cannot have led to (at table)"),
    ((THERE, "(grasp cup shelf) => (tired)"), 2, "there is no predicate 'tired'"),
    ((THERE, "(grasp cup shelf) =>"), 2, "is not a condition"),
    ((THERE, "(grasp cup shelf) => nothing"), 2, "is not a condition"),
    ((THERE, "", "(grasp cup shelf) => (busy)", "(grasp cup shelf)"), 4, "(busy) holds"),
    ((THERE, "(put cup shelf)"), 2, "(holding cup) does not hold"),
]


@pytest.mark.parametrize(("lines", "line", "problem"), UNCLEAR)
def test_unclear_or_impossible_outcomes_are_reported_with_their_line(
    lines: tuple[str, ...], line: int, problem: str
) -> None:
    with pytest.raises(BadInput) as caught:
        seen(*lines)
    assert problem in str(caught.value)
    assert caught.value.place.line == line


def test_the_hint_says_what_to_add() -> None:
    lines = [THERE, "(grasp cup shelf)", "(move shelf bin)", "(move bin table)"]
    with pytest.raises(BadInput) as caught:
        seen(*lines)
    for way in caught.value.hint.partition("'")[2].split("' or '"):
        told = seen(lines[0], way.strip("'"), *lines[2:])
        assert len(told) == 4


def test_too_many_possibilities_are_refused() -> None:
    flips = "\n".join(
        f"(:action flip{number} :effect (probabilistic 0.5 (in ball {place})))"
        for number, place in enumerate(["home", "shop", *(f"p{i}" for i in range(10))])
    )
    text = domain_with(flips, more="(:requirements :probabilistic-effects)")
    text = text.replace("home shop", "home shop " + " ".join(f"p{i}" for i in range(10)))
    world = world_of(text, problem_with())
    with pytest.raises(BadInput, match="more than 1000 states") as caught:
        read_plan(world, "\n".join(f"(flip{number})" for number in range(12)))
    assert caught.value.place.line == 10


@pytest.mark.parametrize("length", [1, 2, 3])
def test_a_plan_is_read_if_and_only_if_one_history_fits(length: int) -> None:
    """Compare with all possible histories, one outcome at a time."""
    world = example("unreliable-gripper")
    graph = explore(world)
    steps = ["(grasp cup shelf)", "(grip-firmly cup shelf)", "(put cup shelf)", "(move shelf bin)"]
    for plan in product(steps, repeat=length):
        text = [THERE, *plan]
        histories = set(walked(graph, text))
        before_last = {history[:-1] for history in histories}
        if len(before_last) == 1:
            read = read_plan(world, "\n".join(text))
            states = tuple(state.tobytes() for state in read.states)
            assert states in histories
        else:
            with pytest.raises(BadInput):
                read_plan(world, "\n".join(text))


def walked(graph, text: list[str]):
    """Yield all possible histories of states under these actions."""
    waiting = [(0,)]
    for told in text:
        action = graph.world.action_number[tuple(told.strip("()").split())]
        waiting = [
            (*history, int(target))
            for history in waiting
            for choice in range(*graph.choices[history[-1] : history[-1] + 2])
            if graph.action[choice] == action
            for target in graph.target[slice(*graph.outcomes[choice : choice + 2])]
        ]
    for history in waiting:
        yield tuple(graph.states[state].tobytes() for state in history)


def test_arrows_are_ignored_after_deterministic_actions() -> None:
    world = example("doors-keys-gems")
    plan = read_plan(world, "(move c44 c34) => (at c34)")
    assert len(plan) == 1
    with pytest.raises(BadInput, match="cannot have led to"):
        read_plan(world, "(move c44 c34) => (at c44)")


def test_shipped_plans_are_read_as_intended() -> None:
    world = example("unreliable-gripper")
    folder = EXAMPLES / "unreliable-gripper" / "plans"
    whole = make_goal(world, "whole", "(not (broken glass))")
    ends = {file.stem: load_plan(world, file).states[-1:] for file in sorted(folder.glob("*.plan"))}
    assert {name for name, state in ends.items() if not whole.holds(state).all()} == {"pieces"}
