"""Recognised goals as text: a table of statistics, and the beliefs about one problem."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from hbtom.bench.recognition import Cell, Recognised
from hbtom.show.terminal import columns, three
from hbtom.show.words import plain

_HEADING = ("problems", "accuracy", "95 % interval", "spread", "score", "log loss", "seconds")


def recognition_table(result: Recognised) -> str:
    """Return accuracy and other statistics by domain and observed share; none for one problem."""
    known = [one for one in result.answered if one.true is not None]
    tables = [problem_table(one.values) for one in result.answered if "trace" in one.values]
    if not known or len(result.answers) == 1:
        shown = () if tables else result.answered
        return "\n\n".join([*tables, *(problem_table(one.values) for one in shown)])
    tables.append(_table("domain", (*result.by_domain, *result.overall), lambda one: one.domain))
    if result.by_share:
        tables.append(_table("observed", result.by_share, lambda one: one.observed))
    tables.append(_calibration(result))
    if result.peers:
        ours = replace(result.overall[-1], domain="hbtom")
        tables.append(_table("recogniser", (ours, *result.peers), lambda one: one.domain))
    return "\n\n".join(tables)


def _table(name: str, cells: Sequence[Cell], label: Any) -> str:
    rows = [(name, *_HEADING, "engines"), *((plain(label(one)), *_figures(one)) for one in cells)]
    return "\n".join(columns(rows, right=".RRRRRRR"))


def _calibration(result: Recognised) -> str:
    rows = [
        (
            f"{low:.1f} – {high:.1f}",
            str(one["goals"]),
            three(one["probability"]),
            f"{one['true']:.3f}",
        )
        for one in result.calibration
        for low, high in [one["between"]]
    ]
    heading = ("probability", "goals", "on average", "share true")
    return "\n".join(columns([heading, *rows], right=".RRR"))


def _figures(cell: Cell) -> tuple[str, ...]:
    values = cell.to_dict()
    if not values["problems"]:
        return ("0", *[""] * len(_HEADING))
    low, high = values["interval"]
    return (
        str(values["problems"]),
        f"{100 * values['accuracy']:.1f}",
        f"{100 * low:.1f} – {100 * high:.1f}",
        f"{values['spread']:.2f}",
        f"{values['score']:.3f}",
        "" if values["log_loss"] is None else f"{values['log_loss']:.2f}",
        f"{values['seconds']:.3f}",
        ", ".join(f"{name} {many}" for name, many in sorted(values["engines"].items())),
    )


def problem_table(values: dict[str, Any]) -> str:
    """Return the goals of one problem with probabilities, after every observation if known.

    A star marks the most probable goals.
    """
    steps = values.get("trace", [{"posterior": values["posterior"]}])
    goals = range(len(values["goals"]))
    rows = [("", "", "P", "goal")]
    for goal in sorted(goals, key=lambda goal: -values["posterior"][goal]):
        star = "*" if goal in values["best"] else ""
        true = "  (true)" if goal == values["true"] else ""
        share = three(values["posterior"][goal])
        rows.append((star, str(goal + 1), share, plain(values["goals"][goal]) + true))
    how = f"{values['engine']}{' (approximate)' if values['approximate'] else ''}"
    name = PurePath(os.path.abspath(values["problem"])).name
    heading = f"{plain(name)}, engine: {how}"
    lines = [heading, *columns(rows, right=".RR")]
    if "trace" in values:
        many = [f"P({goal + 1})" for goal in goals]
        traced = [
            (plain(step["observed"] or "before"), *map(three, step["posterior"])) for step in steps
        ]
        lines += ["", *columns([("observed", *many), *traced], right="." + "R" * len(many))]
    if "peers" in values:
        others = [(name, _best_of(found)) for name, found in values["peers"].items()]
        lines += ["", *columns([("recogniser", "most probable goals"), *others], right="")]
    return "\n".join(lines)


def _best_of(peer: dict[str, Any] | None) -> str:
    """Return the numbers of the goals that another recogniser finds most probable."""
    return "no answer" if peer is None else ", ".join(str(goal + 1) for goal in peer["best"])
