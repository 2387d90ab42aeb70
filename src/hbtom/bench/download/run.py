"""Download: take the archives that exist, fetch the others, and report all failures."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from hbtom.bench.download.fetch import Fetcher, Progress
from hbtom.bench.download.folder import Folder
from hbtom.bench.download.http_request import Absent, Trouble, Unreachable
from hbtom.bench.download.outcome import Failure, FetchedArchive, Incomplete
from hbtom.bench.tasks import BACKGROUND_TASKS, EVALUATION_TASKS, Task, task
from hbtom.cache import cache_folder
from hbtom.errors import BadInput

DEFAULT_BASE = "https://nyu-datasets.s3.amazonaws.com/"
_ADDRESS = re.compile(r"https?://([\w.-]+|\[[\da-f:.]+\])(:\d+)?(/[!-~]*)?|file:///[!-~]*", re.A)


def download(
    tasks: Iterable[str] = (),
    to: str | os.PathLike[str] | None = None,
    *,
    base: str = DEFAULT_BASE,
    background: bool = False,
    again: bool = False,
    progress: Progress = lambda name, done, total: None,
    notice: Callable[[str], None] = lambda text: None,
) -> list[FetchedArchive]:
    """Fetch the archives of these tasks, by default of all evaluation tasks, and return them.

    A task is given by its folder name, or by the name of one of its archives if only that one is
    wanted. Existing archives are not fetched again unless `again` is set. A failure does not stop
    the others; at the end it raises `Incomplete`, which lists the archives and the failures.
    `progress` is called with an archive, its bytes so far and in all; `notice` with reasons for
    delay.
    """
    chosen, place = _wanted(tasks, background), _address(base)
    folder = Folder(cache_folder("bib") if to is None else Path(to))
    fetcher = Fetcher(folder, place, progress, notice, again)
    public = DEFAULT_BASE if place.startswith("file:") else place
    archives: list[FetchedArchive] = []
    failures: list[Failure] = []
    offline: Unreachable | None = None
    for one in chosen:
        name = one.archives[0]
        try:
            archives.append(_provided(one, fetcher, offline))
        except Trouble as error:
            failures.append(Failure(name, str(error), public + name))
            if isinstance(error, Unreachable) and not any(done.fetched for done in archives):
                offline = error
        except (BadInput, OSError) as error:
            failures.append(Failure(name, str(error)))
    if failures:
        raise Incomplete(archives, failures, folder.path)
    return archives


def _provided(one: Task, fetcher: Fetcher, offline: Unreachable | None) -> FetchedArchive:
    """Take the first archive that exists, or else fetch the first that the server has."""
    for name in () if fetcher.again else one.archives:
        here = fetcher.folder.archive(name)
        if here is not None:
            return here
    if offline is not None:
        raise offline  # there is no network: asking for each archive would only take time
    answers: list[str] = []
    for name in one.archives:
        try:
            return fetcher.fetch(name)
        except Absent as error:
            answers.append(str(error))
    raise Trouble(f"not found ({'; '.join(answers)})")


def _wanted(tasks: Iterable[str], background: bool) -> list[Task]:
    """Return these tasks, by default all nine, each with suitable archives, best first."""
    given = [tasks] if isinstance(tasks, str) else list(tasks)
    names = given or [one.folder for one in EVALUATION_TASKS]
    names += [one.folder for one in BACKGROUND_TASKS if background]
    return list(dict.fromkeys(_named(name) for name in names))


def _named(name: str) -> Task:
    """Return a task; if one of its archives is named, with only that one."""
    one = task(name)
    if not one.archives:
        hint = "generate it: hbtom generate --suite social"
        raise BadInput(f"the task '{one.folder}' is not published", hint=hint)
    if name == one.folder:
        return one
    return replace(one, archives=(name.removesuffix(".zip") + ".zip",))


def _address(base: str) -> str:
    """Return the base address with a slash at its end; refuse one that cannot be fetched from."""
    if not _ADDRESS.fullmatch(base):
        hint = "give an address such as https://example.org/bib/ or file:///folder/of/archives/"
        raise BadInput(f"cannot fetch from {base!r}", hint=hint)
    return base.rstrip("/") + "/"
