"""The page of one or two judged episodes: its parts, their data, and the differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path, PurePath
from typing import Annotated

import numpy as np

from hbtom import __version__
from hbtom.arrays import Floats
from hbtom.judgement import Judgement
from hbtom.observe import Identity, Trial, same_trial
from hbtom.show.company_beliefs import asks_where
from hbtom.show.document import document
from hbtom.show.page.page_values import film
from hbtom.show.page.plain_values import Plain
from hbtom.show.page.scenes import listed
from hbtom.show.terminal import three
from hbtom.show.words import plain

STYLES = ("page", "drawings", "company", "print")
SCRIPTS = (
    "frames",  # how time is counted and named
    "tones",  # colours of lines
    "film",  # reads the data
    "course",  # finds where things are at a frame
    "shapes",  # draws the things that images are named after
    "company",  # others, moving things, and what the agent sees
    "minds",  # beliefs about company
    "alone",  # used instead of these without company
    "world",  # the scene, and its thumbnails
    "saving",  # charts as pictures, beliefs as a table
    "charts",  # the common parts of charts
    "beliefs",  # the three charts
    "deeds",  # the deeds of agents, above the charts
    "strip",  # all trials, with the preferences
    "verdict",  # plausibility, its parts, and the story
    "player",  # time: playing, and links to a moment
    "transport",  # the keys and buttons that control playing
    "main",  # puts everything together
)
COMPANY = {"company", "minds", "deeds"}  # scripts and styles that only company needs
ALONE = {"alone"}  # scripts that replace them without company
TEMPLATE = Path(__file__).parent / "template"
_ASPECTS = {
    "goal": "what the agent turns out to want",
    "efficiency": "how efficiently it acts",
    "observation": "how likely its individual steps are",
    "waste": "how much effort it wastes in total",
}
_WHERE = "where the agent looks for what it wants"


@dataclass(frozen=True)
class PageContent:
    """The content of a page of one or two judged episodes, as plain values."""

    title: str
    instead: str  # text shown if scripts are switched off
    data: Plain


def page(judgement: Judgement, other: Judgement | None = None) -> str:
    """Return an HTML page to watch a judged episode on, or two side by side.

    It is a single document that needs no other file and no network.
    """
    return laid_out(shown(judgement, other))


def shown(judgement: Judgement, other: Judgement | None = None) -> PageContent:
    """Return the content of the page of one or two judged episodes."""
    both = [judgement] if other is None else [judgement, other]
    sentences = [] if other is None else differences(judgement, other)
    return PageContent(
        title=" and ".join(plain(PurePath(one.episode.name).name) for one in both),
        instead="; ".join(
            f"{plain(one.episode.name)}: plausibility {three(one.plausibility)}" for one in both
        ),
        data={
            "version": __version__,
            "films": [film(one) for one in both],
            "differences": sentences,
        },
    )


def laid_out(
    what: PageContent, *, top: str = "", styles: Sequence[str] = (), scripts: Sequence[str] = ()
) -> str:
    """Return the page; ``top`` is markup that comes first, with its own styles and scripts."""
    films = what.data.get("films", ())  # lists of episodes have none
    trials = [trial for film in films for trial in film["trials"]]
    unused = ALONE if any("deeds" in trial for trial in trials) else COMPANY
    return document(
        TEMPLATE,
        (*(name for name in STYLES if name not in unused), *styles),
        (*(name for name in SCRIPTS if name not in unused), *scripts),
        title=what.title,
        instead=what.instead,
        data=what.data,
        top=top,
    )


def differences(left: Judgement, right: Judgement) -> tuple[str, ...]:
    """Return sentences on which of two episodes is more plausible, why, and how they differ."""
    return (_verdict(left, right), *_reason(left, right), *_trials(left, right))


def _verdict(left: Judgement, right: Judgement) -> str:
    one, other = left.plausibility, right.plausibility
    for side, judgement in (("left", left), ("right", right)):
        if judgement.missing:
            return f"The {side} one is not judged: {judgement.missing}."
    if one == other:
        return "Both are judged equally plausible."
    side, high, low = ("left", one, other) if one > other else ("right", other, one)
    return f"The {side} one is judged more plausible: {three(high)} against {three(low)}."


def _reason(left: Judgement, right: Judgement) -> Iterator[str]:
    """Yield a sentence about the part that differs most, as a factor of the plausibility."""
    if left.missing or right.missing:
        return
    one, other = left.parts.to_dict(), right.parts.to_dict()
    ratio = {name: abs(_log(one[name]) - _log(other[name])) for name in one}
    most = max(ratio, key=ratio.__getitem__)
    where = most == "goal" and (asks_where(left.test) or asks_where(right.test))
    aspect = _WHERE if where else _ASPECTS[most]
    if ratio[most] > 0:
        yield (
            f"Most of the difference comes from {aspect}: the part “{most}” is "
            f"{three(one[most])} on the left and {three(other[most])} on the right."
        )


def _log(part: float) -> float:
    return math.log(max(part, 1e-300))


def _trials(left: Judgement, right: Judgement) -> Iterator[str]:
    """Yield sentences on which trials differ, and how the test trials differ."""
    if len(left.episode) != len(right.episode):
        yield f"The left one has {len(left.episode)} trials, the right one {len(right.episode)}."
        return
    pairs = list(zip(left.episode, right.episode, strict=True))
    same = [same_trial(*both) for both in pairs]
    if all(same):
        yield "All trials are the same."
        return
    differing = [number for number, alike in enumerate(same, start=1) if not alike]
    if len(same) > 1 and all(same[:-1]):
        yield "They are the same until the test trial."
    elif differing[:-1] or same[-1]:
        before = [number for number in differing if number < len(same)]
        yield f"Before the test trial they differ in {_numbers(before)}."
    if same[-1]:
        yield "The test trial is the same."
    else:
        yield f"In the test trial they differ in {listed(_aspects(*pairs[-1]))}."


def _numbers(numbers: Sequence[int]) -> str:
    """Return the numbers of trials as a phrase: trials 1 to 3 and 8."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(numbers), key=lambda place: place[1] - place[0])
    ]
    words = [f"{run[0]} to {run[-1]}" if len(run) > 2 else listed([*map(str, run)]) for run in runs]
    return f"trial{'s' if len(numbers) > 1 else ''} {listed(words)}"


def _aspects(one: Trial, other: Trial) -> list[str]:
    """Return the aspects in which two trials differ."""
    objects, others = [t.objects_at for t in (one, other)], [_ways(t) for t in (one, other)]
    differs = {
        "the agent": one.agent.look != other.agent.look,
        "the walls": not np.array_equal(one.walls, other.walls),
        "the barrier": not np.array_equal(one.barrier, other.barrier),
        "the objects or their positions": one.objects != other.objects or not _alike(*objects),
        "the key or the lock": (one.key, one.lock) != (other.key, other.lock),
        "what the others do": _who(one) != _who(other) or not _alike(*others),
        "the path of the agent": not np.array_equal(one.path, other.path, equal_nan=True),
    }
    return [name for name, is_so in differs.items() if is_so] or ["when things happen"]


def _who(trial: Trial) -> list[tuple[str, Identity]]:
    return [(other.kind, other.look) for other in trial.others]


def _ways(trial: Trial) -> Annotated[Floats, "frame value"]:
    """Return where the others are, and how they are turned."""
    ways = [np.column_stack([other.path, other.angle]) for other in trial.others]
    return np.concatenate(ways, axis=1) if ways else np.empty((len(trial.path), 0))


def _alike(one: Floats, other: Floats) -> bool:
    """Return whether values are the same in every frame that both trials have."""
    last = min(len(one), len(other))
    return np.array_equal(one[:last], other[:last], equal_nan=True)
