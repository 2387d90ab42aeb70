"""A single HTML file with everything in it: styles, scripts, and the data that the scripts draw.

A document needs no network, and its Content-Security-Policy forbids any access. Text from files is
never markup: it is escaped here, and the scripts insert it as text.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
STYLES = ("base",)
SCRIPTS = (
    "elements",  # makes elements and inserts text
    "theme",  # light and dark
)
TEMPLATE = Path(__file__).parent / "template"
MESSAGE = str(TEMPLATE / "message")  # a style that only some documents need


def document(
    template: Path,
    styles: Sequence[str],
    scripts: Sequence[str],
    *,
    title: str,
    instead: str,
    data: Any,
    policy: str = POLICY,
    top: str = "",
) -> str:
    """Return an HTML document made of the styles and scripts of a template folder.

    Those that all documents share come first; one from another folder is given by its full path.
    ``instead`` is the text shown if scripts are switched off. ``top`` is markup that precedes
    everything that the scripts draw.
    """
    style = [*_parts(TEMPLATE, STYLES, "css"), *_parts(template, styles, "css")]
    script = [*_parts(TEMPLATE, SCRIPTS, "js"), *_parts(template, scripts, "js")]
    values = {
        "title": html.escape(title),
        "policy": policy,
        "style": "\n".join(style),
        "top": top,
        "instead": html.escape(instead),
        "data": embedded(data),
        "script": "\n".join(script),
    }
    text = (TEMPLATE / "document.html").read_text(encoding="utf-8")
    # Each {{name}} is replaced once: inserted text is not expanded again.
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], text)


def message(title: str, lines: Sequence[str], more: str = "") -> str:
    """Return markup for the style ``MESSAGE``: a heading, lines of text, and more markup."""
    paragraphs = "".join(f"<p>{html.escape(line)}</p>\n" for line in lines)
    return f'<main class="message">\n<h1>{html.escape(title)}</h1>\n{paragraphs}{more}</main>\n'


def embedded(data: Any) -> str:
    """Return data as JSON that is safe inside a script element: nothing in it is markup."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _parts(folder: Path, names: Sequence[str], kind: str) -> list[str]:
    return [(folder / f"{name}.{kind}").read_text(encoding="utf-8") for name in names]
