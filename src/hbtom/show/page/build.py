"""One HTML file with everything in it: the page's parts, and a judged episode or two.

The page asks the network for nothing, and says so itself by its Content-Security-Policy. What
comes from a file is text wherever it stands: escaped here, and put in as text by the scripts.
"""

from __future__ import annotations

import html
import json
import re
from pathlib import Path, PurePath
from typing import Any

from hbtom import __version__
from hbtom.judgement import Judgement
from hbtom.show.page.data import film
from hbtom.show.page.pair import differences
from hbtom.show.page.scene import three
from hbtom.show.words import plain

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)
STYLES = ("page", "drawings", "print")
SCRIPTS = (
    "elements",  # makes elements; all text goes in as text
    "film",  # reads the data, answers where things are at a frame
    "shapes",  # draws what images are named after
    "world",  # the scene, and its thumbnails
    "charts",  # what charts over the time of a trial have in common
    "beliefs",  # the three of them
    "strip",  # all trials, with what is preferred
    "verdict",  # plausibility, its parts, and the story
    "player",  # time: playing, and links to a moment
    "transport",  # keys and buttons that steer it
    "main",  # puts all of it together
)
_TEMPLATE = Path(__file__).parent / "template"


def page(judgement: Judgement, other: Judgement | None = None) -> str:
    """Return an HTML page in which to watch a judged episode, or two side by side.

    It is one text that needs no other file and no network: save it, send it, open it anywhere.
    """
    both = [judgement] if other is None else [judgement, other]
    told = [] if other is None else differences(judgement, other)
    data = {"version": __version__, "films": [film(one) for one in both], "differences": told}
    names = [plain(PurePath(one.episode.name).name) for one in both]
    return _filled(
        _part("page.html"),
        title=html.escape(" and ".join(names)),
        policy=POLICY,
        style="\n".join(_part(f"{name}.css") for name in STYLES),
        verdict=html.escape("; ".join(map(_in_short, both))),
        data=embedded(data),
        script="\n".join(_part(f"{name}.js") for name in SCRIPTS),
    )


def embedded(data: Any) -> str:
    """Return data as JSON that can stand in a script element: it holds no markup and no HTML."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _in_short(judgement: Judgement) -> str:
    return f"{plain(judgement.episode.name)}: plausibility {three(judgement.plausibility)}"


def _part(name: str) -> str:
    return (_TEMPLATE / name).read_text(encoding="utf-8")


def _filled(template: str, **values: str) -> str:
    """Return a template with each {{name}} replaced, once: what is put in is not looked at."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], template)
