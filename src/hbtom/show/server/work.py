"""What the processes that judge do: say what comes of a pair, and what a page shows of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from hbtom.bench.dataset import Pair, load_pairs
from hbtom.bench.score import pair_score
from hbtom.compiled import start_compiler
from hbtom.errors import BadInput
from hbtom.judgement import Judgement, judge
from hbtom.model import Model
from hbtom.show.page.viewer import Shown, shown
from hbtom.show.words import plain

Verdict = Literal["right", "wrong", "tie", "unreadable"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
UNJUDGED = "unjudged"  # what has no verdict yet
View = Literal["both", "e", "u"]  # a pair, or one episode of it
VIEWS: tuple[View, ...] = get_args(View)

_OF_SCORE: dict[float, Verdict] = {1.0: "right", 0.5: "tie", 0.0: "wrong"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a pair: how plausible its members are, or why they cannot be read."""

    verdict: Verdict
    expected: float | None
    unexpected: float | None
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drawing:
    """What a page shows, and of a pair also what came of it; or why nothing can be shown."""

    shown: Shown | None
    outcome: Outcome | None
    problems: tuple[str, ...] = ()


def judge_pair(model: Model, pair: Pair, compiled: bool) -> Outcome:
    """Judge both episodes of a pair."""
    return _outcome(*_judged(model, pair, "both", compiled))


def draw(model: Model, pair: Pair, view: View, compiled: bool) -> Drawing:
    """Judge a pair, or one episode of it, and return what a page shows of that."""
    judgements, problems = _judged(model, pair, view, compiled)
    outcome = _outcome(judgements, problems) if view == "both" else None
    if problems:
        return Drawing(None, outcome, problems)
    return Drawing(shown(*judgements.values()), outcome)


def _judged(
    model: Model, pair: Pair, view: View, compiled: bool
) -> tuple[dict[str, Judgement], tuple[str, ...]]:
    """Return the judgements of those members that can be read, and why others cannot."""
    if compiled:
        start_compiler()
    ((_, *episodes),) = load_pairs([pair])
    judgements: dict[str, Judgement] = {}
    problems = []
    for member, episode in zip("eu", episodes, strict=True):
        if view not in ("both", member):
            continue
        try:
            if isinstance(episode, BadInput):
                raise episode
            judgements[member] = judge(episode, model, reuse=judgements.get("e"))
        except BadInput as error:
            problems.append(plain(f"{pair.name}{member}: {error.said}"))
    return judgements, tuple(problems)


def _outcome(judgements: dict[str, Judgement], problems: tuple[str, ...]) -> Outcome:
    rated = {member: judgement.plausibility for member, judgement in judgements.items()}
    expected, unexpected = rated.get("e"), rated.get("u")
    if expected is None or unexpected is None:
        return Outcome("unreadable", expected, unexpected, problems)
    return Outcome(_OF_SCORE[pair_score(expected, unexpected)], expected, unexpected)
