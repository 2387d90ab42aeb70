"""The data of the page of a plan, as plain values; the same as for an episode where possible.

A plan is a trial, and each of its states a frame: frame 0 is before the first action.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import PurePath

import msgspec

from hbtom.assumptions import depth_names
from hbtom.judgement.plan_judging import ALONE, PlanJudgement
from hbtom.observe import Identity
from hbtom.show.page.page_values import beliefs, verdict
from hbtom.show.page.plain_values import CHANCES, PIXELS, Plain, numbers
from hbtom.show.plans.board import Board, Token, draw_board
from hbtom.show.plans.plan_story import PlanScene, plan_chapter
from hbtom.show.plots.signs import NO_COLOUR
from hbtom.show.words import plain
from hbtom.world.pddl import Plan, SeenPlan
from hbtom.world.pddl.grounded_world import spoken


def plan_film(judgement: PlanJudgement) -> Plain:
    """Return judged plans as plain values for the page; a single plan has no plausibility."""
    goals = list(dict.fromkeys(goal for one in judgement.posteriors for goal in one.goals))
    alone = {"plausibility": None, "parts": None} if len(judgement.plans) == 1 else {}
    depths = depth_names(judgement.test.foresights)
    return {
        "name": plan_name(judgement.plans[-1]),
        **verdict(judgement),
        **alone,
        "curves": msgspec.to_builtins(judgement.model.classifier),
        "model": plain(judgement.model.name),
        "fingerprint": judgement.model.fingerprint,
        "motion": "grid",  # steps are chosen from a few
        "warnings": [plain(warning) for warning in judgement.warnings if warning != ALONE],
        "items": [{"name": plain(str(goal)), "rgb": NO_COLOUR} for goal in goals],
        "efficiencies": numbers(judgement.test.efficiencies, CHANCES),
        "foresights": depths if len(depths) > 1 else [],
        "trials": [_trial(PlanScene(judgement, i), goals) for i in range(len(judgement.plans))],
    }


def plan_name(plan: SeenPlan) -> str:
    """Return the name of a plan without its folder."""
    return plain(PurePath(plan.name).name)


def _trial(scene: PlanScene, goals: Sequence[Identity]) -> Plain:
    plan, posterior, story = scene.plan, scene.posterior, plan_chapter(scene)
    known = {**beliefs(posterior, goals), "frame": list(range(len(plan) + 1))}
    if len(posterior.foresights) > 1:
        known["foresight"] = numbers(posterior.foresight, CHANCES)
    return {
        "frames": len(plan) + 1,
        "motion": None,
        "name": plan_name(plan),
        "agent": {"name": plain(plan.agent), "rgb": NO_COLOUR},
        "actions": [plain(step) for step in plan.steps],
        "changes": _changes(plan),
        "board": _board(scene, goals),
        "beliefs": known,
        "summary": story.summary,
        "moments": [[moment.frame, moment.kind, moment.text] for moment in story.moments],
    }


def _changes(plan: SeenPlan) -> list[tuple[list[str], list[str]]]:
    """Return the facts that become true and false in each step, if known."""
    if not isinstance(plan, Plan):
        return []
    states = [plan.world.true_in(state) for state in plan.states]
    return [
        (
            [plain(spoken(one)) for one in sorted(now - was)],
            [plain(spoken(one)) for one in sorted(was - now)],
        )
        for was, now in pairwise(states)
    ]


def board_of(scene: PlanScene) -> Board | None:
    """Return the board; None if some actions were not seen, so that the states are unknown."""
    return draw_board(scene.plan, scene.wanted) if isinstance(scene.plan, Plan) else None


def _board(scene: PlanScene, goals: Sequence[Identity]) -> Plain | None:
    board = board_of(scene)
    if board is None:
        return None
    item = [goals.index(Identity(goal.name)) for goal in scene.wanted]
    return {
        "size": numbers(board.size, PIXELS),
        "panels": [
            [
                one.name,
                one.kind,
                *numbers(one.box, PIXELS),
                None if one.goal is None else item[one.goal],
            ]
            for one in board.panels
        ],
        "links": numbers(board.links, PIXELS),
        "walls": numbers(board.walls, PIXELS),
        "tokens": [_token(one, item) for one in board.tokens],
    }


def _token(token: Token, item: Sequence[int]) -> Plain:
    """Return a token with its spots as a list of changes, which are empty where it is not shown."""
    path: list[list[float]] = []
    for frame, spot in enumerate(token.spots):
        if not frame or spot != token.spots[frame - 1]:
            path.append([frame, *(() if spot is None else numbers(spot, PIXELS))])
    return {
        "name": token.name,
        "kind": token.kind,
        "size": numbers(token.size, PIXELS),
        "path": path,
        "item": None if token.goal is None else item[token.goal],
    }
