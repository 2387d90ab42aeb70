"""Which archives are wanted, and where they are."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from hbtom.bench.tasks import BACKGROUND_TASKS, EVALUATION_TASKS, Task, task
from hbtom.errors import BadInput

DEFAULT_BASE = "https://nyu-datasets.s3.amazonaws.com/"
HOME_PAGE = "https://www.kanishkgandhi.com/bib"

_ADDRESS = re.compile(r"https?://([\w.-]+|\[[\da-f:.]+\])(:\d+)?(/[!-~]*)?|file:///[!-~]*", re.A)


def wanted(tasks: Iterable[str], background: bool) -> list[Task]:
    """Return these tasks, or all nine, each with the archives that would do, best first."""
    given = [tasks] if isinstance(tasks, str) else list(tasks)
    names = given or [one.folder for one in EVALUATION_TASKS]
    names += [one.folder for one in BACKGROUND_TASKS if background]
    return list(dict.fromkeys(_named(name) for name in names))


def _named(name: str) -> Task:
    """Return a task; if it is one of its archives that is named, with just that one."""
    one = task(name)
    if name == one.folder:
        return one
    return replace(one, archives=(name.removesuffix(".zip") + ".zip",))


def address(base: str) -> str:
    """Return the base address with a slash at its end, if archives can be fetched from it."""
    if not _ADDRESS.fullmatch(base):
        raise BadInput(
            f"cannot fetch from {base!r}",
            hint="give an address such as https://example.org/bib/ or file:///folder/of/archives/",
        )
    return base.rstrip("/") + "/"
