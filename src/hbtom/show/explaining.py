"""The sentence of a judgement, of an episode or of plans."""

from __future__ import annotations

from hbtom.judgement.accounts import account, plan_account
from hbtom.judgement.judging import Judgement
from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.show.terminal import explain_plan
from hbtom.show.words import explain


def explanation(judgement: object) -> str:
    """Say in a sentence what was surprising about the last trial or plan."""
    if isinstance(judgement, PlanJudgement):
        return explain_plan(plan_account(judgement), judgement.plans[-1].steps)
    if isinstance(judgement, Judgement):
        return explain(account(judgement))
    raise TypeError(f"a {type(judgement).__name__} is not a judgement")
