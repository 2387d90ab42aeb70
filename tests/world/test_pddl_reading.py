"""Reading PDDL: what is understood, and what is refused, with its line."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains import EXAMPLES, LAMPS, NAMES, SWITCHES, example, world_of
from hbtom.errors import BadInput
from hbtom.world.pddl import (
    load_goals,
    load_plan,
    load_world,
    read_domain,
    read_goals,
    read_plan,
    read_problem,
)
from hbtom.world.pddl.expressions import Atom
from hbtom.world.pddl.partial import is_partial
from hbtom.world.pddl.syntax import Form, Word, read_form, read_forms

# Lists in parentheses


def test_lists_know_their_lines() -> None:
    outer = read_form("(a ; a comment (\n  (B c)\n)")
    assert outer == Form((Word("a", 1), Form((Word("b", 2), Word("c", 2)), 2)), 1)
    assert str(outer) == "(a (b c))"
    assert outer.head == "a"
    assert Form((outer,), 1).head == ""


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", 1, "nothing"),
        ("; only a comment", 1, "nothing"),
        ("\n)", 2, "has no opening one"),
        ("(a\n(b\n(c)", 2, "never closed"),
        ("(a)\n(b)", 2, "is after the end"),
        ("a", 1, "not a list"),
        ("not json", 1, "'not' is not a list"),
        ("(" * 200, 1, "nested"),
    ],
)
def test_texts_that_are_not_lists_are_refused(text: str, line: int, problem: str) -> None:
    with pytest.raises(BadInput, match=problem) as caught:
        read_form(text)
    assert caught.value.place.line == line


@given(st.text(alphabet="()ab;?- \n:", max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        forms = read_forms(text)
    except BadInput:
        return
    again = read_forms(" ".join(map(str, forms)))
    assert list(map(str, again)) == list(map(str, forms))


# Domains


def test_a_domain_is_read() -> None:
    domain = read_domain(SWITCHES)
    assert domain.name == "switches"
    assert list(domain.language.predicates) == ["on", "broken"]
    on, off = domain.actions
    assert (on.name, off.name) == ("turn-on", "turn-off")
    assert str(on.precondition) == "(not (on ?l))"
    assert off.precondition == Atom("on", ("?l",))
    (outcome,) = off.outcomes
    assert outcome.probability == 1.0
    assert [(change.atom, change.holds) for change in outcome.changes] == [
        (Atom("on", ("?l",)), False)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_are_read(name: str) -> None:
    domain = read_domain((EXAMPLES / name / "domain.pddl").read_text(encoding="utf-8"))
    problem = read_problem((EXAMPLES / name / "problem.pddl").read_text(encoding="utf-8"), domain)
    assert problem.true


CHAIN = " ".join(f"t{number} - t{number + 1}" for number in range(60_000))
MANY = " ".join(f"t{number}" for number in range(20_000))
WEB = f"{MANY} - (either {MANY})"
BROKEN_DOMAINS = {
    "(define (problem x))": (1, "not a domain"),
    "(domain x)": (1, "not a domain"),
    "(define (domain d) (:predicates (p)))": (1, "no actions"),
    "(define (domain d)\nstray)": (2, "outside of all sections"),
    "(define (domain d)\n(:requirements :strips\n:magic))": (3, "requirement :magic"),
    "(define (domain d) (:predicates (p))\n(:derived (p) (q)) (:action a :effect (p)))": (
        2,
        "no predicate 'q'",
    ),
    "(define (domain d) (:predicates (p))\n(:derived (q) (not (q))) (:action a :effect (p)))": (
        2,
        "'q' is derived from its own negation",
    ),
    "(define (domain d) (:predicates (p))\n(:derived (q) (p))\n(:action a :effect (q)))": (
        3,
        "is derived, so no action changes it",
    ),
    "(define (domain d) (:predicates (p))\n(:durative-action a) (:action b :effect (p)))": (
        2,
        "':durative-action'",
    ),
    "(define (domain d) (:predicates (p))\n(:action a))": (2, "is incomplete"),
    "(define (domain d) (:predicates (p))\n(:action))": (2, "no name"),
    "(define (domain d) (:predicates (p))\n(:action a :effect (p)\n:duration 3))": (3, "duration"),
    "(define (domain d) (:predicates (p) (p)))": (1, "declared twice"),
    "(define (domain d) (:predicates p))": (1, "not a name with variables"),
    "(define (domain d) (:types a b)\n(:predicates (p ?x - c)))": (2, "no type 'c'"),
    "(define (domain d) (:types a a))": (1, "named twice"),
    "(define (domain d) (:types a -))": (1, "dash"),
    f"(define (domain d)\n(:types {CHAIN}))": (2, "nested too deeply"),
    f"(define (domain d)\n(:types {WEB}))": (2, "more than 64 types"),
    "(define (domain d) (:predicates (p x)))": (1, "variable"),
    "(define (domain d) (:constants ?x))": (1, "name without"),
    "(define (domain d) (:functions (f) - object))": (1, "is not a number"),
}
ACTIONS = {
    ":precondition (q) :effect (p)": "no predicate 'q'",
    ":precondition (p a) :effect (p)": "takes 0 terms",
    ":parameters (?x) :precondition (r ?y) :effect (p)": "no variable '?y'",
    ":precondition (r c) :effect (p)": "no object 'c'",
    ":precondition p :effect (p)": "not a condition",
    ":precondition (not (p) (p)) :effect (p)": "'not' takes 1",
    ":precondition (when (p) (p)) :effect (p)": "'when' in a condition",
    ":precondition (preference x (p)) :effect (p)": "'preference'",
    ":effect (when (p) (increase (total-cost) 1))": "cost within 'when'",
    ":effect (when (p))": "'when' takes 2",
    ":effect (when (q) (p))": "no predicate 'q'",
    ":effect (forall (?x) (increase (total-cost) 1))": "cost within 'forall'",
    ":precondition (> (f) x) :effect (p)": "'x' is not a number",
    ":effect (scale-up (f) 3)": "'scale-up' in an effect",
    ":effect (increase (total-cost) (+ 1 2))": "arithmetic",
    ":effect (increase (total-cost) -1)": "not a number of 0 or more",
    ":effect (increase (total-cost) (g))": "no function 'g'",
    ":effect (probabilistic 0.5 (p))": "'probabilistic'",
    ":effect (not (and (p) (p)))": "no predicate 'and'",
    ":effect p": "not an effect",
    ":effect ((p))": "not a predicate",
    ":parameters (?x - (or a b)) :effect (p)": "not a type",
}


@pytest.mark.parametrize("text", BROKEN_DOMAINS, ids=range(len(BROKEN_DOMAINS)))
def test_a_broken_domain_is_refused_with_its_line(text: str) -> None:
    line, problem = BROKEN_DOMAINS[text]
    with pytest.raises(BadInput) as caught:
        read_domain(text)
    assert problem in str(caught.value)
    assert len(str(caught.value)) < 300
    assert caught.value.place.line == line


@pytest.mark.parametrize("action", ACTIONS)
def test_a_broken_action_is_refused_with_its_line(action: str) -> None:
    domain = "(define (domain d)\n(:predicates (p) (r ?x))\n(:functions (total-cost) (f))\n"
    with pytest.raises(BadInput) as caught:
        read_domain(f"{domain}(:action a {action}))")
    assert ACTIONS[action] in str(caught.value)
    assert caught.value.place.line == 4


def test_costs_need_to_be_declared() -> None:
    with pytest.raises(BadInput, match="no function 'total-cost'"):
        read_domain("(define (domain d) (:action a :effect (increase (total-cost) 1)))")


def test_unused_requirements_do_no_harm() -> None:
    text = SWITCHES.replace(":typing", ":typing :adl :fluents")
    assert len(read_domain(text).actions) == 2


# Problems

BROKEN_PROBLEMS = {
    "(define (domain x))": (1, "not a problem"),
    "(define (problem x) (:init))": (1, "does not name its domain"),
    "(define (problem x)\n(:domain blocks))": (2, "to the domain 'blocks', not to 'switches'"),
    "(define (problem x) (:domain switches)\n(:objects a - bulb))": (2, "no type 'bulb'"),
    "(define (problem x) (:domain switches)\n(:objects a a - lamp))": (2, "named twice"),
    "(define (problem x) (:domain switches) (:objects a - lamp)\n(:init (on b)))": (
        2,
        "no object 'b'",
    ),
    "(define (problem x) (:domain switches) (:objects a - lamp)\n(:init\n(off a)))": (
        3,
        "no predicate 'off'",
    ),
    "(define (problem x) (:domain switches) (:objects a - lamp)\n(:init (on a a)))": (
        2,
        "takes 1 terms",
    ),
    "(define (problem x) (:domain switches) (:objects a)\n(:init (on a)))": (2, "is not a lamp"),
    "(define (problem x) (:domain switches) (:objects a - lamp)\n(:init (= (total-cost) 0)))": (
        2,
        "no function 'total-cost'",
    ),
    "(define (problem x) (:domain switches) (:objects a - lamp)\n(:init (at 5 (on a))))": (
        2,
        "'at' in :init",
    ),
    "(define (problem x) (:domain switches)\n(:goal (on z)))": (2, "no object 'z'"),
    "(define (problem x) (:domain switches)\n(:metric minimize (total-time)))": (2, "metric"),
    "(define (problem x) (:domain switches)\n(:constraints (and)))": (2, "':constraints'"),
    "(define (problem x) (:domain switches)\n(:requirements :magic))": (2, "requirement :magic"),
    "(define (problem x) (:domain switches) (:init)\n(:init))": (2, "':init' twice"),
}


@pytest.mark.parametrize("text", BROKEN_PROBLEMS)
def test_a_broken_problem_is_refused_with_its_line(text: str) -> None:
    line, problem = BROKEN_PROBLEMS[text]
    with pytest.raises(BadInput) as caught:
        read_problem(text, read_domain(SWITCHES))
    assert problem in str(caught.value)
    assert caught.value.place.line == line


def test_a_number_with_two_values_is_refused() -> None:
    domain = read_domain(SWITCHES.replace("(:types lamp)", "(:types lamp) (:functions (watts))"))
    same = LAMPS.replace("(on hall)", "(= (watts) 5) (= (watts) 5.0)")
    assert read_problem(same, domain).numbers == {("watts",): 5.0}
    with pytest.raises(BadInput, match=r"\(watts\) has two values"):
        read_problem(same.replace("5.0", "6"), domain)


def test_repeated_facts_count_once_and_negations_are_ignored() -> None:
    text = LAMPS.replace("(on hall)", "(on hall) (on hall) (not (on stairs))")
    problem = read_problem(text, read_domain(SWITCHES))
    assert list(problem.true) == [("on", "hall")]


SOME = """define domain problem :domain :action :effect :precondition :parameters :init :objects
    :types :predicates and or not forall exists when = on hall lamp switches ?l - 3 increase"""
WORDS = st.sampled_from(SOME.split())
TREES = st.recursive(WORDS, lambda part: st.lists(part, max_size=5), max_leaves=40)


@given(TREES, st.booleans())
def test_nonsense_is_refused_without_crashing_the_reader(tree: object, whole: bool) -> None:
    def told(node: object) -> str:
        return f"({' '.join(map(told, node))})" if isinstance(node, list) else str(node)

    text = told(tree)
    for read in (read_domain, lambda text: read_problem(text, read_domain(SWITCHES))):
        for form in (text, f"(define (domain switches) {text})", LAMPS.replace("(on hall)", text)):
            with suppress(BadInput):
                read(form)


@given(st.text(alphabet="()abon: ;hal-[]1.turst?\n=", max_size=80))
def test_goals_and_plans_are_read_or_refused(text: str) -> None:
    world = world_of()
    for read, start in ((read_goals, "a: (on hall)\n"), (read_plan, "(turn-off hall)\n")):
        with suppress(BadInput):
            read(world, start + text)


# Files


def test_errors_name_the_file(tmp_path) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    domain.write_text(SWITCHES)
    problem.write_text(LAMPS.replace("(on hall)", "\n(on cellar)"))
    with pytest.raises(BadInput) as caught:
        load_world(domain, problem)
    assert str(caught.value).startswith(f"{problem}: line 6: there is no object 'cellar'")
    problem.write_text(LAMPS)
    world = load_world(domain, problem)
    goals, plan = tmp_path / "goals.txt", tmp_path / "plan.txt"
    goals.write_text("; nothing\nlight (on hall)")
    with pytest.raises(BadInput, match=r"goals\.txt: line 2: 'light \(on hall\)' is not a goal"):
        load_goals(world, goals)
    plan.write_text("(turn-on hall)")
    with pytest.raises(BadInput, match=r"plan\.txt: line 1: step 1, \(turn-on hall\)"):
        load_plan(world, plan)


def test_errors_in_actions_name_the_domain(tmp_path) -> None:
    domain, problem = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    costly = SWITCHES.replace("(:types lamp)", "(:types lamp) (:functions (total-cost) (watts))")
    domain.write_text(costly.replace(":effect (on ?l)", ":effect (increase (total-cost) (watts))"))
    problem.write_text(LAMPS.replace("(:goal", "(:metric minimize (total-cost)) (:goal"))
    with pytest.raises(BadInput) as caught:
        load_world(domain, problem)
    assert str(caught.value).startswith(f"{domain}: line 9: (watts) has no value")


def test_files_that_are_missing_or_not_text(tmp_path) -> None:
    with pytest.raises(BadInput, match="no such file"):
        load_world(tmp_path / "none.pddl", tmp_path / "none.pddl")
    (tmp_path / "bytes.pddl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="not text"):
        load_world(tmp_path / "bytes.pddl", tmp_path / "none.pddl")


# Limits


def test_a_plan_has_a_limited_number_of_actions() -> None:
    world = world_of(SWITCHES, LAMPS)
    for step in ("(no action)", "?"):
        with pytest.raises(BadInput, match="line 10002: there are more than 10000 actions"):
            read_plan(world, "; a comment\n" + f"{step}\n" * 200_000)
        with pytest.raises(BadInput, match="line 10001: there are more than 10000 actions"):
            is_partial(f"{step}\n" * 200_000)


def test_an_agent_has_a_limited_number_of_goals() -> None:
    world = world_of(SWITCHES, LAMPS)
    with pytest.raises(BadInput, match="line 251: there are more than 250 goals"):
        read_goals(world, "".join(f"g{number}: (is on)\n" for number in range(20_000)))


def test_a_file_has_a_limited_number_of_words(monkeypatch) -> None:
    monkeypatch.setattr("hbtom.world.pddl.syntax.MOST_WORDS", 10)
    assert len(read_form("(a b c d e f g h)").parts) == 8
    with pytest.raises(BadInput, match="more than 10 words"):
        read_form("(a b c d e f g h i)")


def test_outcomes_are_checked_only_if_they_were_seen(monkeypatch) -> None:
    world = example("doors-keys-gems")
    monkeypatch.setattr(
        "hbtom.world.pddl.observed_plans.condition", None
    )  # it costs as much as the rest
    assert len(read_plan(world, "(move c44 c34)\n(move c34 c44)\n" * 5)) == 10
