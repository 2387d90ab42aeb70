"""An independent check of social episodes: how plausible each is, by geometry alone.

It reads files of either format. It shares no code with the generator or the model, and considers
only contact, lines of sight, lengths of paths, and which paths are similar.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from hbtom.bench.synth.ground import CLEARANCE, Ground, Rect
from hbtom.bench.synth.social.audit_geometry import (
    Ways,
    box_gap,
    box_of,
    departure,
    in_between,
    is_still_at,
    nearest,
    onset,
    rests,
    sees,
    touching,
    way_from,
)
from hbtom.errors import BadInput
from hbtom.observe import Episode, Identity, Trial, load

HIT = 2.0  # largest gap between outlines that touch, in pixels
DECISIVE = 10.0  # pixels by which a path must become longer or shorter to count

Level = str
_N = "no expectation"


def level_of(source: Path | Episode, task: str) -> Level:
    """Return how plausible an episode of a task is: expected, no expectation or unexpected."""
    if task not in _RULES:
        raise BadInput(f"no rule for the task '{task}'", hint=f"choose from {', '.join(_RULES)}")
    episode = source if isinstance(source, Episode) else load(source)
    return _RULES[task](episode)


def _expected(fits: bool) -> Level:
    return "expected" if fits else "unexpected"


def _most(found: Iterable[Identity | None], what: str) -> Identity:
    """Return the most common value over trials."""
    (first, many), *others = Counter(found).most_common()
    if first is None or (others and others[0][1] == many):
        raise BadInput(f"{what} is not clear")
    return first


# Agent or not


def _agent_non_agent(episode: Episode) -> Level:
    pushed = {_hit(trial) for trial in episode.familiarization}
    if len(pushed) != 1:
        raise BadInput("it starts by itself in some trials, and is hit in others")
    usual = _most((_reached(trial) for trial in episode.familiarization), "the usual object")
    test = episode.test
    if not pushed.pop():
        return _expected(_reached(test) == usual)
    return _N if _hit(test) or _start_hidden(test) else "unexpected"


def _hit(trial: Trial) -> bool:
    """Return whether a paddle touches the agent when it starts."""
    frame = onset(trial.path)
    about = slice(max(frame - 1, 0), frame + 2)
    paddles = [one for one in trial.others if one.kind == "paddle"]
    return any(
        box_gap(place, box_of(paddle, at)) - trial.agent.radius <= HIT
        for paddle in paddles
        for at, place in enumerate(trial.path[about], start=about.start)
    )


def _start_hidden(trial: Trial) -> bool:
    """Return whether a board keeps the camera from seeing how the agent starts."""
    if trial.camera is None:
        return False
    frame = onset(trial.path)
    boards = [box_of(one, frame) for one in trial.others if one.kind == "occluder"]
    return any(in_between(np.array(trial.camera), trial.path[frame], board) for board in boards)


def _reached(trial: Trial) -> Identity | None:
    """Return the object that the agent touches in the end."""
    for index, one in enumerate(trial.objects):
        if touching(trial.path[-1:], trial.objects_at[-1:, index], trial.agent.radius + one.radius):
            return one.look
    return None


# Approach and imitation


def _social_approach(episode: Episode) -> Level:
    liked = _most((_met(trial) for trial in episode.familiarization), "whom it likes")
    if _touches_object(episode.test):
        return _N
    return _expected(_like_whom(episode.test, _shown([episode.test])) == liked)


def _social_imitation(episode: Episode) -> Level:
    before = episode.familiarization
    touched = {_touches_object(trial) for trial in before}
    if touched == {True}:
        return _N
    if True in touched:
        raise BadInput("it touches the object only in some trials")
    shown = _shown(before)
    copied = _most((_like_whom(trial, shown) for trial in before), "whom it copies")
    return _expected(_met(episode.test) == copied)


def _met(trial: Trial) -> Identity | None:
    """Return the agent that is touched in the end."""
    for other in trial.actors[1:]:
        if touching(trial.path[-1:], other.path[-1:], trial.agent.radius + other.radius):
            return other.look
    return None


def _touches_object(trial: Trial) -> bool:
    return any(
        touching(trial.path, trial.objects_at[:, index], trial.agent.radius + one.radius)
        for index, one in enumerate(trial.objects)
    )


def _shown(trials: Iterable[Trial]) -> Ways:
    """Return the ways of all others that move, by their looks."""
    found: Ways = {}
    for trial in trials:
        for other in trial.actors[1:]:
            if not is_still_at(other.path):
                found.setdefault(other.look, []).append(way_from(other.path))
    return found


def _like_whom(trial: Trial, shown: Ways) -> Identity | None:
    """Return the agent whose way is most similar to the judged agent's."""
    own = way_from(trial.path)
    by = {
        who: min(float(np.hypot(*(own - way).T).max()) for way in ways)
        for who, ways in shown.items()
    }
    return min(by, key=by.__getitem__) if by else None


# Helping


def _helper_hinderer(episode: Episode) -> Level:
    merit: Counter[Identity] = Counter()
    for trial in episode.familiarization:
        for who, change in _acts(trial):
            merit[who] += change
    others = {other.look for other in episode.test.actors[1:]}
    met = _met(episode.test)
    rest = [merit[other] for other in others if other != met]
    if met is None or not rest or merit[met] in rest:
        raise BadInput("nobody is approached, or there is no difference")
    return _expected(merit[met] > max(rest))


def _acts(trial: Trial) -> Iterable[tuple[Identity, int]]:
    """Yield who makes the agent's way shorter (1) or longer (-1) by moving a door."""
    for door in (one for one in trial.others if one.kind == "door"):
        if is_still_at(door.path):
            continue
        moving = np.hypot(*np.diff(door.path, axis=0).T) > 0
        movers = [
            other.look
            for other in trial.actors[1:]
            if np.allclose(np.diff(other.path, axis=0)[moving], np.diff(door.path, axis=0)[moving])
        ]
        before, after = (_way_past(trial, box_of(door, at).rect) for at in (0, -1))
        gain = 0.0 if before == after else before - after
        if len(movers) == 1 and abs(gain) >= DECISIVE:
            yield movers[0], 1 if gain > 0 else -1


def _way_past(trial: Trial, door: Rect) -> float:
    walls = [(x, y, x + wide, y + high) for x, y, wide, high in trial.walls.tolist()]
    x, y = trial.path[0].tolist()
    return Ground([*walls, door], CLEARANCE).length((x, y), trial.objects[0].centre)


# Belief


def _true_false_belief(episode: Episode) -> Level:
    wanted = _most((_reached(trial) for trial in episode.familiarization), "the usual object")
    test = episode.test
    index = next(i for i, one in enumerate(test.objects) if one.look == wanted)
    path = test.objects_at[:, index]
    places = rests(path)
    if len(places) != 2:
        raise BadInput(f"the object rests at {len(places)} places instead of two")
    end = nearest(test.path[-1], places)
    seen = [path[at] for at in range(departure(test)) if sees(test, path[at], at)]
    if seen:
        return _expected(end == nearest(seen[-1], places))
    usual = [
        nearest(np.array(one.centre), places)
        for trial in episode.familiarization
        for one in trial.objects
        if one.look == wanted
    ]
    return _expected(end == Counter(usual).most_common()[0][0])


_RULES: dict[str, Callable[[Episode], Level]] = {
    "agent_non_agent": _agent_non_agent,
    "social_approach": _social_approach,
    "social_imitation": _social_imitation,
    "helper_hinderer": _helper_hinderer,
    "true_false_belief": _true_false_belief,
}
