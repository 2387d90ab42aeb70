"""The site is built from the repository, completely and without a network.

It is built once, with warnings as errors, which also runs the tutorial and judges the episodes of
the gallery. The tests check the result. HBTOM_SITE names a site that is already built.
"""

from __future__ import annotations

import html
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import hbtom
from browsing import Browser, find_browser

ROOT = Path(__file__).parents[1]
ROOMS = ("observe", "world", "plan", "mind", "judgement", "bench", "neural", "show")
DOCS = ROOT / "docs"
PAGES = [
    page.relative_to(DOCS).with_suffix(".html")
    for page in sorted(DOCS.rglob("*.md"))
    if "_build" not in page.parts
]
FINDINGS = sorted(path.stem for path in (DOCS / "gallery").glob("*-*.md"))
# How the pairs of each condition compare: + as expected, - reversed, = about equal, ? not judged
STUDIES = {
    "hamlin-2007": {
        "The full model": "+=",
        "Help and harm change nothing": "==",
        "Nobody wants to be with others": "??",
    },
    "luo-baillargeon-2005": {"The full model": "+====", "Everything moves by itself": "+++=="},
    "onishi-baillargeon-2005": {
        "The full model": "++++",
        "Agents know everything": "++--",
        "Agents only remember": "+-+-",
    },
    "powell-spelke-2018": {
        "The full model": "+=+",
        "Nobody copies anybody": "===",
        "Nobody wants to be with others": "???",
    },
}
NEEDED = ("sphinx", "furo", "myst_nb")


class Page(HTMLParser):
    """The content and references of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        self.text = file.read_text(encoding="utf-8")
        self.ids: set[str] = set()
        self.links: list[str] = []  # to follow
        self.parts: list[str] = []  # scripts, styles, images and frames, which are fetched
        self.frames: list[str] = []
        self.feed(self.text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attributes}
        self.ids.update(named[name] for name in ("id", "name") if name in named)
        if tag == "a" and "href" in named:
            self.links.append(named["href"])
        elif tag == "link" and "href" in named:
            self.parts.append(named["href"])
        elif "src" in named:
            self.parts.append(named["src"])
            self.frames += [named["src"]] if tag == "iframe" else []

    def leads_to(self, link: str) -> tuple[Path, str]:
        """Return the file and anchor that a link of the page points to."""
        address = urlsplit(link)
        file = self.file.parent / unquote(address.path) if address.path else self.file
        return Path(os.path.normpath(file)), unquote(address.fragment)


def build(target: Path) -> str:
    """Build the site and return errors."""
    options = ["-W", "--keep-going", "-q", "-b", "html"]
    quicker = "import gc, sys; gc.disable()"  # pages are large trees that are all kept
    code = f"{quicker}; from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *options, "docs", str(target)]
    compiled = os.environ | {"NUMBA_DISABLE_JIT": "0"}
    done = subprocess.run(
        command, cwd=ROOT, env=compiled, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.fixture(scope="session")
def site(once: Callable[..., Path], request: pytest.FixtureRequest) -> Path:
    """The folder of the built site, one for all processes that run tests."""
    if "HBTOM_SITE" in os.environ:
        return Path(os.environ["HBTOM_SITE"]).absolute()
    lacking = [name for name in NEEDED if find_spec(name) is None]
    if lacking:
        pytest.skip(f"the extra 'docs' is not installed: there is no {lacking[0]}")
    request.getfixturevalue("kernels")
    return once("site", build)


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[Path, Page]:
    return {file: Page(file) for file in sorted(site.rglob("*.html"))}


def test_all_pages_are_there(site):
    assert len(PAGES) >= 25
    assert [page for page in PAGES if not (site / page).exists()] == []


def test_links_have_targets(pages):
    broken = [
        f"{page.file.name}: {link}"
        for page in pages.values()
        for link in (*page.links, *page.parts)
        if not urlsplit(link).scheme
        for file, place in [page.leads_to(link)]
        if not file.exists() or (place and file in pages and place not in pages[file].ids)
    ]
    assert broken == []


def foreign(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    """Yield everything that would be fetched from elsewhere."""
    for page in pages.values():
        for part in page.parts:
            if urlsplit(part).scheme not in ("", "data") or part.startswith("//"):
                yield f"{page.file.name}: {part}"
    for style in [*site.rglob("*.css"), *pages]:
        found = re.findall(r"(?:@import\s+|url\()[\"']?((?:https?:)?//\S+)", style.read_text())
        yield from (f"{style.name}: {address}" for address in found)


def test_nothing_is_fetched_from_elsewhere(site, pages):
    assert list(foreign(site, pages)) == []


@pytest.mark.parametrize("finding", FINDINGS)
def test_a_finding_has_episodes_and_their_description(site, pages, finding):
    page = pages[site / "gallery" / f"{finding}.html"]
    assert page.frames
    for frame in page.frames:
        file, _ = page.leads_to(frame)
        assert "<title>expected and unexpected" in pages[file].text
        assert frame in page.links  # in full size
    accounts = re.findall(r"The (?:un)?expected episode: plausibility", page.text)
    assert len(accounts) == 2 * len(page.frames)


@pytest.mark.parametrize("finding", [one for one in FINDINGS if one not in STUDIES])
def test_the_model_distinguishes_the_episodes_of_a_finding(site, pages, finding):
    text = re.sub(r"<[^>]+>", " ", pages[site / "gallery" / f"{finding}.html"].text)
    rows = re.findall(r"The full model\s+([\d.]+)\s+(?:&lt;)?([\d.]+)\s+(\d+)", text)
    assert rows
    for expected, unexpected, told_apart in rows:
        assert float(expected) > float(unexpected)
        assert int(told_apart) >= 9


def cells(page: Page) -> dict[str, list[str]]:
    """Return the tables of a page: the cells of each row, by the text of its first cell."""
    found = {}
    for row in re.findall(r"<tr.*?</tr>", page.text, re.DOTALL):
        name, *rest = (
            html.unescape(re.sub(r"<[^>]+>", "", cell)).strip()
            for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.DOTALL)
        )
        found[name] = rest
    return found


def compared(cell: str) -> str:
    if cell == "missing: there are no goals":
        return "?"
    expected, unexpected = (float(one.strip(" <")) for one in cell.split("/"))
    gap = expected - unexpected
    return "=" if abs(gap) < 0.2 else "" if abs(gap) < 0.5 else "+" if gap > 0 else "-"


@pytest.mark.parametrize("study", STUDIES)
def test_each_condition_of_a_study_is_judged_as_its_page_says(site, pages, study):
    page = pages[site / "gallery" / f"{study}.html"]
    found = cells(page)
    rows = {name: "".join(map(compared, found[name])) for name in STUDIES[study]}
    assert rows == STUDIES[study]
    assert any(part.endswith(f"{study}.png") for part in page.parts)


def test_beliefs_before_a_test_are_as_the_pages_say(site, pages):
    hamlin, luo, onishi, powell = (
        cells(pages[site / "gallery" / f"{study}.html"]) for study in STUDIES
    )
    assert float(hamlin["The hinderer means it ill"][0]) > float(
        hamlin["The helper means it well"][0]
    )
    assert luo["The box moves by itself"] == ["1.000", "<0.001", "<0.001", "1.000", "1.000"]
    pushed, starts = luo["The full model"][1:3]
    assert float(starts.split(" / ")[0]) < float(pushed.split(" / ")[0]) - 0.1
    assert onishi["The actor thinks the toy is in the green place"][2] == "0.800"  # 4 : 1
    assert powell["The triangle goes to the circle"][:2] == ["0.833", "0.500"]  # 5 : 1


def test_the_tutorial_was_run(site):
    page = Page(site / "tutorial.html")
    assert page.text.count("cell_output") >= 10
    assert any(part.endswith(".png") for part in page.parts)
    assert any(link.endswith("tutorial.ipynb") for link in page.links)


def test_all_public_names_are_documented(pages, site):
    flat = pages[site / "reference" / "python.html"].ids
    rooms = pages[site / "reference" / "rooms.html"].ids
    assert {f"hbtom.{name}" for name in hbtom.__all__ if name != "__version__"} <= flat
    for room in ROOMS:
        package = importlib.import_module(f"hbtom.{room}")
        for name in package.__all__:
            if callable(getattr(package, name)):
                assert f"hbtom.{name}" in flat or f"hbtom.{room}.{name}" in rooms, name


def test_all_commands_are_documented(pages, site):
    from hbtom.cli import main

    told = pages[site / "reference" / "commands.html"].ids
    groups = {"model": ("list", "show"), "scene": ("new",)}
    parts = [f"{group}-{name}" for group, names in groups.items() for name in names]
    assert {f"hbtom-{name}" for name in (*(main.commands.keys() - groups), *parts)} <= told


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    found = find_browser(tmp_path_factory.mktemp("profile"))
    if isinstance(found, str):
        pytest.skip(found)
    yield found
    found.quit()


def test_a_page_works_from_a_file_with_its_episodes(site, browser):
    browser.open(site / "gallery" / "woodward-1998.html")
    frame = browser.find("figure.episode iframe")
    browser.run("arguments[0].scrollIntoView()", frame)  # hidden frames do not play
    browser.driver.switch_to.frame(frame)
    browser.run("document.querySelector('.transport .play').click()")
    browser.wait("return document.querySelector('input[type=range]').valueAsNumber > 0")
    assert len(browser.texts(".member")) == 2
    browser.driver.switch_to.default_content()
    assert browser.complaints() == []
    assert [one for one in browser.requests() if not one.startswith(("file:", "data:"))] == []


def test_no_page_is_wider_than_a_small_screen(site, browser):
    size = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    heavy = {"urls": ["*/episodes/*"]}  # the content of a frame does not widen the page
    browser.driver.execute_cdp_cmd("Network.setBlockedURLs", heavy)
    for page in PAGES:
        browser.driver.get((site / page).as_uri())
        assert browser.run("return document.documentElement.scrollWidth") <= 360, page
