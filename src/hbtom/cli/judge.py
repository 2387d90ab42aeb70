"""``hbtom judge``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from hbtom.cli.say import complain, print_json, warn
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, judge
from hbtom.model import find_model


def run(files: Sequence[str], model: str, form: str, trace: bool) -> int:
    """Judge all files that can be judged; return 1 if any could not."""
    try:
        chosen = find_model(model)
    except BadInput as error:
        complain(error)
        return 1
    judgements: list[Judgement] = []
    for file in files:
        try:
            judgements.append(judge(file, chosen))
        except BadInput as error:
            complain(error)
    for judgement in judgements:
        for warning in judgement.warnings:
            warn(judgement.episode.name, warning)
    if judgements:
        _print(judgements, form, trace)
    return 0 if len(judgements) == len(files) else 1


def _print(judgements: Sequence[Judgement], form: str, trace: bool) -> None:
    if form == "json":
        print_json([judgement.to_dict(trace=trace) for judgement in judgements])
        return
    from hbtom.show import judgement_table, plain, trace_table

    click.echo(judgement_table(judgements))
    for judgement in judgements if trace else ():
        click.echo(f"\n{plain(judgement.episode.name)}, test trial\n{trace_table(judgement)}")
