"""The page of a judged episode, or of two: its parts, and the values that they draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from hbtom import __version__
from hbtom.judgement import Judgement
from hbtom.show.document import document
from hbtom.show.page.page_values import Plain, film
from hbtom.show.page.pair import differences
from hbtom.show.terminal import three
from hbtom.show.words import plain

STYLES = ("page", "drawings", "print")
SCRIPTS = (
    "film",  # reads the data, and finds where things are at a frame
    "shapes",  # draws the things that images are named after
    "world",  # the scene, and its thumbnails
    "charts",  # what the charts have in common
    "beliefs",  # the three charts
    "strip",  # all trials, with the preferences
    "verdict",  # plausibility, its parts, and the story
    "player",  # time: playing, and links to a moment
    "transport",  # the keys and buttons that control it
    "main",  # puts everything together
)
TEMPLATE = Path(__file__).parent / "template"


@dataclass(frozen=True)
class Shown:
    """What a page shows of one or two judged episodes, as plain values."""

    title: str
    instead: str  # where scripts are switched off
    data: Plain


def page(judgement: Judgement, other: Judgement | None = None) -> str:
    """Return an HTML page on which to watch a judged episode, or two side by side.

    It is a single document that needs no other file and no network.
    """
    return laid_out(shown(judgement, other))


def shown(judgement: Judgement, other: Judgement | None = None) -> Shown:
    """Return what the page of a judged episode, or of two, shows."""
    both = [judgement] if other is None else [judgement, other]
    told = [] if other is None else differences(judgement, other)
    return Shown(
        title=" and ".join(plain(PurePath(one.episode.name).name) for one in both),
        instead="; ".join(
            f"{plain(one.episode.name)}: plausibility {three(one.plausibility)}" for one in both
        ),
        data={"version": __version__, "films": [film(one) for one in both], "differences": told},
    )


def laid_out(
    what: Shown, *, top: str = "", styles: Sequence[str] = (), scripts: Sequence[str] = ()
) -> str:
    """Return the page; ``top`` is markup that comes first, with its own styles and scripts."""
    return document(
        TEMPLATE,
        (*STYLES, *styles),
        (*SCRIPTS, *scripts),
        title=what.title,
        instead=what.instead,
        data=what.data,
        top=top,
    )
