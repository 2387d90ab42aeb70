"""Judgements of episodes and of plans as text for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from string import ascii_uppercase
from typing import Annotated, Any

import numpy as np

from hbtom.arrays import Floats
from hbtom.judgement import Judgement
from hbtom.judgement.accounts import Account
from hbtom.judgement.mistakes import Mistakes
from hbtom.mind import Posterior
from hbtom.observe import names
from hbtom.show.company_beliefs import aims, company_of
from hbtom.show.words import CLEAR, SURE, efficiency, explain, plain

WIDEST = 119  # most characters in a line


@dataclass(frozen=True)
class JudgementRow:
    """One judgement in a table."""

    name: str
    plausibility: float
    surprise: Mapping[str, float]
    sentence: str
    missing: str = ""  # why there is no plausibility
    trace: str = ""  # the beliefs at every step


def judgement_row(judgement: Judgement, account: Account, *, trace: bool = False) -> JudgementRow:
    """Return the row of a judgement, given an account of it.

    ``trace`` adds the beliefs at every step.
    """
    return JudgementRow(
        name=judgement.episode.name,
        plausibility=judgement.plausibility,
        surprise=judgement.surprise.to_dict(),
        sentence=explain(account),
        missing=judgement.missing,
        trace=trace_table(judgement) if trace else "",
    )


def judgement_table(rows: Sequence[JudgementRow], heading: str = "file") -> str:
    """Return two lines per row, plausibility with surprises, and a sentence; then traces.

    If a plausibility is missing, the last column says why.
    """
    kinds = list(dict.fromkeys(kind for row in rows for kind in row.surprise))
    surprises = [f"surprise: {kind}" for kind in kinds[:1]] + kinds[1:]
    why = ["missing because"] if any(row.missing for row in rows) else []
    cells = [(heading, "plausibility", *surprises, *why)]
    for row in rows:
        numbers = (two(row.surprise[kind]) if kind in row.surprise else "" for kind in kinds)
        known = three(row.plausibility), *numbers
        told = [""] * len(known) if row.missing else known
        cells.append((plain(PurePath(row.name).name), *told, *(row.missing for _ in why)))
    first, *lines = columns(cells, right="." + "R" * (len(kinds) + 1))
    text = [f"{line}\n    {row.sentence}" for line, row in zip(lines, rows, strict=True)]
    traces = [f"\n{plain(row.name)}, test trial\n{row.trace}" for row in rows if row.trace]
    return "\n".join([first, *text, *traces])


def three(value: float) -> str:
    """Return a plausibility, or a part of one, with three decimals; it may be missing."""
    if math.isnan(value):
        return "missing"
    return f"{value:.3f}" if value >= 0.0005 else "<0.001"


def two(value: float) -> str:
    """Return a surprise with two decimals; zero has no minus sign."""
    return f"{round(value, 2) + 0.0:.2f}"


def trace_table(judgement: Judgement) -> str:
    """Return the beliefs before the first step of the test trial, and after each step."""
    test = judgement.test
    called, wanted = names(test.goals), aims(test)
    goals = [f"P({plain(called[one.goal])} {one.where}".rstrip() + ")" for one in wanted]
    more, table = _company_columns(test)
    rows = [("step", "frame", *goals, "efficiency", *more, "surprise of the step")]
    mean = test.efficiency @ test.efficiencies
    surprise = ["", *(two(-value) for value in test.log_likelihood.tolist())]
    for step, frame in enumerate(test.frame):
        beliefs = (f"{one.chance[step]:.3f}" for one in wanted)
        known = (*beliefs, f"{mean[step]:.2f}", *(f"{chance:.3f}" for chance in table[step]))
        rows.append((str(step), str(frame + 1), *known, surprise[step]))
    return "\n".join([*narrow_columns(rows, "R" * len(rows[0])), *_believed_places(test)])


def _company_columns(test: Posterior) -> tuple[list[str], Annotated[Floats, "1+step column"]]:
    """Return the headings and the columns of beliefs about company; none without company."""
    known = company_of(test)
    if known is None:
        return [], np.empty((len(test) + 1, 0))
    heads, found = ["P(by itself)"], [known.cause[:, 0]]
    for look, name in zip(known.attitudes, names(tuple(known.attitudes)), strict=True):
        heads += [f"P({plain(name)} hinders)", f"P({plain(name)} helps)"]
        found += [known.attitudes[look][:, 0], known.attitudes[look][:, 2]]
    return heads, np.stack(found, axis=1)


def _believed_places(test: Posterior) -> Iterator[str]:
    """Yield a line for each thing that the agent may believe to be in several places."""
    known = company_of(test)
    for look, places in known.places.items() if known is not None else ():
        if len(places) < 2:
            continue
        listed = ", ".join(f"({x:g}, {y:g}) {chance:.3f}" for (x, y), chance in places)
        yield f"where it believes {plain(str(look))} to be: {listed}"


def narrow_columns(rows: Sequence[Sequence[str]], right: str = "") -> list[str]:
    """Return rows as :func:`columns` does; if lines are too long, headings become letters.

    The letters are explained below the table. Only headings of beliefs, "P(...)", are replaced.
    """
    lines = columns(rows, right)
    if max(map(len, lines)) <= WIDEST:
        return lines
    long = [head for head in rows[0] if head.startswith("P(")]
    letters = dict(zip(long, ascii_uppercase, strict=False))
    short = [letters.get(head, head) for head in rows[0]]
    return [*columns([short, *rows[1:]], right), *(f"{letters[one]}: {one}" for one in letters)]


def columns(rows: Sequence[Sequence[str]], right: str = "") -> list[str]:
    """Return rows as lines with aligned columns; ``right`` has an R for each column of numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    sides = right.ljust(len(widths), ".")
    lines = []
    for row in rows:
        cells = (
            cell.rjust(width) if side == "R" else cell.ljust(width)
            for cell, width, side in zip(row, widths, sides, strict=True)
        )
        lines.append("  ".join(cells).rstrip())
    return lines


def beliefs_table(plan: dict[str, Any], mistakes: Mistakes | None = None) -> str:
    """Return the beliefs before the first action of a plan, and after each action.

    The plan is one of the ``plans`` of :meth:`hbtom.PlanJudgement.to_dict`. A sentence below
    mentions the agent's mistakes, if there are any.
    """
    goals = [f"P({plain(goal)})" for goal in plan["steps"][0]["goal"]]
    ahead = ["foresight"] if "foresight" in plan["steps"][0] else []
    rows = [("step", "action", *goals, *ahead, "efficiency", "surprise")]
    for number, step in enumerate(plan["steps"]):
        likeliest = (max(step[axis], key=step[axis].__getitem__) for axis in ahead)
        beliefs = (f"{chance:.3f}" for chance in step["goal"].values())
        mean = sum(float(value) * chance for value, chance in step["efficiency"].items())
        surprise = two(step["observation_surprise"]) if number else ""
        action = plain(step["action"] or "")
        rows.append((str(number), action, *beliefs, *likeliest, f"{mean:.2f}", surprise))
    heading = f"{plain(PurePath(plan['plan']).name)}, by {plain(plan['agent'])}"
    actions = tuple(step["action"] for step in plan["steps"][1:])
    said = explain_mistakes(mistakes, actions) if mistakes is not None else ""
    lines = narrow_columns(rows, "R." + "R" * (len(rows[0]) - 2))
    return "\n".join([heading, *lines, *([said] if said else [])])


def explain_mistakes(mistakes: Mistakes, actions: tuple[str, ...]) -> str:
    """Return a sentence about what the agent did not foresee and when it changed its mind."""
    said = []
    if (one := mistakes.oversight) is not None:
        action, goal = plain(actions[one.step]), plain(one.goal)
        what = f"put {goal} out of reach" if math.isinf(one.cost) else f"take it away from {goal}"
        said.append(f"did not see that step {one.step + 1}, {action}, would {what}")
    if mistakes.changed is not None:
        said.append(f"changed its mind after step {mistakes.changed}")
    return f"it probably {' and '.join(said)}" if said else ""


def explain_plan(account: Account, actions: tuple[str, ...]) -> str:
    """Return a sentence about what was surprising about a plan, or that nothing was."""
    if account.steps == 0:
        return "it does nothing"
    if account.surprising == "goal":
        return _other_goal(account)
    if account.surprising == "efficiency":
        return f"{_wanted(account)}, {efficiency(account)}"
    if account.surprising == "observation":
        step = account.unlikely[0]
        return f"did something unlikely in step {step + 1}, {plain(actions[step])}"
    if account.surprising == "waste":
        return f"{_wanted(account)}, and wasted more on the way than expected"
    return f"{_wanted(account)}{_history(account, account.goal[-1])}; nothing surprising"


def _other_goal(account: Account) -> str:
    expected, then, last = (account.goals[goal] for goal in account.goal)
    wanted = last if then == last else f"{then}, as it seemed, and then {last}"
    if expected == then or account.chance[0] <= CLEAR:
        return f"had no clear preference so far, and wanted {wanted}"
    return f"expected {expected}{_history(account, account.goal[0])}; wanted {wanted}"


def _wanted(account: Account) -> str:
    """Return "wanted" if the goal is clear in the end, and "seems to have wanted" if not."""
    sure = "wanted" if account.chance[-1] >= SURE else "seems to have wanted"
    return f"{sure} {account.goals[account.goal[-1]]}"


def _history(account: Account, goal: int) -> str:
    """Return, in words, how often the same agent wanted a goal when it had a choice."""
    past = account.history
    return f", wanted {past.chosen[goal]} of {past.choices} times" if past.choices else ""
