"""The placebo: familiarization of another pair, acted out by this pair's agent and objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hbtom.bench.pairs import Member, Pair
from hbtom.observe import Episode, Identity, Trial

Job = tuple[Pair, Member | None]  # a pair, and an episode of another one for the placebo
Cast = Mapping[Identity, Identity]  # who plays whom


def with_donors(pairs: Sequence[Pair]) -> list[Job]:
    """Return each pair with a member of the next pair of its task, if there is one."""
    by_task: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_task.setdefault(pair.task, []).append(pair)
    return [
        (pair, same[(same.index(pair) + 1) % len(same)].expected if len(same) > 1 else None)
        for pair in pairs
        for same in [by_task[pair.task]]
    ]


def placebo(episode: Episode, other: Episode) -> Episode:
    """Return an episode with the familiarization of another one."""
    cast = _cast(other, episode)
    return replace(
        episode, trials=(*(played(trial, cast) for trial in other.familiarization), episode.test)
    )


def _cast(other: Episode, episode: Episode) -> dict[Identity, Identity]:
    """Return who plays whom: agents and objects of another episode as those of this one.

    The agents are the familiar ones: where the test brings a new agent, it stays new.
    """
    cast = {other[0].agent.look: episode[0].agent.look}
    theirs, ours = ({item.look for t in e for item in t.objects} for e in (other, episode))
    cast.update(zip(sorted(theirs), sorted(ours), strict=False))
    return cast


def played(trial: Trial, cast: Cast) -> Trial:
    """Return a trial with other looks; objects stay sorted by look, as readers yield them."""
    objects = (replace(one, look=cast.get(one.look, one.look)) for one in trial.objects)
    agent = replace(trial.agent, look=cast.get(trial.agent.look, trial.agent.look))
    return replace(trial, objects=tuple(sorted(objects)), agent=agent)
