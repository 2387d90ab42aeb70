"""Rating the pairs of a dataset: what a worker does, here or on another machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hbtom import __version__
from hbtom.bench.dataset import LeftOut, Member, Pair, load_pairs
from hbtom.bench.guests import AnyRater
from hbtom.bench.rater import RaterFailed, Rating
from hbtom.bench.results import Row
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, judge
from hbtom.judgement.sharing import judge_pair, together
from hbtom.model import Model
from hbtom.observe import Episode
from hbtom.observe.formats import Loaded

T = TypeVar("T")
Problems = tuple[LeftOut, ...]  # why members of a pair cannot be read or judged


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a pair: a row for each episode, and why some cannot be read."""

    rows: Sequence[Row]
    problems: Sequence[LeftOut] = ()


@dataclass
class RatePairs:
    """The work of rating pairs, in order; a rater is warmed up once in a process."""

    rater: AnyRater
    total: int  # pairs that there are for all processes together
    folder: str = ""  # from which paths start; by default the one we are in
    ready: bool = False

    def warm_up(self) -> None:
        if not self.ready:
            self.rater.warm_up(self.total)
            self.ready = True

    def __call__(self, pairs: Sequence[Pair]) -> Iterator[Judged]:
        self.warm_up()
        judge = self.rater.fingerprint, __version__, self.rater.score
        there = [_located(self.folder, pair) for pair in pairs]
        stamps = ((pair.expected.stamp, pair.unexpected.stamp) for pair in there)  # before reading
        for pair, both, (_, *episodes) in zip(pairs, stamps, load_pairs(there), strict=True):
            rows, problems = [], []
            members = pair.expected, pair.unexpected
            rated = rate_members(self.rater, *episodes)
            for member, stamp, rating in zip(members, both, rated, strict=True):
                if isinstance(rating, BadInput):
                    problems.append(LeftOut(member.file, rating.said, unreadable=True))
                else:
                    rows.append(_row(member, stamp, rating, judge))
            yield Judged(rows, problems)


def rate_members(
    rater: AnyRater, expected: Loaded, unexpected: Loaded
) -> Sequence[Rating | BadInput]:
    """Return the rating of each member of a pair, or why there is none."""
    if not isinstance(expected, BadInput) and not isinstance(unexpected, BadInput):
        try:
            return rater.rate(expected, unexpected)
        except RaterFailed:
            raise
        except BadInput as error:
            if not rater.rates_alone:
                return error, error
    return [
        one if isinstance(one, BadInput) else _alone(rater, one) for one in (expected, unexpected)
    ]


def _alone(rater: AnyRater, episode: Episode) -> Rating | BadInput:
    """Rate an episode whose mate cannot be read or rated."""
    if not rater.rates_alone:
        return BadInput("it is not rated, because the other one of its pair cannot be read")
    try:
        return rater.rate_one(episode)
    except RaterFailed:
        raise
    except BadInput as error:
        return error


def judge_by_all(
    models: Sequence[Model],
    pair: Pair,
    episodes: tuple[Loaded, Loaded],
    keep: Callable[[Judgement, Judgement], T],
) -> list[T] | Problems:
    """Return what is kept of a pair's judgements by each model, or why it cannot be judged.

    Models are judged in the order that shares most, so that little else is in memory at a time.
    """
    order = together(models)
    kept: dict[int, T] = {}
    expected, unexpected = episodes
    if not isinstance(expected, BadInput) and not isinstance(unexpected, BadInput):
        try:
            judged = judge_pair([models[index] for index in order], expected, unexpected)
            for index, both in zip(order, judged, strict=True):
                kept[index] = keep(*both)
            return [kept[index] for index in range(len(models))]
        except BadInput:
            pass  # each member is told of below
    return tuple(_problems(models[order[len(kept)]], pair, episodes))


def _problems(model: Model, pair: Pair, episodes: tuple[Loaded, Loaded]) -> Iterator[LeftOut]:
    """Yield why members of a pair cannot be read, or cannot be judged by a model."""
    for member, episode in zip((pair.expected, pair.unexpected), episodes, strict=True):
        try:
            if isinstance(episode, BadInput):
                raise episode
            judge(episode, model)
        except BadInput as error:
            yield LeftOut(member.file, error.said, unreadable=True)


def _located(folder: str, pair: Pair) -> Pair:
    if not folder:
        return pair
    expected, unexpected = (
        replace(member, path=os.path.join(folder, member.path))
        for member in (pair.expected, pair.unexpected)
    )
    return Pair(expected, unexpected)


def _row(member: Member, stamp: str, rating: Rating, judge: tuple[str, str, str]) -> Row:
    names = member.task, member.pair, member.member, member.file
    return Row(*names, rating.value, *judge, stamp, rating.own)
