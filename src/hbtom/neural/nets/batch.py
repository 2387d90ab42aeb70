"""What networks are given: arrays by name, the last trial of each episode being the target."""

from __future__ import annotations

from collections.abc import Mapping

from hbtom.neural.operations import Array

# All have the axes episode and trial first.
#   there     [step]             whether the trial has this step
#   actions   [step, 2]          the mean displacement in a frame, halved
#   states    [step, 128]        what the encoder makes of the picture before each step
#   pictures  [step + 1, 84, 84, 3]
# Those of the set transformer are described there.
Batch = Mapping[str, Array]
