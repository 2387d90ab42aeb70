"""Make a trial from runs, with warnings about anything unusual in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter
from typing import Annotated, Any, TypeVar

import numpy as np

from hbtom.arrays import Floats, frozen, read_only
from hbtom.errors import BadInput, Place
from hbtom.observe import fields
from hbtom.observe.bodies import Body
from hbtom.observe.checks import check_bodies, check_trial, more_than_one
from hbtom.observe.extensions import with_extensions
from hbtom.observe.fields import Known
from hbtom.observe.frames import Corner, Run
from hbtom.observe.oddities import oddities
from hbtom.observe.run_columns import column, counts
from hbtom.observe.trial import Trial

NOWHERE = (float("nan"), float("nan"))

T = TypeVar("T")
_looks = attrgetter("look", "radius")  # these stay the same while an agent moves


def trial_of(runs: Sequence[Run], known: Known) -> Trial:
    """Make a trial: decode each field once per run, then expand the values to frames."""
    if not runs:
        raise BadInput("the trial has no frames", hint="remove the empty trial")
    key_name, lock_name = runs[0].frame.key_and_lock
    sizes = column(runs, "size", fields.size, known)
    walls = column(runs, "walls", fields.blocks, known)
    barriers = column(runs, "fuse_walls", fields.barrier, known)
    objects = column(runs, "objects", fields.bodies, known)
    agents = column(runs, "agent", fields.body_if_seen, known)
    agent = next((one for one in agents if one is not None), None)
    if agent is None:
        raise BadInput(
            "the agent is never seen", hint=fields.HINTS["agent"], place=Place(field="agent")
        )
    keys = column(runs, key_name, fields.bodies, known)
    locks = column(runs, lock_name, fields.bodies, known)
    carried = [next(iter(bodies), None) for bodies in keys]
    lengths = [sum(run.counts) for run in runs]
    trial = Trial(
        size=sizes[0],
        walls=walls[0],
        barrier=barriers[0].blocks,
        objects=objects[0],
        agent=agent,
        path=_path(runs, agents, [run.agents for run in runs]),
        barrier_left=_left(runs, barriers),
        key=carried[0],
        key_path=_path(runs, carried, [run.keys for run in runs]) if carried[0] else None,
        lock=next(iter(locks[0]), None),
        lock_there=read_only(np.repeat([*map(bool, locks)], lengths)) if locks[0] else None,
        warnings=(
            *_changes("size", sizes, lengths),
            *_changes("walls", walls, lengths),
            *_changes("objects", objects, lengths),
            *_changes("agent", [_looks(one or agent) for one in agents], lengths),
            *more_than_one("key", keys[0]),
            *more_than_one("lock", locks[0]),
        ),
    )
    if any(run.frame.extended for run in runs):
        trial = with_extensions(trial, runs, known)
    check_trial(trial, key_name, lock_name)
    check_bodies(trial.size, keys[0][1:], key_name)  # keys that are not modelled
    check_bodies(trial.size, locks[0][1:], lock_name)
    odd = tuple(oddities(trial, lambda frame: f"frame {frame + 1}"))
    return replace(trial, warnings=(*trial.warnings, *odd)) if odd else trial


# From runs to columns


def _path(
    runs: Sequence[Run], bodies: Sequence[Body | None], corners: Sequence[list[Corner] | None]
) -> Annotated[Floats, "frame 2"]:
    """Return the centre of a body, corner plus radius, in every frame."""
    centres: list[Corner] = []
    for run, body, moves in zip(runs, bodies, corners, strict=True):
        if body is None or moves is None:
            centres += [NOWHERE if body is None else body.centre] * len(run.counts)
        else:
            centres += [(x + body.radius, y + body.radius) for x, y in moves]
    ordinates = np.fromiter(chain.from_iterable(centres), dtype=np.float64)
    return frozen(ordinates.reshape(-1, 2).repeat(counts(runs), axis=0))


def _left(runs: Sequence[Run], barriers: Sequence[fields.Barrier]) -> Annotated[Floats, "frame"]:
    """Return the share of the barrier's initial area that is left in each frame."""
    repeats, whole = counts(runs), barriers[0].area
    if whole == 0:
        return frozen(np.zeros(sum(repeats)))
    areas = [
        now.area
        for run, barrier in zip(runs, barriers, strict=True)
        for now in run.barriers or [barrier] * len(run.counts)
    ]
    return frozen(np.minimum(np.array(areas) / whole, 1.0).repeat(repeats))


# Unusual trials


def _changes(name: str, column: Sequence[Any], lengths: Sequence[int]) -> Iterable[str]:
    """Warn about a field that should stay the same during a trial but changes."""
    first = column[0]
    for index, value in enumerate(column):
        array = isinstance(value, np.ndarray)
        if value is not first and not (np.array_equal(value, first) if array else value == first):
            frame = 1 + sum(lengths[:index])
            yield f"'{name}' changes at frame {frame}; its value in the first frame is used"
            return
