"""Getting ready for much work: compiling what it takes, before it is shared out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hbtom.compiled import compiled_before, remember_compiled, start_compiler
from hbtom.judgement.judging import judge
from hbtom.model import Model
from hbtom.observe import Body, Episode, Look, Trial

WORTH_LOADING = 10  # pairs; loading what is compiled takes about as long as judging so many
WORTH_COMPILING = 100  # pairs; compiling takes longer than these, but once for all


def get_ready(models: Sequence[Model], pairs: int) -> bool:
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
            objects=(Body(Look("object"), (10.0, 10.0), 5.0),),
            agent=Body(Look("agent"), (30.0, 30.0), 5.0),
            path=np.array([[30.0, 30.0], [30.0, 28.0]]),
            barrier_left=np.zeros(2),
        ),
    )
)
