"""``hbtom browse``: what it prints, opens, refuses, and does not import."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from episodes import simple_episode, write
from hbtom.cli import main
from served import Served

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A dataset of one pair."""
    folder = tmp_path / "preference"
    folder.mkdir()
    for member in "eu":
        write(folder / f"000001lo{member}.json", simple_episode())
    return folder


def run(*words: str | Path) -> Result:
    """Run ``hbtom browse`` in this process, where it should end by itself."""
    return CliRunner().invoke(main, ["browse", *map(str, words)], prog_name="hbtom")


def test_the_address_is_printed_and_nothing_else(pair: Path, tmp_path: Path) -> None:
    server = Served(pair, "--no-open", cache=tmp_path)
    assert server.address == f"http://127.0.0.1:{server.port}/"
    assert server.get("/pairs").json["chosen"] == 1
    status, complaints = server.stop()
    assert status == 0
    assert complaints == f"hbtom: showing 1 pair of {pair}; Ctrl-C ends it\n"


@pytest.mark.skipif(os.name != "posix", reason="the stand-in for a browser is a shell script")
@pytest.mark.parametrize("words", [(), ("--no-open",)])
def test_a_browser_is_opened_by_default(pair: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    """The browser is a script that records what it is asked to show, and keeps running."""
    script, asked = tmp_path / "browse", tmp_path / "asked"
    script.write_text(
        f'#!/bin/sh\necho "$1" > "{asked}.part"\nmv "{asked}.part" "{asked}"\nsleep 1\n'
    )
    script.chmod(0o755)
    server = Served(pair, *words, cache=tmp_path, BROWSER=str(script))
    until = time.monotonic() + 30
    while not words and not asked.exists():
        assert time.monotonic() < until
        time.sleep(0.02)
    assert server.get("/").status == 200
    assert server.stop()[0] == 0
    assert asked.exists() == (not words)
    if asked.exists():
        assert asked.read_text() == f"{server.address}\n"


def test_a_users_model_can_be_chosen(pair: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('base = "paper"\nname = "default"\n[efficiency]\nscale = 2\n')
    server = Served(pair, "--no-open", "--model", str(own), cache=tmp_path)
    page = server.get("/").text
    names = [f"default ({fingerprint})" for fingerprint in page.split('"name":"default (')[1:]]
    judged = server.get("/pair", task="preference", pair="000001lo").json
    preset = server.get("/pair", task="preference", pair="000001lo", model="default").json
    assert server.stop()[0] == 0
    assert len(names) == 1
    assert judged["expected"] != preset["expected"]


def test_a_taken_port_is_reported(pair: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ran = run(pair, "--port", str(port))
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr == (
        f"hbtom: another program listens at 127.0.0.1, port {port}, perhaps another viewer. "
        "Hint: choose another port with --port, or any free port with --port 0\n"
    )


@pytest.mark.parametrize("host", ["nowhere.invalid", "a" * 70, "", "300.1.1.1"])
def test_an_invalid_host_is_reported(pair: Path, host: str) -> None:
    ran = run(pair, "--host", host, "--port", "0")
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert ran.stderr.startswith("hbtom: ")
    assert "Hint: " in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_public_server_needs_a_token(pair: Path, tmp_path: Path) -> None:
    server = Served(pair, "--no-open", "--host", "0.0.0.0", cache=tmp_path)
    start, token = server.address.split("?token=")
    assert start == f"http://127.0.0.1:{server.port}/"
    assert len(token) >= 20

    targets = ["/", "/pairs", "/pair?task=preference&pair=000001lo", "/x", "/pairs?token=x"]
    targets += [f"/pairs?token={token[:-1]}", f"/pairs?token={token}x", "/pairs?token=%FF"]
    own = ("Origin", f"http://{server.own}")
    wrong = ("Cookie", "; ".join(f"{name}={token[1:]}" for name in ("token", "hbtom", "hbtom-0")))
    strangers = [server.ask(target, headers=[wrong]) for target in targets]
    strangers += [server.ask(path, method="POST", headers=[own]) for path in ("/judge", "/stop")]

    welcome = server.ask(f"/watch?task=preference&token={token}&pair=000001lo")
    elsewhere = server.ask(f"//example.org/%0d%0a?token={token}")
    cookie, *limits = welcome.headers["set-cookie"].split("; ")
    known = ("Cookie", f"other=1; {cookie}")
    pages = [server.ask(target, headers=[known]).status for target in (*targets[:3], "/x")]
    pages += [server.ask("/stop", method="POST", headers=[known, own]).status]
    hosts = ("192.168.1.7:80", socket.gethostname(), "example.org")
    named = [server.ask("/", headers=[("Host", host), known]).status for host in hosts]
    status, complaints = server.stop()

    assert {(one.status, one.headers.get("set-cookie")) for one in strangers} == {(403, None)}
    assert not any(token in one.text or "000001lo" in one.text for one in strangers)
    assert (welcome.status, welcome.body) == (303, b"")
    assert welcome.headers["location"] == "/watch?task=preference&pair=000001lo"
    assert welcome.headers["referrer-policy"] == "no-referrer"
    assert sorted(limits) == ["HttpOnly", "Path=/", "SameSite=lax"]
    assert elsewhere.headers["location"] == "/example.org/%0D%0A"
    assert pages == [200, 200, 200, 404, 202]
    assert named == [200, 200, 403]
    assert status == 0
    told = "hbtom: warning: 0.0.0.0: anyone with this address and its token can see the dataset"
    assert complaints.splitlines()[0].startswith(told)


def test_a_local_server_needs_no_token(pair: Path, tmp_path: Path) -> None:
    server = Served(pair, "--no-open", "--host", "localhost", cache=tmp_path)
    status, complaints = server.stop()
    assert "token" not in server.address
    assert (status, len(complaints.splitlines())) == (0, 1)


@pytest.mark.parametrize("library", ["starlette", "uvicorn"])
def test_a_missing_library_is_named(pair: Path, library: str) -> None:
    """This runs in a process of its own, which has not imported it yet."""
    code = f"import sys; sys.modules[{library!r}] = None\nfrom hbtom.cli import main\nmain()"
    command = [sys.executable, "-c", code, "browse", str(pair)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr == (
        f"hbtom: this needs the library {library}. Hint: install hbtom with the extra 'viewer'; "
        "in a clone: pip install '.[viewer]'\n"
    )


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("nowhere",), "there is no such dataset"),
        ((".", "--model", "nothing"), "there is no model 'nothing'"),
    ],
)
def test_a_missing_dataset_is_reported_at_once(words: tuple[str, ...], told: str) -> None:
    ran = run(*words)
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert told in ran.stderr


@pytest.mark.parametrize("port", ["-1", "65536", "http"])
def test_a_port_must_be_a_number(pair: Path, port: str) -> None:
    assert run(pair, "--port", port).exit_code == 2


def test_a_dataset_of_archives_that_are_all_broken_is_shown(tmp_path: Path) -> None:
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    (shelf / "preference.zip").write_bytes(b"PK\3\4 and no more")
    server = Served(shelf, "--no-open", cache=tmp_path)
    page, pairs = server.get("/").text, server.get("/pairs").json
    assert server.stop()[0] == 0
    assert "not a zip archive that can be read" in page
    assert (pairs["chosen"], pairs["rows"]) == (0, [])


def test_other_commands_do_not_import_the_server(tmp_path: Path) -> None:
    episode = str(write(tmp_path / "good.json", simple_episode()))
    commands = [["--help"], ["judge", episode], ["show", episode, "-o", "x.html"]]
    code = (
        "import sys\nfrom hbtom.cli import main\n"
        f"for words in {commands!r}:\n"
        "    try:\n        main(words)\n"
        "    except SystemExit as end:\n        assert not end.code\n"
        "wrong = [name for name in sys.modules if name.startswith('hbtom.show.server')\n"
        "         or name.split('.')[0] in ('starlette', 'uvicorn', 'anyio')]\n"
        "sys.exit(str(wrong) if wrong else 0)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "x.html").exists()
