"""People's answers: looking times, ratings or choices, one row per answer, in a tidy table.

A row names its scenario by ``scenario``, by ``file``, or by ``task``, ``pair`` and ``member``. It
may have a ``participant``, a ``time``, a ``goal``, a ``variable`` (what is asked about the goal,
such as desire or belief; by default its probability) and a ``category``. The answer is under
``looking`` (seconds), ``rating``, or ``choice`` (the chosen goal). Other columns are kept.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np

from hbtom.arrays import Floats
from hbtom.bench.items import (
    NEEDED,
    READ,
    Item,
    Names,
    PairMember,
    item_of,
    member_of,
    number_of,
    scenario_names,
    table_rows,
    text_of,
)
from hbtom.bench.ratings import Direction, at_row
from hbtom.errors import BadInput, few, located

ANSWERS = ("looking", "rating", "choice")
_NEEDED = f"{NEEDED}; and one of {', '.join(ANSWERS)}"
_ROW = "\0row"  # the row of a choice, which becomes a row for each goal
_MOST = 100_000_000  # participants times items
_ROUNDED = 0.02  # ratings that should add up to 1 are often rounded to two digits


@dataclass(frozen=True)
class MeasureOptions:
    """How a table of measures is read."""

    direction: Direction | None = None  # by default, it follows from the column
    scale: tuple[float, float] = (0.0, 1.0)  # the ends of the scale of ratings
    total: float | None = None  # the sum of the ratings of all goals at one time
    log: bool = True  # take the logarithm of looking times


@dataclass(frozen=True, eq=False)
class Measures:
    """The answers of all participants; logarithms of looking times, ratings from 0 to 1."""

    name: str
    answer: str  # the column: looking, rating or choice
    direction: Direction
    items: tuple[Item, ...]
    participants: tuple[str, ...]  # none if the rows are means
    values: Annotated[Floats, "participant item"]  # NaN where there is no answer
    names: Mapping[str, Names]  # of each scenario
    categories: Mapping[str, str]  # of scenarios; none if there is no such column
    members: Mapping[str, PairMember]  # of scenarios that are one of a pair
    row: tuple[int, ...]  # the first row of each item
    others: Mapping[tuple[str, Item], Mapping[str, float | str]]  # other columns of each answer
    log: bool = False

    @property
    def means(self) -> Annotated[Floats, "item"]:
        """The mean answer to each item."""
        means: Floats = np.nanmean(self.values, axis=0)
        return means


class _Answer(NamedTuple):
    row: int
    item: Item
    participant: str
    value: float
    others: Mapping[str, float | str]


def read_measures(
    source: Any,
    how: MeasureOptions | None = None,
    goals_of: Callable[[Names], Iterable[str]] | None = None,
) -> Measures:
    """Read a table of measures: a file (CSV, JSON lines, Parquet), a data frame or records.

    ``goals_of`` returns the goals of a scenario, given its names: choices are among these.
    """
    how = how or MeasureOptions()
    path = isinstance(source, str | os.PathLike)
    with located(file=os.fspath(source)) if path else located():
        rows = table_rows(source, "measures", _NEEDED)
        answer = _answer_column(rows)
        if answer == "choice":
            rows = _chosen(rows, goals_of)
        answers, names, members = [], {}, {}
        categories: dict[str, str] = {}
        for number, (row, others) in enumerate(zip(rows, _others(rows), strict=True), start=1):
            number = row.get(_ROW, number)
            with at_row(number):
                called = scenario_names(row)
                item = item_of(row, called[0])
                value = _value(row, answer, how)
                _agree(categories, item.scenario, text_of(row, "category"))
                answers.append(_Answer(number, item, _participant(row), value, others))
            names[item.scenario] = called
            if (member := member_of(row)) is not None:
                members[item.scenario] = member
        if how.total is not None and answer == "rating":
            _check_sums(answers, how.total)
        items, participants, values = _matrix(answers)
        low, high = how.scale
        values = (values - low) / (high - low) if answer == "rating" else values
        log = answer == "looking" and how.log
        return Measures(
            os.fspath(source) if path else "measures",
            answer,
            how.direction or ("looking" if answer == "looking" else "rating"),
            tuple(items),
            tuple(filter(None, participants)),
            np.log(values) if log else values,
            names,
            {} if set(categories.values()) == {""} else categories,
            members,
            tuple(items.values()),
            {(one.participant, one.item): one.others for one in answers},
            log,
        )


def _others(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, float | str]]:
    """Return the columns that are not read, such as age; as text unless all are numbers."""
    columns: dict[str, Sequence[float | str]] = {}
    for name in (one for one in rows[0] if one not in (*READ, *ANSWERS, _ROW)):
        texts = columns[str(name)] = [text_of(row, name) for row in rows]
        with suppress(BadInput):
            columns[str(name)] = [number_of(text, name) for text in texts]
    return [{name: column[at] for name, column in columns.items()} for at in range(len(rows))]


def _answer_column(rows: Sequence[Mapping[str, Any]]) -> str:
    there = [name for name in ANSWERS if name in rows[0]]
    if len(there) != 1:
        named = " and ".join(f"'{name}'" for name in there)
        problem = f"there are columns {named}" if there else "there is no column of answers"
        hint = f"it needs one of {', '.join(ANSWERS)}; the columns are {few(rows[0])}"
        raise BadInput(problem, hint=hint)
    return there[0]


def _chosen(
    rows: Iterable[Mapping[str, Any]], goals_of: Callable[[Names], Iterable[str]] | None
) -> list[dict[str, Any]]:
    """Return a row for every goal: 1 for the chosen one, 0 for others."""
    if goals_of is None:
        raise BadInput("choices need the goals that people chose from", hint="give results")
    made = []
    for number, row in enumerate(rows, start=1):
        with at_row(number):
            goals = list(goals_of(scenario_names(row)))
            chosen = text_of(row, "choice")
            if chosen not in goals:
                hint = f"the goals are {few(goals) or 'not known'}"
                raise BadInput(f"the choice is '{chosen}'", hint=hint)
        made += [
            {**row, _ROW: number, "goal": one, "choice": float(one == chosen)} for one in goals
        ]
    return made


def _value(row: Mapping[str, Any], answer: str, how: MeasureOptions) -> float:
    what = "looking time" if answer == "looking" else answer
    value = number_of(text_of(row, answer), what)
    low, high = how.scale
    if answer == "looking" and value <= 0:
        hint = "give seconds; leave out trials in which nobody looked"
        raise BadInput(f"the looking time is {value:g}", hint=hint)
    if answer == "rating" and not low <= value <= high:
        hint = f"ratings are from {low:g} to {high:g}; name another scale with --scale LOW,HIGH"
        raise BadInput(f"the rating is {value:g}", hint=hint)
    return value


def _participant(row: Mapping[str, Any]) -> str:
    name = text_of(row, "participant")
    if "participant" in row and not name:
        hint = "name the participant in every row, or leave out the column if the rows are means"
        raise BadInput("the participant is missing", hint=hint)
    return name


def _agree(categories: dict[str, str], scenario: str, category: str) -> None:
    if categories.setdefault(scenario, category) != category:
        problem = f"the category of '{scenario}' is '{category}'"
        raise BadInput(problem, hint=f"in an earlier row, it is '{categories[scenario]}'")


def _check_sums(answers: Iterable[_Answer], total: float) -> None:
    """Refuse ratings by one participant at one time that do not add up over goals."""
    asked: dict[tuple[object, ...], list[_Answer]] = {}
    for one in answers:
        asked.setdefault((one.participant, one.item._replace(goal="")), []).append(one)
    for together in asked.values():
        added = sum(one.value for one in together)
        if abs(added - total) > _ROUNDED * abs(total):
            with at_row(together[0].row):
                goals = ", ".join(one.item.goal for one in together)
                hint = f"they should add up to {total:g}; is a goal missing?"
                raise BadInput(f"the ratings of {goals} add up to {added:g}", hint=hint)


def _matrix(answers: Sequence[_Answer]) -> tuple[dict[Item, int], list[str], Floats]:
    """Return the items with their first rows, the participants, and the answers as a matrix."""
    items: dict[Item, int] = {}
    for one in answers:
        items.setdefault(one.item, one.row)
    participants = list(dict.fromkeys(one.participant for one in answers))
    if len(items) * len(participants) > _MOST:
        sizes = f"{len(participants):,} participants and {len(items):,} items"
        raise BadInput(f"there are {sizes}, too many for memory", hint="compare a part of them")
    column = {item: number for number, item in enumerate(items)}
    line = {name: number for number, name in enumerate(participants)}
    values = np.full((len(participants), len(items)), np.nan)
    for one in answers:
        place = line[one.participant], column[one.item]
        if not math.isnan(values[place]):
            with at_row(one.row):
                who = f" of participant '{one.participant}'" if one.participant else ""
                hint = "give each its own 'time', or take their mean"
                raise BadInput(f"this is the second answer{who} to {one.item}", hint=hint)
        values[place] = one.value
    return items, participants, values
