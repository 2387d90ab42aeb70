"""A judgement in words: what was expected, what happened, what was surprising."""

from __future__ import annotations

from collections.abc import Sequence

from hbtom.judgement import Judgement
from hbtom.judgement.account import Account, account, detour
from hbtom.mind.regret import KEY, NOTHING
from hbtom.observe import Identity, names

SURE = 0.9  # a goal that is less probable than this is stated with reserve
CLEAR = 0.5  # a goal must be more probable than this to be expected
DETOUR = 1.1  # times the shortest way: a longer way is called a detour


def explain(judgement: Judgement) -> str:
    """Say in a sentence what was surprising about the test trial, or that nothing was."""
    told = account(judgement)
    if NOTHING in told.goals:
        return "there is nothing that it could want"
    if told.steps == 0:
        return "it does not move"
    if told.surprising == "goal":
        return _other_goal(told, has_past=len(judgement.episode.trials) > 1)
    if told.surprising == "efficiency":
        return f"went to {_called(told)[told.goal[-1]]} {efficiency(told)}"
    if told.surprising:
        return _wasteful(judgement, told)
    return _as_expected(told)


def _as_expected(told: Account) -> str:
    went = _called(told)[told.goal[-1]]
    if len(told.goals) == 1:
        return f"went to {went}, about as efficiently as expected"
    if told.reachable == 1:
        return f"went to {went}, the only one it can reach"
    sure = "went to" if told.chance[-1] >= SURE else "seems to have gone to"
    return f"{sure} {went}{_history(told, told.goal[-1])}; nothing surprising"


def _other_goal(told: Account, *, has_past: bool) -> str:
    expected, then, last = (_called(told)[goal] for goal in told.goal)
    went = last if then == last else f"{then}, as it seemed, and then to {last}"
    if has_past and not told.history.seen:
        return f"{name_of(told.agent)} was not seen before, and went to {went}"
    if expected == then or told.chance[0] <= CLEAR:
        return f"had no clear preference so far, and went to {went}"
    return f"expected {expected}{_history(told, told.goal[0])}; went to {went}"


def efficiency(told: Account) -> str:
    """Say that an agent was less or more efficient than expected."""
    before, then = told.efficiency
    how = "less" if then < before else "more"
    return f"{how} efficiently than expected (efficiency {then:.2g}, expected {before:.2g})"


def _wasteful(judgement: Judgement, told: Account) -> str:
    """Say that the agent took a detour, or else what was unlikely about its way."""
    went, test = _called(told)[told.goal[-1]], judgement.test
    length = detour(judgement.episode.trials[-1], test, judgement.model.observation)
    if length > DETOUR:
        return f"went to {went} by a detour, {length:.1f} times the shortest way"
    if told.surprising == "observation":
        frame = test.frame[told.unlikely + 1] + 1
        return f"did something unlikely up to frame {frame} on its way to {went}"
    return f"went to {went}, wasting more on the way than expected"


def _history(told: Account, goal: int) -> str:
    """Say how often the agent went there when it had a choice."""
    past = told.history
    if past.choices:
        return f", chosen {past.chosen[goal]} of {past.choices} times"
    return "" if past.seen else f" ({name_of(told.agent)} was not seen before)"


def _called(told: Account) -> Sequence[str]:
    """Return the names of the goals, told apart where two of them look alike."""
    goals = [name_of(goal) for goal in told.goals]
    return goals if len(set(goals)) == len(goals) else [plain(name) for name in names(told.goals)]


def name_of(look: Identity) -> str:
    """Return the name of an image as people see it; the key is "the key"."""
    return "the key" if look == KEY else plain(str(look))


def plain(text: str) -> str:
    """Return text that is safe on a terminal: what is not printable becomes a question mark."""
    return "".join(c if c.isprintable() else "?" for c in text)
