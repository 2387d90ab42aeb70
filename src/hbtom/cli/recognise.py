"""``hbtom recognise``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from hbtom.bench.growing_file import Kept
from hbtom.bench.recognition import Recognised, RecognitionWork
from hbtom.bench.recognition_file import RecognitionInterrupted, recognise_all
from hbtom.bench.recognition_problems import ProblemSource, find_posed, named_path
from hbtom.bench.recognition_rows import KINDS
from hbtom.cli.output import INTERRUPTED, complain, complain_of, print_json, warn
from hbtom.cli.progress import progress
from hbtom.errors import count
from hbtom.judgement.recognising import Engine, RecognitionOptions, default_model, prepare
from hbtom.model import find_model
from hbtom.show.recognition_text import recognition_table
from hbtom.world.pddl.recognition_problem import DOMAIN, GOALS, PROBLEM, SEEN

MOST_WARNINGS = 3  # that are printed


def run(
    problems: Sequence[str],
    domain: str | None,
    problem: str | None,
    goals: str | None,
    observations: Sequence[str],
    engine: Engine | None,
    states: int | None,
    wrong: float | None,
    whole: bool,
    strict: bool,
    same_agent: bool,
    peers: bool,
    model: str | None,
    trace: bool,
    workers: int | None,
    out: str | None,
    resume: bool,
    overwrite: bool,
    form: str,
) -> int:
    """Recognise goals; return 1 if a problem could not be answered."""
    kept = Kept(None if out is None else Path(out), resume, overwrite, KINDS)
    kept.check()
    given = {DOMAIN: domain, PROBLEM: problem, GOALS: goals}
    files = tuple((part, path) for part, path in given.items() if path is not None)
    sources = find_posed(problems)
    for agent, path in map(named_path, observations):
        sources += (ProblemSource(path, (*files, (SEEN, path)), agent),)
    if same_agent:
        sources = tuple(replace(one, agent=one.agent or "agent") for one in sources)
    chosen = default_model() if model is None else find_model(model)
    task = RecognitionWork(
        chosen, RecognitionOptions(engine, states, wrong, trace), strict, whole, peers
    )
    prepare(len(sources))
    try:
        with progress("recognising goals", "problems") as tell:
            result = recognise_all(sources, task, workers=workers, kept=kept, progress=tell)
    except RecognitionInterrupted as interrupted:
        if interrupted.so_far.answers:
            _print(interrupted.so_far, form)
        again = "the same command with --resume continues"
        if out is None:
            again = "with --out FILE, they would be kept, and --resume could continue"
        complain(f"interrupted: {interrupted}; {again}")
        return INTERRUPTED
    _print(result, form)
    complain_of([str(one.why) for one in result.failed])
    if len(result.failed) > 1:
        complain(f"{count(len(result.failed), 'problem')} left out")
    return 1 if result.failed else 0


def _print(result: Recognised, form: str) -> None:
    warned = [(one.source.path, text) for one in result.answered for text in one.values["warnings"]]
    for where, warning in warned[:MOST_WARNINGS]:
        warn(where, warning)
    if len(warned) > MOST_WARNINGS:
        more = len(warned) - MOST_WARNINGS
        complain(f"{count(more, 'more warning')}; --format json has all of them")
    if form == "json":
        print_json(result.to_dict())
    elif result.answered:
        click.echo(recognition_table(result))
