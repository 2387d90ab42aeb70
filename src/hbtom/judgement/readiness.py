"""Getting ready for much work: compiling what it takes, before it is shared out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hbtom.compiled import compiled_before, start_compiler
from hbtom.judgement.judging import judge
from hbtom.model import Model
from hbtom.observe import Body, Episode, Look, Trial

WORTH_LOADING = 10  # pairs; loading what is compiled takes about as long as judging so many
WORTH_COMPILING = 200  # pairs; compiling for the first time, likewise


def get_ready(models: Sequence[Model], pairs: int) -> bool:
    """Compile all that judging by some models takes, if so many pairs are worth it.

    Processes that are forked afterwards have it too; others are to call ``start_compiler``, if
    this returns True.
    """
    if pairs < (WORTH_LOADING if compiled_before() else WORTH_COMPILING) or not start_compiler():
        return False
    for motion in {model.motion: model for model in models}.values():
        judge(_SMALLEST, motion)
    return True


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
