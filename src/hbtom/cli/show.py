"""``hbtom show``."""

from __future__ import annotations

from pathlib import Path, PurePath

import click

from hbtom.bench.scenarios import is_plan
from hbtom.cache import cache_folder
from hbtom.cli.browser import browse
from hbtom.cli.plan_showing import page_of_plans
from hbtom.cli.say import complain, warn_of
from hbtom.errors import system_errors
from hbtom.files import check_target, write_whole
from hbtom.judgement import judge
from hbtom.model import find_model
from hbtom.show.page import page

_LONGEST = 80  # letters of a page's name


def run(
    episode: str,
    other: str | None,
    out: str | None,
    overwrite: bool,
    model: str,
    opened: bool | None,
) -> None:
    """Write the page of an episode or a plan, or of two, and print where it is."""
    target = _cached(episode, other) if out is None else Path(out)
    if out is not None:
        check_target(target, overwrite=overwrite, kinds=(".html", ".htm"))
    both = [one for one in (episode, other) if one is not None]
    if any(map(is_plan, both)):
        write_whole(target, page_of_plans(both, model))
    else:
        chosen = find_model(model)
        judgements = [judge(episode, chosen)]
        if other is not None:
            judgements.append(judge(other, chosen, reuse=judgements[0]))
        write_whole(target, page(*judgements).encode())
        warn_of(*judgements)
    click.echo(str(target))
    if (out is None if opened is None else opened) and not browse(target.resolve().as_uri()):
        complain("there is no browser here to show the page; open it on a machine that has one")


def _cached(*episodes: str | None) -> Path:
    """Return a file in the cache folder, the same one for the same episodes."""
    names = [PurePath(one).name.partition(".json")[0] for one in episodes if one is not None]
    folder = cache_folder("pages")
    hint = "name a file with -o, or set HBTOM_CACHE to another folder"
    with system_errors("the page cannot be written", folder, hint):
        folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{' and '.join(names)[:_LONGEST] or 'episode'}.html"
