"""The account of a test trial in words: what was expected, what happened, what was surprising."""

from __future__ import annotations

from collections.abc import Iterable

from hbtom.judgement.accounts import Account

SURE = 0.9  # a goal that is less probable than this is stated with reserve
CLEAR = 0.5  # a goal must be more probable than this to be expected
DETOUR = 1.1  # times the shortest way: a longer way is called a detour


def explain(told: Account) -> str:
    """Say in a sentence what was surprising about the test trial, or that nothing was.

    The account is that of :func:`hbtom.judgement.account`.
    """
    if not told.goals:
        return "there is nothing that it could want"
    if told.steps == 0:
        return "it does not move"
    went = plain(told.goals[told.goal[-1]])
    if told.surprising == "goal":
        return _other_goal(told, went)
    if told.surprising == "efficiency":
        return f"went to {went} {efficiency(told)}"
    if told.surprising and told.detour > DETOUR:
        return f"went to {went} by a detour, {told.detour:.1f} times the shortest way"
    if told.surprising == "observation":
        return f"did something unlikely up to frame {told.unlikely[1] + 1} on its way to {went}"
    if told.surprising == "waste":
        return f"went to {went}, wasting more on the way than expected"
    return _as_expected(told, went)


def _as_expected(told: Account, went: str) -> str:
    if len(told.goals) == 1:
        return f"went to {went}, about as efficiently as expected"
    if told.reachable == 1:
        return f"went to {went}, the only one it can reach"
    sure = "went to" if told.chance[-1] >= SURE else "seems to have gone to"
    return f"{sure} {went}{_history(told, told.goal[-1])}; nothing surprising"


def _other_goal(told: Account, went: str) -> str:
    expected, then, _ = (plain(told.goals[goal]) for goal in told.goal)
    if then != went:
        went = f"{then}, as it seemed, and then to {went}"
    if told.history.trials and not told.history.seen:
        return f"{plain(told.agent)} was not seen before, and went to {went}"
    if expected == then or told.chance[0] <= CLEAR:
        return f"had no clear preference so far, and went to {went}"
    return f"expected {expected}{_history(told, told.goal[0])}; went to {went}"


def efficiency(told: Account) -> str:
    """Say that an agent was less or more efficient than expected."""
    before, then = told.efficiency
    how = "less" if then < before else "more"
    return f"{how} efficiently than expected (efficiency {then:.2g}, expected {before:.2g})"


def _history(told: Account, goal: int) -> str:
    """Say how often the agent went there when it had a choice."""
    past = told.history
    if past.choices:
        return f", chosen {past.chosen[goal]} of {past.choices} times"
    return "" if past.seen else f" ({plain(told.agent)} was not seen before)"


def distinct(names: Iterable[str], numbered: str = "{} ({})") -> list[str]:
    """Return names that all differ, even if case is ignored; repeated ones get a number."""
    found: dict[str, str] = {}
    for name in names:
        free, number = name, 1
        while free.casefold() in found:
            number += 1
            free = numbered.format(name, number)
        found[free.casefold()] = free
    return list(found.values())


def plain(text: str) -> str:
    """Return text that is safe on a terminal: what is not printable becomes a question mark."""
    return "".join(c if c.isprintable() else "?" for c in text)
