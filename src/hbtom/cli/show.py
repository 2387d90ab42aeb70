"""``hbtom show``."""

from __future__ import annotations

from pathlib import Path, PurePath

import click

from hbtom.cache import cache_folder
from hbtom.cli.browser import browse
from hbtom.cli.say import complain, warn
from hbtom.errors import BadInput
from hbtom.files import check_target, write_whole
from hbtom.judgement import judge
from hbtom.model import find_model
from hbtom.show import page

_LONGEST = 80  # letters of a page's name


def run(
    episode: str, other: str | None, model: str, out: str | None, overwrite: bool, opened: bool
) -> int:
    """Write the page of an episode, or of two, and print where it is; return 1 if that fails."""
    try:
        target = _cached(episode, other) if out is None else _named(out, overwrite)
        chosen = find_model(model)
        judgements = [judge(episode, chosen)]
        if other is not None:
            judgements.append(judge(other, chosen, reuse=judgements[0]))
        write_whole(target, page(*judgements).encode())
    except BadInput as error:
        complain(error)
        return 1
    for judgement in judgements:
        for warning in judgement.warnings:
            warn(judgement.episode.name, warning)
    click.echo(str(target))
    if opened and not browse(target.resolve().as_uri()):
        complain("there is no browser to show the page in; open it where there is one")
    return 0


def _named(out: str, overwrite: bool) -> Path:
    """Return the file that was asked for, if it can and may be written."""
    target = Path(out)
    check_target(target, overwrite=overwrite, kinds=(".html", ".htm"))
    return target


def _cached(*episodes: str | None) -> Path:
    """Return a file in the cache folder: the same for the same episodes, so that pages stay few."""
    names = [PurePath(one).name.partition(".json")[0] for one in episodes if one is not None]
    folder = cache_folder("pages")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"the page cannot be written: {error.strerror or error}"
        hint = "name a file with -o, or set HBTOM_CACHE to another folder"
        raise BadInput(problem, hint=hint).at(file=str(folder)) from None
    return folder / f"{' and '.join(names)[:_LONGEST] or 'episode'}.html"
