"""Enumerating all reachable states: the compiled part of :func:`hbtom.world.pddl.explore`.

The search is breadth first, with the actions of each state in increasing order. States are rows of
words, each a set of 64 facts. A hash table finds known states again.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Ints
from hbtom.compiled import kernel, part
from hbtom.world.pddl.grounded_world import ALWAYS, NEVER, World

_LOW = 0x7FFFFFFF  # the lower 31 bits


class Rules(NamedTuple):
    """The ways to do actions, and their outcomes; sets of facts are words."""

    fact: Annotated[Ints, "list"]  # needed by all ways in a list
    first: Annotated[Ints, "list+1"]  # where the list begins
    action: Annotated[Ints, "way"]  # in the order of the lists
    need: Annotated[Ints, "way word"]
    avoid: Annotated[Ints, "way word"]
    outcomes: Annotated[Ints, "action+1"]
    add: Annotated[Ints, "outcome word"]
    delete: Annotated[Ints, "outcome word"]


class FoundStates(NamedTuple):
    """The states that were found, and where their choices lead; incomplete if there are more."""

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
) -> FoundStates:
    """Return all reachable states; stop early if they or their outcomes exceed the limits."""
    outcomes, add, delete = rules.outcomes, rules.add, rules.delete
    ways, words, able = rules[:5], len(start), np.empty(len(rules.action), dtype=np.int64)
    states, choices = np.empty(256 * words, dtype=np.int64), np.empty(257, dtype=np.int64)
    action, target = np.empty(1024, dtype=np.int64), np.empty(1024, dtype=np.int64)
    after, table = start.copy(), blank(1024)
    many, done, chosen, led = write(states, 0, after), 0, 0, 0
    table[hash_of(after) % len(table)] = choices[0] = 0
    while done < many <= most and led <= most_outcomes:
        count = possible_actions(states[done * words : (done + 1) * words], ways, able)
        for which in range(count):
            if chosen == len(action):
                action = doubled(action)
            action[chosen] = one = able[which]
            chosen += 1
            for outcome in range(outcomes[one], outcomes[one + 1]):
                for word in range(words):
                    kept = states[done * words + word] & ~delete[outcome, word]
                    after[word] = kept | add[outcome, word]
                place = place_of(table, states, after)
                if table[place] < 0:
                    if many * words == len(states):
                        states = doubled(states)
                    table[place] = many
                    many = write(states, many, after)
                if led == len(target):
                    target = doubled(target)
                target[led] = table[place]
                led += 1
                if 2 * many > len(table):
                    table = larger(table, states, words)
        done += 1
        if done == len(choices):
            choices = doubled(choices)
        choices[done] = chosen
    found = states[: many * words].reshape((many, words)), choices[: done + 1]
    complete = many <= most and led <= most_outcomes
    return FoundStates(found[0], found[1], action[:chosen], target[:led], complete)


@part
def doubled(array: Annotated[Ints, "old"]) -> Annotated[Ints, "new"]:
    """Return an array that begins with the same numbers and has twice the size."""
    new = np.empty(2 * len(array), dtype=np.int64)
    for place in range(len(array)):
        new[place] = array[place]
    return new


@part
def blank(size: int) -> Annotated[Ints, "place"]:
    """Return a table that has no states yet."""
    table = np.empty(size, dtype=np.int64)
    for place in range(size):
        table[place] = -1
    return table


@part
def write(
    states: Annotated[Ints, "state*word"], number: int, state: Annotated[Ints, "word"]
) -> int:
    """Append a state; return the number of states."""
    for word in range(len(state)):
        states[number * len(state) + word] = state[word]
    return number + 1


@part
def possible_actions(
    state: Annotated[Ints, "word"],
    ways: tuple[Ints, Ints, Ints, Ints, Ints],
    able: Annotated[Ints, "way"],
) -> int:
    """Write the actions that are possible in a state, in increasing order; return how many."""
    facts, first, action, need, avoid = ways
    count = 0
    for number in range(len(facts)):
        fact = facts[number]
        if not (state[fact // 64] >> (fact % 64)) & 1:
            continue
        for way in range(first[number], first[number + 1]):
            fits = True
            for word in range(len(state)):
                if (state[word] & need[way, word]) != need[way, word]:
                    fits = False
                if state[word] & avoid[way, word]:
                    fits = False
            if fits:
                count = insert(able, count, action[way])
    return count


@part
def insert(able: Annotated[Ints, "way"], count: int, action: int) -> int:
    """Insert an action into a sorted list, unless it is there already; return the new length."""
    place = count
    while place > 0 and able[place - 1] > action:
        place -= 1
    if place > 0 and able[place - 1] == action:  # an action may be possible in several ways
        return count
    for later in range(count, place, -1):
        able[later] = able[later - 1]
    able[place] = action
    return count + 1


@part
def hash_of(state: Annotated[Ints, "word"]) -> int:
    """Return the hash of a state: the same for equal states, and rarely for others."""
    mixed = 1
    for place in range(len(state)):
        word = state[place]
        for part_of in (word & _LOW, (word >> 31) & _LOW, (word >> 62) & 3):
            mixed = ((mixed ^ part_of) * 1103515245 + 12345) & _LOW
            mixed ^= mixed >> 15
    return mixed


@part
def place_of(
    table: Annotated[Ints, "place"],
    states: Annotated[Ints, "state*word"],
    state: Annotated[Ints, "word"],
) -> int:
    """Return the place of a state in the table: the place of its number, or a free one for it."""
    place, words = hash_of(state) % len(table), len(state)
    while table[place] >= 0:
        differ = 0
        for word in range(words):
            differ |= states[table[place] * words + word] ^ state[word]
        if differ == 0:
            break
        place = (place + 1) % len(table)
    return place


@part
def larger(
    table: Annotated[Ints, "place"], states: Annotated[Ints, "state*word"], words: int
) -> Annotated[Ints, "place"]:
    """Return a table of twice the size with the same states."""
    new = blank(2 * len(table))
    for old in range(len(table)):
        number = table[old]
        if number >= 0:
            place = hash_of(states[number * words : (number + 1) * words]) % len(new)
            while new[place] >= 0:
                place = (place + 1) % len(new)
            new[place] = number
    return new
