"""The input of networks: arrays by name; the last trial of each episode is the target."""

from __future__ import annotations

from collections.abc import Mapping

from hbtom.neural.operations import Array

# The first two axes of all are episode and trial.
#   there     [step]             whether the trial has this step
#   actions   [step, 2]          the mean displacement per frame, halved
#   states    [step, 128]        the encoded picture before each step
#   pictures  [step + 1, 84, 84, 3]
# The arrays of the set transformer are described there.
Batch = Mapping[str, Array]
