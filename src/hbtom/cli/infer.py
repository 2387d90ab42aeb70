"""``hbtom infer``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.cli.say import complain, print_json
from hbtom.errors import BadInput
from hbtom.files import check_target, write_whole
from hbtom.judgement.plan_judging import ALONE, PlanJudgement, judge_plans
from hbtom.model import Model, find_model
from hbtom.world.pddl import Goal, SeenPlan, load_goals, load_plan, load_world

KINDS = (".pdf", ".svg", ".png")


def run(
    domain: str,
    problem: str,
    goals: str,
    plans: Sequence[tuple[str, str]],
    model: str,
    something_else: float,
    states: int,
    judged: bool,
    form: str,
    figure: str | None,
    overwrite: bool,
) -> int:
    """Infer goals from plans, each with its agent, and print what is believed; 1 if it fails."""
    try:
        target = None if figure is None else _target(figure, overwrite)
        world = load_world(domain, problem)
        wanted = load_goals(world, goals)
        seen = [load_plan(world, file, agent=agent) for agent, file in plans]
        chosen = find_model(model)
        judgement = _judge(wanted, seen, chosen, something_else, states, problem)
        if target is not None:
            _draw(judgement, target)
    except BadInput as error:
        complain(error)
        return 1
    for warning in _warnings(judgement, judged):
        complain(f"warning: {warning}")
    _print(judgement, form, judged)
    return 0


def _judge(
    goals: Sequence[Goal],
    plans: Sequence[SeenPlan],
    model: Model,
    something_else: float,
    states: int,
    problem: str,
) -> PlanJudgement:
    """Judge plans; what goes wrong here, such as too many states, is up to the problem."""
    try:
        return judge_plans(goals, plans, model, something_else=something_else, most=states)
    except BadInput as error:
        raise error.at(file=problem) from None


def _target(figure: str, overwrite: bool) -> Path:
    """Return the file for the figure, if it can and may be written."""
    from hbtom.show.plots import need_matplotlib

    need_matplotlib()
    check_target(Path(figure), overwrite=overwrite, kinds=KINDS)
    return Path(figure)


def _draw(judgement: PlanJudgement, target: Path) -> None:
    from hbtom.show.plots.sheet import figure_bytes

    write_whole(target, figure_bytes(judgement.plot(), target.suffix[1:]))


def _warnings(judgement: PlanJudgement, judged: bool) -> list[str]:
    """Return what to warn of: that there is but one plan limits a judgement, not an inference."""
    return [warning for warning in judgement.warnings if judged or warning != ALONE]


def _print(judgement: PlanJudgement, form: str, judged: bool) -> None:
    if form == "json":
        values = {**judgement.to_dict(), "warnings": _warnings(judgement, judged)}
        verdict = ("plausibility", "parts", "surprise")
        print_json({k: v for k, v in values.items() if judged or k not in verdict})
        return
    from hbtom.show.plan_text import beliefs_table, verdict_table

    pairs = list(zip(judgement.plans, judgement.posteriors, strict=True))
    tables = [beliefs_table(*pair) for pair in (pairs[-1:] if judged else pairs)]
    click.echo("\n\n".join([*tables, *([verdict_table(judgement)] if judged else [])]))
