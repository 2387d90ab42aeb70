"""How things are arranged in places: side by side, and above the things that they are in or on.

Things keep their slots as long as they stay: only things that move are drawn elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from hbtom.show.plans.locations import Locations, Where

AGENT, TABLE = "?agent", "?table"  # no object has such a name


class Slot(NamedTuple):
    """A place within a place: columns from the left, rows from the ground."""

    place: str
    column: int
    row: int


Slots = dict[str, Slot]  # of things, and of the agent


def stack(found: Locations) -> list[Slots]:
    """Return in each state the slot of every thing that is in a place.

    The first column of each place is the agent's, if the agent has places. In a world without
    places, such as one of blocks, things that are on nothing are on a table.
    """
    slots: list[Slots] = []
    for agent, where, held in zip(found.agent, found.things, found.held, strict=True):
        loose = [thing for thing in found.movable if thing not in held]
        ground, above = _grounds(loose, where, found)
        first = int(any(found.agent))
        now = dict(_arranged(ground, above, slots[-1] if slots else {}, first))
        slots.append(now if agent is None else {**now, AGENT: Slot(agent, 0, 0)})
    return slots


def _grounds(
    things: Sequence[str], where: Where, found: Locations
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the things on the ground of each place, and the things in or on each thing."""
    ground: dict[str, list[str]] = {}
    above: dict[str, list[str]] = {}
    for thing in things:
        under = where.get(thing)
        if under is None and found.places:
            continue  # it is used up
        group = above if under in found.movable else ground
        group.setdefault(TABLE if under is None else under, []).append(thing)
    return ground, above


def _arranged(
    ground: Mapping[str, Sequence[str]],
    above: Mapping[str, Sequence[str]],
    before: Slots,
    first: int,
) -> Iterator[tuple[str, Slot]]:
    for place, things in ground.items():
        stayed = {
            thing: before[thing].column
            for thing in things
            if thing in before and before[thing][::2] == (place, 0)
        }
        free = (
            column for column in range(first, first + len(things)) if column not in stayed.values()
        )
        for thing in things:
            column = stayed[thing] if thing in stayed else next(free)
            tower = [thing]
            for one in tower:
                tower += above.get(one, ())  # grows while it is read
            for row, one in enumerate(tower):
                yield one, Slot(place, column, row)
