"""``hbtom ablate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.bench.ablation import ablate
from hbtom.bench.social_ablation import ablate_social
from hbtom.cli.progress import given_or_default, judging
from hbtom.cli.sweep import finish
from hbtom.errors import count
from hbtom.files import check_target
from hbtom.show.score_text import ablation_table


def run(
    dataset: str | None,
    labels: str | None,
    suite: str,
    model: str,
    tasks: Sequence[str],
    out: str | None,
    overwrite: bool,
    form: str,
    workers: int | None,
) -> int:
    """Print the scores of every variation of a model."""
    if out is not None:
        check_target(Path(out), overwrite=overwrite)
    where = given_or_default(dataset, labels, tasks, suite)
    with judging() as judged:
        vary = ablate_social if suite == "social" else ablate
        result = vary(where, model, tasks=tasks or None, workers=workers, progress=judged)
    if form == "table":
        click.echo(ablation_table(result))
        pairs = max(sum(score.pairs for score in rated) for rated in result.tasks.values())
        click.echo(
            f"accuracy in per cent, {count(pairs, 'pair')}; below .05: margins of all of them\n"
            "intervals and margins of every task in --out and --format json\n"
            f"model {result.model.name} ({result.model.fingerprint}), dataset {result.dataset}"
        )
    return finish(result, form, out, overwrite)
