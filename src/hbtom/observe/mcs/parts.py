"""Make the things of a scene from a trial: their parts, and their pose at each step."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools
from hbtom.observe.bodies import Body, Other
from hbtom.observe.mcs.pace import SceneSteps
from hbtom.observe.mcs.roles import Skin, plain, skin_of
from hbtom.observe.mcs.space import PIXEL, TILE, WORLD, Block, tiled
from hbtom.observe.social_events import objects_moved
from hbtom.observe.trial import Trial

NAMES = uuid.UUID("5a0f2f4e-6f3c-5d0a-9a43-0d8f5b5c1c58")  # namespace of our ids
_DIGITS = 9  # after the decimal point of a metre
_HELD = 0.6  # metres above the ground, over the agent's head
_WALL, _HOME, _BOARD = 0.125, 0.02, 1.0  # heights in metres
_FUSE = 19.8  # pixels: side of a tile of a barrier as it is drawn
_INNER = WORLD - 2 * TILE
SIDES: dict[str, Block] = {
    "back": (0.0, 0.0, WORLD, TILE),
    "front": (0.0, WORLD - TILE, WORLD, TILE),
    "left": (0.0, TILE, TILE, _INNER),
    "right": (WORLD - TILE, TILE, TILE, _INNER),
}

Pose = tuple[float, float, float, float]  # x and y in pixels, height in metres, angle in degrees


@dataclass(frozen=True, order=True, slots=True)
class ThingDesign:
    """A thing: the prefix of its id, its skin, its scale, and a mark that makes it unique."""

    role: str
    skin: Skin
    scale: tuple[float, float, float]
    mark: str = ""

    @property
    def id(self) -> str:
        # The ids of scenes depend on the names of this class, of Skin, and of their fields.
        return f"{self.role}_{uuid.uuid5(NAMES, repr(self))}"


def parts_of(
    trial: Trial, steps: SceneSteps
) -> Iterator[tuple[ThingDesign, Sequence[Pose | None]]]:
    """Yield each thing of a trial with its pose at each step, or None where it is absent."""
    yield from _walls(trial, steps)
    yield from _barrier(trial, steps)
    looks: Counter[Skin] = Counter()
    for number, body in enumerate(trial.objects):
        skin = skin_of("object", body.look)
        looks[skin] += 1
        part = _body("object", body.radius, skin, str(looks[skin]))
        yield part, list(_object(trial, number, steps, skin))
    agent = skin_of("agent", trial.agent.look)
    walk = [(x, y, trial.agent.radius * PIXEL, 0.0) for x, y in steps.path.tolist()]
    here = trial.there(0)[steps.frames] if trial.agent_there is not None else [True] * len(walk)
    yield (
        _body("agent", trial.agent.radius, agent),
        [pose if there else None for pose, there in zip(walk, here, strict=True)],
    )
    home = ThingDesign("home", plain("cube", "Magenta"), _box(TILE, TILE, _HOME))
    yield home, [(*trial.whole_path[0].tolist(), _HOME / 2, 0.0)] * len(steps)
    if trial.key is not None:
        key = skin_of("key", trial.key.look)
        yield _body("key", trial.key.radius, key), list(_key(trial, steps, key))
    if trial.lock is not None and trial.lock_there is not None:
        lock = skin_of("lock", trial.lock.look)
        stands, there = _lying(trial.lock, lock), trial.lock_there[steps.frames]
        yield _body("lock", trial.lock.radius, lock), [stands if one else None for one in there]
    for number, other in enumerate(trial.others):
        yield _other(other, str(number)), list(_moves(other, steps))


def _body(role: str, radius: float, skin: Skin, mark: str = "") -> ThingDesign:
    side = rounded(2 * radius * PIXEL * skin.metre)
    return ThingDesign(role, skin, (side, side, side), mark)


def _lying(body: Body, skin: Skin) -> Pose:
    return *body.centre, body.radius * PIXEL, skin.turned


def _object(trial: Trial, number: int, steps: SceneSteps, skin: Skin) -> Iterator[Pose | None]:
    """Yield where an object is: on the ground, over the head of its carrier, or nowhere."""
    body, path = trial.objects[number], trial.object_paths
    if path is None:
        yield from [_lying(body, skin)] * len(steps)
        return
    high = np.full(len(path), body.radius * PIXEL)
    for moved in objects_moved(trial):
        if moved.index == number and moved.actor is not None:
            high[moved.first + 1 : moved.last] = _HELD
    for frame in steps.frames.tolist():
        x, y = path[frame, number].tolist()
        yield None if np.isnan(x) else (x, y, float(high[frame]), skin.turned)


def _walls(trial: Trial, steps: SceneSteps) -> Iterator[tuple[ThingDesign, Sequence[Pose | None]]]:
    """Yield complete sides of the border as slabs, and all other walls as tiles."""
    tiles: set[Block] = set(map(tuple, tiled(map(tuple, trial.walls.tolist())).tolist()))
    sides: set[Block] = set()
    vanish = _vanishing(trial, steps)
    for side, whole in SIDES.items():
        covered = set(map(tuple, tiled([whole]).tolist()))
        if covered <= tiles and not covered & vanish.keys():
            sides |= covered
            yield slab("wall_grid", whole, side, len(steps))
    for block in sorted(tiles - sides):
        part, poses = slab("wall", block, "", len(steps))
        there = vanish.get(block, np.ones(len(steps), dtype=np.bool_))
        yield part, [pose if stands else None for pose, stands in zip(poses, there, strict=True)]


def _vanishing(trial: Trial, steps: SceneSteps) -> dict[Block, Annotated[Bools, "step"]]:
    """Return at which steps each tile stands, for tiles that do not always stand."""
    there = trial.walls_there
    if there is None:
        return {}
    found: dict[Block, Annotated[Bools, "step"]] = {}
    for number, block in enumerate(map(tuple, trial.walls.tolist())):
        now = there[steps.frames, number]
        for tile in map(tuple, tiled([block]).tolist()):
            found[tile] = found.get(tile, now) | now
    return {tile: stands for tile, stands in found.items() if not stands.all()}


def slab(role: str, block: Block, mark: str, steps: int) -> tuple[ThingDesign, list[Pose]]:
    x, y, width, height = block
    part = ThingDesign(
        role, plain("cube", "Black"), _box(width, height, _WALL), mark or f"{x:g} {y:g}"
    )
    return part, [(x + width / 2, y + height / 2, _WALL / 2, 0.0)] * steps


def _barrier(
    trial: Trial, steps: SceneSteps
) -> Iterator[tuple[ThingDesign, Sequence[Pose | None]]]:
    """Yield the blocks of the barrier, which vanish one by one, as fast as in the trial."""
    many = len(trial.barrier)
    standing = np.ceil(trial.barrier_left[steps.frames] * many - 1e-6)
    for number, (x, y, width, height) in enumerate(trial.barrier.tolist()):
        drawn_width, drawn_height = (_FUSE if one == TILE else one for one in (width, height))
        drawn = _box(drawn_width, drawn_height, _WALL)
        part = ThingDesign("fuse_wall", plain("cube", "Lime"), drawn, f"{x:g} {y:g}")
        pose = (x + width / 2, y + height / 2, _WALL / 2, 0.0)
        yield part, [pose if number < now else None for now in standing]


def _key(trial: Trial, steps: SceneSteps, skin: Skin) -> Iterator[Pose | None]:
    """Yield where the key is: where it lay, over the agent's head, or nowhere."""
    assert trial.key is not None
    assert trial.key_path is not None
    lies = _lying(trial.key, skin)
    for place, carrier in zip(trial.key_path[steps.frames], steps.path.tolist(), strict=True):
        if np.isnan(place).any():
            yield None
        elif (place == trial.key_path[0]).all():
            yield lies
        else:
            yield (*carrier, _HELD, skin.turned)


_BOARDS = {
    "door": ("occluder", "Cyan"),
    "occluder": ("occluder", "White"),
    "paddle": ("paddle", "Black"),
}


def _other(other: Other, mark: str) -> ThingDesign:
    width, height = other.size
    if other.kind == "agent":
        return _body("other_agents", width / 2, skin_of("agent", other.look), mark)
    role, colour = _BOARDS[other.kind]
    return ThingDesign(role, plain("cube", colour), _box(width, height, _BOARD), mark)


def _moves(other: Other, steps: SceneSteps) -> Iterator[Pose | None]:
    for place, angle in zip(other.path[steps.frames], other.angle[steps.frames], strict=True):
        x, y = place.tolist()
        there = not np.isnan(place).any()
        yield (x, y, other.size[0] / 2 * PIXEL, float(angle)) if there else None


def _box(width: float, height: float, high: float) -> tuple[float, float, float]:
    return rounded(width * PIXEL), high, rounded(height * PIXEL)


def rounded(value: float) -> float:
    """Return metres, rounded to remove numerical noise."""
    return round(float(value), _DIGITS) + 0.0  # no negative zero
