"""True and false belief: an object is moved, and the agent goes where it must think the object is.

This is where the agent itself last saw the object in this trial or, if it has not seen it, where
the object always was.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hbtom.bench.synth.geometry import FreeSpace, Point, Rng, square
from hbtom.bench.synth.layouts import Cells, attempt, ensure
from hbtom.bench.synth.social.cases import EXPECTED, UNEXPECTED, Pair, Told, chance, pick
from hbtom.bench.synth.social.companions import still
from hbtom.bench.synth.social.houses import (
    HOME,
    LOWER,
    UPPER,
    box_around,
    floor_with,
    house_of_boards,
    route,
    spot_in,
)
from hbtom.bench.synth.social.schedules import SCHEDULES, WEIGHTS
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
    walk_up_to,
)
from hbtom.bench.synth.social.visits import (
    BOARD,
    SCREEN,
    SCREEN_AT,
    check_apart,
    check_belief,
    entering,
    last_seen,
    leaving,
    visit,
)
from hbtom.observe import Trial

CAMERA = (260.0, 260.0)
PARKED: tuple[Point, Point] = ((-29, 62), (-29, 138))


@dataclass(frozen=True, slots=True)
class Case:
    """The content of a pair: two schedules, often the same, and two endings."""

    told: tuple[Told, Told]
    schedules: tuple[str, str]
    ends: tuple[int, int]  # the place to which each member goes
    old: int  # the compartment where the object always was
    second: bool  # whether there is another object
    short: bool  # whether the agent stops before it reaches an empty place


def draw(rng: Rng) -> Case:
    """Draw a case: members differ in where the agent goes, or in what it has seen."""
    name = pick(rng, tuple(SCHEDULES), WEIGHTS)
    one = SCHEDULES[name]
    rivals = [
        other
        for other, what in SCHEDULES.items()
        if what[:2] == one[:2] and what.believed != one.believed
    ]
    if rivals and chance(rng, 0.3):
        names, ends = (name, pick(rng, rivals)), (one.believed, one.believed)
    else:
        names, ends = (name, name), (one.believed, 1 - one.believed)
    told = tuple(
        Told(level, f"{SCHEDULES[each].why}; it goes {where} it must think the object is")
        for level, each, where in zip(
            (EXPECTED, UNEXPECTED), names, ("where", "not where"), strict=True
        )
    )
    flags = chance(rng, 0.15), chance(rng, 0.25) and one.moved != "within"
    return Case((told[0], told[1]), names, ends, pick(rng, (UPPER, LOWER)), *flags)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where things are in a test trial."""

    places: tuple[Point, Point]
    boards: tuple[Point, Point]
    second: Point | None  # another object

    def floor(self, walls: Cells, screen: bool = False, agent: bool = True) -> FreeSpace:
        """Return where agents may walk: around boards, the other object and the agent."""
        boxes = [box_around(at, BOARD) for at in self.boards if at[0] > 0]
        boxes += [square(self.second, 9)] if self.second else []
        boxes += [box_around(SCREEN_AT, SCREEN)] if screen else []
        boxes += [square(HOME, 6)] if agent else []
        return floor_with(walls, tuple(boxes))


def pair(case: Case, rng: Rng) -> Pair:
    """Make the episodes of a case."""
    who = cast(rng, house_of_boards(), CAMERA)
    second = (int(rng.integers(134, 148)), pick(rng, (40, 160))) if case.second else None
    moved, boards = SCHEDULES[case.schedules[0]][:2]
    plan = _plan(rng, (moved, boards), case.old, second)
    hidden = set(rng.choice(8, size=int(rng.integers(3, 6)), replace=False).tolist())
    familiar = [_fetched(rng, who, plan, case.old, number in hidden) for number in range(8)]
    glass, seed = mirror(rng), int(rng.integers(1 << 30))
    made = []
    for name, end in zip(case.schedules, case.ends, strict=True):
        chosen = np.random.default_rng(seed)
        test = attempt(lambda r: _test(r, who, plan, name, (end, case.short)), chosen)  # noqa: B023
        made.append(glass.episode([*familiar, test]))
    return made[0], made[1]


def _plan(rng: Rng, what: tuple[str, bool], old: int, second: Point | None) -> _Plan:
    """Draw the two places, and boards in front of them or off stage."""
    moved, hidden = what
    within = moved == "within"
    one = spot_in(rng, old, (70, 80) if within else (38, 76))
    far = int(rng.integers(29, one[0] - 37)) if within else 0
    deeper = (far, one[1] + (12 if old == LOWER else -12))  # from home, behind the same board
    other = deeper if within else spot_in(rng, 1 - old)
    ahead = [one[0] + int(rng.integers(16, 21)), other[0] + int(rng.integers(16, 21))]
    boards = (ahead[0], ahead[0]) if within else (ahead[0], ahead[1])
    up = boards if old == UPPER else boards[::-1]
    stand = ((up[0], 62), (up[1], 138)) if hidden else PARKED
    return _Plan((one, other), stand, second)


def _fetched(rng: Rng, who: StageCast, plan: _Plan, old: int, hidden: bool) -> Trial:
    """Stage a familiarization trial: the agent fetches the object from where it always is."""
    x, y = plan.places[0]
    within = abs(plan.places[0][1] - plan.places[1][1]) < 40
    thing = (x + int(rng.integers(-8, 9)), y) if within else spot_in(rng, old)
    front = thing[0] + int(rng.integers(16, 21))
    boards = ((front, 62), (front, 138)) if hidden else PARKED
    here = _Plan((thing, thing), boards, plan.second)
    way = route(here.floor(who.walls, agent=False), HOME, thing)
    begin = _begin(here)
    going: Act = {"A": walk_up_to(way, BRISK, MEETING)}
    tracks = played(begin, [pause(still(rng)), going, pause(still(rng))])
    return staged(who, tracks, _PANELS, rng)


_PANELS = {
    "upper": StagedPanel("occluder", BOARD),
    "lower": StagedPanel("occluder", BOARD),
    "screen": StagedPanel("occluder", SCREEN),
}


def _begin(plan: _Plan) -> dict[str, Place | None]:
    begin: dict[str, Place | None] = {"A": HOME, "O": plan.places[0]}
    begin |= {"upper": plan.boards[0], "lower": plan.boards[1]}
    return begin | ({"P": plan.second} if plan.second else {})


def _test(rng: Rng, who: StageCast, plan: _Plan, name: str, ending: tuple[int, bool]) -> Trial:
    """Stage a test trial: the schedule, and then the agent's walk to one of the places."""
    end, short = ending
    believed = SCHEDULES[name].believed
    begin = {**_begin(plan), "B": None}
    if name.startswith("screened"):
        begin["screen"] = SCREEN_AT
    if name.startswith(("late", "arrives")):
        begin["A"] = None
    acts = list(_schedule(rng, plan, who.walls, name))
    so_far = played(begin, acts)
    sizes = {board: panel.size for board, panel in _PANELS.items() if board in begin}
    check_belief(last_seen(so_far, sizes), plan.places, believed)
    now = so_far["O"][-1]
    way = route(plan.floor(who.walls, agent=False), HOME, plan.places[end])
    going = walk_up_to(way, BRISK, MEETING)
    if now != plan.places[end]:
        check_apart([HOME, *going], [now] if now else [], MEETING + 4)
        going = going[: max(3, round(len(going) * 0.8))] if short else going
    last, (here, there) = going[-1], (plan.places[end], plan.places[1 - end])
    ensure(math.dist(last, there) - math.dist(last, here) >= MEETING)
    acts += [{"A": going}, pause(still(rng))]
    return staged(who, played(begin, acts), _PANELS, rng)


def _schedule(rng: Rng, plan: _Plan, walls: Cells, name: str) -> list[Act]:
    """Return the acts before the agent sets out."""
    kind, *_ = name.split(", ")
    one, other = plan.places
    floor = plan.floor(walls, screen=kind == "screened")
    visits = [visit(rng, floor, one, other)]
    if "back" in name:
        visits.append(visit(rng, floor, other, one))
    acts: list[Act] = [{"B": each.other, "O": each.thing} for each in visits]
    come: Act = {"A": entering(rng)}
    away: Act = {"A": leaving()}
    if kind == "arrives":
        entry, first = come["A"], visits[0]
        inside = next(i for i, place in enumerate(entry) if place and place[0] <= 180)
        begins = int(rng.integers(first.lifted, first.put_down)) - inside
        ensure(begins >= 0)
        acts[0] = {**acts[0], "A": [*[None] * begins, *entry]}
    elif kind == "late":
        acts.append(come)
    elif kind == "leaves" and "back" in name:
        acts = [acts[0], away, acts[1], come]
    elif kind == "leaves":
        acts = [away, *acts, come]
    elif kind == "screened":
        acts.append({"screen": [None]})
    between = [pause(still(rng, 4)) for _ in acts]
    return [act for both in zip(between, acts, strict=True) for act in both] + [pause(still(rng))]
