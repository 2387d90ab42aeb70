"""The page: one document with everything in it, whatever names things have."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import hbtom
from episodes import CLOVE, HEART, SPOON, episode, every_frame, read, to_thing
from hbtom.judgement import Judgement
from hbtom.show.document import POLICY, embedded
from hbtom.show.page import page
from hbtom.show.page.viewer import SCRIPTS

NASTY = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "{{data}} {{script}}",
    "\u2028\u2029 \u202e",
    "&amp; &lt;b&gt; \"'`",
    "$& $1 \\1 \\g<0>",
]


class Reader(HTMLParser):
    """What a browser would find in a page: its elements and their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = [("nothing", {})]
        self.text: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        tag, attributes = self.elements[-1]
        name = attributes.get("type") or tag
        self.text[name] = self.text.get(name, "") + data


def named(name: str) -> Judgement:
    """Return a judgement of an episode in which everything has the same name."""

    def rename(frame: dict[str, Any]) -> None:
        frame["agent"][2] = name
        for thing in frame["objects"]:
            thing[2] = name

    one = to_thing(HEART.at(120, 60), others=[SPOON.at(120, 140)], who=CLOVE)
    renamed = read(every_frame(episode(one, one), rename))
    return hbtom.judge(replace(renamed, name=name))


@pytest.fixture(scope="module")
def usual(to_spoon: Judgement) -> str:
    return page(to_spoon)


def test_the_data_can_be_read_back(usual: str, to_spoon: Judgement) -> None:
    found = json.loads(Reader(usual).text["application/json"])
    [film] = found["films"]
    assert film["plausibility"] == to_spoon.plausibility
    assert len(film["trials"]) == 9
    assert found["differences"] == []


def test_two_films_come_with_their_differences(to_heart: Judgement, to_spoon: Judgement) -> None:
    found = json.loads(Reader(page(to_heart, to_spoon)).text["application/json"])
    assert [film["plausibility"] for film in found["films"]] == [
        to_heart.plausibility,
        to_spoon.plausibility,
    ]
    assert found["differences"][0].startswith("The left one is judged more plausible")


def test_the_page_forbids_network_access(usual: str) -> None:
    policies = [
        attributes["content"]
        for tag, attributes in Reader(usual).elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == [POLICY]
    rules = dict(rule.split(" ", 1) for rule in POLICY.split("; "))
    assert rules["default-src"] == "'none'"
    assert not re.search(r"https?:|\*|'self'|'unsafe-eval'|connect-src|font-src", POLICY)


def test_the_page_refers_to_nothing_outside(usual: str) -> None:
    addresses = set(re.findall(r"\w+://[^\s\"'`)]+", usual))
    assert addresses == {"http://www.w3.org/2000/svg"}  # an identifier, which is never fetched
    assert "@import" not in usual
    assert "url(" not in usual
    for tag, attributes in Reader(usual).elements:
        assert "src" not in attributes, tag
        assert attributes.get("href", "data:,") == "data:,", tag


def test_scripts_never_turn_text_into_markup(usual: str) -> None:
    script = Reader(usual).text["module"]
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "DOMParser",
    ):
        assert way not in script


def test_a_page_is_small(to_heart: Judgement, every_task) -> None:
    assert len(page(to_heart)) < 150_000
    for pair in every_task:
        assert len(page(pair[0])) < 200_000
        assert len(page(*pair)) < 300_000


def test_all_parts_of_the_page_are_in_it(usual: str) -> None:
    assert not re.search(r"\{\{\w+\}\}", usual)
    assert len(SCRIPTS) == len(set(SCRIPTS))
    for made in (
        "makeWorld",
        "makeCharts",
        "makeStrip",
        "makeStory",
        "makePlayer",
        "makeTransport",
    ):
        assert f"function {made}(" in usual


def test_every_template_file_is_used() -> None:
    """No file is shipped without being used."""
    from hbtom.show import document
    from hbtom.show.page import viewer as build

    others = {"document.html", f"{Path(document.MESSAGE).name}.css"}
    for part, more in ((build, set()), (document, others)):
        used = {f"{name}.js" for name in part.SCRIPTS} | {f"{name}.css" for name in part.STYLES}
        assert {path.name for path in part.TEMPLATE.iterdir()} == used | more


@pytest.mark.parametrize("name", NASTY)
def test_names_stay_text(name: str) -> None:
    judgement = named(name)
    found, harmless = Reader(page(judgement)), Reader(page(named("heart")))
    assert [tag for tag, _ in found.elements] == [tag for tag, _ in harmless.elements]
    json.loads(found.text["application/json"])
    assert found.text["module"] == harmless.text["module"]
    assert found.text["style"] == harmless.text["style"]


def test_data_hold_no_markup() -> None:
    text = embedded({"name": "</script><!-- & \u2028 é"})
    assert not set("<>&\u2028é") & set(text)
    assert json.loads(text) == {"name": "</script><!-- & \u2028 é"}


def test_names_that_cannot_be_encoded_do_no_harm() -> None:
    judgement = named("heart")
    broken = replace(judgement, episode=replace(judgement.episode, name="a\udcff.json"))
    assert "a?.json" in page(broken)
    page(broken).encode()


def test_an_episode_of_one_still_frame_has_a_page() -> None:
    one = to_thing(HEART.at(120, 60))[:1]
    assert "It does not move." in page(hbtom.judge(read(episode(one))))


def test_the_page_has_a_short_summary(usual: str, to_spoon: Judgement) -> None:
    assert f"plausibility {to_spoon.plausibility:.3f}" in Reader(usual).text["noscript"]
