"""What an agent can know about a thing that was moved before it set off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hbtom.assumptions import Social
from hbtom.mind.believed_places import SAME
from hbtom.mind.deeds import object_identities
from hbtom.observe import Identity, Trial
from hbtom.observe.social_events import Moved, objects_moved
from hbtom.world.course import last_onset
from hbtom.world.sight_lines import sees

Sighting = Literal["", "before", "move", "place"]


@dataclass(frozen=True)
class Transfer:
    """What the agent knows about a thing that may be in several places."""

    sight: Literal["seen", "all", "memory"]  # what agents rely on in this model
    moved: bool  # in this trial, before the agent set off
    mover: str  # "" if no agent was near
    back: bool  # whether it was put back where it had been
    saw: Sighting  # nothing, an earlier move, a part of the last one, or only where the thing is


def transfer(
    social: Social, trial: Trial, goal: Identity, named: Mapping[Identity, str]
) -> Transfer | None:
    """Return what the agent knows about a thing; None if the goal is an agent."""
    things, first = object_identities(trial), last_onset(trial)
    if goal not in things:
        return None
    path = trial.objects_at[:, things.index(goal)]
    seen = np.flatnonzero(sees(trial, 0, path)[: first + 1])
    moves = [*_moves(trial, things.index(goal), first)]
    if not moves:
        return Transfer(social.sight, False, "", False, "place" if len(seen) else "")
    actor, ends = moves[-1].actor, path[[moves[0].first, moves[-1].last]]
    return Transfer(
        social.sight,
        moved=True,
        mover=_called(trial.actors[actor].look, named) if actor else "",
        back=len(moves) > 1 and bool(np.hypot(*(ends[1] - ends[0])) <= SAME),
        saw=_sighting(seen.tolist(), moves),
    )


def _sighting(seen: list[int], moves: list[Moved]) -> Sighting:
    """Return what the agent saw, given the frames in which it saw the thing."""
    last = moves[-1]
    if any(last.first < frame <= last.last for frame in seen):
        return "move"
    if any(frame > last.last for frame in seen):
        return "place"
    return "before" if any(frame > moves[0].first for frame in seen) else ""


def _moves(trial: Trial, thing: int, until: int) -> Iterator[Moved]:
    """Yield the moves of a thing before a frame, except those by the agent itself."""
    for moved in objects_moved(trial):
        if moved.index == thing and moved.first < until and moved.actor != 0:
            yield moved


def _called(look: Identity, named: Mapping[Identity, str]) -> str:
    return named.get(look, str(look))
