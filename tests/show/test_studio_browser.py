"""The studio in a real browser: a scene is drawn from scratch, judged, undone and saved."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import companions
import hbtom
from browsing import Browser
from episodes import simple_episode, write
from hbtom.observe import writing
from served import Served

WALLS = "return document.querySelector('.stage .walls').getAttribute('d').split('M').length - 1"
THINGS = "return document.querySelectorAll('.stage .thing:not(.agent)').length"
JUDGED = "return document.querySelector('.one-member b').textContent.match(/^[0-9<]/) !== null"


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """A studio that begins with an empty room, and the folder where it saves."""
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    folder = tmp_path_factory.mktemp("studio")
    words = "--no-open", "--workers", "1"
    server = Served(folder, *words, cache=tmp_path_factory.mktemp("cache"), verb="studio")
    yield server, folder
    assert server.stop() == (0, f"hbtom: the studio saves to {folder}; Ctrl-C ends it\n")


@pytest.fixture
def page(browser: Browser, studio: tuple[Served, Path]) -> Iterator[Browser]:
    """The page, which may neither send other requests nor log errors."""
    before = browser.driver.get_window_size()
    browser.driver.set_window_size(1400, 900)
    browser.visit(studio[0].address)
    browser.wait("return document.querySelector('.stage .walls') !== null")
    yield browser
    asked = [one for one in browser.requests() if not one.startswith(studio[0].address)]
    assert [one for one in asked if not one.startswith("data:")] == []
    assert browser.complaints() == []
    browser.run("addEventListener('beforeunload', (e) => e.stopImmediatePropagation(), true)")
    browser.driver.set_window_size(before["width"], before["height"])


def drag(page: Browser, *places: tuple[float, float]) -> None:
    """Press the button at the first place of the world, move to the others, and release it."""
    from selenium.webdriver import ActionChains

    script = """
      const [x, y] = arguments;
      const stage = document.querySelector(".stage");
      const {x: left, y: top} = new DOMPoint(x, y).matrixTransform(stage.getScreenCTM());
      const box = stage.getBoundingClientRect();
      return [left - box.left - box.width / 2, top - box.top - box.height / 2];
    """
    stage, pointer = page.find(".stage"), ActionChains(page.driver, duration=20)
    ways = [[round(value) for value in page.run(script, *place)] for place in places]
    pointer.move_to_element_with_offset(stage, *ways[0]).click_and_hold()
    for way in ways[1:]:
        pointer.move_to_element_with_offset(stage, *way)
    pointer.release().perform()


def test_a_scene_is_drawn_from_scratch_judged_undone_and_saved(
    page: Browser, studio: tuple[Served, Path]
) -> None:
    page.wait("return document.querySelector('.told').textContent.includes('Put an object')", 40)
    page.press("w")
    walls = page.run(WALLS)
    drag(page, (90, 90), (90, 110))
    page.wait(f"{WALLS} === {walls + 2}")
    page.press("o")
    drag(page, (150, 60))
    page.wait(f"{THINGS} === 1")
    page.click(".swatch:nth-child(3)")
    drag(page, (150, 140))
    page.wait(f"{THINGS} === 2")
    page.press("p")
    drag(page, (150, 60))  # along the shortest path
    page.wait("return document.querySelectorAll('.handle').length === 2")
    page.wait(JUDGED, 40)
    for number in (2, 3, 4):
        page.click("button.copy")
        page.wait(f"return document.querySelectorAll('.trial').length === {number}")
    page.wait(JUDGED, 40)
    page.click(".vary.swap")
    page.wait("return document.querySelectorAll('.one-member').length === 2")
    values = "return [...document.querySelectorAll('.one-member b')].map((one) => one.textContent)"
    page.wait(f"{values.replace('return ', 'return !')}.includes('…')", 40)
    first, second = page.run(values)
    assert float(first) > 0.9
    assert float(second) < 0.2
    page.click(".vary.detour")  # remakes the second, and keeps the first
    page.wait(f"{values.replace('return ', 'return !')}.includes('…')", 40)
    page.wait("return document.querySelector('.told').textContent.includes('detour')", 40)
    assert page.run(values)[0] == first
    page.press("Control+z")
    page.wait(
        f"return [...document.querySelectorAll('.one-member b')][1].textContent === '{second}'", 40
    )
    page.click("button.save")
    page.wait("return document.querySelector('.news').textContent.startsWith('Saved')")
    saved = studio[1] / "scene other.json"
    assert f"{hbtom.judge(saved).plausibility:.3f}" == second
    leaving = "return dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert not page.run(leaving)  # the first member is not saved yet
    page.press("1", "Control+s")
    page.wait("return document.querySelector('.news').textContent.endsWith('scene.json')")
    assert page.run(leaving)
    page.press("Control+z")
    page.wait("return document.querySelectorAll('.one-member').length === 1")
    page.press("Control+Shift+z")
    page.wait("return document.querySelectorAll('.one-member').length === 2")


def test_saving_asks_before_it_replaces(page: Browser, studio: tuple[Served, Path]) -> None:
    target = studio[1] / "scene.json"
    target.write_text("mine")
    page.click("button.save")
    page.wait("return document.querySelector('dialog.replace').open")
    page.click("dialog .no")
    page.wait("return document.querySelector('.news').textContent === 'Nothing was saved.'")
    assert target.read_text() == "mine"
    page.click("button.save")
    page.wait("return document.querySelector('dialog.replace').open")
    page.click("dialog .yes")
    page.wait("return document.querySelector('.news').textContent.startsWith('Saved')")
    assert len(json.loads(target.read_bytes())) == 1


def test_a_file_is_opened_changed_changed_back_and_saved_without_loss(
    page: Browser, studio: tuple[Served, Path], tmp_path: Path
) -> None:
    trials = simple_episode()
    for frame in trials[0]:
        frame["gaze"] = {"id": 12345678901234567890}  # more digits than browsers can represent
    source = write(tmp_path / "mine.json.gz", trials)
    page.find("input[type=file]").send_keys(str(source))
    page.wait("return document.querySelectorAll('.trial').length === 3")
    walls = page.run(WALLS)
    page.run("document.querySelector('.everywhere').click()")
    page.press("w")
    drag(page, (150, 150))
    page.wait(f"{WALLS} === {walls + 1}")
    drag(page, (150, 150))
    page.wait(f"{WALLS} === {walls}")
    page.press("Control+s")
    page.wait("return document.querySelector('.news').textContent.startsWith('Saved')")
    assert json.loads((studio[1] / "mine.json").read_bytes()) == trials


def test_company_is_shown_where_it_is_in_each_frame(page: Browser, tmp_path: Path) -> None:
    source = tmp_path / "social.json"
    source.write_bytes(writing.write(hbtom.Episode((companions.hidden(),))))
    page.find("input[type=file]").send_keys(str(source))
    many = "(one) => document.querySelectorAll(`.stage ${one}`).length"
    drawn = f"return ['.board', '.other', '.agent'].map({many})"
    thing = "document.querySelector('.stage .thing:not(.agent, .other)')"
    ball = f"return {thing}.getAttribute('transform')"
    page.wait(f"{drawn}.join() === '1,1,0'")
    assert page.run(ball) == "translate(40 150)"
    walls = page.run(WALLS)
    page.run(
        "const slider = document.querySelector('input[type=range]');"
        "slider.value = 59; slider.dispatchEvent(new Event('input'));"
    )
    assert page.run(drawn) == [1, 0, 1]
    assert (page.run(ball), page.run(WALLS)) == ("translate(40 50)", walls - 1)


def test_an_object_is_added_moved_and_removed_by_keyboard(page: Browser) -> None:
    page.run("document.querySelector('.stage').focus()")
    page.press("o", "Shift+ARROW_RIGHT", "Shift+ARROW_RIGHT", "SPACE")
    page.wait(f"{THINGS} === 1")
    where = "return document.querySelector('.stage .thing:not(.agent)').getAttribute('transform')"
    assert page.run(where) == "translate(120 100)"
    page.press("v", "SPACE", "ARROW_DOWN")
    page.wait(f"{where} === 'translate(120 101)'")
    page.wait("return document.querySelector('.halo') !== null")
    page.press("DELETE")
    page.wait(f"{THINGS} === 0")


def test_points_of_the_path_can_be_dragged(page: Browser) -> None:
    page.press("p")
    drag(page, (50, 100), (60, 100), (80, 100), (110, 100), (150, 100))
    handles = "return [...document.querySelectorAll('.handle')].map((h) => +h.getAttribute('cy'))"
    page.wait(f"{handles.replace('return ', 'return (')}).length === 1")
    page.press("v")
    drag(page, (100, 100), (100, 130), (100, 150))  # a new bend
    page.wait(f"{handles.replace('return ', 'return (')}).length === 2")
    page.wait(f"{handles.replace('return ', 'return Math.abs(')}[0] - 150) <= 2")


def test_a_phone_shows_the_scene_and_changes_nothing(page: Browser) -> None:
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        assert page.run("return document.documentElement.scrollWidth <= innerWidth")
        assert not page.find(".palette").is_displayed()
        walls = page.run(WALLS)
        page.press("w")
        drag(page, (90, 90))
        assert page.run(WALLS) == walls
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_other_sites_are_refused_and_odd_requests_answered(studio: tuple[Served, Path]) -> None:
    server, folder = studio
    before = sorted(folder.iterdir())
    for headers in ([("Origin", "http://example.org")], [("Host", "example.org")], []):
        assert server.ask("/save", method="POST", headers=headers).status == 403
    for path in ("/edit", "/judge", "/save", "/open"):
        assert "problem" in server.post(path).json
    outside = {"members": {"a": [0]}, "name": "../" + folder.name + "/scene.json"}
    told = server.post("/save", json.dumps(outside).encode()).json
    assert "is not a name for a file" in told["problem"]
    assert not told["exists"]
    for odd in ({"members": {}, "name": "a.json"}, {"members": {"a": [0]}, "name": "ä" * 150}):
        answer = server.post("/save", json.dumps(odd).encode())
        assert (answer.status, "problem" in answer.json) == (200, True)
    assert server.get("/elsewhere").status == 404
    assert "script-src 'sha256-" in server.get("/").headers["content-security-policy"]
    assert sorted(folder.iterdir()) == before


def test_a_reloaded_page_shows_the_current_file(tmp_path: Path) -> None:
    """Otherwise a reload would bring back the state before the last save."""
    pytest.importorskip("uvicorn")
    source = write(tmp_path / "mine.json", simple_episode())
    server = Served(source, "--no-open", "--workers", "1", cache=tmp_path / "cache", verb="studio")
    before = server.get("/").text.count('"points"')
    write(source, simple_episode()[:1])
    after = server.get("/").text.count('"points"')
    server.stop()
    assert before - after == len(simple_episode()) - 1
