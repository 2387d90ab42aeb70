"""Plans that were seen, as text: what is believed after every action, and what surprised."""

from __future__ import annotations

from pathlib import PurePath

from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.judgement.surprises import shift
from hbtom.mind import Posterior
from hbtom.show.aligned import columns
from hbtom.show.terminal import headings, three
from hbtom.show.words import CLEAR, SURE, plain, surprising
from hbtom.world.pddl import SeenPlan


def beliefs_table(plan: SeenPlan, posterior: Posterior) -> str:
    """Return what is believed before the first action of a plan, and after each."""
    goals = [f"P({goal})" for goal in posterior.goals]
    rows = [("step", "action", *goals, "efficiency", "surprise")]
    mean = posterior.efficiency @ posterior.efficiencies
    surprise = ["", *(f"{0.0 - round(value, 2):.2f}" for value in posterior.log_likelihood)]
    for step, (action, belief) in enumerate(zip(("", *plan.steps), posterior.goal, strict=True)):
        numbers = (*(f"{value:.3f}" for value in belief), f"{mean[step]:.2f}", surprise[step])
        rows.append((str(step), plain(action), *numbers))
    heading = f"{_name(plan)}, by {plain(plan.agent)}"
    return "\n".join([heading, *columns(rows, right="R." + "R" * (len(rows[0]) - 2))])


def verdict_table(judgement: PlanJudgement) -> str:
    """Return how plausible the last plan is, the surprises, and a sentence."""
    surprise = judgement.surprise.to_dict()
    numbers = (f"{value:.2f}" for value in surprise.values())
    rows = [
        ("plan", "plausibility", *headings(surprise)),
        (_name(judgement.plans[-1]), three(judgement.plausibility), *numbers),
    ]
    right = "." + "R" * (len(rows[0]) - 1)
    return "\n".join([*columns(rows, right=right), f"    {explain_plan(judgement)}"])


def explain_plan(judgement: PlanJudgement) -> str:
    """Say in a sentence what was surprising about the last plan, or that nothing was."""
    if len(judgement.test) == 0:
        return "it does nothing"
    tell = {
        "goal": _other_goal,
        "efficiency": _other_efficiency,
        "observation": _unlikely_step,
        "waste": _wasteful,
    }
    return tell.get(surprising(judgement), _as_expected)(judgement)


def _as_expected(judgement: PlanJudgement) -> str:
    test = judgement.test
    return f"{_wanted(test)}{_history(judgement, _likeliest(test, -1))}; nothing surprising"


def _other_goal(judgement: PlanJudgement) -> str:
    test = judgement.test
    expected, then = _likeliest(test, 0), _likeliest(test, int(shift(test.goal).argmax()))
    last = _likeliest(test, -1)
    wanted = last if then == last else f"{then}, as it seemed, and then {last}"
    if expected == then or test.goal[0].max() <= CLEAR:
        return f"had no clear preference so far, and wanted {wanted}"
    return f"expected {expected}{_history(judgement, expected)}; wanted {wanted}"


def _other_efficiency(judgement: PlanJudgement) -> str:
    test = judgement.test
    mean = test.efficiency @ test.efficiencies
    then = mean[shift(test.efficiency).argmax()]
    how = "less" if then < mean[0] else "more"
    change = f"(efficiency {then:.2g}, expected {mean[0]:.2g})"
    return f"{_wanted(test)}, {how} efficiently than expected {change}"


def _unlikely_step(judgement: PlanJudgement) -> str:
    step = int(judgement.test.log_likelihood.argmin())
    return f"did something unlikely in step {step + 1}, {plain(judgement.plans[-1].steps[step])}"


def _wasteful(judgement: PlanJudgement) -> str:
    return f"{_wanted(judgement.test)}, and wasted more on the way than expected"


def _wanted(posterior: Posterior) -> str:
    """Say "wanted" where the goal is clear at the end, and less where it is not."""
    sure = posterior.goal[-1].max() >= SURE
    return f"{'wanted' if sure else 'seems to have wanted'} {_likeliest(posterior, -1)}"


def _history(judgement: PlanJudgement, goal: str) -> str:
    """Say how often the same agent wanted it when it had a choice."""
    earlier = [
        posterior
        for posterior in judgement.posteriors[:-1]
        if posterior.agent == judgement.test.agent and posterior.reachable.sum() > 1
    ]
    if not earlier:
        return ""
    times = sum(_likeliest(posterior, -1) == goal for posterior in earlier)
    return f", wanted {times} of {len(earlier)} times"


def _likeliest(posterior: Posterior, time: int) -> str:
    return str(posterior.goals[int(posterior.goal[time].argmax())])


def _name(plan: SeenPlan) -> str:
    return plain(PurePath(plan.name).name)
