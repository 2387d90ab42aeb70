"""Agreement of people and models as tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from hbtom.bench.agreements import ALL, Correlation
from hbtom.bench.people_fit import PeopleFit
from hbtom.bench.resampling import Estimate
from hbtom.bench.sweep import Settings
from hbtom.errors import count
from hbtom.show.terminal import columns
from hbtom.show.words import plain

_INTERVAL = "95 % interval"
_UNITS = {True: "log seconds", False: "seconds"}


def correlation_text(found: Correlation) -> str:
    """Return the whole output: the data, agreement, ceiling, differences, effects."""
    tables = [_agreement(found), _gaps(found), _effects(found)]
    return "\n\n".join(["\n".join([_heading(found), *_ceilings(found)]), *filter(None, tables)])


def _heading(found: Correlation) -> str:
    people = found.measures
    what = {"looking": "looking times", "rating": "ratings", "choice": "choices"}[people.answer]
    parts = [count(len(people.items), "item"), count(len(people.names), "scenario")]
    if people.participants:
        parts.append(count(len(people.participants), "participant"))
    more = "surprising" if people.direction == "looking" else "plausible"
    log = ", as logarithms" if people.log else ""
    return f"{plain(people.name)}: {what}{log}, {', '.join(parts)}; more is more {more}"


def _ceilings(found: Correlation) -> list[str]:
    return [
        f"people agree with each other at {_number(one.reliability)} (split halves); "
        f"the best model could reach r = {_number(one.r)}"
        for one in found.ceilings[:1]
    ]


def _agreement(found: Correlation) -> str:
    unit = f"error, {_UNITS[found.measures.log]}" if found.measures.answer == "looking" else "error"
    heading = ("model", "category", "scenarios", "items")
    best = {one.category: one.r for one in found.ceilings}
    last = ("best r",) if len(best) > 1 else ()
    names = "r", _INTERVAL, "rank r", _INTERVAL, unit, _INTERVAL, *last
    rows: list[Sequence[str]] = [(*heading, *names)]
    for one in found.agreements:
        name, category = plain(one.model), plain(one.category)
        sizes = str(one.scenarios), str(one.items)
        ceiling = (_number(best.get(one.category)),) if last else ()
        rows.append((name, category, *sizes, *_cells(one.r, one.rank, one.error), *ceiling))
    return "\n".join(columns(rows, right="..RRRRRRRRR"[: len(names) + 4]))


def _gaps(found: Correlation) -> str:
    if not found.gaps:
        return ""
    rows: list[Sequence[str]] = [
        ("difference", "r", _INTERVAL, "rank r", _INTERVAL, "error", _INTERVAL)
    ]
    for one in (one for one in found.gaps if one.category == ALL):  # the others are in the JSON
        names = f"{plain(one.first)} − {plain(one.second)}"
        rows.append((names, *_cells(one.r, one.rank, one.error, sign=True)))
    return "\n".join(columns(rows, right=".RRRRRR"))


def _effects(found: Correlation) -> str:
    if not found.effects:
        return ""
    unit = "log seconds" if found.measures.log else "longer"
    rows: list[Sequence[str]] = [
        ("looking at u − e", "pairs", "participants", unit, _INTERVAL, "d", "looked longer")
    ]
    for one in found.effects:
        sizes = str(one.pairs), str(one.participants)
        cells = _cells(one.difference, sign=True)
        share = f"{100 * one.share:.0f} %"
        rows.append((plain(one.task) or "all", *sizes, *cells, _number(one.d), share))
    return "\n".join(columns(rows, right=".RRRRRR"))


def _cells(*estimates: Estimate, sign: bool = False) -> Sequence[str]:
    cells = []
    for one in estimates:
        known = one.low is not None and one.high is not None
        ends = f"{_number(one.low, sign)} – {_number(one.high, sign)}" if known else ""
        cells += [_number(one.value, sign), ends]
    return cells


def _number(value: float | None, sign: bool = False) -> str:
    if value is None or math.isnan(value):
        return "–"
    return f"{value:+.3f}" if sign else f"{value:.3f}"


def people_fit_text(fitted: PeopleFit) -> str:
    """Return the agreement on scenarios left out, then the fit, then all settings."""
    names = list(fitted.settings)
    rows = [(*names, "r")]
    for settings, r in fitted.grid:
        rows.append((*(plain(str(value)) for value in settings.values()), _number(r)))
    many = Counter(_settings(one) for one in fitted.chosen.values())
    chosen = [f"  {n} of {len(fitted.chosen)}: {text}" for text, n in many.most_common()]
    return "\n".join(
        [
            correlation_text(fitted.found),
            "",
            "left out: each scenario is predicted with the settings that fit all others best",
            *chosen,
            f"fitted to all: {_settings(fitted.settings)}",
            "",
            *columns(rows, right="R" * len(rows[0])),
        ]
    )


def _settings(settings: Settings) -> str:
    return ", ".join(f"{name}={plain(str(value))}" for name, value in settings.items())
