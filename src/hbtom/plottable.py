"""Results that can be drawn: the one place where a lower room calls a higher one.

A posterior or a judgement knows nothing about figures, sentences and pages. To draw one, or to put
it in words, it hands itself to ``hbtom.show``, which is imported only then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure


def html_of(value: object) -> str | None:
    """Return the HTML of a value for notebooks; None if the text of ``repr`` is enough."""
    from hbtom.show.plots import html

    return html(value)


def show_page(judgement: object, *, browser: bool) -> Path:
    """Make a page that plays an episode, and open it if ``browser`` is set."""
    from hbtom.show.page.opening import show

    return show(judgement, browser=browser)


def notebook_progress() -> Callable[[int, int], None] | None:
    """Return a function that shows progress in a notebook; None outside of notebooks."""
    import sys

    if "IPython" not in sys.modules:
        return None
    from hbtom.show.notebook_bar import progress_bar

    return progress_bar()


def sentence_of(account: Any, steps: tuple[str, ...] | None = None) -> str:
    """Return the account of an episode, or of a plan with these steps, as a sentence."""
    from hbtom.show.terminal import explain_plan
    from hbtom.show.words import explain

    return explain(account) if steps is None else explain_plan(account, steps)


class Plottable:
    """A result that can be drawn."""

    def plot(self, *, width: float | None = None) -> Figure:
        """Return a figure for print, ``width`` centimetres wide (needs the extra ``plots``)."""
        from hbtom.show.plots import plot

        return plot(self, width=width)

    def _repr_html_(self) -> str | None:
        """Return the HTML that notebooks show; None if the text of ``repr`` is enough."""
        return html_of(self)
