"""Plans as text: the beliefs after every action, and what was surprising."""

from __future__ import annotations

from pathlib import PurePath

from hbtom.judgement.account import Account, plan_account
from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.mind import Posterior
from hbtom.show.aligned import columns
from hbtom.show.terminal import Row, judgement_table
from hbtom.show.words import CLEAR, SURE, efficiency, plain
from hbtom.world.pddl import SeenPlan


def beliefs_table(plan: SeenPlan, posterior: Posterior) -> str:
    """Return the beliefs before the first action of a plan, and after each action."""
    goals = [f"P({goal})" for goal in posterior.goals]
    rows = [("step", "action", *goals, "efficiency", "surprise")]
    mean = posterior.efficiency @ posterior.efficiencies
    surprise = ["", *(f"{0.0 - round(value, 2):.2f}" for value in posterior.log_likelihood)]
    for step, (action, belief) in enumerate(zip(("", *plan.steps), posterior.goal, strict=True)):
        numbers = (*(f"{value:.3f}" for value in belief), f"{mean[step]:.2f}", surprise[step])
        rows.append((str(step), plain(action), *numbers))
    heading = f"{plain(PurePath(plan.name).name)}, by {plain(plan.agent)}"
    return "\n".join([heading, *columns(rows, right="R." + "R" * (len(rows[0]) - 2))])


def verdict_table(judgement: PlanJudgement) -> str:
    """Return how plausible the last plan is, the surprises, and a sentence."""
    surprise, sentence = judgement.surprise.to_dict(), explain_plan(judgement)
    row = Row(judgement.plans[-1].name, judgement.plausibility, surprise, sentence)
    return judgement_table([row], heading="plan")


def explain_plan(judgement: PlanJudgement) -> str:
    """Say in a sentence what was surprising about the last plan, or that nothing was."""
    told = plan_account(judgement)
    if told.steps == 0:
        return "it does nothing"
    if told.surprising == "goal":
        return _other_goal(told)
    if told.surprising == "efficiency":
        return f"{_wanted(told)}, {efficiency(told)}"
    if told.surprising == "observation":
        action = plain(judgement.plans[-1].steps[told.unlikely])
        return f"did something unlikely in step {told.unlikely + 1}, {action}"
    if told.surprising == "waste":
        return f"{_wanted(told)}, and wasted more on the way than expected"
    return f"{_wanted(told)}{_history(told, told.goal[-1])}; nothing surprising"


def _other_goal(told: Account) -> str:
    expected, then, last = (str(told.goals[goal]) for goal in told.goal)
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
