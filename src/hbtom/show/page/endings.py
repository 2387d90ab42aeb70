"""How a trial went, in a sentence, and its least likely step."""

from __future__ import annotations

import math

from hbtom.assumptions import Grid
from hbtom.judgement.accounts import account, surprising
from hbtom.mind.regret import KEY, NOTHING
from hbtom.show.page.scenes import TrialScene, listed, per_cent
from hbtom.show.words import DETOUR, SURE, explain, fell_short
from hbtom.world.modes import UNIT

WORTH_SAYING = 0.3  # least waste of a step that is mentioned, in units of cost


def summary(scene: TrialScene) -> str:
    """Return how the trial went, and for the test trial also what was surprising about it."""
    if NOTHING in scene.posterior.goals:
        return "There is nothing it could want."
    if len(scene.posterior) == 0:
        return "It does not move."
    if scene.is_test and scene.in_company:
        called = {look: f"the {name}" for look, name in scene.names.items()}
        sentence = explain(account(scene.judgement, called))
        return f"{sentence[0].upper()}{sentence[1:]}."
    paddle = any(panel.kind == "paddle" for panel in scene.trial.panels)
    who = f"{scene.agent[0].upper()}{scene.agent[1:]}" if paddle else "It"
    sentence = f"{who} {_deeds(scene)}{_aside(scene)}{_wish(scene)}."
    if not scene.is_test:
        return sentence
    what = surprising(scene.judgement)
    why = f"This is surprising: {_why(scene, what)}" if what else "Nothing about this is surprising"
    return f"{sentence} {why}."


def _deeds(scene: TrialScene) -> str:
    """Return what the agent did: fetched the key, opened the lock, went somewhere."""
    picked, opened = (scene.steady.event(kind) for kind in ("pick up key", "reach lock"))
    deeds = []
    if picked is not None and scene.reached != KEY:
        deeds.append("fetched the key")
    if opened is not None:
        deeds.append("opened the lock")
    if scene.reached is None and scene.in_company:
        deeds.append("stopped without touching anything" if not deeds else "stopped")
    elif scene.reached is None:
        called = [scene.the(goal) for goal in range(len(scene.approaches))]
        deeds.append(fell_short(called, scene.went, scene.approaches))
    else:
        deeds.append(f"went to the {scene.names.get(scene.reached, 'key')}")
    return listed(deeds)


def _aside(scene: TrialScene) -> str:
    """Return, in words, whether the agent had no choice, or took a detour."""
    reachable = scene.posterior.reachable
    if not scene.arrived:
        return ""
    if reachable.sum() == 1 and len(reachable) > 1:
        return ", the only thing it can reach"
    if scene.detour > DETOUR:
        return f" by a detour, {scene.detour:.2f} times the shortest way"
    return ""


def _wish(scene: TrialScene) -> str:
    """Return what the agent probably wants, unless it went there and this is almost certain."""
    chance = float(scene.posterior.goal[-1].max())
    if not scene.arrived:
        return f"; it probably wants {scene.the(scene.went)} ({per_cent(chance)})"
    return (
        "" if chance >= SURE else f"; it is {per_cent(chance)} certain that this is what it wants"
    )


def _why(scene: TrialScene, what: str) -> str:
    """Return what was surprising, in words, given its kind."""
    if what == "goal":
        expected = scene.leaders[0]
        if expected is None or expected == scene.went:
            return "it had shown no clear preference before"
        return f"it was expected to go to {scene.the(expected)}{history(scene, expected)}"
    if what == "efficiency":
        mean = scene.posterior.efficiency @ scene.posterior.efficiencies
        return f"it went {'less' if mean[-1] < mean[0] else 'more'} efficiently than expected"
    if scene.detour > DETOUR:
        return "it was not expected to take such a detour"
    if what == "waste":
        return "it wasted more effort in total than expected"
    return "one of its steps was very unlikely, whatever it wants"


def history(scene: TrialScene, goal: int) -> str:
    """Return, in words, how often the agent took a goal, if it ever had a choice."""
    count, times = len(scene.choices), scene.times(goal)
    if count and not any(scene.choices) and not scene.in_company:
        return ", though it reached nothing before"
    known = count and (times or not scene.in_company)  # others may be liked without being taken
    took = "took"
    if scene.is_agent(goal):
        took = "copied" if scene.copied(goal) else "approached"
    return f", which it {took} {times} of {count} times" if known else ""


def peak(scene: TrialScene) -> tuple[int, str]:
    """Return the frame at which the least likely step of a trial ends, and a sentence about it."""
    posterior = scene.posterior
    step = int(posterior.log_likelihood.argmin())
    sentence = f"Its least likely step ends here, {_likelihood(scene, step)}"
    wasted = float(posterior.likelihood.regret.step_regret[step, scene.went])
    if wasted >= WORTH_SAYING:
        sentence += f"; it wastes {wasted * UNIT:.0f} pixels of walking"
    return int(posterior.frame[step + 1]), f"{sentence}."


def _likelihood(scene: TrialScene, step: int) -> str:
    """Return how likely a step was: its probability on the grid, else compared with chance."""
    log = float(scene.posterior.log_likelihood[step])
    if isinstance(scene.judgement.model.motion, Grid):
        return f"with a probability of {per_cent(math.exp(log))}"
    times = math.exp(min(abs(log), 7.0))
    if times < 1.1:
        return "about as likely as a random step"
    much = f"{times:.1f}" if times < 10 else f"{times:.0f}" if times < 1000 else "over 1000"
    if log > 0:
        return f"though still {much} times likelier than a random step"
    return f"{much} times less likely than a random step"
