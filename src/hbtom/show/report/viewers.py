"""Pages to watch pairs on: find their episodes, judge them again, and check the result."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from hbtom.bench.comparison import PairName
from hbtom.bench.pairs import Member, Pair, load_pairs
from hbtom.bench.results import Row
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, account
from hbtom.judgement.shared_work import judge_members
from hbtom.model import Model
from hbtom.observe.episode import Loaded
from hbtom.show.document import MESSAGE, TEMPLATE, document, message
from hbtom.show.page import page
from hbtom.show.report.findings import Findings
from hbtom.show.terminal import three
from hbtom.show.words import distinct, explain, plain

if TYPE_CHECKING:
    from hbtom.neural.raters import NetworkRater

_LONGEST = 80  # most letters in a page's name
_SAME = 1e-6  # plausibilities that differ by less are the same on another machine
_ALIKE = 1e-3  # the same for ratings of networks, which compute with fewer digits


@dataclass(frozen=True)
class PairPage:
    """The page of a pair, or why there is none."""

    text: str = ""  # of the page
    words: tuple[str, ...] = ()  # what was surprising about each member
    missing: str = ""


def watch(findings: Findings, names: Sequence[PairName]) -> Iterator[tuple[PairName, PairPage]]:
    """Yield a page for each pair, or why there is none; the model or network must be known."""
    given = findings.dataset.pairs if findings.dataset else ()
    known = {(pair.task, pair.name): pair for pair in given}
    pairs = [known.get(name) or Pair(*map(_member, findings.rows[name])) for name in names]
    for name, (_, *loaded) in zip(names, load_pairs(pairs), strict=True):
        if findings.network:
            yield name, _reacted(findings.network, findings.rows[name], loaded)
        elif findings.model:
            yield name, _watched(findings.model, findings.rows[name], loaded)


def _watched(model: Model, rows: tuple[Row, Row], loaded: Sequence[Loaded]) -> PairPage:
    judged: list[Judgement] = []
    for row, judgement in zip(rows, judge_members(model, loaded), strict=True):
        if isinstance(judgement, BadInput):
            return _unreadable(row, judgement)
        before, now = row.plausibility, judgement.plausibility
        same = math.isclose(now, before, rel_tol=_SAME, abs_tol=_SAME)
        if not same and not (math.isnan(now) and math.isnan(before)):
            return _changed(row, three(now), three(before))
        judged.append(judgement)
    return PairPage(page(*judged), tuple(explain(account(judgement)) for judgement in judged))


def _reacted(network: NetworkRater, rows: tuple[Row, Row], loaded: Sequence[Loaded]) -> PairPage:
    """Return a page with what a network expected of both members."""
    from hbtom.show.page.reaction_figure import reaction_figure, reaction_words

    figures, words = "", []
    for row, episode in zip(rows, loaded, strict=True):
        try:
            if isinstance(episode, BadInput):
                raise episode
            reaction = network.react(episode)
        except BadInput as error:
            return _unreadable(row, error)
        now = -float(reaction.errors.max())
        if not math.isclose(now, row.rating, rel_tol=_ALIKE, abs_tol=_SAME):
            return _changed(row, f"{now:.3g}", f"{row.rating:.3g}")
        figures += reaction_figure(f"{row.pair}{row.member}", reaction)
        words.append(reaction_words(reaction))
    title = plain(rows[0].pair)
    heading = f"What {network.name} expected of this pair ({plain(rows[0].task)})."
    top = message(title, [heading], figures)
    instead = "The pictures are shown anyway."
    text = document(TEMPLATE, (MESSAGE,), (), title=title, instead=instead, data={}, top=top)
    return PairPage(text, tuple(words))


def _unreadable(row: Row, error: BadInput) -> PairPage:
    return PairPage(missing=f"member {row.member} can no longer be read: {error}")


def _changed(row: Row, now: str, before: str) -> PairPage:
    why = f"{now} instead of {before}: its file has changed, or hbtom has"
    return PairPage(missing=f"member {row.member} is now judged differently, {why}")


def _member(row: Row) -> Member:
    """Return an episode at its place when it was judged: a file, or a name in an archive."""
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
