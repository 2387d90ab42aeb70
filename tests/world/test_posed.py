"""Problems of goal recognition: lenient reading of files, observations with gaps, goals."""

from __future__ import annotations

import numpy as np
import pytest

from domains import CERTAIN, CHANCE, domain_with, example, problem_with, world_of
from errands import ERRANDS, FILES, TOWN
from hbtom import BadInput
from hbtom.compiled import Kernel
from hbtom.world.pddl import TooManyStates, explore, make_goal, read_plan, states
from hbtom.world.pddl.partial import NO_ACTION, read_observations, read_partial_plan, whole_plan
from hbtom.world.pddl.recognition_problem import read_posed

TWICE = """
(define (domain twice)
  (:predicates (at ?p) (wet) (home ?p))
  (:action go :parameters (?a ?b) :precondition (and (at ?a) (home ?a)) :effect
    (and (at ?b) (not (at ?a))))
  (:action go :parameters (?a ?b) :precondition (and (at ?a) (not (home ?a))) :effect
    (and (at ?b) (not (at ?a)) (wet)))
  (:action go :parameters (?a) :precondition (at ?a) :effect (wet)))
"""
PLACES = "(define (problem p) (:domain twice) (:objects a b) (:init (at a) (home a)))"


def test_several_actions_may_have_one_name() -> None:
    world = world_of(TWICE, PLACES)
    plan = read_plan(world, "(go a b)\n(go b a)\n(go a)")
    assert plan.steps == ("(go a b)", "(go b a)", "(go a)")
    assert len({*world.actions}) == len(world.actions)  # a home is always a home
    assert ("wet",) in world.true_in(plan.states[2])
    assert ("wet",) not in world.true_in(plan.states[1])


def test_actions_with_the_same_text_are_distinguished_by_their_effects() -> None:
    domain = TWICE.replace("(and (at ?a) (home ?a))", "(at ?a)").replace("(not (home ?a))", "(wet)")
    world = world_of(domain, PLACES)
    first, second = [n for n, name in enumerate(world.actions) if name == ("go", "a", "b")]
    assert world.looks_like[[first, second]].tolist() == [first, first]
    plan = read_plan(world, "(go a)\n(go a b)\n(go b a)")
    assert len(plan) == 3
    partial = read_partial_plan(world, "?\n(go a b)")
    assert partial.actions.tolist() == [-1, first]


def test_the_number_of_objects_shows_which_action_was_meant() -> None:
    with pytest.raises(BadInput, match="no object 'c'"):
        read_plan(world_of(TWICE, PLACES), "(go a c)")


def test_a_question_mark_begins_a_word() -> None:
    domain = TWICE.replace("(?a ?b)", "(?a?b)").replace("(home ?a)", "(home?a)")
    assert world_of(domain, PLACES).actions == world_of(TWICE, PLACES).actions


def test_what_was_observed_after_an_action_may_follow_it() -> None:
    world = world_of(ERRANDS, TOWN)
    seen = read_observations(world, "(go home mill) => (at mill)\n(buy flour mill)")
    assert [one is not None for one in seen.held] == [True, False]
    assert (len(seen), seen.unknown) == (2, 0)


def test_unknown_actions_count_as_unobserved_if_gaps_are_marked() -> None:
    world = world_of(ERRANDS, TOWN)
    text = "(go home mill)\n(fly home)\n...\n(buy flour mill)"
    seen = read_observations(world, text)
    assert (seen.actions[1], seen.unknown, seen.gaps) == (-1, 1, (False, False, True))
    with pytest.raises(BadInput, match="no action 'fly'"):
        read_observations(world, text, strict=True)


def test_observations_have_gaps_everywhere_unless_they_say_where() -> None:
    world = world_of(ERRANDS, TOWN)
    some = read_observations(world, "(go home mill) (BUY flour mill) ; both\n(fly home)\n")
    assert some.steps == ("(go home mill)", "(buy flour mill)")
    assert some.gaps == (True, True)
    assert some.unknown == 1
    told = read_observations(world, "(go home mill)\n...\n?\n... => (have soap)")
    assert told.actions.tolist()[1:] == [-1, NO_ACTION]
    assert told.gaps == (False, True, True)
    assert told.steps[2] == "... => (have soap)"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(go home mill)\n(fly home)", "line 2: there is no action 'fly'"),
        ("(go home)", "line 1: .* has 1 objects, not 2"),
    ],
)
def test_in_strict_mode_an_unknown_observation_is_an_error(text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read_observations(world_of(ERRANDS, TOWN), text, strict=True)


@pytest.mark.parametrize("text", ["... (go home mill)", "...x", "? ..."])
def test_a_gap_stands_alone_or_before_an_arrow(text: str) -> None:
    with pytest.raises(BadInput, match="is not an action"):
        read_partial_plan(world_of(ERRANDS, TOWN), text)


def test_a_whole_plan_has_no_gaps() -> None:
    world = world_of(ERRANDS, TOWN)
    assert len(whole_plan(read_partial_plan(world, "(go home mill)\n(go mill shop)"))) == 2
    with pytest.raises(BadInput, match="not have been observed"):
        whole_plan(read_observations(world, "(go home mill)"))


def test_a_problem_is_read_from_its_files() -> None:
    posed = read_posed(FILES, "errand")
    assert [goal.name for goal in posed.goals] == [
        "(have bread)",
        "(and (have soap) (have flour))",
        "(have flour)",
    ]
    assert posed.true == 1
    assert len(posed.seen) == 2
    assert posed.warnings == ()


def test_goals_may_be_any_conditions() -> None:
    text = "(AND (have bread) (not (asleep)))\n(or (have soap) (have flour)) , (at home)\n"
    posed = read_posed({**FILES, "hyps.dat": text, "real_hyp.dat": "(not (asleep)),(have bread)"})
    assert [goal.name for goal in posed.goals] == [
        "(and (have bread) (not (asleep)))",
        "(and (or (have soap) (have flour)) (at home))",
    ]
    assert posed.true == 0


CHANGES = {
    "a name that does not fit": ("template.pddl", "(:domain errands)", "(:domain other)"),
    "one parenthesis too many": ("domain.pddl", "(not (asleep))))", "(not (asleep)))))"),
    "one parenthesis too few": ("domain.pddl", "(not (asleep))))", "(not (asleep)))"),
    "a goal twice": ("hyps.dat", "(have flour)\n", "(have flour)\n(HAVE  bread)\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_deviations_in_files_are_tolerated(change: str) -> None:
    file, before, after = CHANGES[change]
    assert before in FILES[file]
    last = FILES[file].rpartition(before)
    posed = read_posed({**FILES, file: last[0] + after + last[2]})
    assert (len(posed.goals), posed.true, posed.warnings) == (3, 1, ())


def test_unknown_observations_and_goals_are_reported() -> None:
    posed = read_posed({**FILES, "obs.dat": "(go home mill)\n(fly)", "real_hyp.dat": "(have mill)"})
    assert posed.true is None
    assert posed.warnings == (
        "1 observation left out: this domain and problem have no such action",
        "the true goal is not among the goals",
    )


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("hyps.dat", "(have bread)\n(has soap)", "hyps.dat: line 2: there is no predicate 'has'"),
        ("hyps.dat", "\n", "hyps.dat: there are no goals"),
        ("obs.dat", "(fly)", "obs.dat: nothing was observed"),
        ("obs.dat", "(go home mill)\n(go mill", "obs.dat: line 2: '\\(go mill' is not an action"),
        ("template.pddl", TOWN.replace("(:init", "(:start"), "template.pddl: line .*':start'"),
        ("domain.pddl", ERRANDS.replace("(at home)", "(in home)"), "domain.pddl: line .*'in'"),
    ],
)
def test_errors_are_reported_with_their_file(file: str, text: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read_posed({**FILES, file: text})


@pytest.mark.parametrize("name", [*CERTAIN, *CHANCE])
def test_states_found_one_by_one_match_those_found_in_layers(name: str, monkeypatch) -> None:
    """The compiled algorithm, here in plain Python, is compared with the other one."""
    world = example(name)
    whole = explore(world)
    if len(whole) > 3000:
        with pytest.raises(TooManyStates):
            explore(world, most=300)
        monkeypatch.setattr(Kernel, "compiling", True)
        with pytest.raises(TooManyStates):
            explore(world, most=300)
        return
    monkeypatch.setattr(Kernel, "compiling", True)
    again = explore(world)
    for field in ("states", "choices", "action", "outcomes", "target", "probability"):
        assert np.array_equal(getattr(whole, field), getattr(again, field))


def test_more_choices_are_allowed_if_more_states_are(monkeypatch) -> None:
    world = world_of(ERRANDS, TOWN)
    many = len(explore(world).target)
    monkeypatch.setattr(states, "MOST_CHOICES", many // 2)
    monkeypatch.setattr(states, "MOST_STATES", 1000)
    with pytest.raises(TooManyStates, match="outcomes of choices"):
        explore(world, most=1000)
    assert len(explore(world, most=4000).target) == many


DERIVED = """
(:derived (near ?p - place) (or (at ?p) (exists (?q - place) (and (at ?q) (road ?q ?p)))))
(:derived (lost ?t - thing) (not (held ?t)))
(:derived (held ?t - thing) (exists (?q - place) (and (in ?t ?q) (near ?q))))
"""
SPELLED = "(or (at {0}) (exists (?z - place) (and (at ?z) (road ?z {0}))))"


def test_derived_facts_are_replaced_by_their_definitions() -> None:
    action = """(:action find :parameters (?t - thing ?q - place)
        :precondition (and (near ?q) {}) :effect (and (in ?t ?q) (at ?q)))"""
    long = SPELLED.format("?q")
    lost = f"(not (exists (?y - place) (and (in ?t ?y) {SPELLED.format('?y')})))"
    facts = problem_with("(road home shop) (road shop park) (at home) (in ball park)")
    short = domain_with(action.format("(lost ?t)"), more=DERIVED)
    whole = domain_with(action.format(lost).replace("(near ?q)", long))
    one, other = (explore(world_of(text, facts)) for text in (short, whole))
    assert np.array_equal(one.states, other.states)
    assert np.array_equal(one.target, other.target)
    goal, same = make_goal(one.world, "g", "(near park)"), SPELLED.format("park")
    assert (goal.holds(one.states) == make_goal(one.world, "g", same).holds(one.states)).all()
    assert 0 < goal.holds(one.states).sum() < len(one)


def test_too_many_conditions_in_an_effect_are_refused_with_their_line() -> None:
    action = """(:action shake :parameters () :effect
        (forall (?t - thing ?p - place) (when (in ?t ?p) (at home))))"""
    objects = "(:objects a b c d e f g h - place crate - box)"
    problem = f"(define (problem p) (:domain places) {objects} (:init (at home)))"
    with pytest.raises(BadInput, match=r"line [0-9]+: 'shake' has more than 8 conditions"):
        world_of(domain_with(action), problem)
