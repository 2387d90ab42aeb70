"""Judging the pairs of a dataset: what a worker does, here or on another machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from hbtom import __version__
from hbtom.bench.dataset import LeftOut, Member, Pair, load_pairs
from hbtom.bench.results import Compared, Row
from hbtom.compiled import start_compiler
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, judge
from hbtom.judgement.sharing import judge_pair, together
from hbtom.model import Model
from hbtom.observe import names
from hbtom.observe.formats import Loaded

T = TypeVar("T")
Problems = tuple[LeftOut, ...]  # why members of a pair cannot be read or judged


@dataclass(frozen=True, slots=True)
class Judged:
    """What came of a pair: a row for each episode, and why some cannot be read."""

    rows: Sequence[Row]
    problems: Sequence[LeftOut] = ()


def judge_pairs(
    model: Model,
    score: Compared,
    pairs: Sequence[Pair],
    *,
    folder: str = "",
    compiled: bool = False,
) -> Iterator[Judged]:
    """Judge pairs, in order; their paths start from a folder, by default the one we are in."""
    if compiled:
        start_compiler()
    fingerprint = model.fingerprint
    there = [_located(folder, pair) for pair in pairs]
    stamps = ((pair.expected.stamp, pair.unexpected.stamp) for pair in there)  # before reading
    for pair, both, (_, *episodes) in zip(pairs, stamps, load_pairs(there), strict=True):
        rows, problems = [], []
        judgement = None
        members = pair.expected, pair.unexpected
        for member, stamp, episode in zip(members, both, episodes, strict=True):
            try:
                if isinstance(episode, BadInput):
                    raise episode
                judgement = judge(episode, model, reuse=judgement)
                rows.append(_row(member, stamp, judgement, score, fingerprint))
            except BadInput as error:
                problems.append(LeftOut(member.file, error.said, unreadable=True))
        yield Judged(rows, problems)


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


def _row(
    member: Member, stamp: str, judgement: Judgement, score: Compared, fingerprint: str
) -> Row:
    test, parts, surprise = judgement.test, judgement.parts, judgement.surprise
    preference = zip(names(test.preferred), test.preference[0].tolist(), strict=True)
    return Row(
        task=member.task,
        pair=member.pair,
        member=member.member,
        file=member.file,
        rating=judgement.predictive if score == "predictive" else judgement.plausibility,
        plausibility=judgement.plausibility,
        part_goal=parts.goal,
        part_efficiency=parts.efficiency,
        part_observation=parts.observation,
        part_waste=1.0 if parts.waste is None else parts.waste,
        surprise_goal=surprise.goal,
        surprise_efficiency=surprise.efficiency,
        surprise_observation=surprise.observation,
        surprise_waste=surprise.waste or 0.0,
        preference="; ".join(f"{name} {share:.4f}" for name, share in preference),
        efficiency=float(test.joint[0].sum(axis=0) @ test.efficiencies),
        model=fingerprint,
        version=__version__,
        score=score,
        stamp=stamp,
    )
