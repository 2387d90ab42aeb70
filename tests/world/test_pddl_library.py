"""hbtom's reader and the library ``pddl`` agree about all files that come with hbtom."""

from __future__ import annotations

import re

import pytest

from domains import CERTAIN, EXAMPLES
from hbtom.world.pddl import read_domain, read_problem
from hbtom.world.pddl.gridworld import DOMAIN
from world.test_pddl_gridworld import corridor

library = pytest.importorskip("pddl.parser.domain")
problems = pytest.importorskip("pddl.parser.problem")


def texts(name: str) -> tuple[str, str]:
    if name == "gridworld":
        return DOMAIN.read_text(encoding="utf-8"), corridor().problem()
    folder = EXAMPLES / name
    return tuple(
        (folder / f"{one}.pddl").read_text(encoding="utf-8") for one in ("domain", "problem")
    )


def lenient(domain: str) -> str:
    """Return a domain that the library accepts: it requires more declarations than PDDL."""
    return domain.replace(":action-costs", ":action-costs :numeric-fluents")


@pytest.mark.parametrize("name", ["gridworld", *CERTAIN])
def test_a_domain_has_the_same_words_and_actions(name: str) -> None:
    text, _ = texts(name)
    ours, theirs = read_domain(text), library.DomainParser()(lenient(text))
    assert ours.name == theirs.name
    assert {
        predicate: len(variables) for predicate, variables in ours.language.predicates.items()
    } == {str(one.name): one.arity for one in theirs.predicates}
    assert set(ours.language.types) == {str(one) for one in theirs.types}
    assert {one.name: [p.name for p in one.parameters] for one in ours.actions} == {
        str(one.name): [f"?{p.name}" for p in one.parameters] for one in theirs.actions
    }
    for one in ours.actions:
        (its,) = (other for other in theirs.actions if str(other.name) == one.name)
        assert words(str(one.precondition)) == words(str(its.precondition))


def words(condition: str) -> list[str]:
    """Return the words of a condition in alphabetical order; "and" and brackets are dropped."""
    return sorted(set(re.findall(r"[\w?=-]+", condition)) - {"and", "object"})


@pytest.mark.parametrize("name", ["gridworld", *CERTAIN])
def test_a_problem_is_read_the_same(name: str) -> None:
    domain, problem = texts(name)
    ours = read_problem(problem, read_domain(domain))
    theirs = problems.ProblemParser()(problem)
    own = set(ours.language.objects) - set(ours.domain.language.objects)
    assert own == {str(one.name) for one in theirs.objects}
    facts = {str(one) for one in theirs.init if not str(one).startswith("(=")}
    assert facts == {f"({' '.join(fact)})" for fact in ours.true}
    assert len(theirs.init) - len(facts) == len(ours.numbers)
