"""What agents want and believe, as tables and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import PurePath

import numpy as np

from hbtom.mind.desires import DesirePosterior
from hbtom.show.terminal import columns
from hbtom.show.words import CLEAR, SURE, plain

_EXPECTED = 0.6  # least probability, to an agent, of something that it is said to have expected


def desires_table(posteriors: Sequence[DesirePosterior]) -> str:
    """Return a line for each path with the beliefs at its end, and a sentence below."""
    tables = []
    for (things, expected), group in groupby(
        posteriors, lambda one: (one.things, (*one.expected,))
    ):
        members = list(group)
        rows = [("path", *_heads(things, expected))]
        rows += [(plain(PurePath(one.walk.name).name), *_cells(one, -1)) for one in members]
        head, *lines = columns(rows, right="." + "R" * (len(rows[0]) - 1))
        entries = (
            f"{line}\n    {explain_desires(one)}" for line, one in zip(lines, members, strict=True)
        )
        tables.append("\n".join([head, *entries]))
    return "\n\n".join(tables)


def desires_trace(one: DesirePosterior) -> str:
    """Return the beliefs before the first step of a path, and after each step."""
    rows = [("step", "action", *_heads(one.things, (*one.expected,)))]
    actions = ("", *map(plain, one.walk.words))
    rows += [(str(step), action, *_cells(one, step)) for step, action in enumerate(actions)]
    return "\n".join(
        [plain(PurePath(one.walk.name).name), *columns(rows, right="R." + "R" * (len(rows[0]) - 2))]
    )


def _heads(things: Sequence[str], expected: Sequence[str]) -> list[str]:
    groups = [("likes: ", things), ("expected: ", expected if len(expected) > 1 else ())]
    return [
        f"{'' if at else head}{plain(one)}"
        for head, names in groups
        for at, one in enumerate(names)
    ]


def _cells(one: DesirePosterior, step: int) -> list[str]:
    believed = one.expected.values() if len(one.expected) > 1 else ()
    return [f"{rating:.1f}" for rating in one.rating[step]] + [f"{b[step]:.2f}" for b in believed]


def explain_desires(one: DesirePosterior) -> str:
    """Return a sentence about what an agent seems to want, and what it expected."""
    if one.random[-1] > CLEAR:
        return "it seems to act at random"
    best, chance = _best(one)
    probably = "" if chance >= SURE else "probably "
    if len(one.things) in best:
        return f"it {probably}wants none of this{_expected(one)}"
    likes = " or ".join(plain(one.things[thing]) for thing in best)
    return f"it {probably}likes {likes} best{_sought(one, best)}{_expected(one)}"


def _best(one: DesirePosterior) -> tuple[list[int], float]:
    """Return the few things one of which the agent probably likes best."""
    best, chance = list[int](), 0.0
    while chance <= CLEAR:
        best.append(int(np.argsort(-one.best[-1], kind="stable")[len(best)]))
        chance = float(one.best[-1, best].sum())
    return best, chance


def _sought(one: DesirePosterior, best: list[int]) -> str:
    """Return, in words, what an agent did about the things that it may like best."""
    unsure, names = one.possible.sum(axis=1), [one.things[thing] for thing in best]
    took = " and took it" if set(one.had) & set(names) else ""
    instead = f", and took {plain(one.had[0])} instead" if one.had and not took else ""
    if not any(one.uncertain.hidden[thing] for thing in best) or unsure[0] == 1:
        return took or instead.replace("and", "but", 1)
    there = one.uncertain.there[:, best]
    whether = "what was there" if len(best) > 1 else "whether it was there"
    if unsure[-1] == unsure[0]:
        return f", but did not go to see {whether}{instead}" if one.had else ""
    went = ", went to look for it" if there.all() else f", went to see {whether}"
    lacks = len(best) == 1 and not there[one.walk.truth].any()
    return f"{went}{',' + took if took else instead or (', and it was not' if lacks else '')}"


def _expected(one: DesirePosterior) -> str:
    """Return, in words, what an agent expected at first, if it did not know."""
    if one.possible[0].sum() == 1:
        return ""
    sure = [plain(name) for name, chance in one.expected.items() if chance[-1] >= _EXPECTED]
    return f"; it expected {' and '.join(sure)}" if sure else "; it had no clear expectation"
