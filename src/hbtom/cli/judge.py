"""``hbtom judge``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import indent

import click

from hbtom.cli.say import complain, to_json, warn
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, judge
from hbtom.model import Model, find_model
from hbtom.observe.formats import Loaded, load_each


def run(files: Sequence[str], model: str, form: str, trace: bool) -> int:
    """Judge all files that can be judged; return 1 if any could not."""
    try:
        chosen = find_model(model)
    except BadInput as error:
        complain(error)
        return 1
    judged: list[tuple[str, Sequence[str]]] = []
    failed: list[BadInput] = []
    text = _text(_judgements(files, chosen, judged, failed), form, trace)
    for name, warnings in judged:
        for warning in warnings:
            warn(name, warning)
    if judged:
        click.echo(text)
    return 1 if failed else 0


def _judgements(
    files: Sequence[str],
    model: Model,
    judged: list[tuple[str, Sequence[str]]],
    failed: list[BadInput],
) -> Iterator[Judgement]:
    """Yield a judgement at a time; list what was judged with its warnings, and what was not."""
    for episode in _episodes(files):
        try:
            if isinstance(episode, BadInput):
                raise episode
            judgement = judge(episode, model)
        except BadInput as error:
            complain(error)
            failed.append(error)
        else:
            judged.append((judgement.episode.name, judgement.warnings))
            yield judgement


def _episodes(files: Sequence[str]) -> Iterator[Loaded]:
    """Yield the episode of each file and all episodes of each archive, or why there is none."""
    for file in files:
        try:
            yield from load_each(file)
        except BadInput as error:
            yield error


def _text(judgements: Iterator[Judgement], form: str, trace: bool) -> str:
    """Return what is printed; of each judgement only its text is kept, for there may be many."""
    if form == "json":
        each = (to_json(judgement.to_dict(trace=trace)) for judgement in judgements)
        return "[\n" + ",\n".join(indent(one, "  ") for one in each) + "\n]"
    from hbtom.show import judgement_table, plain, trace_table

    traces: list[str] = []

    def traced() -> Iterator[Judgement]:
        for judgement in judgements:
            if trace:
                name = plain(judgement.episode.name)
                traces.append(f"\n{name}, test trial\n{trace_table(judgement)}")
            yield judgement

    return "\n".join([judgement_table(traced()), *traces])
