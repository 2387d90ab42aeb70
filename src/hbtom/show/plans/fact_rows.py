"""Facts that are not about places: a row for each predicate, with a chip for each fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hbtom.show.plans.locations import Facts, Locations
from hbtom.world.pddl.problem import Ground

MOST_ROWS, MOST_CHIPS = 8, 60  # most rows on a board, and chips in a row
NAMELESS = "also true"  # the row of facts without objects


@dataclass(frozen=True)
class FactRow:
    """A row of facts, in the order in which they become true."""

    name: str
    facts: tuple[Ground, ...]
    held: bool = False  # whether its chips are things that are held


def fact_rows(found: Locations) -> tuple[FactRow, ...]:
    """Return a row for each predicate whose facts change in the course of a plan.

    Predicates that the drawing of places already shows are left out: marks of places, and
    predicates that only say that nothing is on or in a thing.
    """
    states = found.other
    changing = frozenset.union(*states) - frozenset.intersection(*states)
    groups: dict[str, list[Ground]] = {}
    for fact in _in_order(states):
        if len(fact) > 1:
            groups.setdefault(fact[0], []).append(fact)
        elif [fact in state for state in states] != [not held for held in found.held]:
            groups.setdefault(NAMELESS, []).append(fact)  # unless it says that nothing is held
    changes = {
        name: len(changing.intersection(facts))
        for name, facts in groups.items()
        if not _is_shown(found, facts)
    }
    most = sorted(filter(changes.get, changes), key=lambda name: -changes[name])[:MOST_ROWS]
    return tuple(FactRow(name, tuple(groups[name][:MOST_CHIPS])) for name in groups if name in most)


def marks(found: Locations) -> tuple[str, ...]:
    """Return predicates of single places that hold for less than half of them, such as locked."""
    places = {*found.places}
    ever = {fact for state in found.other for fact in state if len(fact) == 2}
    names = sorted({name for name, thing in ever if thing in places})
    return tuple(
        name
        for name in names
        if all(thing in places for one, thing in ever if one == name)
        and 2 * sum(one == name for one, _ in ever) < len(places)
    )


def held_rows(found: Locations) -> tuple[FactRow, ...]:
    """Return a row for each way of holding things: has, holding, carrying."""
    states = [frozenset((name, thing) for thing, name in held.items()) for held in found.held]
    facts = _in_order(states)
    names = dict.fromkeys(name for name, _ in facts)
    return tuple(
        FactRow(name, tuple(fact for fact in facts if fact[0] == name), held=True) for name in names
    )


def _in_order(states: Sequence[Facts]) -> list[Ground]:
    """Return all facts in the order in which they become true."""
    return list(dict.fromkeys(fact for state in states for fact in sorted(state)))


def _is_shown(found: Locations, facts: Sequence[Ground]) -> bool:
    """Return whether the drawing already shows facts.

    These are facts about places, or facts that hold exactly for free things, or for things on a
    table. A thing is free if nothing is in, on or at it. Held things may count as free, or not.
    """
    if any(len(fact) != 2 for fact in facts):
        return False
    name, about = facts[0][0], {thing for _, thing in facts}
    if about <= {*found.places}:
        return True
    as_seen = [True, True, True]
    for state, where, held in zip(found.other, found.things, found.held, strict=True):
        true = {fact[1] for fact in state if fact[0] == name}
        free = about - {*where.values()}
        on_table = not found.places and true == about - {*where} - {*held}
        same = true == free, true == free - {*held}, on_table
        as_seen = [one and now for one, now in zip(as_seen, same, strict=True)]
    return any(as_seen)
