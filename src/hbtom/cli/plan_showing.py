"""Pages and movies of plans, for the verbs that make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from click.core import ParameterSource

from hbtom.bench.scenarios import is_plan, load_scenario
from hbtom.cli.output import warn
from hbtom.cli.progress import progress
from hbtom.errors import BadInput, located
from hbtom.judgement.plan_judging import ALONE, MODEL, PlanJudgement, infer_plans
from hbtom.show.plans.plan_page import plan_page
from hbtom.show.plots import need_matplotlib


def judge_plan(path: str, model: str) -> PlanJudgement:
    """Judge a plan in the folder of its world; by default with the model for plans."""
    source = click.get_current_context().get_parameter_source("model")
    goals, plan = load_scenario(path)
    with located(file=path):
        judged = infer_plans(goals, [plan], MODEL if source is ParameterSource.DEFAULT else model)
    for warning in judged.warnings:
        if warning != ALONE:
            warn(path, warning)
    return judged


def page_of_plans(paths: Sequence[str], model: str) -> bytes:
    """Return the page of one plan, or of two side by side."""
    for path in paths:
        if not is_plan(path):
            hint = "give two plans, or two episodes"
            raise BadInput("this is not a plan, but the other one is", hint=hint).at(file=path)
    return plan_page(*(judge_plan(path, model) for path in paths)).encode()


def movie_of_plans(judgement: PlanJudgement, form: str, **how: Any) -> bytes:
    """Return a movie of plans; for the options ``how``, see ``animate_plans``."""
    need_matplotlib()
    from hbtom.show.plots.plan_movie import animate_plans

    with progress("drawing", "pictures") as drawn:
        return animate_plans(judgement, form, progress=drawn, **how)
