"""The report as an HTML document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hbtom.bench.comparison import PairName
from hbtom.show.document import document
from hbtom.show.report.findings import Choice, Findings
from hbtom.show.report.report_values import Link, plain_report, title
from hbtom.show.score_text import score_table

STYLES = ("report", "figures", "list", "print")
SCRIPTS = (
    "open",  # reads the data: a pair out of columns
    "scores",  # the table, and the chart of it
    "margins",  # how near failure is
    "spreads",  # what separates expected from unexpected episodes
    "calibration",  # what a plausibility is worth
    "pair",  # one pair from near
    "list",  # all pairs, sorted and filtered
    "about",  # what has judged what
    "main",  # puts everything together
)
TEMPLATE = Path(__file__).parent / "template"


def build(
    findings: Findings, choice: Choice, links: Mapping[PairName, Link], note: str = ""
) -> str:
    """Return the report on what was found, with links to pages beside it and a note on them."""
    return document(
        TEMPLATE,
        STYLES,
        SCRIPTS,
        title=title(findings),
        instead=f"What can be read without it:\n\n{score_table(findings.tasks)}",
        data={**plain_report(findings, choice, links), "note": note},
    )
