"""The audit's rules for instrumental actions: keys, locks and barriers."""

from __future__ import annotations

import math

from .ground import (
    CLEARANCE,
    EFFICIENT,
    NO_GAP,
    Ground,
    Member,
    Problems,
    Rect,
    Seen,
    around,
    walk_ratio,
)


def no_barrier(e: Member, u: Member) -> Problems:
    """No barrier at test; e straight to the object, u to the key."""
    yield from _unlocking(e)
    if any(t.barriers[0] for t in (e[8], u[8])):
        yield "there is a barrier at test"
    yield from _object_or_key(e[8], u[8])


def inconsequential(e: Member, u: Member) -> Problems:
    """A barrier out of the way at test; e straight to the object, u to the key."""
    yield from _unlocking(e)
    if not (e[8].barriers[0] and u[8].barriers[0]):
        yield "there is no barrier at test"
    yield from _object_or_key(e[8], u[8])


def blocking(e: Member, u: Member) -> Problems:
    """Both to the key at test; the barrier blocks the object in e and not in u."""
    yield from _unlocking(e)
    if not (e[8].barriers[0] and u[8].barriers[0]):
        yield "there is no barrier at test"
    for member, trial in (("e", e[8]), ("u", u[8])):
        if trial.key_reached is None:
            yield f"{member}: the agent does not go to the key at test"
    if not _cut_off(e[8]):
        yield "e: the barrier does not block the object"
    if not _open_way(u[8]):
        yield "u: the barrier blocks the object"


def _object_or_key(e: Seen, u: Seen) -> Problems:
    """The same stage; e straight to the object, u to the key."""
    if e.objects != u.objects or e.walls != u.walls or e.barriers[0] != u.barriers[0]:
        yield "the test stages differ"
    if e.keys[0] is None or e.keys[0] != u.keys[0] or e.locks[0] != u.locks[0]:
        yield "key or lock differ at test"
        return
    if e.key_reached is not None or e.goal_reached is None:
        yield "e does not go straight to the object"
    elif not _open_way(e):
        yield "the object is not reachable without the key"
    else:
        goal = next(iter(e.objects.values()))
        solid = [*_closed(e), around(e.keys[0], 8)]
        if (ratio := walk_ratio(e, goal, solid)) > EFFICIENT:
            yield f"e: an efficient walk is {ratio:.2f} times the shortest"
    if u.key_reached is None:
        yield "u does not go to the key"


def _unlocking(trials: Member) -> Problems:
    """Familiarization: key fetched and carried, barrier opened, then the object reached."""
    waits = set()
    for i, trial in enumerate(trials[:8]):
        start = trial.key_reached
        if start is None or trial.goal_reached is None or trial.locks[0] is None:
            yield f"trial {i}: the agent does not fetch the key and reach the object"
            continue
        if not _cut_off(trial):
            yield f"trial {i}: the object is not closed off by the barrier"
        ground = Ground(trial.walls, CLEARANCE)
        lock = trial.locks[0]
        if math.isinf(ground.length(trial.home, next(iter(trial.objects.values())))):
            yield f"trial {i}: walls alone close the object off"
        middle = ((lock[0] + lock[2]) / 2, (lock[1] + lock[3]) / 2)
        inserted = [j for j, key in enumerate(trial.keys) if key == middle]
        gone = next((j for j, b in enumerate(trial.barriers) if not b and j > start), None)
        if not inserted or gone is None or trial.barriers[-1] or trial.locks[-1] or trial.keys[-1]:
            yield f"trial {i}: the lock is not opened"
            continue
        sizes = [len(b) for b in trial.barriers]
        if sizes != sorted(sizes, reverse=True) or len(set(sizes)) < 3:
            yield f"trial {i}: the barrier does not shrink bit by bit"
        waits.add(trial.locks.index(None) - inserted[0])
    if len(waits) > 1 and max(waits) - min(waits) > 1:
        yield f"waiting times differ: {sorted(waits)}"


def _closed(trial: Seen) -> list[Rect]:
    """Barrier and lock as they stand in the first frame; the lock's cell is solid."""
    lock = trial.locks[0]
    return [*trial.barriers[0], *([lock] if lock else [])]


def _cut_off(trial: Seen) -> bool:
    ground = Ground([*trial.walls, *_closed(trial)], NO_GAP)
    return math.isinf(ground.length(trial.home, next(iter(trial.objects.values()))))


def _open_way(trial: Seen) -> bool:
    ground = Ground([*trial.walls, *_closed(trial)], CLEARANCE)
    return math.isfinite(ground.length(trial.home, next(iter(trial.objects.values()))))
