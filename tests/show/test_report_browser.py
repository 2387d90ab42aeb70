"""The report in a real browser: sorted, filtered, on any screen, and without network access."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from browsing import Browser
from hbtom.bench import Evaluation
from hbtom.bench.ratings import Ratings
from hbtom.bench.tasks import EVALUATION_TASKS
from hbtom.show.report import report, write_report

LINES = ".pairs tbody tr:not(.near)"


@pytest.fixture(scope="module")
def whole(evaluation: Evaluation, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with pages beside it."""
    return write_report(evaluation, tmp_path_factory.mktemp("whole") / "my report #1.html").path


@pytest.fixture(scope="module")
def values() -> dict[tuple[str, str], tuple[float, float]]:
    """Random ratings of 60 pairs of each task, with some ties."""
    chance = random.Random(3)
    return {
        (task.folder, f"{number:06}"): (chance.gauss(0.5, 1), chance.gauss(-0.5, 1))
        if number % 20
        else (1.0, 1.0)
        for task in EVALUATION_TASKS
        for number in range(60)
    }


@pytest.fixture(scope="module")
def foreign(
    written: Callable[[str], Path], values: dict[tuple[str, str], tuple[float, float]]
) -> Path:
    """A report on ratings from another source."""
    rated = {
        (*name, m): v for name, both in values.items() for m, v in zip("eu", both, strict=True)
    }
    return written(report(Ratings("mine.csv", rated)))


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def column(browser: Browser, place: int) -> list[str]:
    """Return the entries in a column of the list."""
    return browser.texts(f"{LINES} > :nth-child({place})")


def choose(browser: Browser, label: str, option: str) -> None:
    """Choose an option by its text."""
    from selenium.webdriver.support.ui import Select

    Select(browser.find(f".filters [aria-label='{label}']")).select_by_visible_text(option)


# Figures


def test_the_table_shows_the_counts(browser: Browser, whole: Path, evaluation: Evaluation) -> None:
    browser.open(whole)
    rows = browser.run(
        "return [...document.querySelectorAll('table.scores tbody tr')]"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    scores = [*evaluation.tasks, evaluation.overall]
    labels = ["Preference", "Multi-Agent", "All pairs"]
    for row, label, score in zip(rows, labels, scores, strict=True):
        low, high = score.interval
        assert row[:6] == [
            label,
            f"{100 * score.accuracy:.1f}",
            f"{100 * low:.1f} – {100 * high:.1f}",
            str(score.pairs),
            str(score.correct),
            str(score.ties),
        ]
    assert rows[0][6:] == ["99.7", "26.3", "48.3", "47.6", "80.8", "48.5"]
    assert browser.text(".summary li").startswith(
        f"{100 * evaluation.overall.accuracy:.1f} % right"
    )


def test_margins_match_the_scores(browser: Browser, written, values) -> None:
    values = {name: tuple(min(max(v, 0.0), 1.0) for v in both) for name, both in values.items()}
    rated = {
        (*name, m): v for name, both in values.items() for m, v in zip("eu", both, strict=True)
    }
    browser.open(written(report(Ratings("mine.csv", rated))))
    rows = browser.run(
        "return [...document.querySelectorAll('table.margins tbody tr')]"
        ".map((row) => [...row.cells].slice(0, 4).map((cell) => cell.textContent))"
    )
    assert len(rows) == len(browser.texts(".margin-bars")) == 12
    for label, task in [("Path Control", "efficiency_path"), ("All pairs", "")]:
        [(five, least, below)] = [figures for name, *figures in rows if name == label]
        margins = sorted(e - u for (name, _), (e, u) in values.items() if name.startswith(task))
        assert number(five) == pytest.approx(margins[len(margins) // 20 - 1], abs=6e-4)
        assert number(least) == pytest.approx(margins[0], abs=6e-4)
        share = sum(one < 0.05 for one in margins) / len(margins)
        assert number(below) == pytest.approx(100 * share, abs=0.06)
    assert f"{below} % with margins below .05" in browser.texts(".summary li")[3]
    assert f"the smallest is {least}" in browser.texts(".summary li")[3]


def test_the_height_of_margin_bars_is_the_number_of_pairs(browser: Browser, whole: Path) -> None:
    """One pair is wrong, one is a tie and two are right: the first two are marked."""
    browser.open(whole)
    drawn = browser.run(
        "const all = [...document.querySelectorAll('.margin-bars')].at(-1);"
        "return ['near', 'far'].map((one) => all.querySelector(`.${one}`).getAttribute('d'))"
    )
    near, far = ([float(high) for high in re.findall(r"v(-?[\d.]+)", path)] for path in drawn)
    assert len(near) == 2
    assert len(far) == 1  # both in one bin, twice as high
    assert far[0] == pytest.approx(2 * near[0])


@pytest.mark.parametrize(
    ("share", "text"), [(0.9125, "91.2"), (0.9175, "91.8"), (1.0, "100.0"), (2 / 3, "66.7")]
)
def test_halves_are_rounded_as_elsewhere(
    browser: Browser, written: Callable[[str], Path], share: float, text: str
) -> None:
    assert f"{100 * share:.1f}" == text
    pairs = 1200
    rated = {
        ("preference", f"{pair:04}", member): float((member == "e") == (pair < share * pairs))
        for pair in range(pairs)
        for member in "eu"
    }
    browser.open(written(report(Ratings("mine.csv", rated))))
    assert browser.text("table.scores .all td") == text


def test_dots_are_where_the_scale_says(browser: Browser, foreign: Path) -> None:
    browser.open(foreign)
    script = (
        "return [...document.querySelectorAll(arguments[0])]"
        ".map((mark) => Number(mark.getAttribute(arguments[1])))"
    )
    dots = browser.run(script, ".score .dot", "cx")
    figures = [float(text) for text in browser.texts(".score .figure")]
    rules = browser.run(script, ".scale text", "x")
    ticks = [float(text) for text in browser.texts(".scale text")]
    scale = (rules[-1] - rules[0]) / (ticks[-1] - ticks[0])
    for dot, figure in zip(dots, figures, strict=True):
        assert dot == pytest.approx(rules[0] + scale * (figure - ticks[0]), abs=scale / 10)


def test_names_of_published_systems_do_not_overlap(browser: Browser, foreign: Path) -> None:
    script = """
      return [...document.querySelectorAll('.published')].map((row) =>
        [...row.querySelectorAll('text')].map((text) => text.getBoundingClientRect())
          .map((box) => [box.left, box.right]))"""
    for width in (360, 1280):
        on_screen(browser, width, lambda: browser.open(foreign))
        rows = [row for row in browser.run(script) if row]
        assert len(rows) == 11
        for row in rows:
            for (_, end), (start, _) in pairwise(row):
                assert end <= start + 0.5


def on_screen(browser: Browser, width: int, act: Callable[[], object], height: int = 800) -> None:
    """Run a check on a screen of the given width, once everything has been resized."""
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    act()
    browser.wait("return document.querySelector('.score-chart').hasAttribute('viewBox')")


@pytest.fixture(autouse=True)
def usual_screen(browser: Browser):
    yield
    browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


# Pairs in detail


def test_a_pair_that_went_wrong_is_one_click_from_its_page(browser: Browser, whole: Path) -> None:
    browser.open(whole)
    assert browser.texts("#wrong .card h3 small") == ["Preference", "Preference"]
    assert browser.texts("#wrong .outcome")[1] == "= tie"
    assert browser.texts("#wrong .outcome")[0].startswith("✗ wrong by 0.")
    assert "favours the unexpected episode" in browser.texts("#wrong .reason")[0]
    browser.click("#wrong .watch")
    assert browser.wait("return document.querySelectorAll('.world').length") == 2
    assert browser.run("return location.pathname").endswith("-pages/preference-000002.html")
    assert browser.complaints() == []


def test_a_pair_that_cannot_be_watched_says_why(
    browser: Browser, evaluation: Evaluation, tmp_path: Path
) -> None:
    rows = tuple(replace(row, file="/gone/" + row.file) for row in evaluation.rows)
    gone = write_report(replace(evaluation, rows=rows), tmp_path / "report.html").path
    browser.open(gone)
    assert browser.run("return document.querySelectorAll('.watch').length") == 0
    assert browser.texts("#wrong .details .note")[0].startswith("There is no page for this pair: ")


# The list


def test_the_list_is_initially_sorted_by_margin(browser: Browser, foreign: Path, values) -> None:
    browser.open(foreign)
    shown = [number(text) for text in column(browser, 5)]
    assert shown == sorted(shown)
    least = sorted(e - u for e, u in values.values())
    assert shown == pytest.approx(least[:25], abs=6e-4)
    assert browser.text(".found") == "540 pairs"
    assert browser.text(".pager .where") == "1 of 22"


def test_a_heading_sorts_and_sorts_again(browser: Browser, foreign: Path, values) -> None:
    browser.open(foreign)
    browser.click(".pairs thead th:nth-child(3) button")
    sort = "return document.querySelector('.pairs thead th:nth-child(3)').ariaSort"
    assert browser.run(sort) == "ascending"
    most = sorted(e for e, _ in values.values())
    assert [number(text) for text in column(browser, 3)] == pytest.approx(most[:25], abs=6e-4)
    browser.click(".pairs thead th:nth-child(3) button")
    assert browser.run(sort) == "descending"
    shown = [number(text) for text in column(browser, 3)]
    assert shown == pytest.approx(most[::-1][:25], abs=6e-4)
    assert browser.run("return document.querySelectorAll('[aria-sort=none]').length") == 5


def test_filters_keep_matching_pairs(browser: Browser, foreign: Path, values) -> None:
    browser.open(foreign)
    choose(browser, "Outcome", "wrong")
    wrong = sum(e < u for e, u in values.values())
    assert browser.text(".found") == f"{wrong} of 540 pairs"
    assert set(column(browser, 6)) == {"✗ wrong"}
    choose(browser, "Outcome", "tie")
    assert browser.text(".found") == "27 of 540 pairs"
    choose(browser, "Task", "Time Control")
    assert browser.text(".found") == "3 of 540 pairs"
    assert set(column(browser, 1)) == {"Time Control"}
    browser.find(".filters input").send_keys("0004")
    assert [text.strip() for text in column(browser, 2)] == ["000040"]
    browser.find(".filters input").send_keys("x")
    assert column(browser, 2) == []
    assert browser.text(".pager .where") == "1 of 1"
    assert browser.complaints() == []


def test_pages_of_the_list_can_be_turned(browser: Browser, foreign: Path) -> None:
    browser.open(foreign)
    first = column(browser, 5)
    assert browser.run("return document.querySelector('.pager button').disabled")
    browser.click("[aria-label='Next pairs']")
    assert browser.text(".pager .where") == "2 of 22"
    assert number(column(browser, 5)[0]) >= number(first[-1])
    browser.click("[aria-label='Previous pairs']")
    assert column(browser, 5) == first


def test_all_wrong_pairs_are_one_click_away(browser: Browser, foreign: Path, values) -> None:
    browser.open(foreign)
    assert len(browser.texts("#wrong .card")) == 20
    browser.click(".more")
    missed = sum(e <= u for e, u in values.values())
    assert browser.text(".found") == f"{missed} of 540 pairs"


def test_a_pair_opens_by_mouse_and_by_keys(browser: Browser, whole: Path) -> None:
    browser.open(whole)
    browser.click(f"{LINES} button")
    assert len(browser.texts(".pairs .near")) == 1
    assert "observation" in browser.text(".pairs .near")
    assert browser.run("return document.activeElement.ariaExpanded") == "true"
    browser.press("ENTER")
    assert browser.texts(".pairs .near") == []
    assert browser.run("return document.activeElement.ariaExpanded") == "false"


# Looks


def test_light_and_dark_can_be_changed(browser: Browser, whole: Path) -> None:
    browser.open(whole)
    ground = "return getComputedStyle(document.body).backgroundColor"
    before = browser.run(ground)
    browser.click("[aria-label='Light or dark']")
    assert browser.run(ground) != before
    browser.press("t")
    assert browser.run(ground) == before
    browser.find(".filters input").send_keys("t")  # which is just a letter there
    assert browser.run(ground) == before


@pytest.mark.parametrize("width", [360, 820, 1280, 1920])
def test_nothing_overflows_on_any_screen(
    browser: Browser, whole: Path, foreign: Path, width: int
) -> None:
    for file in (whole, foreign):
        on_screen(browser, width, lambda file=file: browser.open(file))
        assert browser.run("return document.documentElement.scrollWidth") <= width


def test_it_can_be_printed(browser: Browser, whole: Path) -> None:
    browser.open(whole)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("return document.querySelector('details').open")
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert not browser.run("return document.querySelector('details').open")
    sheet = {"paperWidth": 8.27, "paperHeight": 11.69, "printBackground": True}
    printed = browser.driver.execute_cdp_cmd("Page.printToPDF", sheet)["data"]
    assert 2 <= len(re.findall(rb"/Type /Page\b", base64.b64decode(printed))) <= 8
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
        assert browser.run(shown, ".tools") == "none"
        assert browser.run(shown, ".card") == "block"
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_everything_visible_has_a_name_for_screen_readers(browser: Browser, whole: Path) -> None:
    browser.open(whole)
    nameless = browser.run(
        "return [...document.querySelectorAll('button, select, input, a, svg[role=img], section')]"
        ".filter((node) => !(node.ariaLabel || node.textContent.trim() ||"
        " node.hasAttribute('aria-labelledby'))).length"
    )
    assert nameless == 0
    assert browser.run("return document.querySelectorAll('h1').length") == 1
    targets = browser.run(
        "return [...document.querySelectorAll('.contents a')]"
        ".map((link) => document.querySelectorAll(link.hash).length)"
    )
    assert set(targets) == {1}


# No network


def test_the_report_sends_no_requests_and_logs_no_errors(
    browser: Browser, whole: Path, foreign: Path
) -> None:
    for file in (whole, foreign):
        browser.open(file)
        browser.click(f"{LINES} button")
        browser.press("t")
        outside = [address for address in browser.requests() if not address.startswith("data:")]
        assert outside in ([], [file.as_uri()])
        assert browser.complaints() == []


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=document.title='caught'>", "x<script>document.title='caught'<b>"]
)
def test_markup_in_names_is_shown_as_text(
    browser: Browser, written: Callable[[str], Path], evaluation: Evaluation, name: str
) -> None:
    rows = tuple(
        replace(row, task=name, pair=f"{name}{row.task}{row.pair}") for row in evaluation.rows
    )
    left_out = tuple(replace(one, file=name, why=name) for one in evaluation.left_out)
    hostile = replace(evaluation, rows=rows, left_out=left_out, dataset=name)
    browser.open(written(report(hostile)))
    assert name in browser.texts("table.scores tbody th")
    assert browser.texts(".left-out b") == [name]
    assert browser.texts(".facts dd")[0] == name
    assert all(text.startswith(name) for text in browser.texts(f"{LINES} button"))
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.run("return document.querySelectorAll('script').length") == 2
    assert browser.run("return document.title").endswith("– hbtom")
    assert browser.complaints() == []


def test_infinite_ratings_are_shown(browser: Browser, written: Callable[[str], Path]) -> None:
    infinite = float("inf")
    rated = {("preference", "1", "e"): infinite, ("preference", "1", "u"): -infinite}
    browser.open(written(report(Ratings("mine.csv", rated))))
    assert [column(browser, place) for place in (3, 4, 5)] == [["∞"], ["−∞"], ["∞"]]
    assert browser.complaints() == []


def test_ratings_that_are_not_between_0_and_1(
    browser: Browser, written: Callable[[str], Path]
) -> None:
    rated = {("preference", "1", "e"): -0.001, ("preference", "1", "u"): -0.002}
    browser.open(written(report(Ratings("mine.csv", rated))))
    assert browser.texts("table.margins thead th")[:-1] == ["Task", "5 %", "Least"]
    assert browser.texts(".summary li")[3].startswith("0.001 is the smallest margin")
    assert browser.texts(".spread .ends span") == ["≤ −0.002", "≥ −0.001"]
    assert browser.complaints() == []
