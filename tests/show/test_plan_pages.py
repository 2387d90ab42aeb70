"""Plans on a page in a real browser, in a movie, and in sentences."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import hbtom
from browsing import Browser
from domains import EXAMPLES, example
from hbtom.errors import BadInput
from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.show.plans import plan_page as build
from hbtom.show.plans.board import draw_board
from hbtom.show.plans.plan_page import plan_page
from hbtom.show.plans.plan_story import PlanScene, plan_chapter
from hbtom.show.plots.movie import Pace
from hbtom.show.plots.plan_movie import DOTS, animate_plans
from hbtom.show.plots.sheet import INCH, LINE
from hbtom.world.pddl import load_goals, load_plan, read_partial_plan

GEMS = EXAMPLES / "doors-keys-gems"


def judged(*names: str, world: str = "doors-keys-gems", **how: object) -> PlanJudgement:
    """Return the judgement of plans of an example."""
    known, folder = example(world), EXAMPLES / world
    plans = [load_plan(known, folder / "plans" / f"{name}.plan") for name in names]
    return hbtom.infer_plans(load_goals(known, folder / "goals.txt"), plans, **how)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def turning() -> PlanJudgement:
    """The agent sets off for one gem, turns back, and takes another."""
    return judged("turns-back")


@pytest.fixture(scope="module")
def page(written: Callable[[str], Path], turning: PlanJudgement) -> Path:
    return written(plan_page(turning))


# In the browser


def test_keys_control_it_and_it_shows_the_action(
    browser: Browser, page: Path, turning: PlanJudgement
) -> None:
    browser.open(page)
    assert browser.text(".where") == "Plan 1step 0 of 15"
    assert browser.text(".sentence") == "It may want gem-a, gem-b or gem-c."
    browser.press("ARROW_RIGHT", "ARROW_RIGHT")
    assert browser.run("return location.hash") == "#plan=1&step=2"
    assert browser.texts(".actions [aria-current] code") == ["(move c34 c33)"]
    assert browser.texts(".changed code") == ["+ (at c33)", "− (at c34)"]
    assert browser.text(".sentence") == "It now clearly wants gem-c (95 %)."
    told = browser.text(".chart-box.goal .value")
    assert told == " · ".join(
        f"{goal} {100 * chance:.1f} %"
        for goal, chance in zip(turning.test.goals, turning.test.goal[2], strict=True)
    )
    browser.press("END")
    assert browser.run("return location.hash") == "#plan=1&step=15"
    assert "It wanted gem-b (over 99 %), and attained it." in browser.text(".sentence")
    assert browser.complaints() == []
    assert browser.requests() == [f"{page.as_uri()}"]


SPOT = """
const box = document.querySelector('.token.agent rect').getBoundingClientRect();
const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
return [...document.querySelectorAll('.panel.cell')].filter((cell) => {
  const at = cell.querySelector('rect').getBoundingClientRect();
  return at.left < x && x < at.right && at.top < y && y < at.bottom;
}).map((cell) => cell.querySelector('title').textContent);
"""


def test_the_agent_walks_and_things_are_taken(
    browser: Browser, page: Path, turning: PlanJudgement
) -> None:
    for step in (0, 4, 10, 15):
        browser.open(page, f"#plan=1&step={step}")
        true = turning.plans[0].world.true_in(turning.plans[0].states[step])  # type: ignore[union-attr]
        assert browser.run(SPOT) == [fact[1] for fact in true if fact[0] == "at"]
    browser.run("document.querySelector('.actions button').click()")
    assert browser.run("return location.hash") == "#plan=1&step=1"


def test_it_plays_to_the_end(browser: Browser, page: Path) -> None:
    browser.open(page, "#plan=1&step=13")
    browser.press("+", "+", "+", "+")
    browser.click(".play")
    browser.wait("return document.querySelector('.play.playing') === null")
    assert browser.run("return location.hash") == "#plan=1&step=15"


@pytest.mark.parametrize("width", [390, 1400])
def test_it_fits_the_window(browser: Browser, page: Path, width: int) -> None:
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        browser.open(page, "#plan=1&step=9")
        assert browser.run("return document.documentElement.scrollWidth") <= width
        world, chart = (
            browser.run(f"return document.querySelector('{one}').getBoundingClientRect().toJSON()")
            for one in (".plan-world", ".charts")
        )
        assert world["right"] <= width
        assert (chart["left"] > world["right"]) == (width > 860)
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_beliefs_are_saved_with_their_actions(
    browser: Browser, page: Path, turning: PlanJudgement, tmp_path: Path
) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    browser.open(page)
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    browser.click(".save-CSV")
    file = tmp_path / "turns-back.csv"
    WebDriverWait(browser.driver, 10).until(lambda _: file.exists())
    rows = list(csv.DictReader(file.read_text().splitlines()))
    last = [row for row in rows if (row["step"], row["belief"]) == ("15", "goal")]
    assert {row["action"] for row in last} == {"(pick-up gem-b c08)"}
    chances = {row["value"]: float(row["probability"]) for row in last}
    assert list(chances.values()) == pytest.approx(turning.test.goal[-1].tolist(), abs=1e-5)


def test_several_plans_are_judged_and_two_pages_are_compared(
    browser: Browser, written: Callable[[str], Path], turning: PlanJudgement
) -> None:
    one = judged("gem-a", "gem-a", "gem-b")
    browser.open(written(plan_page(one, judged("gem-a", "wrong-door", model="people"))))
    assert browser.texts(".plausibility b")[0] == f"{one.plausibility:.3f}"
    assert len(browser.texts(".strip .trial")) == 5
    assert "far-sighted" in browser.texts(".chart.foresight text")
    assert browser.complaints() == []
    alone = browser.open(written(plan_page(turning)))
    assert alone.texts(".plausibility, .strip, .parts, .chart-box.foresight") == []


def test_unseen_states_are_not_drawn(browser: Browser, written: Callable[[str], Path]) -> None:
    world = example("doors-keys-gems")
    goals = load_goals(world, GEMS / "goals.txt")
    plan = read_partial_plan(world, "(move c44 c34)\n?\n(move c33 c32)")
    judgement = hbtom.infer_plans(goals, [plan])
    browser.open(written(plan_page(judgement)), "#plan=1&step=3")
    assert "Some actions were not seen" in browser.text(".unknown:not([hidden])")
    assert browser.texts(".actions code") == ["(move c44 c34)", "?", "(move c33 c32)"]
    assert browser.texts(".token") == []
    assert browser.complaints() == []
    assert animate_plans(judgement, scale=1)[:3] == b"GIF"


# The document


def test_names_stay_text() -> None:
    from dataclasses import replace

    nasty = "</script><img src=x onerror=alert(1)>.plan"
    judgement = judged("gem-c")
    plan = replace(judgement.plans[0], name=nasty, agent=nasty)
    text = plan_page(replace(judgement, plans=(plan,)))
    assert "<img" not in text
    (data,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert json.loads(data)["films"][0]["name"].endswith(".plan")


def test_every_part_of_the_template_is_used() -> None:
    own = {Path(name).name for name in build.SCRIPTS if "/" in name}
    styles = {Path(name).name for name in build.STYLES if "/" in name}
    used = {f"{name}.js" for name in own} | {f"{name}.css" for name in styles}
    assert {path.name for path in build.TEMPLATE.iterdir()} == used


# The story


def test_mistakes_and_lost_goals_are_mentioned() -> None:
    wrong = plan_chapter(PlanScene(judged("wrong-door", model="people"), 0))
    assert (7, "Here it probably changes its mind.") in [(m.frame, m.text) for m in wrong.moments]
    spoilt = judged("spoilt", world="kitchen")
    told = plan_chapter(PlanScene(spoilt, 0))
    lost = [m.frame for m in told.moments if m.text.startswith("From now on, salad can no longer")]
    (cooked,) = (step for step, action in enumerate(spoilt.plans[0].steps) if "cook tom" in action)
    assert lost == [cooked + 1]
    assert told.summary == "It wanted soup (over 99\u00a0%)."  # which it did not reach
    last = PlanScene(judged("gem-a", "gem-a", "gem-b"), 2)
    story = plan_chapter(last)
    assert story.moments[0].text.endswith("as it did 2 of 2 times.")
    assert "expected gem-a, wanted 2 of 2 times; wanted gem-b" in story.summary


# The movie


def pictures(movie: bytes) -> list[np.ndarray]:
    """Return the distinct pictures of a GIF."""
    with Image.open(io.BytesIO(movie)) as image:
        found = []
        for index in range(image.n_frames):  # type: ignore[attr-defined]
            image.seek(index)
            found.append(np.array(image.convert("RGB")))
        return found


def test_each_state_is_a_picture_with_the_agent_in_its_place(turning: PlanJudgement) -> None:
    shown = pictures(animate_plans(turning, beliefs=False))
    plan = turning.plans[0]
    assert len(shown) == len(plan) + 1
    board = draw_board(plan, turning.costs[0].goals)  # type: ignore[arg-type]
    (agent,) = (one for one in board.tokens if one.kind == "agent")
    edge = (0.3 + np.array([0, 2 * LINE])) * DOTS / INCH  # of the board in the picture
    for picture, spot in zip(shown, agent.spots, strict=True):
        assert spot is not None
        x, y = (np.array(spot) + edge).astype(int)
        near = picture[y + 5 : y + 8, x - 3 : x + 3]  # below its eyes
        assert near.max() < 60
        floor = picture[y - 3 : y + 3, x - 30 : x - 22]
        assert floor.min() > 200


def test_beliefs_grow_beside_the_board(turning: PlanJudgement) -> None:
    alone, both = (pictures(animate_plans(turning, beliefs=one, scale=2)) for one in (False, True))
    wide = alone[0].shape[1]
    assert both[0].shape[1] > wide
    assert all(side % 2 == 0 for side in both[0].shape[:2])
    inked = [(one[:, wide:].min(axis=2) < 160).sum() for one in both]
    assert inked[0] < inked[5] < inked[15]


def test_plans_and_speed_can_be_chosen() -> None:
    two = judged("gem-c", "gem-c")
    movie = animate_plans(two, plans=[2], pace=Pace(fps=10, speed=2), scale=1, beliefs=False)
    with Image.open(io.BytesIO(movie)) as image:
        assert image.n_frames == len(two.plans[1]) + 1  # type: ignore[attr-defined]
        assert image.info["duration"] == 400
    assert (
        len(pictures(animate_plans(two, scale=1, beliefs=False))) == 2 * (len(two.plans[1]) + 1) + 1
    )


@pytest.mark.parametrize(
    ("form", "plans", "told"),
    [
        ("avi", None, "cannot be written as avi"),
        ("gif", [2], "there is no plan 2"),
        ("gif", [], "no plan was chosen"),
    ],
)
def test_plans_that_cannot_be_a_movie(
    form: str, plans: list[int] | None, told: str, turning: PlanJudgement
) -> None:
    with pytest.raises(BadInput, match=told):
        animate_plans(turning, form, plans=plans)
