"""Helper and hinderer: one agent opens a gate for the agent, another one closes it.

In the first trials, the agent fetches an object from one of two compartments. Then there is a door.
Moving it helps or hinders depending on its effect on the agent's way, not on how it looks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hbtom.bench.synth.geometry import Point, Rng
from hbtom.bench.synth.social.cases import EXPECTED, UNEXPECTED, Pair, Told, chance, pick
from hbtom.bench.synth.social.companions import Spots, approach, still
from hbtom.bench.synth.social.houses import (
    HOME,
    LOWER,
    UPPER,
    box_around,
    floor_with,
    house_of_doors,
    route,
    spot_in,
)
from hbtom.bench.synth.social.staging import (
    BRISK,
    MEETING,
    Act,
    Place,
    StageCast,
    StagedPanel,
    cast,
    mirror,
    pause,
    played,
    staged,
    walk,
    walk_up_to,
)
from hbtom.observe import Trial

CAMERA = (260.0, 260.0)
DOOR = (20, 40)
ASIDE = 100  # y of a door that stands in front of the wall between the gates
GATES = {UPPER: 60, LOWER: 140}  # y of a door in a gate
REACH = 26  # pixels between the centres of a door and of the agent that moves it
TRIED = 4  # steps that the agent takes towards an object that it cannot reach
_AISLE = 132  # x where others walk past the door


@dataclass(frozen=True, slots=True)
class Errand:
    """A trial: the object's compartment, who moves the door, between which places, and how."""

    side: int
    mover: str = ""  # the name of an agent; empty if nobody moves the door
    doors: tuple[int, int] = (0, 0)  # y before and after
    push: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """The content of a pair; B helps and C hinders."""

    told: tuple[Told, Told]
    errands: tuple[Errand, ...]
    passage: bool
    b_above: tuple[bool, bool]  # where B stands: before, and at test


def draw(rng: Rng) -> Case:
    """Draw a case: who helps how often, and in which order."""
    fetched = [Errand(side) for side in rng.permutation([UPPER, LOWER] * 2).tolist()]
    helps, hinders = pick(rng, ((2, 2), (1, 1), (1, 2), (2, 1), (3, 1), (1, 3)), (4, 1, 1, 1, 1, 1))
    acts = [_helping(rng) for _ in range(helps)] + [_hindering(rng) for _ in range(hinders)]
    acts += [_idle(rng) for _ in range(4 - helps - hinders)]
    errands = [*fetched, *(acts[i] for i in rng.permutation(4))]
    if chance(rng, 0.3):  # the door is there from the beginning, now and then
        errands = [errands[i] for i in rng.permutation(8)]
    passage = chance(rng, 0.25)
    effect = "longer" if passage else "impossible"
    often = ("", "once", "twice", "3 times")
    why = (
        f"one agent opened the way {often[helps]}, the other one made it {effect} {often[hinders]}"
    )
    told = (
        Told(EXPECTED, f"{why}; it approaches the helper"),
        Told(UNEXPECTED, f"{why}; it approaches the hinderer"),
    )
    where = chance(rng, 0.5)
    return Case(told, tuple(errands), passage, (where, where ^ chance(rng, 0.3)))


def _helping(rng: Rng) -> Errand:
    side = pick(rng, (UPPER, LOWER))
    return Errand(side, "B", (GATES[side], _elsewhere(rng, side)), chance(rng, 0.5))


def _hindering(rng: Rng) -> Errand:
    side = pick(rng, (UPPER, LOWER))
    return Errand(side, "C", (_elsewhere(rng, side), GATES[side]), chance(rng, 0.5))


def _idle(rng: Rng) -> Errand:
    """Draw an act without effect: the door stays near the other gate, moved a bit or back."""
    side = pick(rng, (UPPER, LOWER))
    gate, out = GATES[1 - side], chance(rng, 0.5)
    beyond = gate + (20 if side == UPPER else -20)  # where only the room's side of it is free
    return Errand(side, pick(rng, "BC"), (gate, beyond) if out else (beyond, gate), push=out)


def _elsewhere(rng: Rng, side: int) -> int:
    """Draw a place where a door does not block the way: mostly in the other gate."""
    return ASIDE if chance(rng, 0.2) else GATES[1 - side]


def pair(case: Case, rng: Rng) -> Pair:
    """Make the episodes of a case."""
    who = cast(rng, house_of_doors(rng, case.passage), CAMERA)
    above, below = (int(rng.integers(128, 137)) for _ in range(2))
    spots = [(above, 30), (below, 170)]
    before, after = (_spots(spots, b_above) for b_above in case.b_above)
    glass = mirror(rng)
    familiar = [_trial(rng, who, before, one) for one in case.errands]
    seed = int(rng.integers(1 << 30))
    made = [
        glass.episode([*familiar, approach(who, after, to_b, np.random.default_rng(seed))])
        for to_b in (True, False)
    ]
    return made[0], made[1]


def _spots(spots: list[Point], b_above: bool) -> Spots:
    one, other = spots if b_above else spots[::-1]
    return Spots(HOME, one, other)


def _trial(rng: Rng, who: StageCast, spots: Spots, errand: Errand) -> Trial:
    """Stage a trial: the door is moved or not, and the agent goes for the object."""
    thing = spot_in(rng, errand.side)
    before, after = ((110, y) for y in errand.doors)
    begin: dict[str, Place | None] = {"A": spots.a, "B": spots.b, "C": spots.c, "O": thing}
    panels: dict[str, StagedPanel] = {}
    acts = [pause(still(rng))]
    if errand.mover:
        begin["door"], panels["door"] = before, StagedPanel("door", DOOR)
        acts += _moving(errand, spots.b if errand.mover == "B" else spots.c, rng)
    floor = floor_with(who.walls, (box_around(after, DOOR),) if errand.mover else ())
    open_way = floor.route(HOME, thing)
    way = open_way or route(floor_with(who.walls), HOME, thing)
    going = walk_up_to(way, BRISK, MEETING)
    acts += [{"A": going if open_way else going[:TRIED]}, pause(still(rng))]
    return staged(who, played(begin, acts), panels, rng)


def _moving(errand: Errand, start: Point, rng: Rng) -> list[Act]:
    """Return the acts of an agent that goes to the door and pushes it ahead or pulls it along."""
    y0, y1 = errand.doors
    ahead = 1 if y1 > y0 else -1
    grip = -ahead * REACH if errand.push else ahead * REACH
    there: Point = (110, y0 + grip)
    corner: Point = (_AISLE, there[1])
    moved = walk([(110, y0), (110, y1)], BRISK)
    moves = [(x, y + grip) for x, y in (place for place in moved if place is not None)]
    come = walk([start, corner, there], BRISK)
    return [
        {errand.mover: come},
        pause(int(rng.integers(1, 4))),
        {errand.mover: moves, "door": moved},
        pause(still(rng)),
    ]
