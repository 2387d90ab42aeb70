"""Ablation of the model of other minds: the same model without each part in turn.

The weights stay the same, because these parts change how surprising an episode is, not how surprise
is weighed.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hbtom.bench.ablation import Ablation
from hbtom.bench.pairs import Dataset
from hbtom.bench.sweep import sweep_over
from hbtom.bench.synthetic import default_dataset
from hbtom.bench.workers import Progress
from hbtom.model import AnyModel, find_model

WHOLE = "as it is"
PARTS: dict[str, dict[str, Any]] = {  # the settings that remove each part
    WHOLE: {},
    "cause": {"social.moved": 0.0},
    "copying": {"social.copying": False},
    "others as goals": {"social.others": False},
    "attitudes": {"social.warmth": 1.0},
    "sight: it knows all": {"social.sight": "all"},
    "sight: it only remembers": {"social.sight": "memory"},
    "nested preferences": {"preference.nested": False},
    "by way of a gesture": {"social.ways": False},
}


def ablate_social(
    dataset: str | os.PathLike[str] | Dataset | None = None,
    model: AnyModel = "default",
    *,
    tasks: Sequence[str] | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Ablation:
    """Judge every pair of a dataset without each part in turn; by default of the social suite."""
    model = find_model(model)
    where = default_dataset(suite="social") if dataset is None else dataset
    swept = sweep_over(
        where, list(PARTS.values()), model, tasks=tasks, workers=workers, progress=progress
    )
    rated = {name: one.tasks for name, one in zip(PARTS, swept.models, strict=True)}
    groups = {name: "model" if name == WHOLE else "without" for name in PARTS}
    return Ablation(swept.dataset, model, rated, swept.left_out, groups)
