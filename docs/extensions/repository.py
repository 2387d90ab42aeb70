"""Make links that work in the repository work on the site, too.

Some pages are in the root of the repository, where people look for them. ``docs/`` has a
placeholder for each of them. The site replaces the text of the placeholder by that of the page, and
redirects links to the page to the placeholder.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from sphinx.application import Sphinx

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
PAGES = {"README.md": "readme", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}
_LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)\s]*)?\))")


def on_site(text: str, file: Path, page: Path) -> str:
    """Return the text of a file with its links adapted to the place of a page on the site."""

    def relinked(found: re.Match[str]) -> str:
        target = (file.parent / found[2]).resolve()
        if "://" in found[2] or not target.exists():
            return found[0]
        if target.parent == ROOT and target.name in PAGES:
            target = DOCS / f"{PAGES[target.name]}.md"
        return f"{found[1]}{Path(os.path.relpath(target, page.parent)).as_posix()}{found[3]}"

    return _LINK.sub(relinked, text)


def _read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the text of a placeholder by that of its file, and adapt the links of any page."""
    page = file = Path(app.env.doc2path(docname))
    for name, stand_in in PAGES.items():
        if docname == stand_in:
            file = ROOT / name
            source[0] = file.read_text(encoding="utf-8")
            app.env.note_dependency(str(file))
    if page.suffix == ".md":
        source[0] = on_site(source[0], file, page)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the handler for reading pages."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
