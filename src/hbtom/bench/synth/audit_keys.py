"""The audit's rules for instrumental actions: keys, locks and barriers."""

from __future__ import annotations

import math

from hbtom.bench.synth.ground import (
    CLEARANCE,
    CONTACT,
    EFFICIENT,
    NO_GAP,
    XY,
    AuditTrial,
    Ground,
    Member,
    Problems,
    Rect,
    item_square,
    keeps_clear,
    leg,
    walk_ratio,
)

DEARER = 1.25  # least ratio of a needless path by key and lock to the direct one


def no_barrier(e: Member, u: Member) -> Problems:
    """No barrier at test; e goes straight to the object, u to the key."""
    yield from _unlocking(e)
    if e[8].barriers[0] or u[8].barriers[0]:
        yield "there is a barrier at test"
    yield from _object_or_key(e[8], u[8])


def inconsequential(e: Member, u: Member) -> Problems:
    """A barrier that is not in the way at test; e goes straight to the object, u to the key."""
    yield from _unlocking(e)
    yield from _barrier_at_test(e[8], u[8])
    yield from _object_or_key(e[8], u[8])


def blocking(e: Member, u: Member) -> Problems:
    """Both go to the key at test; the barrier blocks the object in e and not in u."""
    yield from _unlocking(e)
    yield from _barrier_at_test(e[8], u[8])
    for member, trial in (("e", e[8]), ("u", u[8])):
        if trial.key_reached is None:
            yield f"{member}: the agent does not go to the key at test"
    if not _cut_off(e[8]):
        yield "e: the barrier does not block the object"
    yield from _needless(u[8])


def _barrier_at_test(e: AuditTrial, u: AuditTrial) -> Problems:
    if not (e.barriers[0] and u.barriers[0]):
        yield "there is no barrier at test"


def _object_or_key(e: AuditTrial, u: AuditTrial) -> Problems:
    """Check that on the same stage e goes straight to the object, and u to the key."""
    if e.objects != u.objects or e.walls != u.walls or e.barriers[0] != u.barriers[0]:
        yield "the test stages differ"
    if e.keys[0] is None or e.keys[0] != u.keys[0] or e.locks[0] != u.locks[0]:
        yield "the key or the lock differs at test"
        return
    if e.key_reached is not None or e.goal_reached is None:
        yield "e does not go straight to the object"
    elif (ratio := walk_ratio(e, _goal(e), _closed(e), e.keys[0])) > EFFICIENT:
        yield f"e: an efficient walk is {ratio:.2f} times the shortest"
    elif not keeps_clear(e, e.keys[0]):
        yield "e: the agent does not walk around the key"
    if u.key_reached is None:
        yield "u does not go to the key"
    yield from _needless(u)


def _needless(trial: AuditTrial) -> Problems:
    """Check that walking around the key to the object is shorter than using key and lock."""
    key, goal = trial.keys[0], _goal(trial)
    solid = [*trial.walls, *_closed(trial)]
    if key is None:
        yield "u: there is no key at test"
    elif math.isinf(Ground(solid, CLEARANCE).length(trial.home, goal)):
        yield "u: the barrier blocks the object"
    elif math.isinf(
        direct := Ground([*solid, item_square(key)], CLEARANCE).length(trial.home, goal)
    ):
        yield "u: the key seals the way to the object"
    elif (by_key := _by_key(trial, key)) < DEARER * direct:
        yield f"u: the path by key and lock is {by_key / direct:.2f} times the direct one"


def _by_key(trial: AuditTrial, key: XY) -> float:
    """Length of the shortest path to the object by key and lock, or by key if there is no lock.

    To pick up the key, the agent only needs to touch it.
    """
    goal, lock = _goal(trial), trial.locks[0]
    solid = [*trial.walls, *_closed(trial)]
    fetched = leg(solid, trial.home, key, goal) - 2 * CONTACT
    if lock is None:
        return fetched + leg(solid, key, goal)
    middle = _middle(lock)
    before = [(middle[0] + dx, middle[1] + dy) for dx, dy in ((20, 0), (-20, 0), (0, 20), (0, -20))]
    opened = min(leg(solid, key, place, goal) for place in before)
    return fetched + opened + 20 + leg([*trial.walls], middle, goal)


def _unlocking(trials: Member) -> Problems:
    """Check familiarization: the agent fetches the key, opens the barrier, reaches the object."""
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
        if math.isinf(ground.length(trial.home, _goal(trial))):
            yield f"trial {i}: the walls alone close off the object"
        inserted = [j for j, key in enumerate(trial.keys) if key == _middle(lock)]
        gone = next((j for j, b in enumerate(trial.barriers) if not b and j > start), None)
        if not inserted or gone is None or trial.barriers[-1] or trial.locks[-1] or trial.keys[-1]:
            yield f"trial {i}: the lock is not opened"
            continue
        sizes = [len(b) for b in trial.barriers]
        if sizes != sorted(sizes, reverse=True) or len(set(sizes)) < 3:
            yield f"trial {i}: the barrier does not shrink step by step"
        waits.add(trial.locks.index(None) - inserted[0])
    if len(waits) > 1 and max(waits) - min(waits) > 1:
        yield f"waiting times differ: {sorted(waits)}"


def _closed(trial: AuditTrial) -> list[Rect]:
    """Barrier and lock in the first frame; the lock's cell is solid."""
    lock = trial.locks[0]
    return [*trial.barriers[0], *([lock] if lock else [])]


def _cut_off(trial: AuditTrial) -> bool:
    ground = Ground([*trial.walls, *_closed(trial)], NO_GAP)
    return math.isinf(ground.length(trial.home, _goal(trial)))


def _goal(trial: AuditTrial) -> XY:
    """Where the only object is."""
    return next(iter(trial.objects.values()))


def _middle(box: Rect) -> XY:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
