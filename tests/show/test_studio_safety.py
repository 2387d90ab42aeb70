"""Odd requests to the studio: each is answered, none blocks other clients, and nothing is lost."""

from __future__ import annotations

import asyncio
import json
import os
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from episodes import simple_episode, to_bytes, write
from served import Served

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

sys.path.insert(0, str(Path(__file__).parents[2] / "fuzz"))

from trees import changed_value, json_bytes

DEEP = b"[" * 100_000 + b"]" * 100_000
REQUESTS: tuple[tuple[str, Any], ...] = (
    ("/edit", {"trial": 0, "change": {"type": "path", "points": [[50, 100], [90.5, 120]]}}),
    ("/edit", {"trial": 0, "change": {"type": "put", "what": "object", "at": [150, 60]}}),
    ("/edit", {"trial": 0, "change": {"type": "put", "what": "key", "at": [90, 60]}}),
    ("/edit", {"trial": 0, "change": {"type": "remove", "what": "object", "index": 0}}),
    ("/edit", {"trial": 0, "change": {"type": "look", "image": "a.png", "colour": [1, 2, 3]}}),
    ("/edit", {"trial": 0, "change": {"type": "go", "index": 0}}),
    ("/edit", {"trial": 0, "change": {"type": "vary", "manner": "detour"}}),
    (
        "/edit",
        {
            "trial": 0,
            "change": {"type": "cells", "field": "walls", "cells": [[80, 80]], "there": True},
        },
    ),
    ("/judge", {"trials": [0], "model": "default", "name": "scene"}),
    ("/save", {"members": {"a": [0], "b": [0, 0]}, "name": "new", "form": "gif", "folder": True}),
    ("/save", {"members": {"a": [0]}, "name": "new.json", "overwrite": False}),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder where the studio saves."""
    return tmp_path_factory.mktemp("studio")


@pytest.fixture(scope="module")
def studio(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio that begins with a file; nothing may go wrong in it."""
    source = write(folder / "mine.json", simple_episode())
    words = "--no-open", "--workers", "1"
    server = Served(source, *words, cache=tmp_path_factory.mktemp("cache"), verb="studio")
    yield server
    assert server.stop() == (0, f"hbtom: the studio saves to {folder}; Ctrl-C ends it\n")


def problem(server: Served, path: str, asked: Any, **query: str) -> str:
    """Return why a request is refused: in one short line."""
    answer = server.post(path, asked if isinstance(asked, bytes) else json_bytes(asked), **query)
    assert answer.status == 200, (path, asked)
    told = answer.json["problem"]
    assert len(told) < 300
    assert told.isprintable()
    return told


def numbers(server: Served) -> list[int]:
    """Return the numbers of the trials on the page."""
    return [int(one) for one in re.findall(r'"id": ?(\d+)', server.get("/").text)]


def peak(server: Served) -> int:
    """Return the most memory that a server has used, in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) << 10


def test_a_file_is_kept_once_however_often_the_page_is_loaded(studio: Served) -> None:
    first = numbers(studio)
    assert len(first) == len(simple_episode())
    assert numbers(studio) == first
    again = studio.post("/open", to_bytes(simple_episode()), name="mine.json").json
    assert [one["id"] for one in again] == first


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory as Linux tells it")
@pytest.mark.parametrize("width", [0, 150])
def test_an_endless_path_is_refused_before_it_is_drawn(studio: Served, width: int) -> None:
    before = peak(studio)
    points = [[20 + width * (at % 2), 100] for at in range(200_000)]
    change = {"type": "path", "points": points}
    assert "draw a shorter one" in problem(studio, "/edit", {"trial": 0, "change": change})
    assert peak(studio) - before < 200_000_000


def test_a_large_request_is_refused(studio: Served) -> None:
    assert "more than 4 MB" in problem(studio, "/edit", b" " * (1 << 22) + b"{}")
    cells = {"type": "cells", "field": "walls", "cells": [[80, 80]] * 1001, "there": True}
    assert "length <= 1000" in problem(studio, "/edit", {"trial": 0, "change": cells})


def test_a_winding_path_is_simplified_in_time(studio: Served) -> None:
    points = [[100 + 10 * (at % 2), 20 + at // 20] for at in range(3000)]
    change = {"type": "path", "points": points}
    trial = numbers(studio)[0]
    answer = studio.post("/edit", json_bytes({"trial": trial, "change": change})).json
    assert answer["frames"] > 16_000
    assert len(answer["points"]) > 2000
    trials = {"trials": [answer["id"]] * 1000, "model": "default"}
    assert "more than 128 MB" in problem(studio, "/judge", trials)


@pytest.mark.parametrize("path", ["/edit", "/judge", "/save", "/open"])
def test_deeply_nested_requests_are_refused(studio: Served, path: str) -> None:
    problem(studio, path, DEEP)
    problem(studio, path, b'{"trial": 0, "change": {"type": ' + DEEP + b"}}")


def test_deeply_nested_fields_of_a_file_are_refused(studio: Served) -> None:
    """Python reads, compares and writes nested lists to different depths."""
    for depth in (100_000, 30_000, 5_000, *range(300, 1100, 20)):
        nested = b"[" * depth + b"]" * depth
        data = to_bytes(simple_episode()).replace(b'"size"', b'"extra": ' + nested + b', "size"')
        opened = studio.post("/open", data, name="e.json")
        assert opened.status == 200
        if "problem" not in opened.json:
            trials = [one["id"] for one in opened.json]
            question = {"trials": trials, "model": "default"}
            assert studio.post("/judge", json_bytes(question)).status == 200


def test_an_empty_save_is_refused(studio: Served) -> None:
    for form in ("gif", "json", "html"):
        for more in ({"folder": True}, {}):
            what = {"members": {}, "name": f"none.{form}", "form": form, **more}
            assert "no episode to save" in problem(studio, "/save", what)
    several = {"members": {"a": [], "b": [0]}, "name": "none", "form": "gif", "folder": True}
    assert "1 to 1000 trials" in problem(studio, "/save", several)


def test_a_link_to_nothing_is_replaced_only_on_request(studio: Served, folder: Path) -> None:
    link, elsewhere = folder / "linked.json", folder.parent / "elsewhere.json"
    link.symlink_to(elsewhere)
    what = {"members": {"a": numbers(studio)}, "name": link.name}
    answer = studio.post("/save", json_bytes(what)).json
    assert "exists already" in answer["problem"]
    assert answer["exists"]
    assert link.is_symlink()
    assert studio.post("/save", json_bytes({**what, "overwrite": True})).json == {"path": str(link)}
    assert json.loads(link.read_bytes()) == simple_episode()
    assert not link.is_symlink()
    assert not elsewhere.exists()


@pytest.mark.parametrize("seed", range(10))
def test_strange_requests_are_answered(studio: Served, seed: int) -> None:
    rng = Random(seed)
    for _ in range(60):
        path, good = rng.choice(REQUESTS)
        asked = json_bytes(changed_value(rng, good, alike=rng.random() < 0.5))
        answer = studio.post(path, asked)
        assert answer.status == 200, (path, asked[:500])
        if isinstance(answer.json, dict):
            assert len(answer.json.get("problem", "")) < 300, (path, asked[:500])


# Other clients


def test_two_hundred_clients_that_send_a_byte_of_a_body_lock_nobody_out(studio: Served) -> None:
    head = f"POST /edit HTTP/1.1\r\nHost: {studio.own}\r\nOrigin: http://{studio.own}\r\n"
    with ExitStack() as held:
        for _ in range(200):
            wire = held.enter_context(socket.create_connection(("127.0.0.1", studio.port), 60))
            wire.sendall(f"{head}Content-Length: 100000\r\n\r\n{{".encode())
        for _ in range(3):
            assert studio.get("/").status == 200


def test_two_hundred_requests_at_once_are_all_answered(studio: Served) -> None:
    request = f"GET / HTTP/1.1\r\nHost: {studio.own}\r\nConnection: close\r\n\r\n".encode()

    async def one() -> tuple[bytes, bool]:
        reader, writer = await asyncio.open_connection("127.0.0.1", studio.port)
        writer.write(request)
        try:
            said = await reader.read()
            return said[:15], b"</html>" in said[-10:]
        finally:
            writer.close()

    async def all_at_once() -> list[Any]:
        async with asyncio.timeout(120):
            return await asyncio.gather(*(one() for _ in range(200)), return_exceptions=True)

    assert set(asyncio.run(all_at_once())) == {(b"HTTP/1.1 200 OK", True)}
