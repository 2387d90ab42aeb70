"""The script of an episode, and its bytes in the benchmark's own JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .geometry import CELL, WORLD, Point
from .shapes import AGENT_R, HOME_IMAGE, HOME_RGB, KEY_R, LOCK_R, OBJECT_R, Look


@dataclass(frozen=True, slots=True)
class Thing:
    """A goal object, or a key or lock: its centre and its look."""

    centre: Point
    look: Look


@dataclass(frozen=True, slots=True)
class Moment:
    """What may change within a trial. All points are centres, barrier blocks are corners."""

    agent: Point
    key: Thing | None = None
    lock: Thing | None = None
    barrier: tuple[Point, ...] = ()


@dataclass(frozen=True, slots=True)
class Take:
    """The script of one trial: a fixed stage and a moment for every frame."""

    walls: tuple[Point, ...]  # corners, in file order, duplicates included
    objects: tuple[Thing, ...]
    home: Point
    agent: Look
    moments: tuple[Moment, ...]
    # Where the agent is seen in each frame, if not where it is; None where it is not seen.
    sight: tuple[tuple[float, float] | None, ...] | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """The script of an episode: eight familiarization trials and a test trial."""

    trials: tuple[Take, ...]
    # A quirk of some public files: this entity is wrapped in one more list.
    wrapped: Literal["home", "agent"] | None = None


def encode(episode: Script) -> bytes:
    """The episode as the benchmark writes it: key order, spacing and all."""
    trials = (_trial_text(trial, episode.wrapped) for trial in episode.trials)
    return ("[" + ", ".join(trials) + "]").encode("ascii")


def _trial_text(trial: Take, wrapped: str | None) -> str:
    head = f'{{"size": [{WORLD}, {WORLD}], "walls": {_blocks(trial.walls)}, "fuse_walls": '
    objects = ", ".join(_entity(o.centre, OBJECT_R, o.look) for o in trial.objects)
    home = _entity(trial.home, AGENT_R, Look(HOME_IMAGE, HOME_RGB))
    if wrapped == "home":
        home = f"[{home}]"
    middle = f', "objects": [{objects}], "blocking": [], "home": {home}, "agent": '
    barriers: dict[tuple[Point, ...], str] = {}
    frames = []
    sight = trial.sight or tuple(moment.agent for moment in trial.moments)
    for moment, place in zip(trial.moments, sight, strict=True):
        if moment.barrier not in barriers:
            barriers[moment.barrier] = _blocks(moment.barrier)
        agent = "[]" if place is None else _entity(place, AGENT_R, trial.agent)
        if wrapped == "agent" and place is not None:
            agent = f"[{agent}]"
        frames.append(
            f'{head}{barriers[moment.barrier]}, "pin": {_optional(moment.key, KEY_R)}, '
            f'"key": {_optional(moment.lock, LOCK_R)}{middle}{agent}}}'
        )
    return "[" + ", ".join(frames) + "]"


def _blocks(corners: Sequence[Point]) -> str:
    return "[" + ", ".join(f"[[{x}, {y}], [{CELL}, {CELL}]]" for x, y in corners) + "]"


def _entity(centre: tuple[float, float], r: int, look: Look) -> str:
    rgb = ", ".join(map(str, look.rgb))
    x, y = (round(at - r, 2) for at in centre)  # whole, unless it is seen with noise
    return f"[[{x}, {y}], {r}, {json.dumps(look.image)}, [{rgb}]]"


def _optional(thing: Thing | None, r: int) -> str:
    return f"[{_entity(thing.centre, r, thing.look)}]" if thing else "[]"
