"""``hbtom show``."""

from __future__ import annotations

from pathlib import Path

import click

from hbtom.bench.scenarios import is_plan
from hbtom.cli.output import complain, tell_notes, warn_of
from hbtom.cli.plan_showing import page_of_plans
from hbtom.files import check_target, write_whole
from hbtom.judgement import judge
from hbtom.model import find_model
from hbtom.observe import load
from hbtom.show.browser import browse
from hbtom.show.page import page
from hbtom.show.page.opening import cached_page


def run(
    episode: str,
    other: str | None,
    out: str | None,
    overwrite: bool,
    model: str,
    opened: bool | None,
    scene: str | None = None,
) -> None:
    """Write the page of one or two episodes or plans, and print where it is."""
    target = cached_page(episode, other) if out is None else Path(out)
    if out is not None:
        check_target(target, overwrite=overwrite, kinds=(".html", ".htm"))
    both = [one for one in (episode, other) if one is not None]
    if any(map(is_plan, both)):
        write_whole(target, page_of_plans(both, model))
    else:
        chosen = find_model(model)
        shown = [load(one, scene) for one in both]
        tell_notes(*shown)
        judgements = [judge(shown[0], chosen)]
        judgements += [judge(one, chosen, reuse=judgements[0]) for one in shown[1:]]
        write_whole(target, page(*judgements).encode())
        warn_of(*judgements)
    click.echo(str(target))
    if (out is None if opened is None else opened) and not browse(target.resolve().as_uri()):
        complain("no browser was found to show the page; open it on a machine that has one")
