"""The page in a real browser: it plays, has controls, shows the judgement, and loads nothing."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import hbtom
from browsing import Browser
from episodes import CLOVE, HEART, SPOON, episode, every_frame, key_trial, read, to_thing
from hbtom.judgement import Judgement
from hbtom.show.page import page
from stories import story


@pytest.fixture(scope="module")
def alone(written: Callable[[str], Path], to_spoon: Judgement) -> Path:
    return written(page(to_spoon))


@pytest.fixture(scope="module")
def both(written: Callable[[str], Path], to_heart: Judgement, to_spoon: Judgement) -> Path:
    return written(page(to_heart, to_spoon))


@pytest.fixture(scope="module")
def keyed(written: Callable[[str], Path], with_key: Judgement) -> Path:
    return written(page(with_key))


def shares(text: str) -> list[float]:
    """Return the percentages in a text as fractions."""
    return [float(number) / 100 for number in re.findall(r"([\d.]+) %", text)]


LENGTH = "return Number(document.querySelector('input[type=range]').max) + 1"


# Playing


def test_it_opens_at_the_start_of_the_test_trial(browser: Browser, alone: Path) -> None:
    browser.open(alone)
    assert browser.moment == (9, 1)
    assert browser.text(".sentence").startswith("It is expected to go to the heart (90 %)")
    assert browser.text(".where") == f"Test trialframe 1 of {browser.run(LENGTH)}"


def test_the_space_bar_plays_and_pauses(browser: Browser, alone: Path) -> None:
    browser.open(alone, "#trial=8&frame=1")
    browser.press("SPACE")
    browser.wait("return document.querySelector('input[type=range]').valueAsNumber > 3")
    browser.press("SPACE")
    frame = browser.frame
    assert browser.moment == (8, frame)
    browser.run("return new Promise((done) => setTimeout(done, 200))")
    assert browser.frame == frame


def test_it_plays_to_the_end_of_the_episode(browser: Browser, alone: Path) -> None:
    browser.open(alone, "#trial=8&frame=1")
    browser.press("+", "+", "+", "+")
    browser.click(".play")
    browser.wait("return document.querySelector('.play.playing') === null")
    assert browser.moment == (9, browser.run(LENGTH))
    assert "This is surprising" in browser.text(".sentence")
    browser.click(".play")  # plays from the start of the test trial again
    browser.wait("return document.querySelector('.play.playing') === null")
    assert browser.moment == (9, browser.run(LENGTH))


def test_it_can_play_faster(browser: Browser, alone: Path) -> None:
    browser.open(alone)
    assert browser.text(".speed") == "1×"
    browser.press("+", "=")
    assert browser.text(".speed") == "4×"
    browser.press("-", "-", "-")
    assert browser.text(".speed") == "1/2×"
    for _ in range(9):
        browser.press("-")
    assert browser.text(".speed") == "1/8×"


# Stepping


def test_arrows_step_and_jump(browser: Browser, alone: Path) -> None:
    browser.open(alone, "#trial=2&frame=5")
    browser.press("ARROW_RIGHT")
    assert browser.moment == (2, 6)
    browser.press("ARROW_LEFT", "ARROW_LEFT")
    assert browser.moment == (2, 4)
    browser.press("Shift+ARROW_RIGHT")
    assert browser.moment == (2, 14)
    browser.press("Shift+ARROW_LEFT", "Shift+ARROW_LEFT")
    assert browser.moment == (2, 1)


def test_comma_and_period_go_from_step_to_step(
    browser: Browser, alone: Path, to_spoon: Judgement
) -> None:
    browser.open(alone)
    first, second, *_ = (to_spoon.test.frame[1:] + 1).tolist()
    browser.press(".", ".")
    assert browser.moment == (9, second)
    browser.press(",")
    assert browser.moment == (9, first)


def test_brackets_and_page_keys_change_the_trial(browser: Browser, alone: Path) -> None:
    browser.open(alone, "#trial=4&frame=7")
    browser.press("]")
    assert browser.moment == (5, 1)
    browser.press("[", "[")
    assert browser.moment == (3, 1)
    browser.press("PAGE_DOWN")
    assert browser.moment == (4, 1)
    browser.press("PAGE_UP", "PAGE_UP", "PAGE_UP", "PAGE_UP", "PAGE_UP")
    assert browser.moment == (1, 1)


def test_home_and_end_stay_in_the_trial(browser: Browser, alone: Path) -> None:
    browser.open(alone, "#trial=4&frame=7")
    browser.press("END")
    assert browser.moment == (4, browser.run(LENGTH))
    browser.press("HOME")
    assert browser.moment == (4, 1)


def test_help_opens_and_closes(browser: Browser, alone: Path) -> None:
    browser.open(alone)
    browser.press("?")
    assert browser.run("return document.querySelector('dialog').open")
    assert "play or pause" in browser.texts("dialog dd")
    browser.press("ARROW_RIGHT")
    assert browser.moment == (9, 1)  # keys do nothing until the help is closed
    browser.press("ESCAPE")
    assert not browser.run("return document.querySelector('dialog').open")


def test_a_clicked_button_does_not_capture_the_space_bar(browser: Browser, alone: Path) -> None:
    browser.open(alone)
    browser.click(".trials li:nth-child(3) button")
    assert browser.moment == (3, 1)
    browser.press("SPACE")
    browser.wait("return document.querySelector('.play.playing') !== null")


# Links to a moment


def test_the_address_is_followed_on_opening_and_afterwards(browser: Browser, alone: Path) -> None:
    browser.open(alone, "#trial=3&frame=12")
    assert (browser.moment, browser.frame) == ((3, 12), 12)
    browser.run("location.hash = '#trial=5&frame=4'")
    browser.wait("return document.querySelector('input[type=range]').valueAsNumber === 3")
    assert browser.run("return document.querySelector('[aria-current] .number').textContent") == "5"


@pytest.mark.parametrize(
    ("fragment", "moment"),
    [
        ("#trial=99&frame=3", (9, 3)),
        ("#trial=0&frame=0", (1, 1)),
        ("#trial=2", (2, 1)),
        ("#frame=9", (9, 1)),
        ("#trial=<b>&frame=%00", (9, 1)),
    ],
)
def test_an_invalid_address_is_corrected(
    browser: Browser, alone: Path, fragment: str, moment: tuple[int, int]
) -> None:
    browser.open(alone, fragment)
    assert browser.moment == moment
    assert browser.complaints() == []


def test_the_scrubber_moves_time_and_the_address(browser: Browser, alone: Path) -> None:
    browser.open(alone)
    browser.run(
        "const range = document.querySelector('input[type=range]');"
        "range.value = 20; range.dispatchEvent(new Event('input'))"
    )
    assert browser.moment == (9, 21)


# Charts


def test_a_chart_moves_time_by_pressing_and_dragging(browser: Browser, alone: Path) -> None:
    from selenium.webdriver import ActionChains

    browser.open(alone)
    chart = browser.find(".chart.goal")
    ActionChains(browser.driver).move_to_element(chart).click().perform()
    _, pressed = browser.moment
    assert 10 < pressed < browser.run(LENGTH) - 5
    actions = ActionChains(browser.driver).move_to_element(chart).click_and_hold()
    actions.move_by_offset(120, 0).release().perform()
    assert browser.moment[1] > pressed


def test_pointing_at_a_chart_shows_a_time_until_the_mouse_leaves(
    browser: Browser, alone: Path
) -> None:
    from selenium.webdriver import ActionChains

    browser.open(alone)
    ActionChains(browser.driver).move_to_element(browser.find(".chart.efficiency")).perform()
    assert browser.frame > 10
    assert browser.moment == (9, 1)
    ActionChains(browser.driver).move_to_element(browser.find("h1")).perform()
    assert browser.frame == 1


def test_values_at_the_cursor_match_the_judgement(
    browser: Browser, alone: Path, to_spoon: Judgement
) -> None:
    browser.open(alone)
    test = to_spoon.test
    mean = test.efficiency @ test.efficiencies
    frames = test.frame.tolist()
    for step, frame in enumerate(frames):
        if frame in frames[step + 1 :]:
            continue  # the touch that ends a trial may be a step of the same frame
        browser.run("location.hash = arguments[0]", f"#trial=9&frame={frame + 1}")
        browser.wait(
            f"return document.querySelector('input[type=range]').valueAsNumber === {frame}"
        )
        goal, efficiency, surprise = browser.texts(".chart-box .value")
        assert shares(goal) == pytest.approx(test.goal[step].tolist(), abs=6e-4)
        assert float(efficiency.split()[-1]) == pytest.approx(mean[step], abs=6e-3)
        preferred = shares(" ".join(browser.texts(".preferred span")))
        assert preferred == pytest.approx(test.preference[step].tolist(), abs=6e-4)
        if step:
            unlikely = float(surprise.split()[-1].replace("−", "-"))
            assert unlikely == pytest.approx(-test.log_likelihood[step - 1], abs=6e-3)


def test_rings_show_how_probable_each_goal_is(
    browser: Browser, alone: Path, to_spoon: Judgement
) -> None:
    browser.open(alone)
    for step in (0, -1):
        browser.run(
            "location.hash = arguments[0]", f"#trial=9&frame={to_spoon.test.frame[step] + 1}"
        )
        rings = (
            "return [...document.querySelectorAll('.world .arc')].map((arc) => {"
            "const [on, all] = arc.getAttribute('stroke-dasharray').split(' ').map(Number);"
            "return on / all})"
        )
        frame = int(to_spoon.test.frame[step])
        browser.wait(
            f"return document.querySelector('input[type=range]').valueAsNumber === {frame}"
        )
        assert browser.run(rings) == pytest.approx(to_spoon.test.goal[step].tolist(), abs=2e-3)


def test_plausibility_and_parts_are_shown(
    browser: Browser, alone: Path, to_spoon: Judgement
) -> None:
    browser.open(alone)
    assert browser.text(".plausibility b") == f"{to_spoon.plausibility:.3f}"
    parts = [f"{value:.3f}" for value in to_spoon.parts.to_dict().values()]
    assert browser.texts(".part h4 b") == parts
    assert browser.text(".equation").startswith(
        f"{to_spoon.plausibility:.3f} = {' × '.join(parts)}"
    )
    assert "does not count" in browser.texts(".part")[1]


# World and story


def test_the_agent_is_drawn_where_it_was_seen(
    browser: Browser, keyed: Path, with_key: Judgement
) -> None:
    trial = with_key.episode[0]
    for frame in (1, 15, 30, 45, 46, 60, len(trial.path)):
        browser.open(keyed, f"#trial=1&frame={frame}")
        x, y = trial.path[frame - 1]
        moved = browser.run("return document.querySelector('.agent').getAttribute('transform')")
        assert moved == f"translate({x:g} {y:g})"
        opacity = browser.run(
            "return document.querySelector('.world .barrier').getAttribute('opacity')"
        )
        assert float(opacity) == pytest.approx(trial.barrier_left[frame - 1], abs=1e-3)


def test_every_thing_has_its_own_picture_or_letters(
    browser: Browser, written: Callable[[str], Path]
) -> None:
    gizmo = replace(SPOON, image="shapes/gizmo.png")
    one = to_thing(HEART.at(120, 60), others=[gizmo.at(120, 140)])
    browser.open(written(page(hbtom.judge(read(episode(one, one))))))
    assert browser.texts(".world .token") == ["gi"]
    assert sorted(browser.texts(".world .label")) == ["gizmo", "heart"]
    colour = browser.run("return document.querySelector('.world .thing path').getAttribute('fill')")
    assert colour == "rgb(255 0 0)"


def test_the_story_is_told_and_can_be_clicked(
    browser: Browser, alone: Path, to_spoon: Judgement
) -> None:
    browser.open(alone)
    chapters = story(to_spoon)
    assert browser.texts(".summary span:last-child") == [one.summary for one in chapters]
    goal = next(one for one in chapters[-1].moments if one.kind == "goal")
    browser.click(".chapter.test .goal button")
    assert browser.moment == (9, goal.frame + 1)
    assert goal.text.replace("\u00a0", " ") in browser.text(".sentence")
    assert (
        browser.run("return document.querySelector('.sentence').getAttribute('aria-live')")
        == "polite"
    )


def test_a_small_picture_goes_to_its_trial(browser: Browser, alone: Path) -> None:
    browser.open(alone)
    browser.click(".trials li:nth-child(2) button")
    assert browser.moment == (2, 1)
    current = "return document.querySelector('.trials [aria-current]').textContent"
    assert browser.run(current) == "2"
    assert browser.texts(".trial.test .number") == ["Test"]


# Two films in sync


def test_two_films_run_in_sync(
    browser: Browser, both: Path, to_heart: Judgement, to_spoon: Judgement
) -> None:
    browser.open(both, "#trial=9&frame=30")
    places = (
        "return [...document.querySelectorAll('.agent')].map((a) => a.getAttribute('transform'))"
    )

    def seen(index: int) -> list[str]:
        films = (to_heart.episode.test, to_spoon.episode.test)
        at = [film.path[min(index, len(film.path) - 1)] for film in films]
        return [f"translate({x:g} {y:g})" for x, y in at]

    assert browser.run(places) == seen(29)
    browser.press("ARROW_RIGHT")
    assert browser.run(places) == seen(30)
    browser.press("END")
    assert browser.run(places) == seen(10_000)
    assert browser.texts(".plausibility b") == [
        f"{one.plausibility:.3f}" for one in (to_heart, to_spoon)
    ]
    assert browser.texts(".differences li")[0].startswith("The left one is judged more plausible")
    assert len(browser.texts(".sentence")) == 2


def test_films_of_different_length_end_together(
    browser: Browser, written: Callable[[str], Path], to_heart: Judgement
) -> None:
    one = to_thing(HEART.at(120, 60), others=[SPOON.at(120, 140)])
    short = hbtom.judge(read(episode(one, one)))
    browser.open(written(page(to_heart, short)), "#trial=9&frame=2")
    assert browser.texts(".trials .current .number") == ["Test", "Test"]
    browser.press("[", "[")
    assert browser.moment == (7, 1)
    assert browser.texts(".trials .current .number") == ["7", "1"]
    assert browser.complaints() == []


# Looks


def test_light_and_dark_can_be_changed(browser: Browser, alone: Path) -> None:
    browser.open(alone)
    ground = "return getComputedStyle(document.body).backgroundColor"
    before = browser.run(ground)
    browser.click("[aria-label='Light or dark']")
    after = browser.run(ground)
    assert before != after
    browser.press("t")
    assert browser.run(ground) == before


def wishing(browser: Browser, name: str, value: str) -> None:
    """Set a preference of the browser's user; an empty value resets it."""
    wish = {"features": [{"name": name, "value": value}]}
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", wish)


def test_a_preference_for_dark_is_respected(browser: Browser, alone: Path) -> None:
    ground = "return getComputedStyle(document.body).backgroundColor"
    found = {}
    for wish in ("light", "dark", ""):
        wishing(browser, "prefers-color-scheme", wish)
        found[wish] = browser.open(alone).run(ground)
    assert found["light"] != found["dark"]


def test_with_reduced_motion_only_whole_frames_are_shown(
    browser: Browser, alone: Path, to_spoon: Judgement
) -> None:
    wishing(browser, "prefers-reduced-motion", "reduce")
    try:
        browser.open(alone)
        browser.press("-", "-", "-")
        browser.run(
            "window.seen = new Set(); const agent = document.querySelector('.agent');"
            "new MutationObserver(() => window.seen.add(agent.getAttribute('transform')))"
            ".observe(agent, {attributes: true})"
        )
        browser.press("SPACE")
        browser.wait("return window.seen.size > 3")
        path = {f"translate({x:g} {y:g})" for x, y in to_spoon.episode.test.path}
        assert set(browser.run("return [...window.seen]")) <= path
    finally:
        wishing(browser, "prefers-reduced-motion", "")


def test_a_finger_moves_time(browser: Browser, alone: Path) -> None:
    browser.open(alone)
    box = browser.find(".chart.goal").rect
    for kind, share in (("touchStart", 0.3), ("touchMove", 0.35), ("touchMove", 0.6)):
        at = {"x": box["x"] + share * box["width"], "y": box["y"] + 60}
        touch = {"type": kind, "touchPoints": [at]}
        browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", touch)
    browser.driver.execute_cdp_cmd(
        "Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []}
    )
    assert browser.moment[1] > browser.run(LENGTH) // 2


@pytest.mark.parametrize(("width", "height"), [(360, 740), (820, 1100), (1280, 800), (1920, 1080)])
def test_nothing_overflows_on_any_screen(
    browser: Browser, alone: Path, both: Path, width: int, height: int
) -> None:
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        for file in (alone, both):
            browser.open(file)
            assert browser.run("return document.documentElement.scrollWidth") <= width
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_printed_page_shows_the_end_of_the_test_trial(browser: Browser, alone: Path) -> None:
    browser.open(alone, "#trial=2&frame=3")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert "This is surprising" in browser.text(".sentence")
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        shown = "return getComputedStyle(document.querySelector(arguments[0])).display"
        assert browser.run(shown, ".transport") == "none"
        assert browser.run(shown, ".chapter.test .moments") == "block"
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.text(".trials .current .number") == "2"


# No network


def test_the_page_sends_no_requests_and_logs_no_errors(
    browser: Browser, alone: Path, both: Path, keyed: Path
) -> None:
    for file in (alone, both, keyed):
        browser.open(file)
        browser.press("SPACE")
        browser.wait("return document.querySelector('input[type=range]').valueAsNumber > 5")
        browser.press("SPACE", "[", "END", "t")
        outside = [address for address in browser.requests() if not address.startswith("data:")]
        assert outside in ([], [file.as_uri()])
        assert browser.complaints() == []


def test_the_page_cannot_use_the_network(browser: Browser, alone: Path) -> None:
    """This checks the test above: a forbidden request is refused, and seen in the console."""
    browser.open(alone)
    refused = browser.driver.execute_async_script(
        "const done = arguments[0];"
        "fetch('http://127.0.0.1:9/').then(() => done(false), () => done(true))"
    )
    assert refused
    assert any("Content Security Policy" in message for message in browser.complaints())


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=document.title='caught'>", "x<script>document.title='caught'<b>"]
)
def test_markup_in_names_is_shown_as_text(
    browser: Browser, written: Callable[[str], Path], name: str
) -> None:
    def rename(frame: dict[str, Any]) -> None:
        frame["objects"][0][2] = name

    one = to_thing(HEART.at(120, 60), others=[SPOON.at(120, 140)], who=CLOVE)
    judgement = hbtom.judge(replace(read(every_frame(episode(one, one), rename)), name=name))
    browser.open(written(page(judgement)))
    shown = name[:39] + "…" if len(name) > 40 else name
    assert shown in browser.texts(".world .label")
    assert browser.text(".heading h2") == name
    assert browser.run("return document.querySelectorAll('img').length") == 0
    assert browser.run("return document.querySelectorAll('script').length") == 2
    assert browser.run("return document.title").endswith("– hbtom")
    assert browser.complaints() == []


def test_a_page_of_every_kind_opens(
    browser: Browser, written: Callable[[str], Path], every_task
) -> None:
    for number, pair in enumerate(every_task):
        if number % 2:
            pair = [hbtom.judge(one.episode, "paper") for one in pair]
        browser.open(written(page(*pair)))
        browser.press("END", "[", "END")
        assert browser.complaints() == []


def test_odd_episodes_open(browser: Browser, written: Callable[[str], Path]) -> None:
    still = to_thing(HEART.at(120, 60))[:1]
    locked = key_trial()[:22]
    for trials in ([still], [still, still], [locked, key_trial()]):
        browser.open(written(page(hbtom.judge(read(episode(*trials))))))
        browser.press("END", "HOME", ".", ",", "+", "+", "+", "SPACE")
        browser.wait("return document.querySelector('.play.playing') === null")
        assert browser.complaints() == []


def test_the_data_in_the_page_are_json(browser: Browser, alone: Path) -> None:
    browser.open(alone)
    text = browser.run("return document.getElementById('data').textContent")
    assert set(json.loads(text)) == {"version", "films", "differences"}


# Charts


def chart_order(browser: Browser) -> list[str]:
    return browser.texts(".member:first-child .chart-box h3")


def test_the_chart_that_decides_comes_first(browser: Browser, both: Path, keyed: Path) -> None:
    browser.open(both)
    assert chart_order(browser)[0] == "What does it want?"
    parts = browser.open(keyed).run(
        "return JSON.parse(document.getElementById('data').textContent).films[0].parts"
    )
    least = min(parts, key=parts.__getitem__)
    wanted = {"goal": "What does it want?", "observation": "How surprising is it?"}
    assert chart_order(browser)[0] == wanted.get(least, "How efficiently does it act?")
    assert browser.run("return document.querySelectorAll('.chart .axis').length") == 1


def test_charts_are_beside_the_worlds_of_a_pair(browser: Browser, both: Path) -> None:
    browser.driver.set_window_size(1400, 900)
    try:
        browser.open(both)
        script = """const [world, charts] = [".world", ".charts"].map((one) =>
            document.querySelector(one).getBoundingClientRect());
            return charts.left >= world.right && charts.top < world.bottom"""
        assert browser.run(script)
    finally:
        browser.driver.set_window_size(1280, 900)


def test_both_members_of_a_pair_share_the_time_axis(browser: Browser, both: Path) -> None:
    browser.open(both)
    ticks = [browser.texts(f".member:nth-child({one}) .axis text") for one in (1, 2)]
    assert ticks[0] == ticks[1]
    assert len({*map(int, ticks[0][:-1])}) > 1


def test_lines_have_colours_near_those_of_things(browser: Browser, alone: Path) -> None:
    """The heart is red and the spoon is cyan: orange and green are nearest."""
    browser.open(alone)
    names = browser.texts(".chart.goal .end-label")
    classes = browser.run(
        "return [...document.querySelectorAll('.chart.goal .end-label')].map((e) => e.classList[1])"
    )
    assert dict(zip(names, classes, strict=True)) == {"heart": "item-1", "spoon": "item-2"}


def test_eight_things_differ_in_colour_and_dash(
    browser: Browser, written: Callable[[str], Path]
) -> None:
    colours = [(20 * one, 40, 250 - 20 * one) for one in range(7)]
    others = [
        replace(
            SPOON, image=f"thing_{one}.png", colour=colour, radius=4, centre=(40 + 18 * one, 30)
        )
        for one, colour in enumerate(colours)
    ]
    trial = to_thing(HEART.at(150, 150), others=others)
    browser.open(written(page(hbtom.judge(read(episode(trial))))))
    every = "[...document.querySelectorAll('.chart.goal .series')]"
    drawn = browser.run(f"return {every}.map((line) => line.getAttribute('class'))")
    assert len(drawn) == len({*drawn}) == 8


def test_charts_are_saved(browser: Browser, alone: Path, tmp_path: Path) -> None:
    browser.open(alone)
    from selenium.webdriver.support.ui import WebDriverWait

    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    for kind in ("PNG", "SVG", "CSV"):
        browser.click(f".save-{kind}")
    WebDriverWait(browser.driver, 10).until(
        lambda _: {path.suffix for path in tmp_path.iterdir()} == {".png", ".svg", ".csv"}
    )
    by_kind = {path.suffix: path.read_bytes() for path in tmp_path.iterdir()}
    assert by_kind[".png"].startswith(b"\x89PNG")
    drawing = ElementTree.fromstring(by_kind[".svg"])
    assert "What does it want?" in [node.text for node in drawing.iter() if node.text]
    rows = list(csv.DictReader(by_kind[".csv"].decode().splitlines()))
    assert {row["belief"] for row in rows} == {"goal", "efficiency"}
    first = [
        row for row in rows if (row["trial"], row["step"], row["belief"]) == ("1", "0", "goal")
    ]
    assert sum(float(row["probability"]) for row in first) == pytest.approx(1)
    assert browser.complaints() == []


def test_a_film_with_very_many_things_is_shown(
    browser: Browser, written: Callable[[str], Path]
) -> None:
    """There are more things than combinations of colours and dashes."""
    things = [replace(HEART, colour=(9 * at, 0, 99)).at(150, 60) for at in range(26)]
    judged = hbtom.judge(read(episode(*map(to_thing, things))))
    browser.open(written(page(judged)), "#trial=26")
    assert browser.run("return document.querySelectorAll('.chart.goal .series').length") == 1


def test_only_requests_of_the_page_are_counted(browser: Browser, tmp_path: Path) -> None:
    """A new browser may still be loading its own page for a new tab."""
    browser.visit("chrome://version/")
    assert browser.requests() == []
    file, image = tmp_path / "page.html", "http://127.0.0.1:9/image.png"
    file.write_text(f"<title>Page</title><iframe srcdoc='<img src={image}>'></iframe>")
    assert browser.open(file).requests() == [file.as_uri(), image]
