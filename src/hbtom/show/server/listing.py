"""The list of pairs: its page, and the answers to the page's requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from hbtom import __version__
from hbtom.bench.score import wilson
from hbtom.model import Model
from hbtom.show.document import POLICY, document
from hbtom.show.page.plain_values import Plain
from hbtom.show.server.catalogue import CatalogueEntry, Selection
from hbtom.show.server.session import Session
from hbtom.show.server.work import UNJUDGED, VERDICTS

SHEET = 50  # rows per request
LEFT_OUT = 200  # most files to name
PROGRESS = ("model", "done", "total", "going", "problem")  # fields of a run that the page gets
TEMPLATE = Path(__file__).parent / "template"
STYLES = ("list", "rows")
SCRIPTS = (
    "kept",  # choices that hold for all pages
    "address",  # the selection, which is in the address of the page
    "rows",  # the pairs
    "judging",  # judges pairs that are not judged yet, one by one
    "controls",  # menus, search and filters
    "run",  # judging all pairs
    "keys",  # keyboard shortcuts
    "list",  # puts everything together
)


def list_document(title: str, facts: Plain) -> str:
    """Return the page that lists pairs, which requests the rows itself."""
    return document(
        TEMPLATE,
        STYLES,
        SCRIPTS,
        title=title,
        instead="",
        data=facts,
        policy=f"{POLICY}; connect-src 'self'",
    )


def facts(desk: Session) -> Plain:
    """Return everything that does not change."""
    catalogue = desk.catalogue
    return {
        "version": __version__,
        "title": catalogue.title,
        "path": catalogue.path,
        "pairs": len(catalogue.entries),
        "sheet": SHEET,
        "models": [
            {"name": name, "fingerprint": one.fingerprint, "isRater": not isinstance(one, Model)}
            for name, one in desk.models.items()
        ],
        "tasks": [asdict(section) for section in catalogue.sections.values()],
        "leftOut": [[one.file, one.why] for one in catalogue.left_out[:LEFT_OUT]],
        "leftOutInAll": len(catalogue.left_out),
    }


def listing(desk: Session, model: str, selection: Selection, start: int) -> Plain:
    """Return a sheet of rows, a summary of all pairs that match the search, and the progress."""
    within = desk.catalogue.within(selection)
    verdicts = [desk.verdict(model, entry) for entry in within]
    chosen = [
        entry
        for entry, verdict in zip(within, verdicts, strict=True)
        if selection.outcome in ("", verdict)
    ]
    first = min(start, max(len(chosen) - 1, 0)) // SHEET * SHEET
    return {
        "rows": [row(desk, model, entry) for entry in chosen[first : first + SHEET]],
        "first": first,
        "chosen": len(chosen),
        **_counted(verdicts),
        "run": None if desk.run is None else {name: getattr(desk.run, name) for name in PROGRESS},
    }


def _counted(verdicts: Sequence[str]) -> Plain:
    """Return the number of pairs with each verdict, and the accuracy so far."""
    count = Counter(verdicts)
    half = count["tie"] + count["missing"]
    judged = count["right"] + count["wrong"] + half
    right = count["right"] + half / 2
    return {
        "count": {verdict: count[verdict] for verdict in (*VERDICTS, UNJUDGED)},
        "judged": judged,
        "accuracy": right / judged if judged else None,
        "interval": wilson(right, judged) if judged else [None, None],
    }


def row(desk: Session, model: str, entry: CatalogueEntry) -> Plain:
    """Return everything known about a pair."""
    known = desk.known(model, entry)
    return {
        "task": entry.task,
        "label": desk.catalogue.sections[entry.task].label,
        "pair": entry.name,
        **({"verdict": UNJUDGED} if known is None else asdict(known)),
    }
