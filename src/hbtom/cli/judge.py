"""``hbtom judge``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from hbtom.cli.say import complain, print_json, warn
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, judge
from hbtom.model import find_model
from hbtom.observe.files import Loaded, load_each


def run(files: Sequence[str], model: str, form: str, trace: bool) -> int:
    """Judge all files that can be judged; return 1 if any could not."""
    try:
        chosen = find_model(model)
    except BadInput as error:
        complain(error)
        return 1
    judgements: list[Judgement] = []
    failed = False
    for episode in _episodes(files):
        try:
            if isinstance(episode, BadInput):
                raise episode
            judgements.append(judge(episode, chosen))
        except BadInput as error:
            complain(error)
            failed = True
    for judgement in judgements:
        for warning in judgement.warnings:
            warn(judgement.episode.name, warning)
    if judgements:
        _print(judgements, form, trace)
    return 1 if failed else 0


def _episodes(files: Sequence[str]) -> Iterator[Loaded]:
    """Yield the episode of each file and all episodes of each archive, or why there is none."""
    for file in files:
        try:
            yield from load_each(file)
        except BadInput as error:
            yield error


def _print(judgements: Sequence[Judgement], form: str, trace: bool) -> None:
    if form == "json":
        print_json([judgement.to_dict(trace=trace) for judgement in judgements])
        return
    from hbtom.show import judgement_table, plain, trace_table

    click.echo(judgement_table(judgements))
    for judgement in judgements if trace else ():
        click.echo(f"\n{plain(judgement.episode.name)}, test trial\n{trace_table(judgement)}")
