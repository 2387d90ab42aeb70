"""A judgement in words: what was expected, what happened, what surprised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hbtom.judgement import Judgement
from hbtom.judgement.classifier import losses
from hbtom.judgement.surprises import shift
from hbtom.mind import Posterior
from hbtom.mind.regret import KEY
from hbtom.observe import Identity, names
from hbtom.world.seeing import UNIT
from hbtom.world.steady import way_length

if TYPE_CHECKING:
    from hbtom.judgement.plan_judging import PlanJudgement

SURE = 0.9  # a goal below this is not said without reserve
CLEAR = 0.5  # a goal must be likelier than this to be expected
SURPRISING = 0.25  # a part that loses more than this share to its surprise is worth a sentence


def surprising(judgement: Judgement | PlanJudgement) -> str:
    """Return the part of the plausibility that loses most to its surprise; none if all lose little.

    Parts are compared with their best, since without any surprise they differ, too.
    """
    lost = losses(judgement.model.classifier, judgement.parts)
    most = max(lost, key=lost.__getitem__)
    return most if lost[most] > SURPRISING else ""


def explain(judgement: Judgement) -> str:
    """Say in a sentence what was surprising about the test trial, or that nothing was."""
    if not judgement.episode.test.items:
        return "there is nothing that it could want"
    if len(judgement.test) == 0:
        return "it does not move"
    tell = {
        "goal": _other_goal,
        "efficiency": _other_efficiency,
        "observation": _unlikely_step,
        "waste": _wasteful,
    }
    return tell.get(surprising(judgement), _as_expected)(judgement)


def _as_expected(judgement: Judgement) -> str:
    test = judgement.test
    went = _likeliest(test, -1)
    if test.reachable.sum() == 1 and len(test.goals) > 1:
        return f"went to {went}, the only one it can reach"
    if len(test.goals) == 1:
        return f"went to {went}, about as efficiently as expected"
    return f"{_went(test)} {went}{_history(judgement, went)}; nothing surprising"


def _other_goal(judgement: Judgement) -> str:
    test = judgement.test
    expected, then = _likeliest(test, 0), _likeliest(test, int(shift(test.goal).argmax()))
    went = _likeliest(test, -1)
    if then != went:
        went = f"{then}, as it seemed, and then to {went}"
    if judgement.episode.familiarization and not _known(judgement):
        return f"{name_of(test.agent)} was not seen before, and went to {went}"
    if expected == then or test.goal[0].max() <= CLEAR:
        return f"had no clear preference so far, and went to {went}"
    return f"expected {expected}{_history(judgement, expected)}; went to {went}"


def _other_efficiency(judgement: Judgement) -> str:
    test = judgement.test
    mean = test.efficiency @ test.efficiencies
    then = mean[shift(test.efficiency).argmax()]
    how = "less" if then < mean[0] else "more"
    return (
        f"went to {_likeliest(test, -1)} {how} efficiently than expected "
        f"(efficiency {then:.2g}, expected {mean[0]:.2g})"
    )


def _unlikely_step(judgement: Judgement) -> str:
    test = judgement.test
    if _detour(judgement) > 1.1:
        return _wasteful(judgement)
    step = int(test.log_likelihood.argmin()) + 1
    return (
        f"did something unlikely up to frame {test.frame[step] + 1} on its way to "
        f"{_likeliest(test, -1)}"
    )


def _wasteful(judgement: Judgement) -> str:
    went, detour = _likeliest(judgement.test, -1), _detour(judgement)
    if detour > 1.1:
        return f"went to {went} by a detour, {detour:.1f} times the shortest way"
    return f"went to {went}, wasting more on the way than expected"


def _detour(judgement: Judgement) -> float:
    """Return how many times longer than needed the way to the likeliest goal was."""
    walked = way_length(judgement.episode.test, judgement.model.observation) / UNIT
    wasted = float(
        judgement.test.likelihood.regret.step_regret[:, judgement.test.goal[-1].argmax()].sum()
    )
    return walked / max(walked - wasted, UNIT / 100)


def _went(posterior: Posterior) -> str:
    """Say "went to" where the goal is clear at the end, and less where it is not."""
    return "went to" if posterior.goal[-1].max() >= SURE else "seems to have gone to"


def _history(judgement: Judgement, name: str) -> str:
    """Say how often the same agent went there when it had a choice."""
    earlier = [
        posterior
        for posterior in judgement.posteriors[:-1]
        if posterior.agent == judgement.test.agent and posterior.reachable.sum() > 1
    ]
    if not earlier:
        new = f" ({name_of(judgement.test.agent)} was not seen before)"
        return "" if _known(judgement) else new
    times = sum(_likeliest(posterior, -1) == name for posterior in earlier)
    return f", chosen {times} of {len(earlier)} times"


def _known(judgement: Judgement) -> bool:
    """Tell whether the agent was seen in familiarization."""
    return any(
        trial.agent.look == judgement.test.agent for trial in judgement.episode.familiarization
    )


def _likeliest(posterior: Posterior, time: int) -> str:
    goals = [name_of(goal) for goal in posterior.goals]
    if len(set(goals)) < len(goals):
        goals = [plain(name) for name in names(posterior.goals)]
    return goals[int(posterior.goal[time].argmax())]


def name_of(look: Identity) -> str:
    """Return the name of an image as people see it; the key is "the key"."""
    return "the key" if look == KEY else plain(str(look))


def plain(text: str) -> str:
    """Return text that cannot steer a terminal: what is not printable becomes a question mark."""
    return "".join(c if c.isprintable() else "?" for c in text)
