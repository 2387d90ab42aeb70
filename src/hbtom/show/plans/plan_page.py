"""The page of judged plans: the page of an episode, with a board for the world."""

from __future__ import annotations

from pathlib import Path

from hbtom import __version__
from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.show.document import document
from hbtom.show.page.viewer import TEMPLATE as PAGE
from hbtom.show.plans.plan_story import PlanScene, summary
from hbtom.show.plans.plan_values import plan_film, plan_name

TEMPLATE = Path(__file__).parent / "template"
STYLES = ("page", "drawings", str(TEMPLATE / "board"), "print")
SCRIPTS = (
    str(TEMPLATE / "steps"),  # how time is counted and named
    "tones",  # this and the others are those of an episode's page
    "film",
    str(TEMPLATE / "board"),  # the world
    "saving",
    "charts",
    "beliefs",
    "strip",
    "verdict",
    "player",
    "transport",
    "main",
)


def plan_page(judgement: PlanJudgement, other: PlanJudgement | None = None) -> str:
    """Return an HTML page to watch judged plans on, or two judgements side by side.

    It is a single document that needs no other file and no network.
    """
    both = [judgement] if other is None else [judgement, other]
    ends = [summary(PlanScene(one, len(one.plans) - 1)) for one in both]
    names = [plan_name(one.plans[-1]) for one in both]
    sentences = [f"{side}: {end}" for side, end in zip(("Left", "Right"), ends, strict=False)]
    return document(
        PAGE,
        STYLES,
        SCRIPTS,
        title=" and ".join(names),
        instead="; ".join(f"{name}: {end}" for name, end in zip(names, ends, strict=True)),
        data={
            "version": __version__,
            "films": [plan_film(one) for one in both],
            "differences": sentences if other is not None else [],
        },
    )
