"""Writing a report and the pages next to it: everything or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from hbtom.bench.comparison import PairName
from hbtom.bench.workers import Progress, counted
from hbtom.errors import BadInput, system_errors
from hbtom.files import check_target, write_whole
from hbtom.scratch import scratch
from hbtom.show.document import document
from hbtom.show.report.findings import WRONG, Findings, PairSelection, choose
from hbtom.show.report.report_values import Link, plain_report, title
from hbtom.show.report.viewers import page_names, watch
from hbtom.show.score_text import score_table
from hbtom.show.words import plain

STYLES = ("report", "figures", "list", "print")
SCRIPTS = (
    "open",  # reads the data: makes pairs from columns
    "scores",  # the table, and the chart of it
    "margins",  # how close pairs are to failure
    "spreads",  # what separates expected from unexpected episodes
    "calibration",  # how reliable plausibilities are
    "pair",  # one pair in detail
    "list",  # all pairs, sorted and filtered
    "about",  # the model and the data
    "main",  # puts everything together
)
TEMPLATE = Path(__file__).parent / "template"
_OURS = b'<meta name="generator" content="hbtom">'


def build(
    findings: Findings, choice: PairSelection, links: Mapping[PairName, Link], note: str = ""
) -> str:
    """Return the report on findings, with links to pages next to it and a note about them."""
    return document(
        TEMPLATE,
        STYLES,
        SCRIPTS,
        title=title(findings),
        instead=f"Without it, you can read this table:\n\n{score_table(findings.tasks)}",
        data={**plain_report(findings, choice, links), "note": note},
    )


@dataclass(frozen=True)
class Written:
    """The report that was written, and the reasons for missing pages."""

    path: Path
    folder: Path | None  # of pages; None if there are none
    pages: int
    missing: tuple[str, ...]  # reasons why pages are missing


def folder_of(path: Path) -> Path:
    """Return the folder of a report's pages: ``report-pages`` next to ``report.html``."""
    return path.with_name(f"{path.stem}-pages")


def check(path: Path, *, overwrite: bool = False, otherwise: str = "--overwrite") -> None:
    """Refuse a report that cannot or should not be written, before any work is done."""
    check_target(path, overwrite=overwrite, kinds=(".html", ".htm"), otherwise=otherwise)
    folder = folder_of(path)
    if not os.path.lexists(folder):
        return
    if not overwrite:
        hint = f"choose another name, or use {otherwise}"
        raise BadInput("the folder for its pages exists already", hint=hint, file=folder)
    if folder.is_symlink() or not folder.is_dir() or not all(map(_is_page, folder.iterdir())):
        hint = "choose another name for the report, or move these files"
        problem = "the report's pages belong here, but there are other files"
        raise BadInput(problem, hint=hint, file=folder)


def _is_page(path: Path) -> bool:
    """Return whether a file is a page made by hbtom, which it may replace."""
    with suppress(OSError):
        if path.suffix == ".html" and path.is_file():
            with path.open("rb") as stream:
                return _OURS in stream.read(1024)
    return False


def write(
    findings: Findings,
    path: Path,
    *,
    pages: int,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Written:
    """Write a report on findings, and up to this number of pages next to it."""
    check(path, overwrite=overwrite)
    choice = choose(findings, max(pages, WRONG))
    wanted = (*choice.wrong, *choice.close)[:pages] if not findings.unknown else ()
    folder = folder_of(path)
    with _replaced(folder) as new:
        links = _write_pages(findings, wanted, new, quote(os.fsencode(folder.name)), progress)
        made = sum(bool(link.address) for link in links.values())
        note = _note(findings, folder, made) if pages else ""
        write_whole(path, build(findings, choice, links, note).encode())
    why = [f"{'/'.join(name)}: {link.missing}" for name, link in links.items() if link.missing]
    if pages and findings.unknown:
        why = [findings.unknown]
    return Written(path, folder if made else None, made, tuple(why))


def _note(findings: Findings, folder: Path, made: int) -> str:
    """Return a note on where the pages are, or why there are none."""
    if findings.unknown:
        return f"There are no pages to watch these pairs on: {findings.unknown}."
    if made == 0:
        return ""
    pages = f"{made} pairs can be watched: their pages are" if made > 1 else "One page to watch is"
    folder_name = plain(folder.name)
    return f"{pages} in the folder {folder_name} next to this report. Keep the two together."


def _write_pages(
    findings: Findings,
    names: Sequence[PairName],
    folder: Path,
    address: str,
    progress: Progress | None,
) -> dict[PairName, Link]:
    """Write the pages of these pairs, and return where each is, or why it is missing."""
    files = page_names(names)
    links: dict[PairName, Link] = {}
    for name, watched in counted(watch(findings, names), len(names), progress) if names else ():
        if watched.text:
            (folder / files[name]).write_bytes(watched.text.encode())
        there = f"{address}/{files[name]}" if watched.text else ""
        links[name] = Link(there, watched.words, watched.missing)
    return links


@contextmanager
def _replaced(folder: Path) -> Iterator[Path]:
    """Yield a new folder, which replaces ``folder`` if there is no error.

    If nothing was put into it, there is no such folder afterwards.
    """
    with system_errors("the pages cannot be written", folder), scratch(folder.parent) as work:
        new = work / "new"
        new.mkdir()  # with the usual permissions of new folders
        yield new
        if folder.exists():
            folder.rename(work / "old")
        if any(new.iterdir()):
            new.rename(folder)
