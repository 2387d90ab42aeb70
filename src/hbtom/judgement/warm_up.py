"""Preparing for much work: compile everything it needs before distributing it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np

from hbtom.compiled import remember_compiled, start_compiler
from hbtom.judgement.judging import judge
from hbtom.kernel_store import is_complete
from hbtom.model import Model
from hbtom.observe import Body, Episode, Identity, Trial

WORTH_LOADING = 10  # pairs; judging this many takes about as long as loading compiled code
WORTH_COMPILING = 100  # pairs; compiling takes longer than judging these, but is done only once
WORTH_SAYING = 500  # pairs; with more, a compiler saves minutes


def warm_up(models: Sequence[Model], pairs: int) -> bool:
    """Compile everything that judging by these models needs, if there are enough pairs.

    Processes that are forked afterwards share it; others should call ``start_compiler`` if this
    returns True.
    """
    if not worth_compiling(models, pairs) or not start_compiler():
        return False
    for kind, model in _kinds(models).items():
        _ = judge(_SMALLEST, model).warnings  # these need a kernel, too
        remember_compiled(kind)
    return True


def advice(pairs: int) -> str:
    """Return how to judge this many pairs in less time, if there is something worth saying."""
    switched_off = os.environ.get("NUMBA_DISABLE_JIT", "") not in ("", "0")
    if pairs <= WORTH_SAYING or (find_spec("numba") is not None and not switched_off):
        return ""
    return (
        f"{pairs} pairs are judged without numba; with it they would take about a tenth of the "
        "time. Hint: install hbtom with the extra 'fast'; in a clone: pip install '.[fast]'"
    )


def worth_compiling(models: Sequence[Model], pairs: int) -> bool:
    """Return whether there are enough pairs to make compiling, or loading compiled code, pay."""
    return pairs >= WORTH_COMPILING or (
        pairs >= WORTH_LOADING and all(map(is_complete, _kinds(models)))
    )


def _kinds(models: Sequence[Model]) -> dict[str, Model]:
    """Return a model of each kind of motion, exact or noisy: each has kernels of its own."""
    return {
        f"{'Noisy' if model.observation.noise else ''}{type(model.motion).__name__}": model
        for model in models
    }


_SHORT = Trial(
    size=(40.0, 40.0),
    walls=np.empty((0, 4)),
    barrier=np.array([[0.0, 36.0, 4.0, 4.0]]),
    objects=(Body(Identity("object"), (10.0, 10.0), 5.0),),
    agent=Body(Identity("agent"), (30.0, 30.0), 5.0),
    path=np.array([[30.0, 30.0], [30.0, 28.0]]),
    barrier_left=np.array([1.0, 0.0]),
)
_SMALLEST = Episode((_SHORT, _SHORT))  # something is learnt, and something is judged
