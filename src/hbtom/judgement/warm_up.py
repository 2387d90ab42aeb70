"""Getting ready for much work: compiling what it takes, before it is shared out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from math import comb

import numpy as np

from hbtom.compiled import compiled_before, remember_compiled, start_compiler
from hbtom.errors import BadInput
from hbtom.judgement.judging import judge
from hbtom.model import Model
from hbtom.observe import Body, Episode, Identity, Trial
from hbtom.world.pddl import SeenPlan

WORTH_LOADING = 10  # pairs; loading what is compiled takes about as long as judging so many
WORTH_COMPILING = 100  # pairs; compiling takes longer than these, but once for all
WORTH_SAYING = 500  # pairs; with more, a compiler saves minutes
MOST_PLAIN = 1 << 23  # sums over goals that are done without a compiler, in half a minute
MOST_COMPILED = 1 << 28  # and with one


def warm_up(models: Sequence[Model], pairs: int) -> bool:
    """Compile all that judging by some models takes, if so many pairs are worth it.

    Processes that are forked afterwards have it too; others are to call ``start_compiler``, if
    this returns True.
    """
    if not worth_compiling(models, pairs) or not start_compiler():
        return False
    for kind, model in _kinds(models).items():
        judge(_SMALLEST, model)
        remember_compiled(kind)
    return True


def advice(pairs: int) -> str:
    """Return what would judge so many pairs in less time, if there is something worth saying."""
    switched_off = os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0")
    if pairs <= WORTH_SAYING or (find_spec("numba") is not None and not switched_off):
        return ""
    return (
        f"{pairs} pairs are judged without numba; with it they would take about a tenth of the "
        "time. Hint: install hbtom with the extra 'fast'; in a clone: pip install '.[fast]'"
    )


def warm_up_for_plans(goals: int, plans: Sequence[SeenPlan]) -> None:
    """Compile what judging plans takes, if there is much to do; refuse what is too much anyway.

    Beliefs are sums over all pairs of goals, for every step, and for every history: how often an
    agent has had each goal.
    """
    longest, most = max(map(len, plans)), max(Counter(plan.agent for plan in plans).values())
    sums = max(longest, comb(goals + most - 2, most - 1)) * goals * goals
    if sums > MOST_PLAIN and (sums > MOST_COMPILED or not start_compiler()):
        problem = f"{goals} goals are too many for {len(plans)} plans of up to {longest} steps"
        raise BadInput(problem, hint="inference is exact; leave out goals, plans or steps")


def worth_compiling(models: Sequence[Model], pairs: int) -> bool:
    """Tell whether judging so many pairs takes longer than compiling, or loading, what does it."""
    return pairs >= WORTH_COMPILING or (
        pairs >= WORTH_LOADING and all(map(compiled_before, _kinds(models)))
    )


def _kinds(models: Sequence[Model]) -> dict[str, Model]:
    """Return a model of each kind of motion, exact or noisy: each has kernels of its own."""
    return {
        f"{'Noisy' if model.observation.noise else ''}{type(model.motion).__name__}": model
        for model in models
    }


_SMALLEST = Episode(
    (
        Trial(
            size=(40.0, 40.0),
            walls=np.empty((0, 4)),
            barrier=np.empty((0, 4)),
            objects=(Body(Identity("object"), (10.0, 10.0), 5.0),),
            agent=Body(Identity("agent"), (30.0, 30.0), 5.0),
            path=np.array([[30.0, 30.0], [30.0, 28.0]]),
            barrier_left=np.zeros(2),
        ),
    )
)
