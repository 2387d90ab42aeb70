"""Judgements as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath

from hbtom.judgement import Judgement
from hbtom.observe import names
from hbtom.show.aligned import columns
from hbtom.show.words import explain, plain


def judgement_table(judgements: Iterable[Judgement]) -> str:
    """Return two lines a file: plausibility and the surprises, and a sentence.

    Of each judgement only its text is kept, so that there may be very many.
    """
    rows: list[tuple[str, ...]] = [("file", "plausibility")]
    sentences = []
    for judgement in judgements:
        surprise = judgement.surprise.to_dict()
        rows[0] = ("file", "plausibility", *headings(surprise))
        name = plain(PurePath(judgement.episode.name).name)
        numbers = (f"{value:.2f}" for value in surprise.values())
        rows.append((name, three(judgement.plausibility), *numbers))
        sentences.append(explain(judgement))
    heading, *lines = columns(rows, right="." + "R" * (len(rows[0]) - 1))
    text = [heading]
    for line, sentence in zip(lines, sentences, strict=True):
        text += [line, f"    {sentence}"]
    return "\n".join(text)


def headings(kinds: Iterable[str]) -> Iterator[str]:
    """Yield a heading for each kind of surprise; the first says that they are surprises."""
    for number, kind in enumerate(kinds):
        yield kind if number else f"surprise: {kind}"


def three(plausibility: float) -> str:
    """Return a plausibility with three decimals."""
    return f"{plausibility:.3f}" if plausibility >= 0.0005 else "<0.001"


def trace_table(judgement: Judgement) -> str:
    """Return what was believed before and after each step of the test trial."""
    test = judgement.test
    goals = [f"P({plain(name)})" for name in names(test.goals)]
    rows = [("step", "frame", *goals, "efficiency", "surprise of the step")]
    mean = test.efficiency @ test.efficiencies
    surprise = ["", *(f"{-value:.2f}" for value in test.log_likelihood)]
    for step, (frame, goal) in enumerate(zip(test.frame, test.goal, strict=True)):
        beliefs = (f"{probability:.3f}" for probability in goal)
        rows.append((str(step), str(frame + 1), *beliefs, f"{mean[step]:.2f}", surprise[step]))
    return "\n".join(columns(rows, right="R" * len(rows[0])))
