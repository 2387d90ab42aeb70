"""The script of an episode, and how it is written in the benchmark's JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from hbtom.bench.synth.geometry import CELL, WORLD, Point
from hbtom.bench.synth.sprites import AGENT_R, HOME, KEY_R, LOCK_R, OBJECT_R
from hbtom.observe import Identity
from hbtom.observe.writing import FrameText, blocks_text, entity_text, episode_text, trial_text

FAMILIARIZATION = 8  # trials before the test trial


@dataclass(frozen=True, slots=True)
class Thing:
    """A goal object, a key or a lock: its centre and its look."""

    centre: Point
    look: Identity


@dataclass(frozen=True, slots=True)
class Moment:
    """The state that may change within a trial; points are centres, barrier blocks are corners."""

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
    agent: Identity
    moments: tuple[Moment, ...]
    # Where the agent is seen in each frame, if not where it is; None where it is not seen.
    sight: tuple[tuple[float, float] | None, ...] | None = None


@dataclass(frozen=True, slots=True)
class Script:
    """The script of an episode: eight familiarization trials and a test trial."""

    trials: tuple[Take, ...]
    # Some public files wrap this entity in one more list.
    wrapped: Literal["home", "agent"] | None = None


Pair = tuple[Script, Script]  # the expected and the unexpected member


def encode(episode: Script) -> bytes:
    """The episode exactly as the benchmark writes it, down to key order and spacing."""
    return encode_all([episode])[0]


def encode_all(episodes: Sequence[Script]) -> list[bytes]:
    """Encode several episodes; a trial that they share is encoded once."""
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
    home = entity_text(trial.home, AGENT_R, HOME.image, HOME.colour)
    return trial_text(
        f"[{WORLD}, {WORLD}]",
        _blocks(trial.walls),
        "[" + ", ".join(_entity(o, OBJECT_R) for o in trial.objects) + "]",
        f"[{home}]" if wrapped == "home" else home,
        _frames(trial, wrapped),
    )


def _frames(trial: Take, wrapped: str | None) -> Iterator[FrameText]:
    barriers: dict[tuple[Point, ...], str] = {}
    sight = trial.sight or tuple(moment.agent for moment in trial.moments)
    last, frame = None, None
    for moment, place in zip(trial.moments, sight, strict=True):
        if frame is None or trial.sight or moment is not last:  # in many frames nothing moves
            if moment.barrier not in barriers:
                barriers[moment.barrier] = _blocks(moment.barrier)
            frame = FrameText(
                barriers[moment.barrier],
                _optional(moment.key, KEY_R),
                _optional(moment.lock, LOCK_R),
                _agent(place, trial.agent, wrapped == "agent"),
            )
        last = moment
        yield frame


def _blocks(corners: Sequence[Point]) -> str:
    return blocks_text((x, y, CELL, CELL) for x, y in corners)


def _agent(place: tuple[float, float] | None, look: Identity, wrapped: bool) -> str:
    if place is None:
        return "[]"
    agent = entity_text(place, AGENT_R, look.image, look.colour)
    return f"[{agent}]" if wrapped else agent


def _entity(thing: Thing, r: int) -> str:
    return entity_text(thing.centre, r, thing.look.image, thing.look.colour)


def _optional(thing: Thing | None, r: int) -> str:
    return f"[{_entity(thing, r)}]" if thing else "[]"
