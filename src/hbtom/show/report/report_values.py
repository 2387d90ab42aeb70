"""The data of a report as plain values: columns with one entry per pair, in few digits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import PurePath
from typing import Any

from hbtom import __version__
from hbtom.bench.calibration import binned, calibration_error
from hbtom.bench.comparison import PairName
from hbtom.bench.published import published
from hbtom.bench.score import NEAR, finite_or_text, margin, pair_score, wilson
from hbtom.bench.tasks import EVALUATION_TASKS
from hbtom.judgement.surprises import KINDS
from hbtom.show.report import spreads
from hbtom.show.report.findings import Findings, PairSelection
from hbtom.show.score_text import ScoreLine, score_lines
from hbtom.show.words import plain

DIGITS = 4  # significant ones
LEFT_OUT = 200  # most files to name; if there are more, only their number is given

# A short name for charts, and where the figures are from: see hbtom.bench.published.
SYSTEMS = {
    "HBToM": ("HBToM", "Zhi-Xuan et al. (2022)"),
    "BC-MLP": ("MLP", "Gandhi et al. (2021)"),
    "BC-RNN": ("RNN", "Gandhi et al. (2021)"),
    "Video-RNN": ("Video", "Gandhi et al. (2021)"),
    "VT": ("VT", "Hein and Diepold (2022)"),
    "IRENE": ("IRENE", "Bortoletto et al. (2024)"),
}

Plain = dict[str, Any]
_TASK = {one.folder: one for one in EVALUATION_TASKS}


@dataclass(frozen=True)
class Link:
    """Where a pair can be watched and what was surprising about it, or why it cannot be watched."""

    address: str = ""
    words: tuple[str, ...] = ()
    missing: str = ""


def plain_report(
    findings: Findings, choice: PairSelection, links: Mapping[PairName, Link]
) -> Plain:
    """Return everything that a report shows."""
    place = {name: number for number, name in enumerate(findings.ratings)}
    edges = spreads.margin_edges(list(findings.ratings.values()))
    bounded = edges[-1] == 1
    near = sum(edge <= (NEAR if bounded else 0) for edge in edges[1:])  # wrong or nearly wrong
    return {
        "title": title(findings),
        "version": __version__,
        "about": _about(findings),
        "systems": [[name, *about] for name, about in SYSTEMS.items()],
        "scores": [_score_row(line, edges) for line in score_lines(findings.tasks)],
        "margins": {"reach": _short(edges[-1]), "near": near},
        "tasks": [_task(score.task) for score in findings.tasks],
        "spreads": [_spread(findings, measure) for measure in _measures(findings)],
        "calibration": _calibration(findings),
        "parts": _parts(findings),
        "pairs": _pairs(findings),
        "wrong": sorted(place[name] for name in choice.wrong),
        "close": [place[name] for name in choice.close],
        "links": {place[name]: _link(link) for name, link in links.items()},
    }


def title(findings: Findings) -> str:
    """Return the title of a report: the model and the dataset, or the file of ratings."""
    where = plain(PurePath(findings.name).name or findings.name)
    return f"{plain(findings.rater)} on {where}" if findings.rater else where


def _about(findings: Findings) -> Plain:
    model, known = findings.model, findings.model or findings.network
    return {
        "name": plain(findings.name),
        "rated": plain(findings.rated),
        "model": plain(known.name) if known else None,
        "fingerprints": [plain(one) for one in findings.fingerprints],
        "versions": [plain(one) for one in findings.versions],
        "toml": model.to_toml() if model else None,
        "unknown": plain(findings.unknown),
        "leftOut": len(findings.left_out),
        "leftOutFiles": [[plain(o.file), plain(o.why)] for o in findings.left_out[:LEFT_OUT]],
    }


def _task(name: str) -> Plain:
    known = _TASK.get(name)
    return {
        "name": plain(name),
        "label": known.row if known else plain(name),
        "group": known.group if known else plain(name),
        "difference": known.difference if known else "",
    }


def _score_row(line: ScoreLine, edges: Sequence[float]) -> Plain:
    label, kind, score = line
    return {
        **score.to_dict(),
        "task": plain(score.task),
        "label": "All pairs" if kind == "all" else label,
        "kind": kind,
        "margins": spreads.count(score.margins, edges),
        "published": published(score.task),
    }


def _measures(findings: Findings) -> list[spreads.Measure]:
    """Return the measures that are known for every episode."""
    if not findings.by_model:
        return [spreads.RATING]
    counted = [f"surprise_{part}" for part in _parts(findings)]
    known = [one for one in spreads.MEASURES if one.name in (*counted, "plausibility")]
    return [*known, *([spreads.PREDICTIVE] if findings.rated == "predictive" else [])]


def _parts(findings: Findings) -> list[str]:
    """Return the surprises that make up the plausibility; models may leave waste out."""
    rows = findings.rows.values() if findings.by_model else ()
    wasteful = any(row.part_waste < 1.0 for both in rows for row in both)
    return [kind for kind in KINDS if kind != "waste" or wasteful]


def _values(findings: Findings, column: str) -> dict[PairName, tuple[float, float]]:
    """Return a column for both members of each pair; ratings are known even if nothing else is."""
    if column == "rating":
        return dict(findings.ratings)
    return {n: (getattr(e, column), getattr(u, column)) for n, (e, u) in findings.rows.items()}


def _spread(findings: Findings, measure: spreads.Measure) -> Plain:
    """Return a measure with its range, and one spread per task."""
    values = _values(findings, measure.name)
    by_task: dict[str, list[tuple[float, float]]] = {one.task: [] for one in findings.tasks}
    for (task, _), both in values.items():
        by_task[task].append(both)
    bounds = spreads.range_of(measure, list(values.values()))
    return {
        "label": measure.label,
        "bounded": measure.bounded,
        "rises": measure.rises,
        "range": [_short(bound) for bound in bounds],
        "tasks": [asdict(spreads.spread(measure, both, bounds)) for both in by_task.values()],
    }


def _calibration(findings: Findings) -> Plain | None:
    """Return the share expected by plausibility; None if ratings are not between 0 and 1."""
    column = "plausibility" if findings.by_model else "rating"
    both: spreads.Both = list(_values(findings, column).values())
    if any(value < 0 or value > 1 for pair in both for value in pair):
        return None
    bins = binned(both)
    if not bins:  # all ratings are missing
        return None
    return {
        "column": column,
        "error": calibration_error(bins),
        "bins": [
            {**asdict(one), "interval": list(wilson(one.expected * one.episodes, one.episodes))}
            for one in bins
        ],
    }


def _pairs(findings: Findings) -> Plain:
    """Return all pairs as columns, by which a list can be sorted and filtered."""
    tasks = {score.task: number for number, score in enumerate(findings.tasks)}
    margins = (margin(*both) for both in findings.ratings.values())
    columns = ["rating"]
    if findings.by_model:
        columns += [f"{kind}_{part}" for kind in ("surprise", "part") for part in _parts(findings)]
    return {
        "task": [tasks[task] for task, _ in findings.ratings],
        "name": [plain(name) for _, name in findings.ratings],
        "outcome": "".join(map(_outcome, findings.ratings.values())),
        "margin": [_short(one) for one in margins],
        "e": {name: [_short(e) for e, _ in _values(findings, name).values()] for name in columns},
        "u": {name: [_short(u) for _, u in _values(findings, name).values()] for name in columns},
        "own": _own(findings),
        "missing": _missing(findings),
    }


def _outcome(both: tuple[float, float]) -> str:
    return "m" if math.isnan(margin(*both)) else "wtr"[int(2 * pair_score(*both))]


def _missing(findings: Findings) -> Mapping[int, list[str]]:
    """Return why members cannot be judged, by the places of their pairs."""
    return {
        place: [f"{row.member}: {plain(row.missing)}" for row in rows if row.missing]
        for place, rows in enumerate(findings.rows.values() if findings.by_model else ())
        if any(row.missing for row in rows)
    }


def _own(findings: Findings) -> Plain:
    """Return the columns that all rows of a rater have, with both members' values of each pair."""
    pairs = [] if findings.by_model else list(findings.rows.values())
    names = pairs[0][0].own if pairs else ()
    return {
        plain(name): [[_short(e.own[name]), _short(u.own[name])] for e, u in pairs]
        for name in names
        if all(name in row.own for row in chain(*pairs))
    }


def _link(link: Link) -> Plain:
    return {**asdict(link), "words": [*map(plain, link.words)], "missing": plain(link.missing)}


def _short(value: float | str) -> float | str | None:
    """Return a number in few digits, integers without a point; infinity as text; text as it is.

    What is not a number is missing.
    """
    if isinstance(value, str):
        return plain(value)
    if math.isnan(value):
        return None
    if not math.isfinite(value):
        return finite_or_text(value)
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short == int(short) and abs(short) < 1e9 else short
