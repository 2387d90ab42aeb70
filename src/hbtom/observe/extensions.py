"""Fields that the benchmark's own files lack: other agents, panels, moving objects, absences.

``hbtom convert`` writes them for scenes that need them, and readers understand them. Other programs
may use the same names for other fields: a field that cannot be read is ignored, with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np

from hbtom.arrays import Bools, Floats, frozen, read_only
from hbtom.errors import BadInput, Place
from hbtom.observe import fields
from hbtom.observe.bodies import Body, Identity, Other, OtherKind
from hbtom.observe.fields import Known, PanelRow
from hbtom.observe.frames import Run
from hbtom.observe.run_columns import column
from hbtom.observe.trial import Trial

PANELS: tuple[OtherKind, ...] = ("door", "occluder", "paddle")
MOST = 32  # other agents or panels of one kind in a trial; the benchmark has two
T = TypeVar("T")
_Kind = tuple[OtherKind, Identity, tuple[float, float]]  # kind, look and size: these never change


class _Pose(NamedTuple):
    """Where a thing is, and how far it is turned."""

    x: float
    y: float
    angle: float = 0.0


_NOWHERE = _Pose(*[float("nan")] * 3)


def with_extensions(trial: Trial, runs: Sequence[Run], known: Known) -> Trial:
    """Return a trial with the extension fields of its frames added."""
    warnings: list[str] = []
    lengths = [sum(run.counts) for run in runs]
    others = _others(runs, known, warnings)
    paths = _object_paths(trial, list(_objects_now(runs, known)), lengths)
    there = _walls_there(trial, column(runs, "walls_gone", fields.blocks, known), lengths)
    away = np.repeat(column(runs, "agent_away", fields.truth, known), lengths)
    return replace(
        trial,
        others=others,
        object_paths=paths,
        walls_there=there,
        still=paths is not None or there is not None,
        agent_there=read_only(~away) if away.any() else None,
        camera=column(runs, "camera", fields.place, known)[0],
        warnings=(*trial.warnings, *warnings),
    )


# Agents and panels


def _others(runs: Sequence[Run], known: Known, warnings: list[str]) -> tuple[Other, ...]:
    """Return other agents and panels, sorted by kind, look and size: their order means nothing."""
    repeats = [sum(run.counts) for run in runs]
    found: list[Other] = []
    seen = _understood(runs, "other_agents", fields.bodies, known, warnings)
    found += _tracked([list(map(_agent, bodies)) for bodies in seen], repeats, warnings)
    for kind in PANELS:
        rows = _understood(runs, kind, fields.panels, known, warnings)
        found += _tracked([[_panel(kind, row) for row in each] for each in rows], repeats, warnings)
    return tuple(found)


def _understood(
    runs: Sequence[Run],
    name: str,
    decode: Callable[[Any], Sequence[T]],
    known: Known,
    warnings: list[str],
) -> Sequence[Sequence[T]]:
    """Return a field of every run; if it cannot be read, warn and return nothing."""
    try:
        return column(runs, name, decode, known)
    except BadInput as error:
        where = replace(error.place, field=None)
        warnings.append(f"'{name}' is ignored: {where}: {error.problem}; {fields.HINTS[name]}")
        return [()] * len(runs)


def _agent(body: Body) -> tuple[_Kind, _Pose]:
    side = 2 * body.radius
    return ("agent", body.look, (side, side)), _Pose(*body.centre)


def _panel(kind: OtherKind, row: PanelRow) -> tuple[_Kind, _Pose]:
    (x, y), (width, height) = row.place, row.size
    if kind != "paddle":  # the place of a paddle is its centre, of others a corner
        x, y = x + width / 2, y + height / 2
    return (kind, Identity(row.image, tuple(row.colour)), row.size), _Pose(x, y, row.angle)


def _tracked(
    seen: Sequence[Sequence[tuple[_Kind, _Pose]]], repeats: Sequence[int], warnings: list[str]
) -> Iterator[Other]:
    """Yield each thing with its path, given what each run shows; nothing if there are too many."""
    kinds = sorted({kind for things in seen for kind, _ in things})
    if len(kinds) > MOST or max(map(len, seen)) > MOST:
        warnings.append(f"more than {MOST} things of the kind '{kinds[0][0]}' are ignored")
        return
    for kind in kinds:
        poses = [[pose for each, pose in things if each == kind] for things in seen]
        for track in _tracks(poses):
            values = np.array(track).repeat(repeats, axis=0)
            yield Other(*kind, path=frozen(values[:, :2]), angle=frozen(values[:, 2]))


def _tracks(seen: Sequence[Sequence[_Pose]]) -> list[list[_Pose]]:
    """Return the paths of things that look the same: each continues at the nearest place."""
    many = max(map(len, seen))
    if many == 1:
        return [[poses[0] if poses else _NOWHERE for poses in seen]]
    tracks: list[list[_Pose]] = [[] for _ in range(many)]
    last: list[_Pose | None] = [None] * many
    for poses in seen:
        here: list[_Pose] = [_NOWHERE] * many
        for pose in sorted(poses):
            free = [number for number in range(many) if here[number] is _NOWHERE]
            nearest = min(free, key=lambda number: _distance(last[number], pose))
            here[nearest] = last[nearest] = pose
        for track, pose in zip(tracks, here, strict=True):
            track.append(pose)
    return tracks


def _distance(last: _Pose | None, now: _Pose) -> float:
    return 1e9 if last is None else float(np.hypot(last.x - now.x, last.y - now.y))


# Objects and walls


def _objects_now(runs: Sequence[Run], known: Known) -> Iterator[tuple[Body, ...]]:
    """Yield the current objects of every run: 'objects_now', or 'objects' if it is absent."""
    lying = column(runs, "objects", fields.bodies, known)
    moved = column(runs, "objects_now", fields.bodies, known)
    if any(run.frame.has("objects_now") for run in runs):
        for run, here, there in zip(runs, lying, moved, strict=True):
            yield there if run.frame.has("objects_now") else here


def _object_paths(
    trial: Trial, column: Sequence[tuple[Body, ...]], repeats: Sequence[int]
) -> Annotated[Floats, "frame object 2"] | None:
    """Return the path of each object, given the objects present in each run; None if none moves."""
    if not column or len(trial.objects) > MOST:
        return None
    looks = [(one.look, one.radius) for one in trial.objects]
    paths = np.full((len(column), len(looks), 2), np.nan)
    for look in dict.fromkeys(looks):
        numbers = [number for number, each in enumerate(looks) if each == look]
        begin = [_Pose(*trial.objects[number].centre) for number in numbers]
        seen = [
            [_Pose(*body.centre) for body in bodies if (body.look, body.radius) == look]
            for bodies in column
        ]
        if max(map(len, seen)) > len(numbers):
            raise _bad("there are more objects than in 'objects'", "objects_now")
        tracks = _tracks([begin, *seen])  # in the order of 'objects', beginning with its places
        for number, track in zip(numbers, tracks, strict=True):
            paths[:, number] = np.array(track[1:])[:, :2]
    known = set(looks)
    for bodies in column:
        strange = [body for body in bodies if (body.look, body.radius) not in known]
        if strange:
            raise _bad(f"{strange[0].look} is not in 'objects'", "objects_now")
    still = (paths == [one.centre for one in trial.objects]).all()
    return None if still else read_only(paths.repeat(repeats, axis=0))


def _walls_there(
    trial: Trial, column: Sequence[Floats], repeats: Sequence[int]
) -> Annotated[Bools, "frame wall"] | None:
    """Return which walls stand, given those that are gone; None if all walls always stand."""
    if not any(map(len, column)):
        return None
    rows = {row: number for number, row in enumerate(map(tuple, trial.walls.tolist()))}
    there = np.ones((len(column), len(rows)), dtype=np.bool_)
    for number, gone in enumerate(column):
        for block in map(tuple, gone.tolist()):
            if block not in rows:
                raise _bad(f"{block} is not in 'walls'", "walls_gone")
            there[number, rows[block]] = False
    return read_only(there.repeat(repeats, axis=0))


def _bad(problem: str, field: str) -> BadInput:
    return BadInput(problem, hint=fields.HINTS[field], place=Place(field=field))
