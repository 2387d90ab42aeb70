"""Plans as text: the beliefs after every action, and what was surprising."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from hbtom.judgement.accounts import Account
from hbtom.show.terminal import columns
from hbtom.show.words import CLEAR, SURE, efficiency, plain


def beliefs_table(plan: dict[str, Any]) -> str:
    """Return the beliefs before the first action of a plan, and after each action.

    The plan is one of the ``plans`` of :meth:`hbtom.PlanJudgement.to_dict`.
    """
    goals = [f"P({plain(goal)})" for goal in plan["steps"][0]["goal"]]
    rows = [("step", "action", *goals, "efficiency", "surprise")]
    for number, step in enumerate(plan["steps"]):
        beliefs = (f"{chance:.3f}" for chance in step["goal"].values())
        mean = sum(float(value) * chance for value, chance in step["efficiency"].items())
        surprise = f"{round(step['observation_surprise'], 2) + 0.0:.2f}" if number else ""
        rows.append((str(number), plain(step["action"] or ""), *beliefs, f"{mean:.2f}", surprise))
    heading = f"{plain(PurePath(plan['plan']).name)}, by {plain(plan['agent'])}"
    return "\n".join([heading, *columns(rows, right="R." + "R" * (len(rows[0]) - 2))])


def explain_plan(told: Account, actions: tuple[str, ...]) -> str:
    """Say in a sentence what was surprising about a plan, or that nothing was."""
    if told.steps == 0:
        return "it does nothing"
    if told.surprising == "goal":
        return _other_goal(told)
    if told.surprising == "efficiency":
        return f"{_wanted(told)}, {efficiency(told)}"
    if told.surprising == "observation":
        step = told.unlikely[0]
        return f"did something unlikely in step {step + 1}, {plain(actions[step])}"
    if told.surprising == "waste":
        return f"{_wanted(told)}, and wasted more on the way than expected"
    return f"{_wanted(told)}{_history(told, told.goal[-1])}; nothing surprising"


def _other_goal(told: Account) -> str:
    expected, then, last = (told.goals[goal] for goal in told.goal)
    wanted = last if then == last else f"{then}, as it seemed, and then {last}"
    if expected == then or told.chance[0] <= CLEAR:
        return f"had no clear preference so far, and wanted {wanted}"
    return f"expected {expected}{_history(told, told.goal[0])}; wanted {wanted}"


def _wanted(told: Account) -> str:
    """Say "wanted" if the goal is clear in the end, and "seems to have wanted" if it is not."""
    sure = "wanted" if told.chance[-1] >= SURE else "seems to have wanted"
    return f"{sure} {told.goals[told.goal[-1]]}"


def _history(told: Account, goal: int) -> str:
    """Say how often the same agent wanted a goal when it had a choice."""
    past = told.history
    return f", wanted {past.chosen[goal]} of {past.choices} times" if past.choices else ""
