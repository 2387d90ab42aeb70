"""The navigation around the page of an episode: back to the list, and to other pairs."""

from __future__ import annotations

import html
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlencode

from hbtom.show.document import MESSAGE, document, message
from hbtom.show.page.viewer import PageContent, laid_out
from hbtom.show.server.catalogue import CatalogueEntry, Selection
from hbtom.show.server.session import Session
from hbtom.show.server.work import UNJUDGED, VIEWS, Drawing, View

TEMPLATE = Path(__file__).parent / "template"
STYLES = ("around",)
SCRIPTS = ("kept", "around")
MARKS = {"right": "✓", "wrong": "✗", "tie": "=", "missing": "?", "unreadable": "!", UNJUDGED: ""}
_VIEWS: dict[View, str] = {"both": "both", "e": "expected", "u": "unexpected"}


def watch_page(
    desk: Session,
    model: str,
    selection: Selection,
    entry: CatalogueEntry,
    view: View,
    drawing: Drawing,
) -> str:
    """Return the page of a pair or an episode, or one that says why it cannot be shown."""
    top = "".join(_around(desk, model, selection, entry, view))
    if drawing.shown is None:
        title = entry.name if drawing.figure else f"{entry.name} cannot be shown"
        return message_page(title, drawing.problems, top=top, figure=drawing.figure)
    return watch_document(drawing.shown, top)


def watch_document(shown: PageContent, top: str) -> str:
    paths = [[str(TEMPLATE / name) for name in names] for names in (STYLES, SCRIPTS)]
    return laid_out(shown, top=top, styles=paths[0], scripts=paths[1])


def message_page(title: str, lines: Sequence[str], *, top: str = "", figure: str = "") -> str:
    """Return a page with only a message, and a figure if there is one, as markup."""
    way = "" if top else '<p><a href="/">All pairs</a></p>\n'
    whole = top + message(title, lines, figure + way)
    styles = *STYLES, MESSAGE
    return document(TEMPLATE, styles, SCRIPTS, title=title, instead="", data={}, top=whole)


def _around(
    desk: Session, model: str, selection: Selection, entry: CatalogueEntry, view: View
) -> Iterator[str]:
    """Yield the parts of the bar at the top."""
    entries = desk.select(model, selection)
    place = bisect_left([one.place for one in entries], entry.place)
    here = place < len(entries) and entries[place] == entry
    before = entries[place - 1] if place else None
    after = next(iter(entries[place + here : place + here + 1]), None)

    def watch(one: CatalogueEntry, view: View = "both", model: str = model) -> str:
        return address("/watch", model, selection, task=one.task, pair=one.name, member=view)

    back = address("/", model, selection, **({"from": str(place)} if place else {}))
    yield '<nav class="around" aria-label="Pairs">\n'
    yield _link(back, "‹ all pairs", title="All pairs (L)", class_="list")
    yield _place(desk, model, entry)
    yield _group(
        "views", [_link(watch(entry, one), _VIEWS[one], here=one == view) for one in VIEWS]
    )
    models = [_link(watch(entry, view, one), one, here=one == model) for one in desk.models]
    yield _group("models", models)
    yield '<span class="neighbours">'
    yield _link(
        watch(before, view) if before else None, "‹ previous", title="Previous pair (P)", rel="prev"
    )
    yield f"<span>{place + 1} of {len(entries)}</span>" if here else ""
    yield _link(watch(after, view) if after else None, "next ›", title="Next pair (N)", rel="next")
    yield "</span>\n</nav>\n"


def _place(desk: Session, model: str, entry: CatalogueEntry) -> str:
    label = html.escape(desk.catalogue.sections[entry.task].label)
    verdict = desk.verdict(model, entry)
    mark = f'<span class="verdict {verdict}">{MARKS[verdict]} {verdict}</span>'
    shown = "" if verdict == UNJUDGED else mark
    return f'<p class="place">{label} <b>{html.escape(entry.name)}</b> {shown}</p>\n'


def _group(name: str, links: Sequence[str]) -> str:
    return f'<span class="group {name}">{"".join(links)}</span>\n'


def _link(
    target: str | None, text: str, *, here: bool = False, class_: str = "", **more: str
) -> str:
    """Return a link with more attributes; without a target, only its text."""
    if target is None:
        return f'<span class="nowhere">{html.escape(text)}</span>'
    given = {"class": class_, "href": target, **more}
    attributes = "".join(
        f' {name}="{html.escape(value)}"' for name, value in given.items() if value
    )
    current = ' aria-current="page"' if here else ""
    return f"<a{attributes}{current}>{html.escape(text)}</a>"


def address(path: str, model: str, selection: Selection, **more: str) -> str:
    """Return the address of a page; empty values are left out."""
    asked = {
        "model": model,
        "in": selection.task,
        "search": selection.search,
        "outcome": selection.outcome,
        **more,
    }
    return f"{path}?{urlencode({name: value for name, value in asked.items() if value})}"
