"""All reachable states, found one by one: what is compiled of :func:`hbtom.world.pddl.explore`.

Breadth first, the actions of each state in increasing order. States are rows of words, each a set
of 64 facts, and are found again by a table of their hashes.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Ints
from hbtom.compiled import kernel, part
from hbtom.world.pddl.world import ALWAYS, NEVER, World

_LOW = 0x7FFFFFFF  # the lower 31 bits


class Rules(NamedTuple):
    """The ways to do actions, and their outcomes; sets of facts are words."""

    fact: Annotated[Ints, "list"]  # that all ways of a list need
    first: Annotated[Ints, "list+1"]  # where the list begins
    action: Annotated[Ints, "way"]  # in the order of the lists
    need: Annotated[Ints, "way word"]
    avoid: Annotated[Ints, "way word"]
    outcomes: Annotated[Ints, "action+1"]
    add: Annotated[Ints, "outcome word"]
    delete: Annotated[Ints, "outcome word"]


class Found(NamedTuple):
    """The states that were found, and where their choices lead; complete unless there are more."""

    states: Annotated[Ints, "state word"]
    choices: Annotated[Ints, "state+1"]
    action: Annotated[Ints, "choice"]
    target: Annotated[Ints, "outcome"]
    complete: bool


def rules_of(world: World) -> Rules:
    """Return the rules of a world as plain arrays."""
    way, first, fact = world.listed

    def words(lists: Annotated[Ints, "owner fact"], padding: int) -> Annotated[Ints, "owner word"]:
        true = np.zeros((len(lists), 64 * world.words), dtype=np.bool_)
        np.put_along_axis(true, lists, True, axis=1)
        true[:, padding] = False
        packed = np.packbits(true, axis=1, bitorder="little").view("<u8")
        return packed.astype(np.uint64, copy=False).view(np.int64)

    return Rules(
        fact,
        first,
        world.action[way],
        words(world.need[way], ALWAYS),
        words(world.avoid[way], NEVER),
        world.outcomes,
        words(world.add, ALWAYS),
        words(world.delete, NEVER),
    )


@kernel
def enumerate_states(
    start: Annotated[Ints, "word"], rules: Rules, most: int, most_outcomes: int
) -> Found:
    """Return all reachable states, unless they or their outcomes are more than allowed."""
    states = np.empty((256, len(start)), dtype=np.int64)
    for word in range(len(start)):  # whole rows would take long to compile
        states[0, word] = start[word]
    table = np.full(1024, -1)
    table[hash_of(start) % len(table)] = 0
    many, done, chosen, led = 1, 0, 0, 0
    choices = np.zeros(257, dtype=np.int64)
    action, target = np.empty(1024, dtype=np.int64), np.empty(1024, dtype=np.int64)
    after = np.empty(len(start), dtype=np.int64)
    able = np.empty(len(rules.action), dtype=np.int64)
    while done < many:
        count = possible_actions(states[done], rules, able)
        for which in range(count):
            one = able[which]
            if chosen == len(action):
                action = np.concatenate((action, np.empty_like(action)))
            action[chosen] = one
            chosen += 1
            for outcome in range(rules.outcomes[one], rules.outcomes[one + 1]):
                for word in range(len(start)):
                    kept = states[done, word] & ~rules.delete[outcome, word]
                    after[word] = kept | rules.add[outcome, word]
                place = hash_of(after) % len(table)
                while table[place] >= 0 and not same(states[table[place]], after):
                    place = (place + 1) % len(table)
                if table[place] < 0:
                    if many == most:
                        return Found(states[:many], choices[: done + 1], action, target, False)
                    if many == len(states):
                        states = np.concatenate((states, np.empty_like(states)))
                        choices = np.concatenate((choices, np.empty_like(choices)))
                    for word in range(len(start)):
                        states[many, word] = after[word]
                    table[place] = many
                    many += 1
                if led == len(target):
                    target = np.concatenate((target, np.empty_like(target)))
                target[led] = table[place]
                led += 1
                if 2 * many > len(table):
                    table = larger(table, states)
            if led > most_outcomes:
                return Found(states[:many], choices[: done + 1], action, target, False)
        done += 1
        choices[done] = chosen
    return Found(states[:many], choices[: many + 1], action[:chosen], target[:led], True)


@part
def possible_actions(
    state: Annotated[Ints, "word"], rules: Rules, able: Annotated[Ints, "way"]
) -> int:
    """Write down the actions that are possible in a state, in increasing order; return how many."""
    count = 0
    for number in range(len(rules.fact)):
        fact = rules.fact[number]
        if not (state[fact // 64] >> (fact % 64)) & 1:
            continue
        for way in range(rules.first[number], rules.first[number + 1]):
            fits = True
            for word in range(len(state)):
                if (state[word] & rules.need[way, word]) != rules.need[way, word]:
                    fits = False
                if state[word] & rules.avoid[way, word]:
                    fits = False
            if fits:
                count = insert(able, count, rules.action[way])
    return count


@part
def insert(able: Annotated[Ints, "way"], count: int, action: int) -> int:
    """Insert an action into a list in increasing order, unless it is there; return its length."""
    place = count
    while place > 0 and able[place - 1] > action:
        place -= 1
    if place > 0 and able[place - 1] == action:  # it is possible in several ways
        return count
    for later in range(count, place, -1):
        able[later] = able[later - 1]
    able[place] = action
    return count + 1


@part
def hash_of(state: Annotated[Ints, "word"]) -> int:
    """Return a number that is the same for equal states, and hardly ever for others."""
    mixed = 1
    for word in state:
        for part_of in (word & _LOW, (word >> 31) & _LOW, (word >> 62) & 3):
            mixed = ((mixed ^ part_of) * 1103515245 + 12345) & _LOW
            mixed ^= mixed >> 15
    return mixed


@part
def same(one: Annotated[Ints, "word"], other: Annotated[Ints, "word"]) -> bool:
    """Return whether two states are equal."""
    differ = 0
    for word in range(len(one)):
        differ |= one[word] ^ other[word]
    return differ == 0


@part
def larger(table: Annotated[Ints, "place"], states: Annotated[Ints, "state word"]) -> Ints:
    """Return a table of twice the size with the same states."""
    new = np.full(2 * len(table), -1)
    for number in table:
        if number >= 0:
            place = hash_of(states[number]) % len(new)
            while new[place] >= 0:
                place = (place + 1) % len(new)
            new[place] = number
    return new
