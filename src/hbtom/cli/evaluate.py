"""``hbtom evaluate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.bench.evaluation import Compared, Evaluation, evaluate
from hbtom.bench.results import check_target, write_rows
from hbtom.cli.progress import given_or_default, progress
from hbtom.cli.say import complain, print_json, tell_left_out
from hbtom.errors import BadInput


def run(
    dataset: str | None,
    model: str,
    tasks: Sequence[str],
    out: str | None,
    overwrite: bool,
    score: Compared,
    form: str,
    workers: int | None,
    wrong: bool,
) -> int:
    """Evaluate a model on a dataset; return 1 if anything in it could not be read."""
    try:
        if out is not None:
            check_target(Path(out), overwrite=overwrite)
        where = given_or_default(dataset)
        with progress("judging pairs") as judged:
            result = evaluate(
                where, model, tasks=tasks or None, workers=workers, score=score, progress=judged
            )
        _print(result, form, wrong)
        tell_left_out(result.left_out)
        if out is not None:
            write_rows(result.rows, Path(out), overwrite=overwrite)
    except BadInput as error:
        complain(error)
        return 1
    return 1 if result.unreadable else 0


def _print(result: Evaluation, form: str, wrong: bool) -> None:
    if form == "json":
        print_json(result.to_dict())
        return
    from hbtom.show.scores import score_table

    click.echo(score_table(result.tasks))
    click.echo(f"model {result.model.name} ({result.model.fingerprint}), dataset {result.dataset}")
    for (task, pair), (expected, unexpected) in result.wrong.items() if wrong else ():
        click.echo(f"wrong: {task}/{pair}, e {expected:.3g}, u {unexpected:.3g}")
