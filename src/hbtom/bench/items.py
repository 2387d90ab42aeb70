"""The items that people and models are asked about, and how table rows name them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from hbtom.bench.dataset import episode_name
from hbtom.bench.entries import task_name
from hbtom.bench.ratings import read_rows
from hbtom.errors import BadInput

Names = tuple[str, ...]  # the possible names of a scenario, the most exact first
NEEDED = "a row needs 'scenario', 'file', or 'task', 'pair' and 'member'"
_NAMES = ("scenario", "file", "plan")
_WHAT = ("time", "step", "goal", "value", "variable", "category")
READ = (*_NAMES, "task", "pair", "member", "participant", *_WHAT)  # columns that name an item
LARGEST = 1e50  # of numbers whose variances are multiplied
_SUFFIXES = (".json", ".gz", ".zst", ".plan", ".mp4", ".webm", ".gif", ".csv", ".txt")


class Item(NamedTuple):
    """A question for people and models: about a scenario, perhaps at a time, perhaps about a goal.

    The variable says what is asked about the goal, such as desire or belief. If it is empty, it is
    the goal's probability.
    """

    scenario: str
    time: float | None = None
    goal: str = ""
    variable: str = ""

    @property
    def label(self) -> str:
        """The goal, and the variable if there is one."""
        return f"{self.variable} {self.goal}".strip()

    def __str__(self) -> str:
        time = "" if self.time is None else f"{self.time:g}"
        return " ".join(part for part in (self.scenario, time, self.label) if part)


class PairMember(NamedTuple):
    """Which episode of a pair a scenario is: the expected (e) or the unexpected (u) one."""

    task: str
    pair: str
    member: str


def table_rows(source: Any, what: str, needed: str) -> list[dict[str, Any]]:
    """Return the rows of a file, a result, a data frame or records; refuse an empty table."""
    if isinstance(source, str | os.PathLike):
        rows = read_rows(Path(source), what, needed)
    else:
        given = source.to_pandas() if hasattr(source, "to_pandas") else source
        given = given.to_dict("records") if hasattr(given, "to_dict") else given
        rows = [dict(row) for row in given]
    if not rows:
        raise BadInput(f"there are no {what}", hint=needed)
    return rows


def text_of(row: Mapping[str, Any], column: str) -> str:
    """Return the text in a column; empty if there is none."""
    given = row.get(column)
    if given is None or (isinstance(given, float) and math.isnan(given)):
        return ""
    whole = isinstance(given, float) and given.is_integer()
    return str(int(given) if whole else given).strip()


def scenario_names(row: Mapping[str, Any]) -> Names:
    """Return the possible names of a row's scenario, the most exact first."""
    names: list[str] = []
    if member := member_of(row, of_file=False):
        names.append(f"{member.task}/{member.pair}{member.member}".lstrip("/"))
    for column in _NAMES:
        if text := text_of(row, column):
            path = PurePath(text)
            stem = path.name
            while stem.endswith(_SUFFIXES):
                stem = stem.rpartition(".")[0]
            names += [text, f"{path.parent.name}/{stem}".lstrip("/"), path.name, stem]
    if not names:
        raise BadInput("it does not say which scenario it is about", hint=NEEDED)
    return tuple(dict.fromkeys(names))


def item_of(row: Mapping[str, Any], scenario: str) -> Item:
    """Return the item of a row, given the name of its scenario."""
    variable, goal = text_of(row, "variable"), text_of(row, "goal")
    if variable and "goal" not in row:  # as in tables of beliefs
        goal = text_of(row, "value")
    return Item(scenario, time_of(row), goal, "" if variable == "goal" else variable)


def time_of(row: Mapping[str, Any]) -> float | None:
    """Return the time or the step of a row, if it has one."""
    given = text_of(row, "time") or text_of(row, "step")
    return number_of(given, "time") if given else None


def number_of(given: object, what: str) -> float:
    """Return a number; refuse anything else, and what is too large to compare."""
    try:
        value = float(str(given))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        shown = repr(str(given)[:40]) if str(given) else "missing"
        raise BadInput(f"the {what} is {shown}", hint="a number is needed; or leave the row out")
    if abs(value) > LARGEST:
        hint = f"at most {LARGEST:.0e} is possible; use another unit, or leave the row out"
        raise BadInput(f"the {what} is {value:.3g}", hint=hint)
    return value


_MEMBERS = {"expected": "e", "unexpected": "u"}


def member_of(row: Mapping[str, Any], *, of_file: bool = True) -> PairMember | None:
    """Return which episode of a pair a row is about, if its columns or its file say so."""
    task, pair, member = (text_of(row, name) for name in ("task", "pair", "member"))
    if pair and member:
        return PairMember(task_name(task), pair, _MEMBERS.get(member.lower(), member.lower()))
    path = PurePath(text_of(row, "file"))
    named = episode_name(path.name) if of_file else None
    return None if named is None else PairMember(task_name(path.parent.name), *named)
