"""Where things are in the states of a plan, inferred from the effects of actions.

Predicates have no meaning of their own: ``(at key-1 c14)`` and ``(on a b)`` are only names. But a
fact that says where a thing is changes in a characteristic way. A thing is in one place at a time,
and an action that brings it to a place takes it away from another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from hbtom.show.plans.coordinates import Coordinates, find_coordinates
from hbtom.world.pddl import Plan, World
from hbtom.world.pddl.expressions import Atom
from hbtom.world.pddl.problem import Ground

_USUAL = ("at", "in", "on", "inside")  # names of predicates that are tried first

Facts = frozenset[Ground]
Where = dict[str, str]  # for each thing, the place or thing that it is at, in or on


@dataclass(frozen=True)
class Locations:
    """Where everything is in each state of a plan."""

    agent: tuple[str | None, ...]  # the agent's place
    things: tuple[Where, ...]
    held: tuple[Where, ...]  # things that are in no place, with the predicate that holds them
    other: tuple[Facts, ...]  # all other facts
    movable: tuple[str, ...]  # things that can be in a place
    places: tuple[str, ...]  # fixed places where they or the agent can be
    ways: Iterable[Ground]  # facts that may say how to get from place to place


@dataclass(frozen=True)
class _Seen:
    """The facts in the states of a plan, and the effects of its domain's actions."""

    states: tuple[Facts, ...]
    fixed: Facts  # facts that never change, of predicates that can change for other objects
    outcomes: tuple[tuple[tuple[Atom, ...], tuple[Atom, ...]], ...]  # atoms: now true, now false

    def of(self, state: Facts, predicates: Mapping[str, bool]) -> Iterator[tuple[str, str]]:
        """Yield each thing and where it is; predicates have the thing as first or last term."""
        for name, *terms in (*state, *(self.fixed if predicates else ())):
            if name in predicates and len(terms) == 2:
                yield (terms[0], terms[1]) if predicates[name] else (terms[1], terms[0])


def find_locations(plan: Plan) -> Locations:
    """Return where everything is in each state of a plan."""
    states = tuple(frozenset(plan.world.true_in(state)) for state in plan.states)
    names = {fact[0] for fact in plan.world.facts}
    fixed = frozenset(fact for fact in plan.world.always if fact[0] in names)
    seen = _Seen(states, fixed, tuple(_outcomes(plan.world)))
    named = _agent_predicate(seen, plan.world)
    agent = tuple(next((fact[1] for fact in one if fact[0] == named), None) for one in states)
    chosen = _place_predicates(seen, plan.world)
    things = tuple(dict(sorted(seen.of(state, chosen))) for state in states)
    holding = _holding(seen, chosen, things)
    used = {named, *chosen, *holding}
    is_thing = any(tuple(where.get(one) for where in things) == agent for one in things[0])
    found = Locations(
        (None,) * len(states) if is_thing else agent,  # such as a robot with a name
        things,
        tuple({fact[1]: fact[0] for fact in sorted(one) if fact[0] in holding} for one in states),
        tuple(frozenset(fact for fact in state if fact[0] not in used) for state in states),
        *_objects(seen, plan.world, chosen, named),
        plan.world.always,
    )
    numbers = find_coordinates(plan)
    return found if numbers is None else _with_coordinates(found, numbers)


def _with_coordinates(found: Locations, numbers: Coordinates) -> Locations:
    """Return where things are if the agent or things have coordinates.

    Once another fact about a thing has changed, such as that an agent has it, it is unknown whether
    the thing is still there.
    """
    said = [{fact for fact in state if len(fact) == 2} for state in found.other]
    changed = [{thing for _, thing in state ^ said[0]} for state in said]
    at = [
        {thing[0]: place for thing, place in one.items() if thing and thing[0] not in gone}
        for one, gone in zip(numbers.states, changed, strict=True)
    ]
    owners = [thing for thing in at[0] if thing not in found.movable]
    places = dict.fromkeys(place for way in numbers.ways for place in way[1:])
    both = zip(at, found.things, found.held, strict=True)
    agent = [one.get((), here) for one, here in zip(numbers.states, found.agent, strict=True)]
    return Locations(
        tuple(agent),
        tuple(
            {**{one: place[one] for one in place if one not in held}, **things}
            for place, things, held in both
        ),
        found.held,
        tuple(
            frozenset(one for one in facts if one[0] not in numbers.used) for facts in found.other
        ),
        (*found.movable, *owners),
        (*found.places, *places),
        numbers.ways,
    )


def _objects(
    seen: _Seen, world: World, chosen: Mapping[str, bool], agent: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the things that can be in a place, and the places where they can be, in order."""
    pairs = list(seen.of(frozenset(world.facts), chosen))
    movable = {thing for thing, _ in pairs}
    places = {place for _, place in pairs} | {one[1] for one in world.facts if one[0] == agent}
    order = list(world.problem.language.objects)
    return tuple(filter(movable.__contains__, order)), tuple(
        one for one in order if one in places - movable
    )


def _outcomes(world: World) -> Iterator[tuple[tuple[Atom, ...], tuple[Atom, ...]]]:
    for schema in world.problem.domain.actions:
        for outcome in schema.outcomes:
            true = tuple(change.atom for change in outcome.changes if change.holds)
            yield true, tuple(change.atom for change in outcome.changes if not change.holds)


def _agent_predicate(seen: _Seen, world: World) -> str:
    """Return the predicate that says where the agent is, such as ``at``; empty if there is none.

    It holds for one place in every state, and each action that ends it for one place begins it for
    another.
    """
    names = {fact[0] for fact in world.facts if len(fact) == 2}
    for name in sorted(names, key=_rank):
        counts = [[sum(a.name == name for a in part) for part in one] for one in seen.outcomes]
        once = all(sum(fact[0] == name for fact in state) == 1 for state in seen.states)
        if once and _moves(seen, name, 0) and all(now == before for now, before in counts):
            return name
    return ""


def _rank(name: str) -> tuple[bool, str]:
    """Return a sort key that puts usual names of places first."""
    words = name.lower().replace("_", "-").split("-")
    return not {*words} & {*_USUAL}, name


def _place_predicates(seen: _Seen, world: World) -> dict[str, bool]:
    """Return predicates that say where things are, and whether the thing comes first.

    Together they give each thing at most one place.
    """
    things: dict[str, set[str]] = {}
    for fact in world.facts:
        if len(fact) == 3:
            things.setdefault(fact[0], set()).add(fact[1])
    ending = {atom.name for _, before in seen.outcomes for atom in before}
    order = sorted(
        (name for name in things if name in ending),
        key=lambda name: (not _moves(seen, name, 1), _rank(name)[0], -len(things[name]), name),
    )
    chosen: dict[str, bool] = {}
    for name in order:
        for first in _orders(seen, name, chosen):
            if all(_is_function(seen.of(state, {**chosen, name: first})) for state in seen.states):
                chosen[name] = first
                break
    return chosen


def _moves(seen: _Seen, name: str, same: int) -> bool:
    """Return whether an action ends a predicate and begins it with only the same first terms."""
    return any(
        atom.name == gone.name == name
        and atom.terms != gone.terms
        and atom.terms[:same] == gone.terms[:same]
        for now, before in seen.outcomes
        for atom in now
        for gone in before
    )


def _orders(seen: _Seen, name: str, chosen: Mapping[str, bool]) -> tuple[bool, ...]:
    """Return whether the thing may come first: not if the last term leaves its place."""
    for now, before in seen.outcomes:
        for mine, others in ((now, before), (before, now)):
            for atom in (one for one in mine if one.name == name):
                left = {_thing(one, chosen[one.name]) for one in others if one.name in chosen}
                if atom.terms[1] in left and atom.terms[0] not in left:
                    return (False,)
    return (True,)


def _thing(atom: Atom, first: bool) -> str:
    return atom.terms[0 if first else 1]


def _is_function(pairs: Iterator[tuple[str, str]]) -> bool:
    """Return whether nothing is in two places, or in itself."""
    found: Where = {}
    return all(found.setdefault(thing, place) == place != thing for thing, place in pairs)


def _holding(seen: _Seen, chosen: Mapping[str, bool], things: Sequence[Where]) -> set[str]:
    """Return predicates of held things: they begin when the thing leaves its place."""
    found: set[str] = set()
    for now, before in seen.outcomes:
        for mine, others in ((now, before), (before, now)):
            left = {_thing(one, chosen[one.name]) for one in others if one.name in chosen}
            found |= {one.name for one in mine if len(one.terms) == 1 and one.terms[0] in left}
    return {
        name
        for name in found
        if all(
            fact[1] not in where
            for state, where in zip(seen.states, things, strict=True)
            for fact in state
            if fact[0] == name
        )
    }
