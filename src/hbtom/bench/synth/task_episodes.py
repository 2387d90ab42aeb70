"""Episodes of the nine evaluation tasks and the four background tasks, in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hbtom.bench.synth import background, efficiency, instrumental, preference
from hbtom.bench.synth.geometry import Rng
from hbtom.bench.synth.script import Pair, Script
from hbtom.errors import BadInput

T = TypeVar("T")

_PAIRS: dict[str, Callable[[Rng], Pair]] = {
    "preference": preference.preference,
    "multi_agent": preference.multi_agent,
    "inaccessible_goal": preference.inaccessible_goal,
    "efficiency_path": efficiency.efficiency_path,
    "efficiency_time": efficiency.efficiency_time,
    "efficiency_irrational": efficiency.efficiency_irrational,
    "instrumental_no_barrier": instrumental.instrumental_no_barrier,
    "instrumental_inconsequential_barrier": instrumental.instrumental_inconsequential_barrier,
    "instrumental_blocking_barrier": instrumental.instrumental_blocking_barrier,
}
_SINGLES: dict[str, Callable[[Rng], Script]] = {
    "background/single_object": background.single_object,
    "background/preference": background.preference,
    "background/multi_agent": background.multi_agent,
    "background/instrumental_action": background.instrumental_action,
}


def episode_pair(task_name: str, rng: Rng) -> Pair:
    """One pair of an evaluation task in memory: expected, unexpected."""
    return _maker("evaluation", _PAIRS, task_name)(rng)


def background_episode(task_name: str, rng: Rng) -> Script:
    """One episode of a background task in memory."""
    return _maker("background", _SINGLES, task_name)(rng)


def _maker(kind: str, makers: dict[str, T], name: str) -> T:
    if name not in makers:
        hint = f"choose from {', '.join(makers)}"
        raise BadInput(f"there is no {kind} task called '{name}'", hint=hint)
    return makers[name]
