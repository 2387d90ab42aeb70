"""``hbtom judge``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import indent

import click

from hbtom.cli.say import complain, tell_notes, to_json, warn
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, account, judge
from hbtom.model import Model, find_model
from hbtom.observe.formats import Loaded, load_each
from hbtom.show.terminal import Row, judgement_row, judgement_table
from hbtom.show.words import explain


def run(files: Sequence[str], model: str, form: str, trace: bool, scene: str | None = None) -> int:
    """Judge all files that can be judged; return 1 if any could not.

    An archive may hold very many episodes, so only the text of each judgement is kept.
    """
    chosen = find_model(model)
    rows: list[Row] = []
    objects: list[str] = []
    warnings: list[tuple[str, str]] = []
    failed = False
    for judgement in _judgements(files, chosen, scene):
        if isinstance(judgement, BadInput):
            complain(judgement)
            failed = True
            continue
        tell_notes(judgement.episode)
        warnings += [(judgement.episode.name, warning) for warning in judgement.warnings]
        told = account(judgement)
        if form == "json":
            plain = {"file": judgement.episode.name, "account": explain(told)}
            objects.append(indent(to_json({**plain, **judgement.to_dict(trace=trace)}), "  "))
        else:
            rows.append(judgement_row(judgement, told, trace=trace))
    for warning in warnings:
        warn(*warning)
    if objects:
        click.echo("[\n" + ",\n".join(objects) + "\n]")
    if rows:
        click.echo(judgement_table(rows))
    return 1 if failed else 0


def _judgements(
    files: Sequence[str], model: Model, scene: str | None
) -> Iterator[Judgement | BadInput]:
    """Judge one episode after the other; where that is impossible, yield why."""
    for episode in _episodes(files, scene):
        try:
            yield episode if isinstance(episode, BadInput) else judge(episode, model)
        except BadInput as error:
            yield error


def _episodes(files: Sequence[str], scene: str | None) -> Iterator[Loaded]:
    """Yield the episode of each file and all episodes of each archive, or why there is none."""
    for file in files:
        try:
            yield from load_each(file, scene)
        except BadInput as error:
            yield error
