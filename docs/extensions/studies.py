"""Directives for studies with several conditions, whose episodes are in ``stimuli``.

``{drawn}`` draws the episodes, ``{before}`` shows what the model believes before the test trial,
and ``{conditions}`` shows how plausible it finds both test trials, with and without some of its
assumptions. All three take a study.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from findings import WHOLE, WITHOUT, Judged
from gallery import FOLDER, depend_on_code, judged_study
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from stimuli import PLACES, STUDIES

from hbtom import Judgement
from hbtom.show.terminal import three

if TYPE_CHECKING:
    from hbtom.show.plots.sheet import Column
    from hbtom.show.plots.signs import Signs

SMALL, LARGE = 1.6, 3.4  # centimetres: maps of trials before the test, and of tests
ROWS = 2  # of small maps


class _StudyDirective(SphinxDirective):
    """A directive about a study."""

    required_arguments = 1

    @property
    def study(self) -> dict[str, Judged]:
        """The judged pairs of all conditions."""
        depend_on_code(self)
        return judged_study(self.arguments[0])

    @property
    def endings(self) -> tuple[str, str]:
        """How the two test trials of a pair end."""
        return STUDIES[self.arguments[0]].endings

    def table(self, rows: list[tuple[str, list[str]]], corner: str = "") -> list[nodes.Node]:
        """Return a table with a column for each condition."""
        head = [(corner, list(self.study)), ("---", ["---:"] * len(self.study))]
        lines = [f"| {name} | {' | '.join(cells)} |" for name, cells in (*head, *rows)]
        return self.parse_text_to_nodes("\n".join(lines))


class Before(_StudyDirective):
    """A table of beliefs before the test trial; what is certain throughout is left out."""

    def run(self) -> list[nodes.Node]:
        """Return the table."""
        found = [dict(beliefs(expected)) for expected, _ in self.study.values()]
        names = list(dict.fromkeys(name for one in found for name in one))
        rows = [(name, [three(one.get(name, 0.0)) for one in found]) for name in names]
        return self.table([(name, values) for name, values in rows if {*values} != {three(1.0)}])


def beliefs(judgement: Judgement) -> Iterator[tuple[str, float]]:
    """Yield what is believed when the agent sets off in the test trial, and how firmly."""
    test, agent = judgement.test, judgement.episode.test.agent.look
    known = test.company
    for goal, chance in zip(test.goals, test.margin("goal")[0], strict=True):
        yield f"The {agent} goes to the {goal}", float(chance)
    assert known is not None  # there is company in all studies
    for other, chances in known.attitudes.items():
        ill, _, well = chances[0].tolist()
        yield f"The {other} means it well", well
        yield f"The {other} means it ill", ill
    yield f"The {agent} moves by itself", float(known.cause[0, 0])
    for thing, places in known.places.items():
        for place, chance in places:
            if place in PLACES:
                where = PLACES[place]
                yield f"The {agent} thinks the {thing} is in the {where} place", chance


class Conditions(_StudyDirective):
    """A table of plausibilities, with and without some assumptions."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table; each line of the content names an assumption."""
        pairs = STUDIES[self.arguments[0]].conditions().values()
        rows = [(WHOLE.label, list(map(_both, self.study.values())))]
        for one in (WITHOUT[name] for name in self.content):
            rows.append((one.label, [_both(one.judge(pair)) for pair in pairs]))
        return self.table(rows, " / ".join(self.endings))


def _both(judged: Judged) -> str:
    reasons = {one.missing for one in judged}
    if len(reasons) == 1 and "" not in reasons:
        return f"missing: {reasons.pop()}"
    return " / ".join(three(one.plausibility) for one in judged)


class Drawn(_StudyDirective):
    """A drawing of the episodes of all conditions."""

    def run(self) -> list[nodes.Node]:
        """Write the drawing and return an image of it."""
        name = f"{self.arguments[0]}.png"
        target = Path(self.env.app.outdir, FOLDER, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(drawing(self.study, self.endings))
        address = "../" * self.env.docname.count("/") + f"{FOLDER}/{name}"
        says = "; ".join(f"{one}: plausibility {_both(both)}" for one, both in self.study.items())
        image = f'<img class="drawn" src="{address}" alt="{html.escape(says)}">'
        return [nodes.raw("", image, format="html")]


def drawing(study: dict[str, Judged], endings: tuple[str, str]) -> bytes:
    """Return a drawing: for each condition the trials before the test, small, and both tests."""
    from hbtom.show.plots.legend import draw_legend, episode_entries, legend_rows
    from hbtom.show.plots.maps import GAP
    from hbtom.show.plots.sheet import LINE, Column, Sheet, figure_bytes, styled
    from hbtom.show.plots.signs import signs

    with styled():
        judged = [one for both in study.values() for one in both]
        known = signs(one.episode for one in judged)
        columns = len(judged[0].episode) // ROWS
        width = columns * (SMALL + GAP) + 2 * (LARGE + 2 * GAP)
        entries = {entry.name: entry for one in judged for entry in episode_entries(one, known)}
        legend = legend_rows(entries.values(), width)
        height = LARGE + 3 * LINE
        sheet = Sheet(width, len(study) * height + len(legend) * LINE)
        column = Column(sheet, 0.0, 0.0, width)
        for condition, both in study.items():
            column.text(0, LINE / 2, condition, fontweight="bold")
            _draw_row(column.below(2 * LINE), columns, [*zip(endings, both, strict=True)], known)
            column = column.below(height)
        draw_legend(column, legend)
        return figure_bytes(sheet.figure, "png", dpi=200)


def _draw_row(
    column: Column, columns: int, tests: Sequence[tuple[str, Judgement]], known: Signs
) -> None:
    from hbtom.show.plots.maps import GAP, draw_map
    from hbtom.show.plots.sheet import LINE

    _, before = tests[0]
    column.text(0, -LINE / 2, f"trials 1–{len(before.episode) - 1}")
    for index, trial in enumerate(before.episode.familiarization):
        row, place = divmod(index, columns)
        axes = column.axes(place * (SMALL + GAP), row * (LARGE - SMALL), SMALL, SMALL)
        draw_map(axes, trial, known, before.posteriors[index])
    left = columns * (SMALL + GAP) + GAP
    for ending, one in tests:
        axes = column.axes(left, 0, LARGE, LARGE)
        draw_map(axes, one.episode.test, known, one.test, large=True)
        column.text(left, -LINE / 2, f"{ending}: {three(one.plausibility)}")
        left += LARGE + 2 * GAP


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives."""
    app.add_directive("drawn", Drawn)
    app.add_directive("before", Before)
    app.add_directive("conditions", Conditions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
