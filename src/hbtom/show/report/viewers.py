"""Pages on which to watch pairs: find their episodes, judge them again, and check the result."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from hbtom.bench.comparison import PairName
from hbtom.bench.dataset import Member, Pair, load_pairs
from hbtom.bench.results import Row
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, account
from hbtom.judgement.sharing import judge_members
from hbtom.model import Model
from hbtom.observe.formats import Loaded
from hbtom.show.page import page
from hbtom.show.report.findings import Findings
from hbtom.show.terminal import three
from hbtom.show.words import distinct, explain

_LONGEST = 80  # letters of a page's name
_SAME = 1e-6  # plausibilities that differ by less are the same on another machine


@dataclass(frozen=True)
class Watched:
    """The page of a pair that was to be watched, or why there is none."""

    text: str = ""  # of the page
    words: tuple[str, ...] = ()  # what was surprising about either member
    missing: str = ""


def watch(findings: Findings, names: Sequence[PairName]) -> Iterator[tuple[PairName, Watched]]:
    """Yield a page for each pair, or why there is none; the model must be known."""
    assert findings.model is not None
    given = findings.dataset.pairs if findings.dataset else ()
    known = {(pair.task, pair.name): pair for pair in given}
    pairs = [known.get(name) or Pair(*map(_member, findings.rows[name])) for name in names]
    for name, (_, *loaded) in zip(names, load_pairs(pairs), strict=True):
        yield name, _watched(findings.model, findings.rows[name], loaded)


def _watched(model: Model, rows: tuple[Row, Row], loaded: Sequence[Loaded]) -> Watched:
    judged: list[Judgement] = []
    for row, judgement in zip(rows, judge_members(model, loaded), strict=True):
        if isinstance(judgement, BadInput):
            return Watched(missing=f"member {row.member} cannot be read any more: {judgement}")
        before, now = row.plausibility, judgement.plausibility
        if not math.isclose(now, before, rel_tol=_SAME, abs_tol=_SAME):
            told = f"{three(now)} instead of {three(before)}: its file has changed, or hbtom has"
            return Watched(missing=f"member {row.member} is now judged otherwise, {told}")
        judged.append(judgement)
    return Watched(page(*judged), tuple(explain(account(judgement)) for judgement in judged))


def _member(row: Row) -> Member:
    """Return an episode where it was when it was judged: a file, or an archive and a name in it."""
    path = row.file
    while not os.path.isfile(path) and os.path.dirname(path) not in ("", path):
        path = os.path.dirname(path)
    if not os.path.isfile(path):
        path = row.file
    member: Literal["e", "u"] = "e" if row.member == "e" else "u"
    return Member(row.task, row.pair, member, path, row.file[len(path) + 1 :])


def page_names(names: Sequence[PairName]) -> dict[PairName, str]:
    """Return a file name for each pair's page: valid on every file system, and distinct."""
    safe = (re.sub(r"[^A-Za-z0-9_]+", "-", "-".join(name))[:_LONGEST].strip("-") for name in names)
    files = distinct((stem or "pair" for stem in safe), "{}-{}")
    return {name: f"{file}.html" for name, file in zip(names, files, strict=True)}
