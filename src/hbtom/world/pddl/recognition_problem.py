"""Goal recognition problems: a world, the goals that an agent may have, and the observations.

In the field's public layout, a problem has these files:

domain.pddl     the domain
template.pddl   the problem, with <HYPOTHESIS> in place of the goal's conditions
hyps.dat        a possible goal on each line, its conditions separated by commas
obs.dat         some of the actions of a plan, in order
real_hyp.dat    the goal that the plan had, if that is known
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from hbtom.errors import BadInput, count, located
from hbtom.world.pddl.domain import read_domain
from hbtom.world.pddl.goals import MOST_GOALS, Goal, make_goal, read_goals
from hbtom.world.pddl.grounded_world import World
from hbtom.world.pddl.grounding import ground
from hbtom.world.pddl.partial import PartialPlan, read_observations
from hbtom.world.pddl.problem import read_problem
from hbtom.world.pddl.syntax import Form, read_forms, written_lines

DOMAIN, PROBLEM, GOALS, SEEN, TRUE = (
    "domain.pddl",
    "template.pddl",
    "hyps.dat",
    "obs.dat",
    "real_hyp.dat",
)
NEEDED = (DOMAIN, PROBLEM, GOALS, SEEN)
_HYPOTHESIS = re.compile(r"<\s*hypothesis\s*>", re.IGNORECASE)
_NAMED = re.compile(r"\s*[\w.-]+\s*:")


@dataclass(frozen=True, eq=False)
class Posed:
    """A goal recognition problem: possible goals of an agent, and what was observed."""

    name: str
    world: World
    goals: tuple[Goal, ...]
    seen: PartialPlan
    true: int | None  # the goal that the agent has, if that is known
    warnings: tuple[str, ...] = ()
    stamp: str = ""  # changes with the content of the files; empty if that is unknown

    def __repr__(self) -> str:
        what = f"{len(self.goals)} goals and {len(self.seen)} observations"
        return f"<Posed {self.name!r}: {what}>"


def read_posed(
    files: Mapping[str, str],
    name: str = "problem",
    *,
    strict: bool = False,
    whole: bool = False,
    named: Mapping[str, str] | None = None,
) -> Posed:
    """Read a problem from the texts of its files; ``named`` are names for messages.

    With ``strict``, observations that are not actions are an error. ``whole`` says that no action
    is missing.
    """

    def told(which: str) -> str:
        return (named or {}).get(which, which)

    with located(file=told(DOMAIN)):
        domain = read_domain(_balanced(files[DOMAIN]))
    with located(file=told(PROBLEM)):
        text = _balanced(_HYPOTHESIS.sub("", files[PROBLEM]))
        problem = read_problem(text, domain, check_domain=False)
    with located(file=told(DOMAIN)):
        world = ground(problem)
    with located(file=told(GOALS)):
        goals = read_hypotheses(world, files[GOALS])
    with located(file=told(SEEN)):
        seen = read_observations(world, files[SEEN], name=told(SEEN), strict=strict or whole)
        seen = replace(seen, gaps=()) if whole else seen
        if not len(seen):
            raise BadInput("nothing was observed", hint="write '(ACTION OBJECT ...)', one per line")
    warnings = []
    if seen.unknown:
        left = count(seen.unknown, "observation")
        warnings.append(f"{left} left out: this domain and problem have no such action")
    true = None
    if TRUE in files:
        with located(file=told(TRUE)):
            wanted = frozenset(_conditions(files[TRUE]))
        true = list(goals).index(wanted) if wanted in goals else None
        if true is None:
            warnings.append("the true goal is not among the goals")
    return Posed(name, world, tuple(goals.values()), seen, true, tuple(warnings))


def read_hypotheses(world: World, text: str) -> dict[frozenset[str], Goal]:
    """Read named goals, or one goal on each line without a name: facts separated by commas.

    Each is returned with its conditions. A goal that occurs twice is read once.
    """
    lines = written_lines(text, MOST_GOALS, "goals")
    if any(_NAMED.match(written) for _, written in lines):
        named = read_goals(world, text)
        return {frozenset(_conditions(str(goal.formula))): goal for goal in named}
    goals: dict[frozenset[str], Goal] = {}
    for line, written in lines:
        parts = _conditions(written, line)
        if parts and frozenset(parts) not in goals:
            whole = parts[0] if len(parts) == 1 else f"(and {' '.join(parts)})"
            goals[frozenset(parts)] = make_goal(world, whole, whole, line)
    if not goals:
        raise BadInput("there are no goals", hint="write one per line, as '(FACT), (FACT)'")
    return goals


def _conditions(written: str, line: int = 1) -> list[str]:
    """Return the conditions of a goal, which must all hold, in a uniform spelling."""
    found: list[str] = []
    waiting = [*read_forms(written.replace(",", " "), line)]
    for node in waiting:
        if isinstance(node, Form) and node.head == "and":
            waiting += node.parts[1:]
        elif isinstance(node, Form):
            found.append(str(node))
    return found


def _balanced(text: str) -> str:
    """Return a text with balanced parentheses at the end.

    Some public files have one too few or too many there, and planners accept them.
    """
    bare = re.sub(r";[^\n]*", "", text).rstrip()
    extra = bare.count(")") - bare.count("(")
    end = re.search(r"[\s)]*\Z", bare)
    if extra > 0 and end is not None and end[0].count(")") > extra:
        for _ in range(extra):
            bare = bare.rstrip().removesuffix(")")
        return bare
    return bare + ")" * -extra if extra < 0 else text
