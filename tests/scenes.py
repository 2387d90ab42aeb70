"""Small scenes in the JSON form of Machine Common Sense, as plain dictionaries.

A *take* says for one trial where each prop is at each step, as centres in the benchmark's pixels,
with an angle if it turns; None while it is absent. After the last entry, a prop stays as it is:

    take = {BLOB: [*still((40, 100)), *walk((40, 100), (84, 100), step=4)], SPHERE: [(99, 100)]}
    judged = read(scene(take, take))                    # an hbtom.Episode

``filmed`` makes takes of the benchmark's own trials, as the makers of scenes did.
Results are new each time, so tests may change them as they like.
"""

from __future__ import annotations

import json
import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import hbtom
from episodes import ACORN, CLOVE, HEART, SPOON, Json, Point, key_trial, walk
from hbtom import observe

State = tuple[float, ...] | None  # x, y and perhaps an angle
Take = dict["Prop", Sequence[State]]

PASS, END = ["Pass"], ["EndHabituation"]


@dataclass(frozen=True)
class Prop:
    """A thing in a scene; its id is its role and a unique number."""

    role: str
    type: str = "cube"
    colour: str = "Black"
    size: Point | None = (20, 20)  # in pixels; None: the scene does not say
    number: int = 0

    @property
    def id(self) -> str:
        digits = uuid.uuid5(uuid.NAMESPACE_OID, repr((self.type, self.colour, self.number)))
        return f"{self.role}_{digits}"


BLOB = Prop("agent", "blob_12", "Purple", (39.96, 39.96))
STAR = Prop("agent", "blob_03", "Blue", (48, 48))  # another agent that is watched
SPHERE = Prop("object", "sphere", "Lime", (18, 18))
CUBE = Prop("object", "cube", "Navy", (12.7, 12.7))
FRIEND = Prop("other_agents", "blob_05", "Red", (31.6, 31.6))
STRANGER = Prop("other_agents", "blob_07", "Cyan", None)
PADDLE = Prop("paddle", "cube", "Black", (10, 40))
BOARD = Prop("occluder", "cube", "White", (10, 42))
DOOR = Prop("occluder", "cube", "Cyan", (20, 40))
KEY = Prop("key", "triangle", "Maroon", (16, 16))
LOCK = Prop("lock", "lock_wall", "Lime", (20, 20))


def wall(number: int, role: str = "wall", size: Point = (20, 20)) -> Prop:
    return Prop(role, "cube", "Black" if role == "wall" else "Lime", size, number)


def still(place: Point, steps: int = 2) -> list[State]:
    return [place] * steps


def to_prop(target: Prop, place: Point, start: Point = (40, 100), **others: Any) -> Take:
    """Return a take in which the agent walks straight to a prop and stops when they touch."""
    (x0, y0), (x1, y1) = start, place
    share = 1 - 15 / math.hypot(x1 - x0, y1 - y0)
    stop = (x0 + (x1 - x0) * share, y0 + (y1 - y0) * share)
    way = [*still(start), *walk(start, stop, step=4)[:-1], stop, *still(stop, 3)]
    return {BLOB: way, target: [place], **others}


def preference(goes_to: Prop = SPHERE, times: int = 3) -> Json:
    """Return a scene in which the agent takes the sphere ``times`` times, then one of the two."""
    places = {SPHERE: (130, 60), CUBE: (130, 140)}
    familiar = {**to_prop(SPHERE, places[SPHERE]), CUBE: [places[CUBE]]}
    other = CUBE if goes_to is SPHERE else SPHERE
    swapped = {SPHERE: places[CUBE], CUBE: places[SPHERE]}
    test = {**to_prop(goes_to, swapped[goes_to]), other: [swapped[other]]}
    return scene(*[familiar] * times, test)


# Everything that is not modelled: trial 1 without objects, trial 2 with some
CROWDED: tuple[Take, Take] = (
    {
        **to_prop(FRIEND, (130, 60)),
        STRANGER: [(130, 140)],
        PADDLE: [(100, 105, 4 * step) for step in range(20)],
        BOARD: [*still((-20, 100), 5), (60, 140)],
    },
    {
        **to_prop(SPHERE, (130, 60)),
        CUBE: [(150, 100)],
        FRIEND: [None, None, (140, 140), (136, 138), (132, 136), None],
        DOOR: [*still((90, 150), 3), *walk((90, 150), (90, 130), step=4)],
        wall(1): [(90, 30)],
    },
)

# All changes: a carried object, one that comes late, a wall that vanishes, an absent agent
CARRIED: Take = {
    BLOB: [*still((150, 100), 12), None, None, *walk((150, 100), (110, 100), step=4)],
    SPHERE: [*still((60, 100), 6), *walk((60, 100), (60, 60), step=4)],
    CUBE: [None, None, (40, 40)],
    FRIEND: [*still((60, 110), 6), *walk((60, 100), (60, 60), step=4), *still((60, 48)), None],
    BOARD: [*still((-20, 60), 3), (80, 140)],
    PADDLE: [(100, 160, 4 * step) for step in range(20)],
    wall(1): [*still((90, 30), 4), None],
    wall(2): [(110, 30)],
}

SHAPES = {HEART.image: SPHERE, SPOON.image: CUBE, CLOVE.image: BLOB, ACORN.image: STAR}


def key_scene(trials: int = 1) -> Json:
    """Return a scene of trials in which the agent fetches the key and opens the lock."""
    return scene(*[filmed(key_trial())] * trials)


def scene(*takes: Take, border: bool = True, version: int | str = 3) -> Json:
    """Return a scene of the given trials, which only records changes."""
    actions: list[Json] = []
    starts = []
    for take in takes:
        starts.append(len(actions))
        actions += [PASS] * max(len(states) for states in take.values()) + [END]
    props = list(dict.fromkeys(prop for take in takes for prop in take))
    things = [_thing(prop, [take.get(prop, [None]) for take in takes], starts) for prop in props]
    return {
        "name": "made for a test",
        "version": version,
        "isometric": True,
        "goal": {
            "category": "agents",
            "habituation_total": len(takes) - 1,
            "action_list": actions[:-1],
            "last_step": len(actions) - 1,
        },
        "objects": [*things, _platform(), *(_border() if border else [])],
    }


def _thing(prop: Prop, tracks: Sequence[Sequence[State]], starts: Sequence[int]) -> Json:
    shows: list[Json] = []
    hides: list[Json] = []
    last: State = None
    for track, start in zip(tracks, starts, strict=True):
        for step, state in enumerate(track, start=start):
            if state == last:
                continue
            last = state
            if state is None:
                hides.append({"stepBegin": step})
            else:
                shows.append(_show(prop, step, *state))
    if prop.size is not None and shows:
        width, height = prop.size
        shows[0]["scale"] = {"x": 0.025 * width, "y": 0.125, "z": 0.025 * height}
    thing = {
        "id": prop.id,
        "type": prop.type,
        "materials": [f"Custom/Materials/{prop.colour}"],
        "shows": shows,
        "kinematic": True,
    }
    return {**thing, "hides": hides} if hides else thing


def _show(prop: Prop, step: int, x: float, y: float, angle: float = 0) -> Json:
    place = {"x": 0.025 * x - 2.5, "y": 0.25, "z": 0.025 * y - 2.5}
    return {
        "stepBegin": step,
        "position": place,
        "rotation": {"x": 0, "y": (360 - angle) % 360, "z": 0},
    }


def _platform() -> Json:
    shows = [{"stepBegin": 0, "position": {"x": 4, "y": 1.5, "z": -4}}]
    return {"id": "platform_0", "type": "cube", "materials": ["Wood"], "mass": 94, "shows": shows}


def _border() -> list[Json]:
    sides = {"front": (0, 2.25), "back": (0, -2.25), "left": (-2.25, 0), "right": (2.25, 0)}
    found = []
    for name, (x, z) in sides.items():
        scale = {"x": 5 if x == 0 else 0.5, "y": 0.125, "z": 4 if x else 0.5}
        shows = [{"stepBegin": 0, "position": {"x": x, "y": 0.06, "z": z}, "scale": scale}]
        black = ["Custom/Materials/Black"]
        found.append(
            {"id": f"wall_grid_{name}", "type": "cube", "materials": black, "shows": shows}
        )
    return found


# From the benchmark's trials


def filmed(trial: Sequence[Json]) -> Take:
    """Return a trial of the benchmark as a take: every second frame while anything moves.

    While the barrier vanishes every fifth frame is kept; of still frames, two are kept.
    """
    frames = _kept(trial)
    take: dict[Prop, list[State]] = {}

    def track(prop: Prop, index: int, state: State) -> None:
        states = take.setdefault(prop, [])
        states += [None if not states else states[-1]] * (index - len(states))
        states.append(state)

    for index, frame in enumerate(frames):
        entities = [(SHAPES[e[2]], e) for e in (frame["agent"], *frame["objects"])]
        entities += [(KEY, e) for e in frame["pin"]] + [(LOCK, e) for e in frame["key"]]
        here = {prop: (e[0][0] + e[1], e[0][1] + e[1]) for prop, e in entities}
        for role, blocks in (("wall", frame["walls"]), ("fuse_wall", frame["fuse_walls"])):
            for (x, y), (width, height) in blocks:
                prop = wall(int(1000 * x + y), role, (width, height))
                here[prop] = (x + width / 2, y + height / 2)
        for prop, place in here.items():
            track(prop, index, place)
        for prop in take.keys() - here.keys():
            track(prop, index, None)
    return take


def _kept(trial: Sequence[Json]) -> list[Json]:
    """Return the frames that become steps."""
    kept = [trial[0]]
    at = 0
    while at + 2 < len(trial):
        burning = 0 < len(trial[at]["fuse_walls"]) < len(trial[0]["fuse_walls"])
        at += 5 if burning and at + 5 < len(trial) else 2
        if not trial[at] == kept[-1] == kept[max(len(kept) - 2, 0)]:
            kept.append(trial[at])
    return [*kept, trial[-1]]


# Reading


def to_bytes(made: Json) -> bytes:
    return json.dumps(made).encode()


def read(made: Json) -> hbtom.Episode:
    """Read a scene given as plain dictionaries."""
    return observe.read(to_bytes(made))


def things(made: Json, prefix: str) -> list[Json]:
    """Return the things of a scene whose ids have a prefix."""
    return [thing for thing in made["objects"] if thing["id"].startswith(prefix)]
