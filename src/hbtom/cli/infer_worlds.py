"""``hbtom infer`` for many plans in many worlds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.bench.scenarios import find_scenarios, judge_scenarios, posterior_rows, write_posteriors
from hbtom.cli.output import print_json, warn
from hbtom.cli.progress import progress
from hbtom.judgement.plan_judging import ALONE, PlanJudgement
from hbtom.model import find_model
from hbtom.show.terminal import columns
from hbtom.show.words import plain


def infer_worlds(
    worlds: Sequence[str], model: str, states: int, form: str, out: str | None
) -> None:
    """Infer the goal of every plan, and print the beliefs at its end."""
    chosen, found = find_model(model), find_scenarios(worlds)
    judgements: list[PlanJudgement] = []
    with progress("inferring", "plans") as tell:
        for judged in judge_scenarios(found, [chosen], states):
            judgements += judged
            tell(len(judgements), len(found))
    for scenario, judgement in zip(found, judgements, strict=True):
        for warning in judgement.warnings:
            if warning != ALONE:
                warn(scenario.name, warning)
    if out is not None:
        write_posteriors(judgements, Path(out))
    if form == "json":
        print_json([row for judgement in judgements for row in posterior_rows(judgement)])
        return
    rows = [("scenario", "actions", "most probable goal", "P")]
    for scenario, judgement in zip(found, judgements, strict=True):
        end = judgement.posteriors[-1]
        chance, goal = max(
            zip(end.goal[-1].tolist(), end.goals, strict=True), key=lambda one: one[0]
        )
        rows.append((plain(scenario.name), str(len(end)), plain(str(goal)), f"{chance:.3f}"))
    click.echo("\n".join(columns(rows, right=".R.R")))
    click.echo(f"model {plain(chosen.name)} ({chosen.fingerprint})")
