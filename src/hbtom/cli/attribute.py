"""``hbtom attribute``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.bench.table_files import write_records
from hbtom.cli.output import print_json
from hbtom.errors import BadInput, located
from hbtom.files import check_target, write_whole
from hbtom.judgement.attributing import attribute, attribute_plans
from hbtom.model import find_model
from hbtom.show.desire_text import desires_table, desires_trace
from hbtom.show.plots import need_matplotlib
from hbtom.world.gridworld_file import load_gridworlds
from hbtom.world.pddl import load_goals, load_plan, load_world
from hbtom.world.text_gridworld import Gridworld

KINDS = (".pdf", ".svg", ".png")


def run(
    worlds: Sequence[str],
    domain: str | None,
    problems: Sequence[str],
    goals: str,
    plans: Sequence[tuple[str, str]],
    sees: str | None,
    stopped: bool,
    model: str,
    states: int,
    trace: bool,
    form: str,
    out: str | None,
    figure: str | None,
    overwrite: bool,
) -> None:
    """Infer wants and beliefs from paths or plans, and print them."""
    if figure is not None:
        need_matplotlib()
        check_target(Path(figure), overwrite=overwrite, kinds=KINDS)
    if out is not None:
        check_target(Path(out), overwrite=overwrite)
    chosen = find_model(model)
    if domain is None:
        found = attribute(_paths(worlds), chosen)
    else:
        possible = [load_world(domain, problem) for problem in problems]
        wanted = load_goals(possible[0], goals)
        visible = () if sees is None else load_goals(possible[0], sees)
        seen = [load_plan(possible[0], file, agent=agent) for agent, file in plans]
        with located(file=problems[0]):
            found = attribute_plans(
                wanted,
                seen,
                chosen,
                possible=possible[1:],
                sees=visible,
                stopped=stopped,
                most=states,
            )
    if out is not None:
        write_records(found.records(), Path(out), overwrite=overwrite)
    if figure is not None:
        from hbtom.show.plots.sheet import figure_bytes

        write_whole(Path(figure), figure_bytes(found.plot(), Path(figure).suffix[1:]))
    if form == "json":
        print_json(found.to_dict())
        return
    traces = [desires_trace(one) for one in found.posteriors] if trace else []
    click.echo("\n\n".join([*traces, desires_table(found.posteriors)]))


def _paths(files: Sequence[str]) -> dict[str, Gridworld]:
    """Return the paths of all files; with the name of the file, if there are several."""
    found = dict[str, Gridworld]()
    for file in files:
        for path, world in load_gridworlds(file).items():
            name = path if len(files) == 1 else f"{Path(file).stem}: {path}"
            if name in found:
                hint = "give files different names"
                raise BadInput(f"two files have a path '{name}'", hint=hint, file=file)
            found[name] = world
    return found
