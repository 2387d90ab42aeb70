"""Classic experiments with more than one mind, drawn anew: small episodes, made by hand.

A study has conditions, and each condition is a pair of episodes. They differ in the test trial
only, and the first is the one that the study's authors expected infants to find less surprising.
In tracks, A is the agent that is judged, B and C are other agents, and O and P are objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from findings import MEMBERS, Pair

from hbtom import Episode, Trial
from hbtom.bench.synth.social.courts import BORDER
from hbtom.bench.synth.social.gestures import GestureShape
from hbtom.bench.synth.social.houses import box_around, floor_with, route
from hbtom.bench.synth.social.staging import (
    Act,
    Place,
    StageCast,
    StagedPanel,
    pause,
    played,
    staged,
    walk,
    walk_up_to,
)
from hbtom.bench.synth.sprites import AGENT_R
from hbtom.observe import Identity

Conditions = dict[str, Pair]
Point = tuple[int, int]
SPEED = 4  # pixels a step
MET = 2 * AGENT_R  # pixels between the centres of two agents that touch
GREEN, YELLOW = (50, 50), (50, 150)  # where the toy may be in the study with two boxes
PLACES = {GREEN: "green", YELLOW: "yellow"}
_COLOURS = {"A": (220, 20, 60), "B": (0, 0, 128), "C": (255, 140, 0)}
_COLOURS |= {"O": (0, 150, 80), "P": (123, 104, 238)}


def _cast(names: Mapping[str, str], walls: Sequence[Point] = ()) -> StageCast:
    looks = {who: Identity(name, _COLOURS[who]) for who, name in names.items()}
    return StageCast(looks, (*BORDER, *walls))


def _pair(familiar: Sequence[Trial], tests: Iterator[Trial]) -> Pair:
    expected, unexpected = (
        Episode((*familiar, test), name) for test, name in zip(tests, MEMBERS, strict=True)
    )
    return expected, unexpected


def _approach(who: StageCast, places: Mapping[str, Point], name: str) -> Trial:
    """A trial in which the agent walks up to one of the others."""
    going: Act = {"A": walk_up_to([places["A"], places[name]], SPEED, MET)}
    return staged(who, played(places, [pause(3), going, pause(3)]))


def hamlin_2007() -> Conditions:
    """A door instead of a hill: one agent opens it, the other one closes it."""
    wall = [(4, y) for y in range(1, 9) if y not in (4, 5)]
    who = _cast({"A": "climber", "B": "helper", "C": "hinderer", "O": "toy"}, wall)
    places: dict[str, Point] = {"A": (160, 100), "B": (140, 150), "C": (140, 50)}
    doors = {"door": StagedPanel("door", (20, 40))}

    def moving(name: str) -> list[Act]:
        """Somebody slides the door away from the gate, or to it, and goes back to its place."""
        first, last = (100, 56) if name == "B" else (56, 100)
        slid = {x: walk([(x, first), (x, last)], SPEED) for x in (110, 126)}
        come = walk([places[name], (126, first)], SPEED)
        back = walk([(126, last), places[name]], SPEED)
        return [{name: come}, pause(2), {"door": slid[110], name: slid[126]}, {name: back}]

    def trial(toy: Point, name: str = "") -> Trial:
        going = walk_up_to([places["A"], toy], SPEED)
        barred = name == "C" and toy[0] < 100
        acts = [pause(3), *(moving(name) if name else ())]
        acts += [pause(3), {"A": going[:4] if barred else going}, pause(3)]
        begin = {**places, "O": toy, "door": (110, 100 if name == "B" else 56)}
        return staged(who, played(begin, acts), doors)

    def pair(toy: Point) -> Pair:
        familiar = [trial(toy, name) for name in ("", "B", "C", "B", "C")]
        return _pair(familiar, (_approach(who, places, name) for name in "BC"))

    return {
        "The door is in the climber's way": pair((50, 100)),
        "The door is not in its way": pair((165, 155)),
    }


def onishi_baillargeon_2005() -> Conditions:
    """Boards instead of boxes: a toy behind one of them moves, and the actor sees it or not."""
    who = _cast({"A": "actor", "O": "toy"})
    home = (150, 100)
    boards = {"green": (68, 50), "yellow": (68, 150)}
    panels = {name: StagedPanel("occluder", (10, 34)) for name in boards}
    floor = floor_with(who.walls, tuple(box_around(at, (10, 34)) for at in boards.values()))
    moves: Act = {"O": walk([GREEN, YELLOW], SPEED)}
    returns: Act = {"O": walk([YELLOW, GREEN], SPEED)}
    leaves, comes = {"A": [None]}, {"A": [home]}

    def trial(place: Point, *acts: Act) -> Trial:
        reach: Act = {"A": walk_up_to(route(floor, home, place), SPEED)}
        begin = {"A": home, "O": GREEN, **boards}
        shown = [part for act in (*acts, reach) for part in (pause(4), act)]
        return staged(who, played(begin, [*shown, pause(3)]), panels)

    def pair(expected: Point, *acts: Act) -> Pair:
        unexpected = YELLOW if expected == GREEN else GREEN
        tests = (trial(place, *acts) for place in (expected, unexpected))
        return _pair([trial(GREEN)] * 3, tests)

    return {
        "true belief, green": pair(GREEN),
        "true belief, yellow": pair(YELLOW, moves),
        "false belief, green": pair(GREEN, leaves, moves, comes),
        "false belief, yellow": pair(YELLOW, moves, leaves, returns, comes),
    }


def powell_spelke_2018() -> Conditions:
    """Two agents make different gestures. One agent copies one of them, or is copied by it."""
    who = _cast({"A": "triangle", "B": "circle", "C": "square"})
    places: dict[str, Point] = {"A": (100, 140), "B": (60, 80), "C": (140, 80)}
    gestures = [GestureShape(((0, 0), way), 1) for way in ((0, -28), (28, 0), (0, 28), (-28, 0))]

    def trial(order: str, made: Mapping[str, GestureShape]) -> Trial:
        acts = [{name: made[name].steps(places[name])} for name in order]
        between = [part for act in acts for part in (pause(4), act)]
        return staged(who, played(places, [*between, pause(3)]))

    def pair(order: str, numbers: Sequence[int] = range(4)) -> Pair:
        familiar = []
        for number in numbers:
            like, unlike = gestures[number], gestures[number - 2]  # there, and the other way
            familiar.append(trial(order, {"A": like, "B": like, "C": unlike}))
        return _pair(familiar, (_approach(who, places, name) for name in "BC"))

    return {
        "The triangle copies the circle": pair("BCA"),
        "The circle copies the triangle": pair("ABC"),
        "The same, always upwards": pair("ABC", [0] * 4),
    }


def luo_baillargeon_2005() -> Conditions:
    """A box moves by itself, or it is pushed, to the same one of two things; these are swapped."""
    who = _cast({"A": "box", "O": "cone", "P": "cylinder"})
    start, upper, lower = (70, 100), (140, 60), (140, 140)
    panels = {"paddle": StagedPanel("paddle", (10, 40))}
    slides: Act = {"paddle": walk([(30, 100), (59, 100)], SPEED)}  # until it touches the box

    def trial(cone: Point, cylinder: Point | None, goal: Point, pushed: bool) -> Trial:
        goes: Act = {"A": walk_up_to([start, goal], SPEED)}
        begin: dict[str, Place | None] = {"A": start, "O": cone, "paddle": (30, 100)}
        begin |= {"P": cylinder} if cylinder else {}
        acts = [pause(3), *([slides, goes] if pushed else [goes, slides]), pause(3)]
        return staged(who, played(begin, acts), panels)

    def pair(before: Sequence[Trial], pushed: bool = False) -> Pair:
        return _pair(before, (trial(lower, upper, goal, pushed) for goal in (lower, upper)))

    hit = [trial(upper, lower, upper, pushed=True)] * 4
    alone = [trial(place, None, place, pushed=False) for place in (upper, lower)]
    return {
        "It moves by itself": pair([trial(upper, lower, upper, pushed=False)] * 4),
        "It is pushed": pair(hit, pushed=True),
        "Pushed, then by itself": pair(hit),
        "Only the cone at first": pair(alone[:1] * 4),
        "Only the cone, in two places": pair(alone * 2),
    }


class Study(NamedTuple):
    """How the episodes of a study are made, and how the two of a pair end."""

    conditions: Callable[[], Conditions]
    endings: tuple[str, str]


STUDIES = {
    "hamlin-2007": Study(hamlin_2007, ("to the helper", "to the hinderer")),
    "onishi-baillargeon-2005": Study(onishi_baillargeon_2005, ("where it thinks", "elsewhere")),
    "powell-spelke-2018": Study(powell_spelke_2018, ("to the circle", "to the square")),
    "luo-baillargeon-2005": Study(luo_baillargeon_2005, ("to the cone", "to the cylinder")),
}
