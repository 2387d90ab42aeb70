"""The script of an episode, and its bytes in the benchmark's own JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from hbtom.observe.writing import Frame, blocks_text, entity_text, episode_text, trial_text

from .geometry import CELL, WORLD, Point
from .sprites import AGENT_R, HOME_IMAGE, HOME_RGB, KEY_R, LOCK_R, OBJECT_R, Look


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
    return encode_all([episode])[0]


def encode_all(episodes: Sequence[Script]) -> list[bytes]:
    """The same for several episodes; a trial that they share is put into words once."""
    texts: dict[tuple[int, str | None], bytes] = {}
    for episode in episodes:
        for trial in episode.trials:
            if (id(trial), episode.wrapped) not in texts:
                texts[id(trial), episode.wrapped] = _trial_text(trial, episode.wrapped)
    return [
        episode_text(texts[id(trial), episode.wrapped] for trial in episode.trials)
        for episode in episodes
    ]


def _trial_text(trial: Take, wrapped: str | None) -> bytes:
    home = entity_text(trial.home, AGENT_R, HOME_IMAGE, HOME_RGB)
    return trial_text(
        f"[{WORLD}, {WORLD}]",
        _blocks(trial.walls),
        "[" + ", ".join(_entity(o, OBJECT_R) for o in trial.objects) + "]",
        f"[{home}]" if wrapped == "home" else home,
        _frames(trial, wrapped),
    )


def _frames(trial: Take, wrapped: str | None) -> Iterator[Frame]:
    barriers: dict[tuple[Point, ...], str] = {}
    sight = trial.sight or tuple(moment.agent for moment in trial.moments)
    last, frame = None, None
    for moment, place in zip(trial.moments, sight, strict=True):
        if frame is None or trial.sight or moment is not last:  # nothing moves in many frames
            if moment.barrier not in barriers:
                barriers[moment.barrier] = _blocks(moment.barrier)
            frame = Frame(
                barriers[moment.barrier],
                _optional(moment.key, KEY_R),
                _optional(moment.lock, LOCK_R),
                _agent(place, trial.agent, wrapped == "agent"),
            )
        last = moment
        yield frame


def _blocks(corners: Sequence[Point]) -> str:
    return blocks_text((x, y, CELL, CELL) for x, y in corners)


def _agent(place: tuple[float, float] | None, look: Look, wrapped: bool) -> str:
    if place is None:
        return "[]"
    agent = entity_text(place, AGENT_R, look.image, look.rgb)
    return f"[{agent}]" if wrapped else agent


def _entity(thing: Thing, r: int) -> str:
    return entity_text(thing.centre, r, thing.look.image, thing.look.rgb)


def _optional(thing: Thing | None, r: int) -> str:
    return f"[{_entity(thing, r)}]" if thing else "[]"
