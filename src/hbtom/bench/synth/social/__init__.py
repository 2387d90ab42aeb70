"""Synthetic episodes of the five social tasks, in pairs of different plausibility.

A pair is drawn in two stages: first a case, which says what each member shows and how plausible
that is, and then its geometry. The audit derives the plausibility from the files' geometry alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from hbtom.bench.synth.geometry import Rng
from hbtom.bench.synth.layouts import Misfit
from hbtom.bench.synth.social import (
    belief,
    helping,
    self_moved,
    social_approach,
    social_imitation,
)
from hbtom.bench.synth.social.cases import Pair, Told
from hbtom.errors import BadInput


class _Maker(NamedTuple):
    draw: Callable[[Rng], Any]
    pair: Callable[[Any, Rng], Pair]


_TASKS = {
    "agent_non_agent": _Maker(self_moved.draw, self_moved.pair),
    "social_approach": _Maker(social_approach.draw, social_approach.pair),
    "social_imitation": _Maker(social_imitation.draw, social_imitation.pair),
    "helper_hinderer": _Maker(helping.draw, helping.pair),
    "true_false_belief": _Maker(belief.draw, belief.pair),
}
_TRIES = 40


def social_pair(task: str, rng: Rng) -> Pair:
    """Return one pair of a social task in memory: the more plausible episode first."""
    maker = _maker(task)
    case = maker.draw(rng)
    for _ in range(_TRIES):
        try:
            return maker.pair(case, rng)
        except Misfit:  # a court without room for it
            continue
    raise BadInput("no arrangement was found for an episode", hint="choose another seed")


def social_labels(task: str, rng: Rng) -> tuple[Told, Told]:
    """Return how plausible both members of the pair from the same draws are, and why."""
    told: tuple[Told, Told] = _maker(task).draw(rng).told
    return told


def _maker(task: str) -> _Maker:
    if task not in _TASKS:
        hint = f"choose from {', '.join(_TASKS)}"
        raise BadInput(f"there is no social task called '{task}'", hint=hint)
    return _TASKS[task]
