"""Figures for print, movies, and output for notebooks.

Nothing here imports matplotlib before something is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hbtom.errors import BadInput, needed
from hbtom.judgement import Judgement
from hbtom.judgement.attributing import Attribution
from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.mind import Posterior
from hbtom.model import Model
from hbtom.observe import Episode
from hbtom.plottable import Plottable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["WIDTHS", "html", "need_matplotlib", "plot"]

WIDTHS = (6.0, 60.0)  # centimetres: least and largest width


def plot(
    result: Plottable, other: Judgement | None = None, *, width: float | None = None
) -> Figure:
    """Return a figure of a judgement, posterior, evaluation or calibration (extra ``plots``).

    Two judgements, such as those of a pair, are drawn side by side if there is room. ``width`` is
    in centimetres: 8.5 is a column, 17 a page. The default depends on the result.
    """
    need_matplotlib()
    if width is not None and not WIDTHS[0] <= width <= WIDTHS[1]:
        hint = "choose a width from {:g} to {:g}; a column is 8.5 wide, a page 17".format(*WIDTHS)
        raise BadInput(f"a figure cannot be {width:g} centimetres wide", hint=hint)
    if other is not None and not isinstance(result, Judgement):
        raise TypeError("only judgements can be drawn in pairs")
    wide = {} if width is None else {"width": width}
    if isinstance(result, Judgement | Posterior):
        from hbtom.show.plots.episode_figure import draw_judgements, draw_posterior

        if isinstance(result, Posterior):
            return draw_posterior(result, **wide)
        return draw_judgements([result] if other is None else [result, other], **wide)
    if isinstance(result, PlanJudgement):
        from hbtom.show.plots.plan_figure import draw_plans

        return draw_plans(result, **wide)
    if isinstance(result, Attribution):
        from hbtom.show.plots.desire_figure import draw_desires

        return draw_desires(result, **wide)
    from hbtom.bench.agreements import Correlation

    if isinstance(result, Correlation):
        from hbtom.show.plots.correlation_figure import draw_correlation

        return draw_correlation(result, **wide)
    from hbtom.show.plots.scores import draw_scores

    return draw_scores(result, **wide)


def need_matplotlib() -> None:
    """Raise an error that says how to install matplotlib, if it is missing."""
    with needed("matplotlib", "plots"):
        import matplotlib  # noqa: F401


def html(value: object) -> str | None:
    """Return the HTML of a value for notebooks; None if its text is enough."""
    from hbtom.show.plots import notebook

    if isinstance(value, Judgement):
        return notebook.judgement_html(value)
    if isinstance(value, PlanJudgement):
        return notebook.plans_html(value)
    if isinstance(value, Episode):
        return notebook.episode_html(value)
    return (
        notebook.model_html(value) if isinstance(value, Model) else notebook.evaluation_html(value)
    )
