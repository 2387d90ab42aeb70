"""Models' predictions by item, from results of ``evaluate``, ``judge`` and ``infer``."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hbtom.bench.items import (
    NEEDED,
    Item,
    Names,
    item_of,
    number_of,
    scenario_names,
    table_rows,
    text_of,
)
from hbtom.bench.ratings import at_row
from hbtom.bench.results import json_value
from hbtom.errors import BadInput, few, located
from hbtom.files import file_bytes

COLUMNS = (
    "probability",
    "rating",
    "plausibility",
    "surprise",
)  # the first of these that a table has is compared
_NEEDED = f"{NEEDED}; and one of {', '.join(COLUMNS)}"


@dataclass(frozen=True)
class ModelValues:
    """One model's prediction for every item."""

    name: str
    column: str  # of the results that has the values
    values: Mapping[str, Mapping[Item, float]]  # by scenario; NaN where the model cannot judge
    called: Mapping[str, str | None]  # scenarios by their names; None for an ambiguous name

    def find(self, names: Names, item: Item) -> float:
        """Return the model's prediction for an item whose scenario has these names.

        Without a time, it is the prediction at the end. A prediction without a time holds at all
        times.
        """
        scenario = self._scenario(names)
        known = self.values[scenario]
        times = {one.time for one in known if one.label == item.label}
        if not times:
            goals = few(dict.fromkeys(one.label or "(none)" for one in known))
            problem = f"{self.name} has no goal '{item.label}' in scenario '{names[0]}'"
            raise BadInput(problem, hint=f"its goals are {goals}")
        time = item.time
        if times == {None}:
            time = None
        elif time is None:
            time = max(one for one in times if one is not None)
        if time not in times:
            first, last = (f(one for one in times if one is not None) for f in (min, max))
            problem = f"{self.name} has no time {time:g} in scenario '{names[0]}'"
            raise BadInput(problem, hint=f"its times are {first:g} to {last:g}")
        return known[item._replace(scenario=scenario, time=time)]

    def goals(self, names: Names) -> list[str]:
        """Return the goals of a scenario."""
        known = self.values[self._scenario(names)]
        return list(dict.fromkeys(one.goal for one in known if one.goal and not one.variable))

    def _scenario(self, names: Names) -> str:
        for name in names:
            if (found := self.called.get(name)) is not None:
                return found
        several = any(name in self.called for name in names)
        problem = f"{self.name} has {'several' if several else 'no'} scenario '{names[0]}'"
        raise BadInput(problem, hint=f"it has {few(self.values)}")


def read_model(source: Any, name: str = "", column: str | None = None) -> ModelValues:
    """Read predictions: a results file, the JSON of a command, a folder of it, or a table."""
    if not isinstance(source, str | os.PathLike):
        return _model(table_rows(source, "results", _NEEDED), name or "model", column)
    path = Path(source)
    with located(file=str(path)):
        if path.is_dir() or path.suffix == ".json":
            rows = list(_json_rows(path))
        else:
            rows = table_rows(path, "results", _NEEDED)
        return _model(rows, name or path.stem, column)


def _model(rows: Sequence[Mapping[str, Any]], name: str, column: str | None) -> ModelValues:
    given = [one for one in ((column,) if column else COLUMNS) if one in rows[0]]
    if not given:
        problem = "there is no column " + (f"'{column}'" if column else "of results")
        raise BadInput(problem, hint=f"the columns are {few(rows[0])}")
    values: dict[str, dict[Item, float]] = {}
    called: dict[str, str | None] = {}
    for number, row in enumerate(rows, start=1):
        with at_row(number):
            names = scenario_names(row)
            item = item_of(row, names[0])
            if item in values.setdefault(item.scenario, {}):
                hint = "results have one row per item; give MEASURES first, then RESULTS"
                raise BadInput(f"this is the second result for {item}", hint=hint)
            value = row.get(given[0])
            gone = text_of(row, "missing") and not text_of({"value": value}, "value")
            values[item.scenario][item] = math.nan if gone else number_of(value, given[0])
        for one in names:
            called[one] = names[0] if called.get(one, names[0]) == names[0] else None
    return ModelValues(name, given[0], values, called)


def _json_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield rows of the JSON that ``judge`` and ``infer`` print, from a file or a folder."""
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise BadInput("there are no .json files in it", hint="name a results file")
    for file in files:
        with located(file=str(file)):
            try:
                printed = json_value(file_bytes(file, "a file of results"))
                yield from _printed(printed, file.stem)
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                if isinstance(error, BadInput):
                    raise
                hint = "give the output of hbtom judge or hbtom infer with --format json"
                raise BadInput("this is not a result of hbtom", hint=hint) from None


def _printed(printed: Any, stem: str) -> Iterable[dict[str, Any]]:
    if isinstance(printed, list) and "probability" in printed[0]:
        yield from printed  # of several plans
        return
    if isinstance(printed, list):
        for one in printed:
            kinds = {"surprise": one["surprise"], "part": one["parts"]}
            more = {f"{kind}_{key}": v for kind, all_ in kinds.items() for key, v in all_.items()}
            more["missing"] = one.get("missing", "")
            yield {"file": one["file"], "plausibility": one["plausibility"], **more}
        return
    alone = {"scenario": stem} if len(printed["plans"]) == 1 else {}
    for plan in printed["plans"]:
        for time, step in enumerate(plan["steps"]):
            for goal, chance in step["goal"].items():
                yield {**alone, "plan": plan["plan"], "time": time, "goal": goal} | {
                    "probability": chance
                }
