"""Decode a scene file, or say where and why that fails."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

from hbtom.errors import BadInput, Place
from hbtom.files import too_large
from hbtom.observe.json_errors import broken, problem
from hbtom.observe.mcs.roles import Role, role_of

LARGEST = 1 << 25  # most bytes in a scene; decoded, each byte may take about twenty
FARTHEST = 25.0  # largest distance of anything from the middle, in metres
_FIXED = "wall", "border", "stand"  # roles of things that do not move
MOST_PLACES = 5_000_000  # limit of steps times things that may move
SHAPE = "a scene has 'goal' with an 'action_list', and 'objects' with 'id', 'type' and 'shows'"
NOT_A_SCENE = "this is a JSON object, but not a Machine Common Sense scene"

_LONGEST = 60  # letters of an id in a message
_Metres = Annotated[float, Meta(ge=-FARTHEST, le=FARTHEST)]
_Degrees = Annotated[float, Meta(ge=-36000, le=36000)]
_LATEST = 1 << 40
_Step = Annotated[int, Meta(ge=0, le=_LATEST)]


class Point(Struct, kw_only=True, frozen=True):
    """A place in metres; y is the height."""

    x: _Metres
    y: float = 0.0
    z: _Metres


class Turn(Struct, frozen=True):
    """A rotation in degrees; y is about the upright axis."""

    y: _Degrees = 0.0


class Show(Struct, frozen=True, rename={"step": "stepBegin"}):
    """From this step on, a thing is at this position."""

    step: _Step
    position: Point
    rotation: Turn | None = None
    scale: Point | None = None


class Hide(Struct, frozen=True, rename={"step": "stepBegin"}):
    """From this step on, a thing is not there."""

    step: _Step


class SceneThing(Struct, frozen=True):
    """One entry of ``objects``; fields that are not listed here are ignored."""

    id: str
    type: str
    materials: tuple[str, ...] | None = None
    shows: tuple[Show, ...] = ()
    hides: tuple[Hide, ...] = ()
    structure: bool = False


class _Goal(Struct):
    action_list: list[list[str]]
    last_step: _Step | None = None


class _Scene(Struct):
    goal: _Goal
    objects: list[Raw]
    version: int | str = 3


class _Named(Struct):
    id: str


@dataclass(frozen=True)
class McsScene:
    """The steps of all trials, and all things that have a role, by role."""

    spans: tuple[range, ...]  # the steps of each trial
    things: Mapping[Role, Sequence[SceneThing]]

    def all(self, role: Role) -> Sequence[SceneThing]:
        return self.things.get(role, ())


_decode = msgspec.json.Decoder(_Scene).decode
_decode_named = msgspec.json.Decoder(_Named).decode
_decode_thing = msgspec.json.Decoder(SceneThing).decode


def decode(data: bytes) -> McsScene:
    """Decode a scene file, or say what is wrong with it."""
    try:
        if len(data) > LARGEST:
            raise too_large(most=LARGEST)
        scene = _decode(data)
    except RecursionError:
        raise BadInput("the file is nested too deeply", hint=SHAPE) from None
    except msgspec.ValidationError as error:
        raise _refused(data, error) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _not_json(data, error) from None
    old = str(scene.version) == "2"
    things: dict[Role, list[SceneThing]] = {}
    ids: set[str] = set()
    for number, raw in enumerate(scene.objects, start=1):
        known = _thing(raw, number, old)
        if known is None:
            continue
        role, thing = known
        if thing.id in ids and role != "stand":
            hint = "each thing needs an id of its own, and lists its shows in all trials"
            place = Place(thing=called(thing.id))
            raise BadInput("two things have this id", hint=hint, place=place)
        ids.add(thing.id)
        things.setdefault(role, []).append(thing)
    spans = _spans(scene.goal)
    _check_many(spans, things)
    return McsScene(spans, things)


def _check_many(spans: Sequence[range], things: Mapping[Role, Sequence[SceneThing]]) -> None:
    """Refuse a file that would need too much memory, since things have a position at each step."""
    steps = sum(map(len, spans))
    movable = sum(len(some) for role, some in things.items() if role not in _FIXED)
    if steps * movable > MOST_PLACES:
        raise BadInput(
            f"there are {movable} things that may move at {steps} steps",
            hint=f"steps times things is limited to {MOST_PLACES:,}; real scenes have thousands",
            place=Place(field="goal.action_list"),
        )


_NOT_A_NUMBER = re.compile(rb'"(?:[^"\\]|\\.)*"|(-?(?:nan|inf(?:inity)?))', re.IGNORECASE)


def _not_json(data: bytes, error: Exception) -> BadInput:
    """Return an error that says why a scene is not JSON and, for NaN or Infinity, where.

    To find the place, replace them by null: decoding then fails where a number is needed.
    """
    refused = broken(data, error, hint=SHAPE)
    nulls = _NOT_A_NUMBER.sub(lambda found: b"null" if found[1] else found[0], data)
    if refused.problem == "not a number" and nulls != data:
        try:
            decode(nulls)
        except BadInput as there:
            if "null" in there.problem:
                return BadInput(refused.problem, hint=refused.hint, place=there.place)
    return refused


def _refused(data: bytes, error: msgspec.ValidationError) -> BadInput:
    """Return an error that says what is wrong with a scene, or that it is not a scene at all."""
    try:
        whole = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as worse:
        return broken(data, worse, hint=SHAPE)
    goal = whole.get("goal")
    if "objects" not in whole or not isinstance(goal, dict) or "action_list" not in goal:
        hint = f"an episode of the benchmark is a list of trials; {SHAPE}"
        return BadInput(NOT_A_SCENE, hint=hint)
    return BadInput(problem(error), hint=SHAPE, place=Place(field=_path(error)))


def _thing(raw: Raw, number: int, old: bool) -> tuple[Role, SceneThing] | None:
    """Decode a thing that has a role; decode only the id of any other thing."""
    name, role = f"number {number}", None
    try:
        name = _decode_named(raw).id
        role = role_of(name, old=old)
        if role is None:
            return None
        thing = _decode_thing(raw)
    except msgspec.ValidationError as error:
        if role == "stand":
            return None  # the camera may be anywhere
        raise _at_thing(raw, name, error) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(problem(error), hint=SHAPE, place=Place(thing=called(name))) from None
    is_scenery = old and role == "object" and thing.structure
    return None if is_scenery else (role, thing)


def _at_thing(raw: Raw, name: str, error: msgspec.ValidationError) -> BadInput:
    """Return an error that names the thing, step and field in a decoder's message."""
    path = _path(error)
    inside = re.match(r"(shows|hides)\[(\d+)\]\.?(.*)", path or "")
    step = None
    if inside is not None:
        step = _step_of(raw, inside[1], int(inside[2]))
        path = inside[3] if step is not None and inside[3] else path
    return BadInput(
        problem(error), hint=_HINT, place=Place(thing=called(name), step=step, field=path)
    )


_HINT = "a show is {stepBegin, position {x, y, z}, rotation}, in metres and degrees"


def called(name: str) -> str:
    """Return an id for messages: printable, and not too long."""
    printable = "".join(letter if letter.isprintable() else "?" for letter in name)
    return printable if len(printable) <= _LONGEST else printable[: _LONGEST - 1] + "…"


def _step_of(raw: Raw, name: str, index: int) -> int | None:
    """Return the step of an entry of ``shows`` or ``hides``, if it has one."""
    try:
        step: Any = msgspec.json.decode(raw)[name][index]["stepBegin"]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, LookupError, TypeError):
        return None  # more than one thing is wrong
    return step if type(step) is int and abs(step) <= _LATEST else None


def _path(error: Exception) -> str | None:
    """Find the place in a decoder's message that ends in ``at `$.goal```."""
    found = re.search(r"at `\$\.?(.*)`$", str(error))
    return found[1] if found and found[1] else None


def _spans(goal: _Goal) -> tuple[range, ...]:
    """Return the steps of each trial: those between ``EndHabituation``, up to the last step.

    A trial without steps is ignored, since the list of actions may extend beyond the last step.
    """
    steps = len(goal.action_list)
    steps = steps if goal.last_step is None else min(steps, goal.last_step)
    ends = [
        at
        for at, actions in enumerate(goal.action_list[:steps])
        if any(one.partition(",")[0] == "EndHabituation" for one in actions)  # without parameters
    ]
    starts = [0, *(end + 1 for end in ends)]
    return tuple(range(*span) for span in zip(starts, [*ends, steps], strict=True) if range(*span))
