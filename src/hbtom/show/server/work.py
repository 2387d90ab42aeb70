"""The work of judging processes: the outcome of a pair, and its drawing for a page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, get_args

from hbtom.bench.checked_rater import CheckedRater, as_rater, find_rater
from hbtom.bench.judged import rate_members
from hbtom.bench.pairs import Pair, load_pairs
from hbtom.bench.score import pair_score
from hbtom.compiled import start_compiler
from hbtom.errors import BadInput
from hbtom.judgement import Judgement
from hbtom.judgement.shared_work import judge_members
from hbtom.model import Model
from hbtom.observe import Episode
from hbtom.show.page.plain_values import Plain
from hbtom.show.page.thumbnail import thumbnail
from hbtom.show.page.viewer import PageContent, shown
from hbtom.show.words import plain

Verdict = Literal["right", "wrong", "tie", "missing", "unreadable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
UNJUDGED = "unjudged"  # there is no verdict yet
View = Literal["both", "e", "u"]  # a pair, or one episode of it
VIEWS: tuple[View, ...] = get_args(View)

_OF_SCORE: dict[float, Verdict] = {1.0: "right", 0.5: "tie", 0.0: "wrong"}


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """The outcome of a pair: how its members are rated, or why they cannot be read or judged."""

    verdict: Verdict
    expected: float | None
    unexpected: float | None
    problems: tuple[str, ...] = ()
    pictures: tuple[Plain, ...] = ()  # of both test trials, if both can be read


@dataclass(frozen=True)
class Drawing:
    """The content of a page, with the outcome of a pair; or why nothing can be shown."""

    shown: PageContent | None
    outcome: PairOutcome | None
    problems: tuple[str, ...] = ()
    figure: str = ""  # markup that shows what a network expected


def rate_pair(rater: Model | CheckedRater, pair: Pair, compiled: bool) -> PairOutcome:
    """Rate both episodes of a pair."""
    if isinstance(rater, Model):
        if compiled:
            start_compiler()
    elif rater.origin:  # it is found by its name, and warmed up once in this process
        _warm_up_once(rater.origin, rater.folder)
    else:
        rater.warm_up(1)
    ((_, expected, unexpected),) = load_pairs([pair])
    rated, left_out = rate_members(as_rater(rater), pair, (expected, unexpected))
    values: dict[str, float] = {one.member: rating.value for one, rating in rated}
    gone: dict[str, str] = {one.member: str(rating.own.get("missing", "")) for one, rating in rated}
    why = {one.file: one.why for one in left_out}
    members = [one for one in (pair.expected, pair.unexpected) if one.file in why]
    problems = (plain(f"{pair.name}{one.member}: {why[one.file]}") for one in members)
    outcome = _outcome(values, (*problems, *_why_missing(pair, gone)))
    return replace(outcome, pictures=_pictures(expected, unexpected))


def _why_missing(pair: Pair, gone: Mapping[str, str]) -> list[str]:
    """Return why members have no rating, given the reason of each; it is empty if one has."""
    return [plain(f"{pair.name}{member}: not judged, {why}") for member, why in gone.items() if why]


def _pictures(*episodes: Episode | BadInput) -> tuple[Plain, ...]:
    """Return small pictures of test trials, if all can be read."""
    read = [one for one in episodes if not isinstance(one, BadInput)]
    return tuple(thumbnail(one.test) for one in read) if len(read) == len(episodes) else ()


@cache
def _warm_up_once(origin: str, folder: str) -> None:
    find_rater(origin, folder).warm_up(1)


def draw(rater: Model | CheckedRater, pair: Pair, view: View, compiled: bool) -> Drawing:
    """Rate a pair, or one episode of it, and return its drawing for a page."""
    if isinstance(rater, CheckedRater):
        figure = _figure(rater.rater, pair, view)
        gives = "shows what it expected" if figure else "gives only ratings"
        note = f"{plain(rater.name)} {gives}. To watch the pair, choose a model above."
        return Drawing(None, rate_pair(rater, pair, compiled), (note,), figure)
    judgements, problems = _judged(rater, pair, view, compiled)
    rated = {member: judgement.plausibility for member, judgement in judgements.items()}
    gone = _why_missing(pair, {member: one.missing for member, one in judgements.items()})
    outcome = _outcome(rated, (*problems, *gone)) if view == "both" else None
    if problems:
        return Drawing(None, outcome, problems)
    if outcome is not None:
        pictures = _pictures(*(one.episode for one in judgements.values()))
        outcome = replace(outcome, pictures=pictures)
    return Drawing(shown(*judgements.values()), outcome)


def _figure(rater: object, pair: Pair, view: View) -> str:
    """Return what a network expected of the members it can rate; nothing for other raters."""
    from hbtom.neural.raters import NetworkRater
    from hbtom.show.page.reaction_figure import reaction_figure

    if not isinstance(rater, NetworkRater):
        return ""
    ((_, *episodes),) = load_pairs([pair])
    figures = []
    for member, episode in zip("eu", episodes, strict=True):
        if view in ("both", member) and not isinstance(episode, BadInput):
            with suppress(BadInput):  # the outcome says why
                figures.append(reaction_figure(f"{pair.name}{member}", rater.react(episode)))
    return "".join(figures)


def _judged(
    model: Model, pair: Pair, view: View, compiled: bool
) -> tuple[dict[str, Judgement], tuple[str, ...]]:
    """Return the judgements of the readable members, and why others cannot be read."""
    if compiled:
        start_compiler()
    ((_, *episodes),) = load_pairs([pair])
    wanted = {m: e for m, e in zip("eu", episodes, strict=True) if view in ("both", m)}
    judged = dict(zip(wanted, judge_members(model, wanted.values()), strict=True))
    problems = [
        plain(f"{pair.name}{member}: {error.said}")
        for member, error in judged.items()
        if isinstance(error, BadInput)
    ]
    return {m: j for m, j in judged.items() if isinstance(j, Judgement)}, tuple(problems)


def _outcome(rated: dict[str, float], problems: tuple[str, ...]) -> PairOutcome:
    known = {member: one for member, one in rated.items() if not math.isnan(one)}
    expected, unexpected = known.get("e"), known.get("u")
    if expected is None or unexpected is None:
        verdict: Verdict = "missing" if len(rated) == 2 else "unreadable"
        return PairOutcome(verdict, expected, unexpected, problems)
    return PairOutcome(_OF_SCORE[pair_score(expected, unexpected)], expected, unexpected)
