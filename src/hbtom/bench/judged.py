"""Rating the pairs of a dataset: the work of one worker, here or on another machine."""

from __future__ import annotations

import math
import os
import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple, TypeVar

from msgspec import Struct

from hbtom import __version__
from hbtom.bench import cluster as machines
from hbtom.bench.checked_rater import AnyRater
from hbtom.bench.pairs import LeftOut, Member, Pair, load_pairs
from hbtom.bench.rater import ModelRater, RaterFailed, Rating
from hbtom.bench.results import Row
from hbtom.bench.sources import is_archived
from hbtom.bench.workers import each, forks
from hbtom.errors import BadInput
from hbtom.judgement import Judgement
from hbtom.judgement.shared_work import judge_pair, sharing_order
from hbtom.judgement.warm_up import warm_up
from hbtom.model import Model
from hbtom.observe import Episode
from hbtom.observe.episode import Loaded

T = TypeVar("T")
Both = tuple[Loaded, Loaded]  # the episodes of a pair, or why they cannot be read
Values = tuple[float, float]  # the ratings of the expected and the unexpected member
Problems = tuple[LeftOut, ...]  # why members of a pair cannot be read or rated
RatedMembers = tuple[list[tuple[Member, Rating]], Problems]


class LoadedPair(NamedTuple):
    """A pair whose files have been read."""

    pair: Pair
    stamps: tuple[str, str]  # of its files before they were read
    episodes: Both


class RatedPair(Struct, frozen=True):
    """The result for a pair: a row for each episode that was judged, and errors for the others."""

    rows: Sequence[Row]
    problems: Sequence[LeftOut] = ()
    warned: int = 0  # episodes that were judged with warnings


@dataclass
class RatePairs:
    """The work of rating pairs, in order; the rater is warmed up once in a process."""

    rater: AnyRater
    total: int  # pairs for all processes together
    folder: str = ""  # to which paths are relative; by default the current one
    ready: bool = False

    def warm_up(self) -> None:
        if not self.ready:
            self.rater.warm_up(self.total)
            self.ready = True

    def __call__(self, pairs: Sequence[Pair]) -> Iterator[RatedPair]:
        self.warm_up()
        judge = self.rater.fingerprint, __version__, self.rater.score
        there = [_inside(self.folder, pair) for pair in pairs] if self.folder else pairs
        stamps = ((pair.expected.stamp, pair.unexpected.stamp) for pair in there)  # before reading
        read = zip(pairs, stamps, load_pairs(there), strict=True)
        loaded = (LoadedPair(pair, both, (one, other)) for pair, both, (_, one, other) in read)
        for some in _groups(loaded, self.rater.room):
            together = zip(some, rate_together(self.rater, some), strict=True)
            for (pair, (e, u), _), (rated, problems) in together:
                rows = [
                    _row(member, rating, judge, e if member is pair.expected else u)
                    for member, rating in rated
                ]
                yield RatedPair(rows, problems, sum(rating.warned for _, rating in rated))


def _groups(loaded: Iterable[LoadedPair], room: float) -> Iterator[list[LoadedPair]]:
    """Yield successive pairs of an archive together, as many as there is room for.

    Other files are read one by one, which may take long, so their pairs do not wait for others.
    """
    some, taken = list[LoadedPair](), 0.0
    for one in loaded:
        needed = sum(map(_pixels, one.episodes)) if is_archived(one.pair.expected) else math.inf
        if some and taken + needed > room:
            yield some
            some, taken = [], 0.0
        some.append(one)
        taken += needed
        if taken >= room:
            yield some
            some, taken = [], 0.0
    if some:
        yield some


def _pixels(episode: Loaded) -> float:
    """Return the size of the worlds of all trials, if they are as large as that of the last."""
    if isinstance(episode, BadInput):
        return 0.0
    width, height = episode.test.size
    return len(episode) * width * height


def _inside(folder: str, pair: Pair) -> Pair:
    """Return a pair whose paths were relative to a folder."""
    place = partial(os.path.join, folder)
    return Pair(*(replace(one, path=place(one.path)) for one in pair.members))


def _row(member: Member, rating: Rating, judge: tuple[str, str, str], stamp: str) -> Row:
    names = member.task, member.pair, member.member, member.file
    return Row(*names, rating.value, *judge, stamp, rating.own)


def rate_pairs(
    rater: AnyRater, pairs: Sequence[Pair], *, workers: int | None, cluster: str | None
) -> Generator[RatedPair]:
    """Rate pairs on this machine, or on those of a cluster."""
    work = RatePairs(rater, len(pairs))
    if cluster is None:
        if pairs and forks(rater.start):
            work.warm_up()  # before this process is forked
        elif len(pairs) > 1:
            _check_portable(rater)
        return each(work, pairs, workers, start=rater.start)
    _check_portable(rater)
    here = work.folder = os.getcwd()
    members = (member for pair in pairs for member in pair.members)
    sources = {one.path if one.inside else os.path.dirname(one.path) for one in members}
    shared = sorted(os.path.join(here, source) for source in sources)
    return machines.each(work, pairs, cluster, shared)


def _check_portable(rater: AnyRater) -> None:
    """Refuse a rater that cannot be sent to other processes."""
    try:
        pickle.dumps(rater)
    except Exception as error:
        problem = f"the rater '{rater.name}' cannot be sent to other processes ({error})"
        hint = "use one process, or name it: find_rater('module:object'), --rater module:object"
        raise BadInput(problem, hint=hint) from None


@dataclass
class RateWithAll:
    """The work of rating pairs with several raters; models share common computations."""

    raters: Sequence[AnyRater]
    total: int  # pairs for all raters and processes together
    ready: bool = False

    @property
    def models(self) -> list[ModelRater]:
        return [rater for rater in self.raters if isinstance(rater, ModelRater)]

    def warm_up(self) -> None:
        if self.ready:
            return
        if self.models:
            warm_up([rater.model for rater in self.models], self.total)
        for rater in self.raters:
            if not isinstance(rater, ModelRater):
                rater.warm_up(self.total)
        self.ready = True

    def __call__(self, pairs: Sequence[Pair]) -> Iterator[list[Values] | Problems]:
        """Yield the ratings of both members of each pair by each rater, or why there are none."""
        self.warm_up()
        for pair, expected, unexpected in load_pairs(pairs):
            yield self._rated(pair, (expected, unexpected))

    def _rated(self, pair: Pair, episodes: Both) -> list[Values] | Problems:
        models = self.models
        judged = judge_by_all(
            [rater.model for rater in models],
            pair,
            episodes,
            lambda index, e, u: (models[index].value(e), models[index].value(u)),
        )
        if isinstance(judged, tuple):
            return judged
        of_models, values = iter(judged), []
        for rater in self.raters:
            if isinstance(rater, ModelRater):
                values.append(next(of_models))
                continue
            rated, problems = rate_members(rater, pair, episodes)
            if problems:
                return problems
            values.append((rated[0][1].value, rated[1][1].value))
        return values


def rate_together(rater: AnyRater, pairs: Sequence[LoadedPair]) -> list[RatedMembers]:
    """Return the ratings of several pairs; if that fails for any, they are rated one by one."""
    if len(pairs) > 1:
        try:
            rated = rater.rate_all([(_read(one), _read(other)) for _, _, (one, other) in pairs])
            both = zip(pairs, rated, strict=True)
            return [([*zip(one.pair.members, ratings, strict=True)], ()) for one, ratings in both]
        except RaterFailed:
            raise
        except BadInput:
            pass  # which of them it is will show
    return [rate_members(rater, one.pair, one.episodes) for one in pairs]


def _read(episode: Loaded) -> Episode:
    if isinstance(episode, BadInput):
        raise episode
    return episode


def rate_members(rater: AnyRater, pair: Pair, episodes: Both) -> RatedMembers:
    """Return the ratings of the members that can be rated, and why others cannot."""
    rated, problems = [], []
    for member, one in zip(pair.members, _ratings(rater, *episodes), strict=True):
        if isinstance(one, BadInput):
            problems.append(LeftOut(member.file, one.said, unreadable=True))
        else:
            rated.append((member, one))
    return rated, tuple(problems)


def _ratings(rater: AnyRater, expected: Loaded, unexpected: Loaded) -> Sequence[Rating | BadInput]:
    if not isinstance(expected, BadInput) and not isinstance(unexpected, BadInput):
        try:
            return rater.rate(expected, unexpected)
        except RaterFailed:
            raise
        except BadInput as error:
            if not rater.rates_alone:
                return error, error
    both = expected, unexpected
    return [one if isinstance(one, BadInput) else _alone(rater, one) for one in both]


def _alone(rater: AnyRater, episode: Episode) -> Rating | BadInput:
    """Rate an episode whose counterpart cannot be read or rated."""
    if not rater.rates_alone:
        return BadInput("it is not rated, because the other episode of its pair cannot be read")
    try:
        return rater.rate_one(episode)
    except RaterFailed:
        raise
    except BadInput as error:
        return error


def judge_by_all(
    models: Sequence[Model],
    pair: Pair,
    episodes: Both,
    keep: Callable[[int, Judgement, Judgement], T],
) -> list[T] | Problems:
    """Return ``keep(number of the model, judgement, judgement)`` for each model.

    If the pair cannot be judged, return the reasons. Models judge in the order that shares most
    computations, so that little is in memory at a time.
    """
    if not models:
        return []
    order = sharing_order(models)
    kept: dict[int, T] = {}
    expected, unexpected = episodes
    if not isinstance(expected, BadInput) and not isinstance(unexpected, BadInput):
        try:
            judged = judge_pair([models[index] for index in order], expected, unexpected)
            for index, both in zip(order, judged, strict=True):
                kept[index] = keep(index, *both)
            return [kept[index] for index in range(len(models))]
        except BadInput:
            pass  # errors of each member are collected below
    return rate_members(ModelRater(models[order[len(kept)]]), pair, episodes)[1]
