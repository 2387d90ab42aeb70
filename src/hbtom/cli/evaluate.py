"""``hbtom evaluate``."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import Any

import click

from hbtom.bench import journal
from hbtom.bench.checked_rater import CheckedRater, as_rater
from hbtom.bench.cluster import NoWorkers, WorkersLost
from hbtom.bench.evaluation import Evaluation, Interrupted, Output, evaluate
from hbtom.bench.results import Compared
from hbtom.cli.output import INTERRUPTED, complain, print_json, tell_left_out
from hbtom.cli.progress import given_or_default, judging, progress
from hbtom.cli.rating import named_rater
from hbtom.errors import count
from hbtom.show.score_text import level_table, score_table
from hbtom.show.words import plain


def run(
    dataset: str | None,
    labels: str | None,
    suite: str,
    model: str,
    tasks: Sequence[str],
    out: str | None,
    overwrite: bool,
    resume: bool,
    score: Compared,
    form: str,
    wrong: bool,
    report: str | None,
    rater: str | None,
    scene: str | None,
    **where: Any,
) -> int:
    """Evaluate a rater on a dataset; return 1 if anything in it could not be read."""
    try:
        rates = as_rater(model, score) if rater is None else named_rater(rater)
        file = None if out is None else Path(out)
        journal.check(file, rates.columns, resume=resume, overwrite=overwrite)
        if report is not None:
            from hbtom.show.report.saving import check

            later = "make it later, with hbtom report --overwrite" if resume else "--overwrite"
            check(Path(report), overwrite=overwrite, otherwise=later)
        found = given_or_default(dataset, labels, tasks, suite, scene)
        shown = judging() if rater is None else progress("rating pairs")
        with shown as judged, _quiet():
            output = Output(out=out, resume=resume, overwrite=overwrite)
            result = evaluate(found, rates, tasks=tasks or None, progress=judged, **where, **output)
    except WorkersLost as lost:
        if lost.so_far is not None and lost.so_far.rows:
            _print(lost.so_far, form, wrong, suite)
        complain(lost)
        return 1
    except Interrupted as interrupted:
        if interrupted.so_far.rows:
            _print(interrupted.so_far, form, wrong, suite)
        tell_left_out(interrupted.so_far)
        again = f"the same command with --resume{' --overwrite' if overwrite else ''} continues"
        if out is None:
            again = "with --out FILE, they would be kept, and --resume could continue"
        complain(f"interrupted: {interrupted}; {again}")
        return INTERRUPTED
    except KeyboardInterrupt:
        complain("interrupted before any pair was judged")
        return INTERRUPTED
    _print(result, form, wrong, suite)
    status = tell_left_out(result)
    if report is not None:
        from hbtom.cli.report import write

        write(result, report, overwrite)
        if form == "table":
            click.echo(f"report {report}")
    return status


@contextmanager
def _quiet() -> Iterator[None]:
    """Hide the logs of libraries: errors and one warning say everything that matters."""
    before = logging.root.manager.disable
    logging.disable()

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        complain(message) if category is NoWorkers else others(message, category, *where, **more)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", NoWorkers)
            others, warnings.showwarning = warnings.showwarning, show
            yield
    finally:
        logging.disable(before)


def _print(result: Evaluation, form: str, wrong: bool, suite: str) -> None:
    if warned := sum(result.warned.values()):
        complain(f"{count(warned, 'episode')} came with warnings; hbtom judge FILE shows them")
    if form == "json":
        print_json(result.to_dict())
        return
    click.echo(score_table(result.tasks))
    if suite == "social" and result.by_level:
        click.echo(f"\nmean {result.score}\n{level_table(result.by_level)}\n")
    kind = "rater" if isinstance(result.rater, CheckedRater) else "model"
    who = f"{kind} {plain(result.rater.name)} ({plain(result.rater.fingerprint)})"
    click.echo(f"{who}, dataset {result.dataset}")
    for (task, pair), (expected, unexpected) in result.wrong.items() if wrong else ():
        e, u = ("missing" if isnan(one) else f"{one:.3g}" for one in (expected, unexpected))
        kind = "missing" if "missing" in (e, u) else "tied" if expected == unexpected else "wrong"
        click.echo(f"{kind}: {task}/{pair}, e {e}, u {u}")
