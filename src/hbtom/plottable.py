"""Results that can be looked at: the one place from which lower rooms ask what is above them.

A posterior or a judgement knows nothing of figures. Asked for one, it hands itself to
``hbtom.show``, which is imported only then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Plottable:
    """What every result has that a person may want to look at."""

    def plot(self, *, width: float | None = None) -> Figure:
        """Return a figure for print, ``width`` centimetres wide (needs the extra ``plots``)."""
        from hbtom.show.plots import plot

        return plot(self, width=width)

    def _repr_html_(self) -> str | None:
        """Return what notebooks show; None where the text of ``repr`` says it all."""
        from hbtom.show.plots import html

        return html(self)
