"""An independent check that a generated pair shows what its task describes.

It reads the files as plain JSON and shares no code with the generator. It checks which object was
touched, which agent acted, what was reachable or enclosed, and how long the walks were compared
with the shortest ones. `audit` describes each problem; an empty list means that there is none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from hbtom.bench.synth.audit_keys import blocking, inconsequential, no_barrier
from hbtom.bench.synth.ground import (
    CLEARANCE,
    EFFICIENT,
    NO_GAP,
    XY,
    AuditTrial,
    Ground,
    Member,
    Name,
    Problems,
    Rect,
    item_square,
    keeps_clear,
    read_trials,
    walk_ratio,
)
from hbtom.errors import BadInput

DETOUR, GLARING = 1.14, 2.75  # bounds on the length of an inefficient walk over the shortest
WAIT = 31  # the frame in which the agent first moves
Rule = Callable[[Member, Member], Problems]


def audit(path_e: Path, path_u: Path, task: str) -> list[str]:
    """What is wrong with a pair; empty if it shows what the task describes."""
    if task not in _RULES:
        raise BadInput(f"no rule for the task '{task}'", hint=f"choose from {', '.join(_RULES)}")
    e, u = read_trials(Path(path_e)), read_trials(Path(path_u))
    problems = [*_sound("e", e), *_sound("u", u)]
    if problems:
        return problems
    return [*_comparable(e, u, task), *_RULES[task](e, u)]


# Rules for every episode.


def _sound(member: str, trials: Member) -> Problems:
    if len(trials) != 9:
        yield f"{member}: {len(trials)} trials instead of 9"
    for i, trial in enumerate(trials):
        for problem in _sound_trial(trial):
            yield f"{member}, trial {i}: {problem}"


def _sound_trial(trial: AuditTrial) -> Problems:
    track = trial.track
    if track[0] != trial.home:
        yield "the agent does not start at home"
    moves = [i for i in range(1, len(track)) if track[i] != track[i - 1]]
    if not moves or moves[0] != WAIT:
        yield f"the agent first moves in frame {moves[0] if moves else None}, not {WAIT}"
    elif not 80 <= len(track) - 1 - moves[-1] <= 86:
        yield "the trial does not end with about 83 still frames"
    if trial.goal_reached is None and trial.key_reached is None:
        yield "nothing was touched"
    for i in [0, *moves]:
        lock = trial.locks[i]
        locks = [] if lock is None else [lock]
        solid = (
            ("a wall", trial.walls, 6),
            ("the barrier", trial.barriers[i], 6),
            ("the lock", locks, 5),
        )
        for what, boxes, reach in solid:
            if any(_within(track[i], box, reach) for box in boxes):
                yield f"the agent is in {what} in frame {i}"
                return


def _within(at: XY, box: Rect, reach: float) -> bool:
    return box[0] - reach < at[0] < box[2] + reach and box[1] - reach < at[1] < box[3] + reach


def _comparable(e: Member, u: Member, task: str) -> Problems:
    """Check that the members of a pair share everything that their task does not vary."""
    if len({t.home for t in e + u}) != 1:
        yield "home is not the same everywhere"
    if len({t.agent for t in e[:8] + u[:8]}) != 1:
        yield "more than one agent in familiarization"
    if task == "efficiency_irrational":
        if e[8] != u[8]:
            yield "the test trials differ"
        if any(a.track != b.track for a, b in zip(e[:8], u[:8], strict=True)):
            yield "the familiarization walks differ"
    elif e[:8] != u[:8]:
        yield "the familiarization trials differ"


# Preference, multi-agent, inaccessible goals.

PreferenceRule = Callable[[Member, Member, Name], Problems]


def _with_preference(rule: PreferenceRule) -> Rule:
    """The rule for a pair whose familiarization shows a preference for one object of two."""

    def check_pair(e: Member, u: Member) -> Problems:
        wanted = _wanted(e)
        if wanted is None:
            yield "familiarization does not show a preference for one object of two"
            return
        yield from rule(e, u, wanted)
        yield from _efficient_walks("e", e)
        yield from _efficient_walks("u", u[8:])

    return check_pair


@_with_preference
def _preference(e: Member, u: Member, wanted: Name) -> Problems:
    yield from _same_stage(e[8], u[8])
    if e[8].goal_reached != wanted:
        yield "e does not reach the object preferred in familiarization"
    if u[8].goal_reached in (wanted, None):
        yield "u does not reach the other object"
    if e[8].agent != e[0].agent or u[8].agent != u[0].agent:
        yield "the agent changes at test"
    other = _other(e[8], wanted)
    if not any(t.objects[wanted] == e[8].objects[other] for t in e[:8]):
        yield "the other object is not where the preferred one used to be"
    yield from _all_reachable("e", e)


@_with_preference
def _multi_agent(e: Member, u: Member, wanted: Name) -> Problems:
    old = e[0].agent
    yield from _same_stage(e[8], u[8])
    if e[8].goal_reached != u[8].goal_reached:
        yield "the members reach different objects at test"
    same_is_expected = e[8].goal_reached == wanted
    if (e[8].agent == old) != same_is_expected or (u[8].agent == old) == same_is_expected:
        yield "the wrong agent acts at test"
    yield from _all_reachable("e", e)


@_with_preference
def _inaccessible_goal(e: Member, u: Member, wanted: Name) -> Problems:
    other = _other(e[8], wanted)
    if e[8].goal_reached != other or u[8].goal_reached != other:
        yield "the agent does not reach the non-preferred object at test"
    if _reachable(e[8], wanted, NO_GAP, alone=True):
        yield "e: the preferred object is not enclosed"
    if not _reachable(u[8], wanted, CLEARANCE):
        yield "u: the preferred object is not reachable"
    if e[8].objects != u[8].objects:
        yield "the objects are in different places at test"
    yield from _all_reachable("e", e[:8])


def _same_stage(e: AuditTrial, u: AuditTrial) -> Problems:
    if e.objects != u.objects or e.walls != u.walls:
        yield "the test stages differ"


def _wanted(trials: Member) -> Name | None:
    """The object, of two, that is reached in all familiarization trials."""
    reached = {t.goal_reached for t in trials[:8]}
    two = all(len(t.objects) == 2 for t in trials)
    return reached.pop() if len(reached) == 1 and two else None


def _other(trial: AuditTrial, wanted: Name) -> Name:
    return next(name for name in trial.objects if name != wanted)


def _reachable(trial: AuditTrial, goal: Name, clearance: float, alone: bool = False) -> bool:
    others = [] if alone else [item_square(p) for name, p in trial.objects.items() if name != goal]
    ground = Ground([*trial.walls, *others], clearance)
    return math.isfinite(ground.length(trial.home, trial.objects[goal]))


def _all_reachable(member: str, trials: Member) -> Problems:
    """Check that objects can be reached: at test, without walking through the other object."""
    for i, trial in enumerate(trials):
        for name in trial.objects:
            if not _reachable(trial, name, CLEARANCE, alone=i < 8):
                yield f"{member}, trial {i}: {name[0]} cannot be reached"


def _efficient_walks(member: str, trials: Member) -> Problems:
    for i, trial in enumerate(trials):
        goal = trial.goal_reached
        if goal is None:
            continue
        other = next((at for name, at in trial.objects.items() if name != goal), None)
        ratio = walk_ratio(trial, trial.objects[goal], other=other)
        if ratio > EFFICIENT:
            yield f"{member}, trial {i}: an efficient walk is {ratio:.2f} times the shortest"
        if (
            other is not None
            and _reachable(trial, goal, CLEARANCE)
            and not keeps_clear(trial, other)
        ):
            yield f"{member}, trial {i}: the agent does not walk around the other object"


# Efficiency.


def _efficiency_path(e: Member, u: Member) -> Problems:
    yield from _one_goal(e + u)
    yield from _efficient_walks("e", e)
    yield from _inefficient("u, test", u[8])
    yield from _same_stage(e[8], u[8])
    if not any(t.track == u[8].track for t in u[:8]):
        yield "u: the test walk is not a familiar one"


def _efficiency_time(e: Member, u: Member) -> Problems:
    yield from _one_goal(e + u)
    yield from _efficient_walks("e", e)
    yield from _inefficient("u, test", u[8])
    if e[8].walls != u[8].walls:
        yield "the test walls differ"
    if abs(len(e[8].track) - len(u[8].track)) > 2:
        yield "the test walks do not take equally long"
    far = [math.dist(t.home, next(iter(t.objects.values()))) for t in (e[8], u[8])]
    if far[1] >= far[0]:
        yield "u's object is not nearer"


def _efficiency_irrational(e: Member, u: Member) -> Problems:
    yield from _one_goal(e + u)
    yield from _efficient_walks("u", u[:8])
    for i, trial in enumerate(e):
        yield from _inefficient(f"e, trial {i}", trial)


def _one_goal(trials: Member) -> Problems:
    if any(len(t.objects) != 1 or t.goal_reached is None for t in trials):
        yield "not every trial has one object that is reached"


def _inefficient(what: str, trial: AuditTrial) -> Problems:
    ratio = walk_ratio(trial, next(iter(trial.objects.values())))
    if not DETOUR <= ratio <= GLARING:
        yield f"{what}: a detour is {ratio:.2f} times the shortest"


_RULES: dict[str, Rule] = {
    "preference": _preference,
    "multi_agent": _multi_agent,
    "inaccessible_goal": _inaccessible_goal,
    "efficiency_path": _efficiency_path,
    "efficiency_time": _efficiency_time,
    "efficiency_irrational": _efficiency_irrational,
    "instrumental_no_barrier": no_barrier,
    "instrumental_inconsequential_barrier": inconsequential,
    "instrumental_blocking_barrier": blocking,
}
