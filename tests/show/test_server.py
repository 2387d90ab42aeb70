"""A real server, over the network, as browsers and programs see it."""

from __future__ import annotations

import os
import re
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import hbtom
from episodes import read, simple_episode, to_bytes
from served import Served
from shelves import EXPECTED, FEW, MANY, NAMED, ODD, PAIRS, UNEXPECTED

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

LIKELY, UNLIKELY = (hbtom.judge(read(one)).plausibility for one in (EXPECTED, UNEXPECTED))
SOON = hbtom.judge(read(simple_episode())).plausibility
OUTCOMES = {
    "broken": ("unreadable", LIKELY, None),
    "other": ("right", LIKELY, UNLIKELY),
    "same": ("tie", LIKELY, LIKELY),
    "swapped": ("wrong", UNLIKELY, LIKELY),
    "usual": ("right", LIKELY, UNLIKELY),
    ODD: ("right", LIKELY, UNLIKELY),
}


@pytest.fixture
def fresh(shelf: Path, tmp_path: Path) -> Iterator[Served]:
    """A server without any requests so far."""
    server = Served(shelf, "--no-open", "--workers", "2", cache=tmp_path)
    yield server
    if server.process.poll() is None:
        assert server.stop()[0] == 0


def outcome(row: dict[str, Any]) -> tuple[str, float | None, float | None]:
    return row["verdict"], row["expected"], row["unexpected"]


def finished(server: Served, **query: str) -> dict[str, Any]:
    """Wait until the background run is over, and return the list."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        answer = server.get("/pairs", **query).json
        if not answer["run"]["going"]:
            return answer
        time.sleep(0.05)
    raise AssertionError("it is still judging")


def test_a_file_that_changes_is_judged_again(tmp_path: Path) -> None:
    """This includes one in an archive, and one that is gone."""
    folder = tmp_path / "data" / "preference"
    folder.mkdir(parents=True)
    both = {"e": to_bytes(EXPECTED), "u": to_bytes(UNEXPECTED)}

    def write_all(expected: str, unexpected: str) -> None:
        (folder / "plaine.json").write_bytes(both[expected])
        (folder / "plainu.json").write_bytes(both[unexpected])
        with zipfile.ZipFile(folder / "some.zip", "w") as archive:
            archive.writestr("preference/packede.json", both[expected])
            archive.writestr("preference/packedu.json", both[unexpected])

    def verdicts() -> list[str]:
        return [row["verdict"] for row in server.get("/pairs").json["rows"]]

    def judged() -> list[str]:
        names = ("packed", "plain")
        rows = [server.get("/pair", task="preference", pair=name).json for name in names]
        assert verdicts() == [row["verdict"] for row in rows]
        return verdicts()

    write_all("e", "u")
    server = Served(folder.parent, "--no-open", "--workers", "1", cache=tmp_path)
    before = judged(), server.get("/watch", task="preference", pair="plain").text
    write_all("u", "e")
    assert verdicts() == ["unjudged", "unjudged"]
    after = judged(), server.get("/watch", task="preference", pair="plain").text
    (folder / "plaine.json").unlink()
    gone = judged()
    assert server.stop()[0] == 0
    assert (before[0], after[0]) == (["right", "right"], ["wrong", "wrong"])
    assert before[1] != after[1]
    assert gone == ["wrong", "unreadable"]


# The list


def test_all_pairs_are_listed_wherever_they_are_kept(served: Served) -> None:
    seen: list[tuple[str, str]] = []
    for start in range(0, PAIRS, 50):
        answer = served.get("/pairs", **{"from": str(start)}).json
        assert (answer["first"], answer["chosen"]) == (start, PAIRS)
        seen += [(row["task"], row["pair"]) for row in answer["rows"]]
    assert Counter(task for task, _ in seen) == {
        "efficiency_path": FEW,
        "preference": len(NAMED),
        "multi_agent": MANY,
    }
    assert [pair for task, pair in seen if task == "preference"] == sorted(NAMED)


@pytest.mark.parametrize("name", sorted(NAMED))
def test_the_outcome_of_a_pair_matches_judging_its_episodes(served: Served, name: str) -> None:
    row = served.get("/pair", task="preference", pair=name).json
    assert outcome(row) == OUTCOMES[name]
    assert (row["label"], row["pair"]) == ("Preference", name)
    listed = served.get("/pairs", **{"in": "preference"}).json["rows"]
    assert row in listed  # it is remembered


def test_each_model_has_outcomes_of_its_own(served: Served) -> None:
    other = served.get("/pair", task="preference", pair="usual", model="paper").json
    expected, unexpected = (
        hbtom.judge(read(one), "paper").plausibility for one in (EXPECTED, UNEXPECTED)
    )
    assert outcome(other) == ("right", expected, unexpected)
    usual = served.get("/pair", task="preference", pair="usual", model="default").json
    assert outcome(usual) == OUTCOMES["usual"]


def test_the_list_can_be_filtered_and_searched(served: Served) -> None:
    def names(**query: str) -> list[str]:
        return [row["pair"] for row in served.get("/pairs", **query).json["rows"]]

    for name in NAMED:
        served.get("/pair", task="preference", pair=name)
    here = {"in": "preference"}
    assert names(outcome="right") == [ODD, "other", "usual"]
    assert names(outcome="wrong") == ["swapped"]
    assert names(outcome="tie", **here) == ["same"]
    assert names(outcome="unreadable") == ["broken"]
    assert names(outcome="unjudged", **here) == []
    assert names(outcome="unjudged", search="path") == [f"{n:06}ep" for n in range(FEW)]
    assert names(search="OTHER preference") == ["other"]
    assert names(search="same", **{"in": "efficiency_path"}) == []
    assert len(names(search="multi-agent")) == 50
    answer = served.get("/pairs", outcome="wrong", search="preference").json
    assert answer["count"] == {
        "right": 3,
        "wrong": 1,
        "tie": 1,
        "missing": 0,
        "unreadable": 1,
        "unjudged": 0,
    }
    assert (answer["judged"], answer["accuracy"]) == (5, 0.7)
    low, high = answer["interval"]
    assert 0 < low < 0.7 < high < 1


@pytest.mark.parametrize(
    ("start", "first"),
    [("0", 0), ("49", 0), ("50", 50), ("63", 50), ("99999", 50), ("-1", 0), ("x", 0), ("٣", 0)],
)
def test_a_page_of_the_list_begins_at_the_right_row(served: Served, start: str, first: int) -> None:
    assert served.get("/pairs", **{"from": start}).json["first"] == first


def test_a_file_that_cannot_be_read_says_why(served: Served) -> None:
    row = served.get("/pair", task="preference", pair="broken").json
    assert row["problems"] == [
        "brokenu: trial 1, frame 5, field 'walls': the file is cut off. "
        "Hint: copy or download it again"
    ]
    for member in ("both", "u"):
        answer = served.get("/watch", task="preference", pair="broken", member=member)
        assert answer.status == 200
        assert "the file is cut off" in answer.text
        assert "broken cannot be shown" in answer.text
    readable = served.get("/watch", task="preference", pair="broken", member="e")
    assert "<title>brokene.json – hbtom</title>" in readable.text


# Pages


def test_a_pair_and_its_episodes_have_pages(served: Served) -> None:
    for member, title in (
        ("both", "usuale.json and usualu.json"),
        ("e", "usuale.json"),
        ("u", "usualu.json"),
    ):
        answer = served.get("/watch", task="preference", pair="usual", member=member)
        assert answer.status == 200
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert f"<title>{title} – hbtom</title>" in answer.text


def test_pages_link_to_their_neighbours_in_the_list(served: Served) -> None:
    """Previous and next go through the rows that the list shows."""
    for name in NAMED:
        served.get("/pair", task="preference", pair=name)
    page = served.get("/watch", task="preference", pair="other", outcome="right").text
    assert re.findall(r'rel="(prev|next)"', page) == ["prev", "next"]
    links = dict(
        reversed(found) for found in re.findall(r'<a href="([^"]+)"[^>]* rel="(\w+)"', page)
    )
    assert "pair=usual" in links["next"]
    assert "pair=%3Cimg" in links["prev"]
    assert "outcome=right" in links["next"]
    assert "2 of 3" in page
    assert "✓ right" in page
    last = served.get("/watch", task="preference", pair="usual", outcome="right").text
    assert re.findall(r'rel="(prev|next)"', last) == ["prev"]
    elsewhere = served.get("/watch", task="preference", pair="same", outcome="right").text
    assert re.findall(r'rel="(prev|next)"', elsewhere) == ["prev", "next"]
    assert "of 3</span>" not in elsewhere


def test_names_stay_text_on_pages(served: Served) -> None:
    for path, query in (("/", {}), ("/watch", {"task": "preference", "pair": ODD})):
        text = served.get(path, **query).text
        assert "<img" not in text
    assert "&lt;img src=x" in text


def test_files_without_a_pair_are_named_without_their_folder(served: Served) -> None:
    page = served.get("/").text
    assert '"alonee.json"' in page
    assert "its counterpart" in page


# Many at once


def test_many_simultaneous_requests_are_answered_correctly(served: Served) -> None:
    """There are two hundred, twenty at a time; the fixture checks for errors at the end."""

    def list_is_right(number: int) -> bool:
        return served.get("/pairs", search=f"{number:06}").json["chosen"] == 2 - (number >= FEW)

    def pair_is_right(number: int) -> bool:
        name = sorted(NAMED)[number % len(NAMED)]
        row = served.get("/pair", task="preference", pair=name).json
        return outcome(row) == OUTCOMES[name]

    def tie_is_right(number: int) -> bool:
        row = served.get("/pair", task="multi_agent", pair=f"{number % MANY:06}ma").json
        return outcome(row) == ("tie", SOON, SOON)

    def page_is_right(number: int) -> bool:
        name = f"{number % FEW:06}ep"
        text = served.get("/watch", task="efficiency_path", pair=name, member="u").text
        return f"<title>{name}u – hbtom</title>" in text

    def nothing_is_there(number: int) -> bool:
        return served.get("/pair", task="preference", pair=str(number)).status == 404

    kinds = [list_is_right, pair_is_right, tie_is_right, page_is_right, nothing_is_there]
    with ThreadPoolExecutor(20) as people:
        right = people.map(lambda number: kinds[number % 5](number // 5), range(200))
        assert list(right) == [True] * 200


def test_clients_that_leave_do_no_harm(served: Served) -> None:
    for number in range(10):
        served.leave(f"/watch?task=multi_agent&pair={number:06}ma")
        served.leave("/pairs")
    assert served.get("/watch", task="multi_agent", pair="000003ma").status == 200


# Judging all


def test_all_pairs_are_judged_in_the_background_until_stopped(fresh: Served) -> None:
    assert fresh.get("/pairs").json["run"] is None
    assert fresh.post("/stop").status == 202  # when nothing runs
    assert fresh.post("/judge").status == 202
    assert fresh.post("/judge", model="paper").status == 409  # one at a time
    assert fresh.post("/stop").status == 202
    answer = finished(fresh)
    assert answer["run"]["done"] < PAIRS
    assert answer["count"]["unjudged"] > 0
    assert fresh.post("/judge").status == 202
    answer = finished(fresh)
    assert answer["count"] == {
        "right": 3 + FEW,
        "wrong": 1,
        "tie": 1 + MANY,
        "missing": 0,
        "unreadable": 1,
        "unjudged": 0,
    }
    run = answer["run"]
    assert run["done"] == run["total"] <= PAIRS
    assert (run["model"], run["problem"]) == ("default", "")
    assert fresh.post("/judge").status == 202  # there is nothing left to do
    assert finished(fresh)["run"]["total"] == 0


def test_only_search_results_are_judged(served: Served) -> None:
    assert served.post("/judge", model="paper", **{"in": "efficiency_path"}).status == 202
    answer = finished(served, model="paper", **{"in": "efficiency_path"})
    assert answer["run"]["total"] == FEW
    assert answer["count"]["unjudged"] == 0
    assert served.get("/pairs", model="paper").json["count"]["unjudged"] >= MANY


# The end


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
def test_ctrl_c_ends_everything_silently(fresh: Served) -> None:
    """Ctrl-C reaches all processes of the terminal while pairs are judged."""
    assert fresh.post("/judge").status == 202
    helpers = children(fresh.process.pid)
    status, complaints = fresh.stop(everybody=True)
    assert status == 0
    assert complaints.count("\n") == 1
    assert "Traceback" not in complaints
    gone(helpers)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked up in /proc")
def test_no_process_outlives_a_killed_server(fresh: Served) -> None:
    fresh.get("/pair", task="preference", pair="usual")
    helpers = children(fresh.process.pid)
    assert helpers
    fresh.process.kill()
    fresh.process.communicate()
    gone(helpers)


def children(parent: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent:
            found.append(int(stat.parent.name))
    return found


def gone(processes: list[int]) -> None:
    """Wait until processes have ended."""
    until = time.monotonic() + 30
    while any(Path(f"/proc/{one}/cmdline").exists() and alive(one) for one in processes):
        assert time.monotonic() < until
        time.sleep(0.05)


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
