"""``hbtom infer``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.cli.output import complain, print_json
from hbtom.errors import located
from hbtom.files import check_target, write_whole
from hbtom.judgement.plan_judging import ALONE, infer_plans
from hbtom.model import find_model
from hbtom.show.plots import need_matplotlib
from hbtom.show.terminal import (
    JudgementRow,
    beliefs_table,
    judgement_table,
)
from hbtom.world.pddl import load_goals, load_plan, load_world

KINDS, PAGES, MOVIES = (".pdf", ".svg", ".png"), (".html", ".htm"), (".gif", ".mp4")
# printed only if plans are judged
VERDICT = ("plausibility", "parts", "surprise", "missing", "explanation")


def run(
    worlds: Sequence[str],
    domain: str,
    problem: str,
    goals: str,
    plans: Sequence[tuple[str, str]],
    model: str,
    something_else: float,
    states: int,
    judged: bool,
    form: str,
    out: str | None,
    figure: str | None,
    page: str | None,
    movie: str | None,
    overwrite: bool,
) -> None:
    """Infer goals from plans, each with its agent, and print the beliefs."""
    if out is not None:
        check_target(Path(out), overwrite=overwrite)
    if worlds:
        from hbtom.cli.infer_worlds import infer_worlds

        infer_worlds(worlds, model, states, form, out)
        return
    if figure is not None:
        need_matplotlib()
        check_target(Path(figure), overwrite=overwrite, kinds=KINDS)
    if page is not None:
        check_target(Path(page), overwrite=overwrite, kinds=PAGES)
    if movie is not None:
        need_matplotlib()
        check_target(Path(movie), overwrite=overwrite, kinds=MOVIES)
    world = load_world(domain, problem)
    wanted = load_goals(world, goals)
    seen = [load_plan(world, file, agent=agent) for agent, file in plans]
    chosen = find_model(model)
    with located(file=problem):  # errors such as too many states
        judgement = infer_plans(wanted, seen, chosen, something_else=something_else, most=states)
    if figure is not None:
        from hbtom.show.plots.sheet import figure_bytes

        write_whole(Path(figure), figure_bytes(judgement.plot(), Path(figure).suffix[1:]))
    if page is not None:
        from hbtom.show.plans.plan_page import plan_page

        write_whole(Path(page), plan_page(judgement).encode())
    if movie is not None:
        from hbtom.cli.plan_showing import movie_of_plans

        write_whole(Path(movie), movie_of_plans(judgement, Path(movie).suffix[1:]))
    # A single plan is enough for an inference, though not for a judgement.
    warnings = [warning for warning in judgement.warnings if judged or warning != ALONE]
    values = {**judgement.to_dict(), "warnings": warnings}
    for warning in warnings:
        complain(f"warning: {warning}")
    if out is not None:
        from hbtom.bench.scenarios import write_posteriors

        write_posteriors([judgement], Path(out))
    if form == "json":
        print_json({key: values[key] for key in values if judged or key not in VERDICT})
        return
    both = list(zip(values["plans"], judgement.mistakes, strict=True))
    tables = [beliefs_table(*one) for one in (both[-1:] if judged else both)]
    if judged:
        name, sentence = judgement.plans[-1].name, values["explanation"]
        row = JudgementRow(
            name, judgement.plausibility, values["surprise"], sentence, judgement.missing
        )
        tables.append(judgement_table([row], heading="plan"))
    click.echo("\n\n".join(tables))
