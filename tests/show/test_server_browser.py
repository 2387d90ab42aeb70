"""The list in a real browser: filtered, searched, judged, and kept when coming back from a page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from browsing import Browser
from served import Served
from shelves import MANY, NAMED, ODD, PAIRS

SETTLED = (
    "return document.querySelector('tbody tr') !== null"
    " && document.querySelector('tbody tr.busy') === null"
)
IDLE = "return document.querySelector('.stop').hidden"
VIEWER = "return document.querySelector('.transport') !== null"


@pytest.fixture
def seen(browser: Browser, served: Served) -> Iterator[Browser]:
    """The list in a browser that may neither send other requests nor log errors."""
    browser.visit(served.address)
    browser.wait(SETTLED)
    yield browser
    assert [
        one for one in browser.requests() if not one.startswith((served.address, "data:"))
    ] == []
    assert browser.complaints() == []


def names(browser: Browser) -> list[str]:
    return browser.texts("tbody .open")


def choose(browser: Browser, verdict: str, count: int) -> None:
    """Choose an outcome, and wait for the given number of rows."""
    chip = f".outcome.{verdict}" if verdict else ".outcome:first-child"
    browser.click(chip)
    browser.wait(f"return document.querySelector('{chip}').ariaPressed === 'true'")
    rows(browser, count)


def rows(browser: Browser, count: int) -> None:
    browser.wait(f"return document.querySelectorAll('tbody tr').length === {count}")


def select(browser: Browser, selector: str, value: str) -> None:
    """Choose from a menu, as a person does."""
    from selenium.webdriver.support.ui import Select

    Select(browser.find(selector)).select_by_value(value)


def test_only_visible_rows_are_judged(seen: Browser, served: Served) -> None:
    assert seen.text(".dataset") == "shelf"
    assert len(names(seen)) == 50
    first = seen.find("tbody tr")
    seen.wait("return document.querySelector('tbody tr').className === 'right'")
    assert first.find_element("css selector", ".word").text == "right"
    last = "document.querySelector('tbody tr:last-child')"
    assert seen.run(f"return {last}.className") == "unjudged"
    seen.run(f"{last}.scrollIntoView()")
    seen.wait(f"return {last}.className === 'tie'")
    said = served.get("/pairs").json
    assert said["count"]["unjudged"] >= PAIRS - 50
    seen.wait("return document.querySelector('.score').textContent.startsWith('Accuracy so far')")


def test_rows_that_are_judged_show_both_test_trials(seen: Browser) -> None:
    each = "[...document.querySelectorAll('tbody tr.right')]"
    drawn = seen.run(f"return {each}.map((row) => row.querySelectorAll('.picture .way').length)")
    assert drawn
    assert {*drawn} == {2}


def test_all_are_judged_and_filtered_by_outcome(seen: Browser) -> None:
    seen.click(".start")
    seen.wait(f"{IDLE} && document.querySelector('.start').hidden", 60)
    seen.wait("return document.querySelector('.outcome.unjudged b').textContent === '0'")
    counts = dict(
        zip(seen.texts(".outcome span:not(.mark)"), seen.texts(".outcome b"), strict=True)
    )
    assert counts == {
        "all": str(PAIRS),
        "right": "6",
        "wrong": "1",
        "tie": str(MANY + 1),
        "missing": "0",
        "unreadable": "1",
        "not judged yet": "0",
    }
    choose(seen, "wrong", 1)
    assert names(seen) == ["swapped"]
    choose(seen, "unreadable", 1)
    assert "the file is cut off" in seen.text("tbody .told")
    choose(seen, "right", 6)
    assert ODD in names(seen)
    assert seen.run("return document.images.length") == 0
    choose(seen, "", 50)


def test_a_run_can_be_stopped(seen: Browser, served: Served) -> None:
    select(seen, ".model select", "paper")
    seen.wait("return location.search === '?model=paper'")
    seen.wait("return !document.querySelector('.start').hidden")
    seen.click(".start")
    seen.wait("return !document.querySelector('.stop').hidden")
    seen.click(".stop")
    seen.wait(IDLE)
    assert served.get("/pairs", model="paper").json["run"]["going"] is False


def test_tasks_models_and_searches_are_remembered_by_the_address(seen: Browser) -> None:
    select(seen, ".controls select", "preference")
    rows(seen, len(NAMED))
    assert seen.text(".about").startswith("e: the agent goes to the object it always went to")
    seen.find("input[type=search]").send_keys("us")
    rows(seen, 1)
    assert names(seen) == ["usual"]
    seen.wait(SETTLED)
    default = seen.texts("tbody .one")
    select(seen, ".model select", "paper")
    seen.wait("return location.search.includes('model=paper')")
    seen.wait("return document.querySelector('tbody tr').className === 'right'")
    seen.wait(f"return document.querySelector('tbody .one').textContent !== '{default[0]}'")
    assert "model=paper&in=preference&search=us" in seen.driver.current_url
    seen.driver.refresh()
    rows(seen, 1)
    assert seen.find("input[type=search]").get_attribute("value") == "us"
    seen.driver.back()
    seen.wait("return !location.search.includes('model=paper')")
    rows(seen, 1)


def test_pages_of_the_list_can_be_turned(seen: Browser) -> None:
    assert seen.text(".pager span") == f"1 – 50 of {PAIRS}"
    seen.press("ARROW_RIGHT")
    rows(seen, PAIRS - 50)
    assert seen.text(".pager span") == f"51 – {PAIRS} of {PAIRS}"
    seen.press("ARROW_RIGHT")  # there is no more
    seen.click(".pager button")
    rows(seen, 50)


def test_a_pair_is_opened_and_left_by_keys(seen: Browser) -> None:
    select(seen, ".controls select", "preference")
    rows(seen, len(NAMED))
    seen.press("/")
    assert seen.run("return document.activeElement.type") == "search"
    seen.press("ARROW_DOWN", "ARROW_DOWN", "ARROW_DOWN", "ARROW_DOWN", "ARROW_UP")
    name = sorted(NAMED)[2]
    assert seen.run("return document.activeElement.textContent") == name
    seen.press("ENTER")
    seen.wait(VIEWER)
    assert seen.run("return document.title") == f"{name}e.json and {name}u.json – hbtom"
    assert seen.text(".around .neighbours > span") == f"3 of {len(NAMED)}"
    seen.press("n")
    seen.wait(f"return new URLSearchParams(location.search).get('pair') !== '{name}'")
    seen.wait(VIEWER)
    seen.press("l")
    rows(seen, len(NAMED))
    seen.wait("return document.activeElement.className === 'open'")
    assert seen.run("return document.activeElement.textContent") == sorted(NAMED)[3]
    seen.press("u")
    seen.wait(VIEWER)
    assert len(seen.texts(".member")) == 1
    seen.driver.back()
    rows(seen, len(NAMED))


def test_a_click_anywhere_on_a_row_opens_it(seen: Browser) -> None:
    from selenium.webdriver import ActionChains

    plot = seen.find("tbody tr:nth-child(2) .plot")
    ActionChains(seen.driver).move_to_element(plot).click().perform()
    seen.wait(VIEWER)
    assert "pair=000001ep" in seen.driver.current_url
    seen.click(".around .models a[href*='model=paper']")
    seen.wait("return location.search.includes('model=paper')")
    seen.wait(VIEWER)
    assert "Model paper" in seen.text("footer")
    seen.click(".around .list")
    seen.wait(SETTLED)
    assert seen.find(".model select").get_attribute("value") == "paper"


def test_light_or_dark_applies_to_all_pages(seen: Browser) -> None:
    seen.press("t")
    chosen = seen.run("return document.documentElement.dataset.theme")
    seen.press("ARROW_DOWN", "ENTER")
    seen.wait(VIEWER)
    assert seen.run("return document.documentElement.dataset.theme") == chosen
    seen.press("t")
    seen.driver.back()
    seen.wait(SETTLED)
    assert seen.run("return document.documentElement.dataset.theme") not in (None, chosen)


@pytest.mark.parametrize("width", [360, 800, 1280, 1920])
def test_nothing_is_wider_than_the_window(seen: Browser, served: Served, width: int) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    seen.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        for path in ("", "watch?task=preference&pair=usual", "watch?task=preference&pair=broken"):
            seen.driver.get(served.address + path)
            seen.wait("return document.querySelector('.around, tbody tr') !== null")
            assert seen.run("return document.documentElement.scrollWidth") <= width
    finally:
        seen.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_stopped_server_is_noticed(browser: Browser, shelf: Path, tmp_path: Path) -> None:
    server = Served(shelf, "--no-open", cache=tmp_path)
    browser.visit(f"{server.address}?in=preference")
    rows(browser, len(NAMED))
    assert server.stop()[0] == 0
    browser.find("input[type=search]").send_keys("x")
    told = "return document.querySelector('.trouble').textContent"
    browser.wait(f"{told}.includes('The server is not answering')")


RATER = """
class Minus:
    name, fingerprint = "minus", "minus-1"

    def rate(self, expected, unexpected):
        return -1234.56, -0.25
"""


def test_ratings_are_shown_as_numbers(browser: Browser, shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "raters_shown.py").write_text(RATER)
    words = "--no-open", "--workers", "1", "--rater", "raters_shown:Minus"
    server = Served(
        shelf, *words, cache=tmp_path, PYTHONPATH=f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"
    )
    try:
        browser.visit(server.address)
        browser.wait("return document.querySelector('tbody tr')?.className === 'wrong'")
        assert browser.texts("tbody tr:first-child .one") == ["-1235", "-0.25"]
        assert browser.text(".model span") == "Rater"
        assert "RATING" in [one.upper() for one in browser.texts("thead th")]
        select(browser, ".model select", "paper")
        browser.wait(f"{SETTLED} && document.querySelector('tbody tr')?.className === 'right'")
        assert "PLAUSIBILITY" in [one.upper() for one in browser.texts("thead th")]
        assert browser.text("tbody tr:first-child .one.u").startswith(("0.", "<0."))
    finally:
        server.stop()
