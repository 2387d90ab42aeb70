"""From a problem to its world: the actions that are possible, and the facts that can change.

Actions that would be impossible even if no fact ever became false are left out, and so are facts
that cannot become true and facts that are always true.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, Ints, concat_ranges
from hbtom.errors import BadInput
from hbtom.world.pddl.drafting import Draft, Pairs, draft, joined_drafts
from hbtom.world.pddl.grounded_world import ALWAYS, NEVER, World, words_of
from hbtom.world.pddl.numbering import Numbering
from hbtom.world.pddl.problem import Ground, Problem

MOST_ACTIONS = 500_000
_UNCOUNTED = "without (:metric minimize (total-cost)) every action costs 1"


def ground(problem: Problem) -> World:
    """Ground all actions of a problem."""
    numbering = Numbering(problem)
    rough = joined_drafts([draft(schema, numbering) for schema in numbering.schemas])
    if rough.actions > MOST_ACTIONS:
        raise BadInput(
            f"there are more than {MOST_ACTIONS:,} grounded actions",
            hint="give parameters narrower types, or the problem fewer objects",
        )
    ways, facts = _that_matter(rough, numbering.initial)
    doable = np.bincount(rough.action[ways], minlength=rough.actions) > 0
    happens = doable[rough.outcome_of]
    number = np.cumsum(doable) - 1
    action = number[rough.action[ways]]
    order = np.argsort(action, kind="stable")  # keeps the cases of an action together
    names, cost = _named(rough, doable, numbering)
    start = np.searchsorted(facts, np.intersect1d(facts, numbering.initial)) + 2
    chances = [
        np.tile([outcome.probability for outcome in schema.outcomes], len(table))
        for schema, table in zip(numbering.schemas, rough.objects, strict=True)
    ]
    uncounted = any(one.costs for one in problem.domain.actions) and not problem.by_cost
    return World(
        problem=problem,
        facts=tuple(numbering.spelled(fact) for fact in facts.tolist()),
        initial=words_of([ALWAYS, *start.tolist()], (len(facts) + 2 + 63) // 64),
        actions=names,
        cost=cost,
        need=_lists(rough.need, ways, facts, ALWAYS)[order],
        avoid=_lists(rough.avoid, ways, facts, NEVER)[order],
        action=action[order],
        outcomes=np.searchsorted(number[rough.outcome_of[happens]], np.arange(len(names) + 1)),
        add=_lists(rough.add, happens, facts, ALWAYS),
        delete=_lists(rough.delete, happens, facts, NEVER),
        probability=np.concatenate(chances)[happens],
        warnings=(_UNCOUNTED,) if uncounted else (),
    )


def _that_matter(
    rough: Draft, initial: Annotated[Ints, "fact"]
) -> tuple[Annotated[Bools, "way"], Annotated[Ints, "fact"]]:
    """Return which ways of doing an action are possible, and the facts that can change."""
    possible, doable = _relaxed(rough, initial)
    happens = doable[rough.outcome_of]
    lost = rough.delete[happens[rough.delete[:, 0]], 1]
    forever = np.setdiff1d(initial, lost)
    never = rough.need[~np.isin(rough.need[:, 1], possible), 0]
    never = np.concatenate([never, rough.avoid[np.isin(rough.avoid[:, 1], forever), 0]])
    ways = np.bincount(never, minlength=len(rough.action)) == 0
    return ways, np.setdiff1d(possible, forever)


def _relaxed(
    rough: Draft, initial: Annotated[Ints, "fact"]
) -> tuple[Annotated[Ints, "fact"], Annotated[Bools, "action"]]:
    """Return the facts and actions that would be possible if no fact ever became false."""
    some = np.concatenate([rough.need[:, 1], rough.add[:, 1], initial])
    facts, place = np.unique(some, return_inverse=True)
    need, add, _ = np.split(place, np.cumsum([len(rough.need), len(rough.add)]))
    possible = np.isin(facts, initial)
    doable = np.zeros(rough.actions, dtype=np.bool_)
    while True:
        lacking = rough.need[~possible[need], 0]
        ready = np.bincount(lacking, minlength=len(rough.action)) == 0
        doable[rough.action[ready]] = True
        added = add[doable[rough.outcome_of[rough.add[:, 0]]]]
        if possible[added].all():
            return facts[possible], doable
        possible[added] = True


def _lists(
    pairs: Pairs, kept: Annotated[Bools, "owner"], facts: Annotated[Ints, "fact"], padding: int
) -> Annotated[Ints, "owner fact"]:
    """Return the facts of every owner that is kept, as rows padded to the same length."""
    pairs = pairs[kept[pairs[:, 0]] & np.isin(pairs[:, 1], facts)]
    pairs = pairs[np.lexsort(pairs.T[::-1])]
    owner = (np.cumsum(kept) - 1)[pairs[:, 0]]
    count = np.bincount(owner, minlength=int(kept.sum()))
    place = concat_ranges(np.zeros_like(count), count)
    lists = np.full((len(count), max(int(count.max(initial=0)), 1)), padding)
    lists[owner, place] = np.searchsorted(facts, pairs[:, 1]) + 2
    return lists


def _named(
    rough: Draft, doable: Annotated[Bools, "action"], numbering: Numbering
) -> tuple[tuple[Ground, ...], Annotated[Floats, "action"]]:
    """Return the names and costs of all possible actions."""
    schemas = numbering.schemas
    which = np.split(doable, np.cumsum([len(table) for table in rough.objects]))[:-1]
    tables = [table[kept] for table, kept in zip(rough.objects, which, strict=True)]
    objects = np.array(list(numbering.object), dtype=object)
    names = tuple(
        (schema.name, *row)
        for schema, table in zip(schemas, tables, strict=True)
        for row in objects[table].tolist()
    )
    costs = [numbering.costs(one, table) for one, table in zip(schemas, tables, strict=True)]
    return names, np.concatenate(costs)
