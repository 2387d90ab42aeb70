"""``hbtom ablate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hbtom.bench.ablation import ablate
from hbtom.bench.rater_ablation import ablate_rater
from hbtom.bench.social_ablation import ablate_social
from hbtom.cli.progress import given_or_default, judging, progress
from hbtom.cli.rating import named_rater
from hbtom.cli.sweep import finish
from hbtom.errors import count
from hbtom.files import check_target
from hbtom.show.score_text import ablation_table
from hbtom.show.words import plain


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
    rater: str | None,
) -> int:
    """Print the scores of every variation of a model, or of a rater's input."""
    if out is not None:
        check_target(Path(out), overwrite=overwrite)
    varied: Any = model if rater is None else named_rater(rater)
    where = given_or_default(dataset, labels, tasks, suite)
    with judging() if rater is None else progress("rating pairs") as judged:
        vary = ablate_rater if rater else ablate_social if suite == "social" else ablate
        result = vary(where, varied, tasks=tasks or None, workers=workers, progress=judged)
    if form == "table":
        click.echo(ablation_table(result))
        pairs = max(sum(score.pairs for score in rated) for rated in result.tasks.values())
        who = f"{plain(result.model.name)} ({plain(result.model.fingerprint)})"
        low = "; below .05: share of pairs with a smaller margin" if result.bounded else ""
        click.echo(
            f"accuracy in per cent, {count(pairs, 'pair')}{low}\n"
            "intervals and margins of every task: see --out and --format json\n"
            f"{'rater' if rater else 'model'} {who}, dataset {result.dataset}"
        )
    return finish(result, form, out, overwrite)
