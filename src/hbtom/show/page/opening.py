"""Making a page in the cache folder, and opening it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Any

from hbtom.cache import cache_folder
from hbtom.errors import BadInput, system_errors
from hbtom.files import write_whole
from hbtom.judgement import Judgement, judge
from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.model import AnyModel
from hbtom.observe import Episode
from hbtom.show.browser import browse
from hbtom.show.page.viewer import page

_LONGEST = 80  # most letters in a page's name

Watched = Judgement | PlanJudgement | Episode | str | os.PathLike[str]


def show(
    watched: Watched | Any,
    other: Watched | None = None,
    *,
    model: AnyModel = "default",
    browser: bool = True,
) -> Path:
    """Make a page to watch a judgement, an episode or its file on; return the page's path.

    With ``other``, such as the other one of a pair, both play side by side. The page is in the
    cache folder and opens in a browser, unless ``browser`` is False.
    """
    both: list[Any] = [one for one in (watched, other) if one is not None]
    if any(isinstance(one, PlanJudgement) for one in both):
        names, made = _page_of_plans(both)
    else:
        judgements = [one if isinstance(one, Judgement) else judge(one, model) for one in both]
        names, made = [one.episode.name for one in judgements], page(*judgements)
    target = cached_page(*names)
    write_whole(target, made.encode())
    if browser:
        browse(target.resolve().as_uri())
    return target


def _page_of_plans(both: Sequence[Any]) -> tuple[list[str], str]:
    """Return the names of plans, and their page."""
    from hbtom.show.plans.plan_page import plan_page

    if not all(isinstance(one, PlanJudgement) for one in both):
        raise BadInput("a plan and an episode cannot share a page", hint="show two of a kind")
    return [one.plans[-1].name for one in both], plan_page(*both)


def cached_page(*episodes: str | None) -> Path:
    """Return a file in the cache folder, the same one for the same episodes."""
    names = [PurePath(one).name.partition(".json")[0] for one in episodes if one is not None]
    folder = cache_folder("pages")
    hint = "name a file with -o, or set HBTOM_CACHE to another folder"
    with system_errors("the page cannot be written", folder, hint):
        folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{' and '.join(names)[:_LONGEST] or 'episode'}.html"
