"""Raters named on the command line, and ``hbtom judge --rater``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any

import click

from hbtom.bench.checked_rater import AnyRater, CheckedRater
from hbtom.bench.rater import RaterFailed
from hbtom.cli.output import complain, print_json
from hbtom.errors import BadInput
from hbtom.observe import Episode
from hbtom.observe.episode import Loaded
from hbtom.show.terminal import columns
from hbtom.show.words import plain

Told = dict[str, Any]  # what a rater says about an episode


def named_rater(name: str) -> AnyRater:
    """Return a rater by name; networks are imported only for this."""
    from hbtom.neural.raters import chosen_rater

    return chosen_rater(name)


def judge_by_rater(episodes: Iterator[Loaded], name: str, form: str, trace: bool) -> int:
    """Rate all episodes that can be rated; return 1 if any could not."""
    rater = named_rater(name)
    if not rater.rates_alone:
        hint = "hbtom evaluate --rater rates the pairs of a dataset"
        raise BadInput(f"the rater '{rater.name}' rates only pairs of episodes", hint=hint)
    rater.warm_up(1)
    rows, failed = list[Told](), False
    for episode in episodes:
        try:
            rows.append(_rated(rater, episode, trace))
        except RaterFailed:
            raise
        except BadInput as error:
            complain(error)
            failed = True
    if rows and form == "json":
        print_json(rows)
    elif rows:
        click.echo(_table(rows))
    return 1 if failed else 0


def _rated(rater: AnyRater, episode: Loaded, trace: bool) -> Told:
    if not isinstance(episode, Episode):
        raise episode
    try:
        rated = rater.rate_one(episode)
    except BadInput as error:
        raise error.at(file=episode.name) from None
    row: Told = {"file": episode.name, "rating": rated.value, **rated.own}
    if trace:
        if not isinstance(rater, CheckedRater):
            raise BadInput("a model has a trace of its own", hint="use --model, not --rater")
        row["steps"] = rater.trace(episode)
    return row


def _table(told: Sequence[Told]) -> str:
    """Return a line for each episode, and then the steps of each."""
    rows = [{**row, "file": PurePath(row["file"]).name} for row in told]
    text = _lines([{name: one for name, one in row.items() if name != "steps"} for row in rows])
    for row in told:
        if row.get("steps"):
            text += ["", f"{plain(row['file'])}, test trial", *_lines(row["steps"])]
    return "\n".join(text)


def _lines(rows: Sequence[Told]) -> list[str]:
    names = list(rows[0])
    cells = [[_cell(row[name]) for name in names] for row in rows]
    sides = "".join("." if isinstance(rows[0][name], str) else "R" for name in names)
    return columns([[name.replace("_", " ") for name in names], *cells], right=sides)


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else plain(str(value))
