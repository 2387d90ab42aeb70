"""Writing an episode as the benchmark's own JSON: a list of trials, each a list of frames.

Looks that a scene has changed are restored. The same episode always gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import starmap
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from hbtom.errors import BadInput
from hbtom.observe.bodies import Body, Identity, Other
from hbtom.observe.episode import Episode, check_writable
from hbtom.observe.mcs.roles import original
from hbtom.observe.trial import Trial

_DIGITS = 6  # after the decimal point of a pixel
HOME = Identity("./shapes/home.png", (255, 105, 180))

Format = Literal["bib", "mcs"]  # the benchmark's own JSON, and scenes
Block = tuple[float, float, float, float]  # x, y, width, height
T = TypeVar("T", str, bytes)


class FrameText(NamedTuple):
    """The fields that may change from frame to frame, as JSON."""

    barrier: str
    key: str
    lock: str
    agent: str
    others: str = ""  # further fields, each with a comma before it


def write(episode: Episode) -> bytes:
    """Return the bytes of an episode in the benchmark's own format."""
    check_writable(episode)
    for number, trial in enumerate(episode, start=1):
        if not trial.objects and len(trial.actors) == 1:
            raise BadInput(
                "there are neither objects nor other agents, but files of the benchmark need some",
                hint="scenes of this task cannot be converted",
            ).at(trial=number)
    return episode_text(_trial(trial) for trial in episode)


def _trial(trial: Trial) -> bytes:
    (width, height), agent = trial.size, trial.agent
    return trial_text(
        f"[{number(width)}, {number(height)}]",
        blocks_text(map(tuple, trial.walls.tolist())),
        bodies_text(trial.objects),
        entity_text(trial.whole_path[0].tolist(), agent.radius, HOME.image, HOME.colour),
        _frames(trial),
    )


def _frames(trial: Trial) -> Iterator[FrameText]:
    agent, radius = original(trial.agent.look), trial.agent.radius
    there = np.zeros(len(trial.path)) if trial.lock_there is None else trial.lock_there
    for at, place in enumerate(trial.path.tolist()):
        unseen = np.isnan(place[0])
        yield FrameText(
            blocks_text(_standing(trial, float(trial.barrier_left[at]))),
            bodies_text(_key(trial, at)),
            bodies_text([trial.lock] if trial.lock and there[at] else ()),
            "[]" if unseen else entity_text(place, radius, agent.image, agent.colour),
            "".join((*_others(trial.others, at), *_changes(trial, at))),
        )


def _standing(trial: Trial, share: float) -> Iterator[Block]:
    """Yield the rest of the barrier: whole blocks, and part of one."""
    blocks = trial.barrier.tolist()
    area = share * sum(width * height for _, _, width, height in blocks)
    for x, y, width, height in blocks:
        rest = min(width, area / height) if height else 0.0
        if rest > 10**-_DIGITS:
            yield x, y, rest, height
        area -= rest * height


def _key(trial: Trial, at: int) -> Iterator[Body]:
    if trial.key is not None and trial.key_path is not None:
        x, y = trial.key_path[at].tolist()
        if not np.isnan(x):
            yield Body(trial.key.look, (x, y), trial.key.radius)


def _others(others: Iterable[Other], at: int) -> Iterator[str]:
    """Yield the fields for other agents and boards."""
    found: dict[str, list[str]] = {}
    for other in others:
        x, y = other.path[at].tolist()
        if np.isnan(x):
            continue
        width, height = other.size
        if other.kind == "agent":
            look = original(other.look)
            text = entity_text((x, y), width / 2, look.image, look.colour)
            found.setdefault("other_agents", []).append(text)
            continue
        if other.kind != "paddle":  # the position of a paddle is its centre, of others a corner
            x, y = x - width / 2, y - height / 2
        box = f"[{number(x)}, {number(y)}], [{number(width)}, {number(height)}]"
        turned, look = number(float(other.angle[at])), original(other.look)
        text = f"[{box}, {turned}, {json.dumps(look.image)}, {_numbers(look.colour)}]"
        found.setdefault(other.kind, []).append(text)
    for name, texts in found.items():
        yield f', "{name}": [{", ".join(texts)}]'


def _changes(trial: Trial, at: int) -> Iterator[str]:
    """Yield the fields for moved objects, missing walls, an absent agent, and the camera."""
    if trial.object_paths is not None:
        places = zip(trial.objects, trial.object_paths[at].tolist(), strict=True)
        now = (replace(one, centre=(x, y)) for one, (x, y) in places if not np.isnan(x))
        yield f', "objects_now": {bodies_text(now)}'
    if trial.walls_there is not None:
        gone = trial.walls[~trial.walls_there[at]].tolist()
        yield f', "walls_gone": {blocks_text(map(tuple, gone))}'
    if trial.agent_there is not None and not trial.agent_there[at]:
        yield ', "agent_away": true'
    if trial.camera is not None:
        yield f', "camera": {_numbers(trial.camera)}'


# The text of the benchmark's files, also for the generator


def episode_text(trials: Iterable[bytes]) -> bytes:
    """Return the bytes of a file, given those of its trials."""
    return b", ".join(_bracketed(list(trials), b"[", b"]"))


def trial_text(
    size: str, walls: str, objects: str, home: str, frames: Iterable[FrameText]
) -> bytes:
    """Return a trial exactly as the benchmark writes it, with its order of fields and spacing."""
    head = f'{{"size": {size}, "walls": {walls}, "fuse_walls": '
    middle = f', "objects": {objects}, "blocking": [], "home": {home}, "agent": '
    texts: list[str] = []
    last = None
    for frame in frames:
        if frame is last:  # the same object: nothing has changed
            texts.append(texts[-1])
            continue
        texts.append(
            f'{head}{frame.barrier}, "pin": {frame.key}, "key": {frame.lock}'
            f"{middle}{frame.agent}{frame.others}}}"
        )
        last = frame
    return ", ".join(_bracketed(texts, "[", "]")).encode("ascii")


def _bracketed(texts: list[T], left: T, right: T) -> list[T]:
    """Add brackets to the first and last text: joining then copies a long list only once."""
    if not texts:
        return [left + right]
    texts[0] = left + texts[0]
    texts[-1] = texts[-1] + right
    return texts


def blocks_text(blocks: Iterable[Block]) -> str:
    """Return blocks, each as its corner and its extent."""
    return "[" + ", ".join(starmap(_block_text, blocks)) + "]"


@lru_cache(maxsize=1024)
def _block_text(x: float, y: float, width: float, height: float) -> str:
    return f"[[{number(x)}, {number(y)}], [{number(width)}, {number(height)}]]"


def bodies_text(bodies: Iterable[Body]) -> str:
    """Return a list of entities."""
    looks = ((body, original(body.look)) for body in bodies)
    texts = (entity_text(one.centre, one.radius, look.image, look.colour) for one, look in looks)
    return "[" + ", ".join(texts) + "]"


def entity_text(centre: Sequence[float], radius: float, image: str, colour: Iterable[float]) -> str:
    """Return an entity: the corner of its bounding square, its radius, image and colour."""
    corner = f"[{number(centre[0] - radius)}, {number(centre[1] - radius)}]"
    return f"[{corner}, {_look_text(radius, image, tuple(colour))}]"


@lru_cache(maxsize=256)
def _look_text(radius: float, image: str, colour: tuple[float, ...]) -> str:
    return f"{number(radius)}, {json.dumps(image)}, {_numbers(colour)}"


def _numbers(values: Iterable[float]) -> str:
    return f"[{', '.join(map(number, values))}]"


def number(value: float) -> str:
    """Return a number in its shortest form."""
    return str(int(value)) if value == int(value) else str(round(value, _DIGITS))
