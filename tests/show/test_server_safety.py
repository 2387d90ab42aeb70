"""What the server does not reveal, and whom it does not answer."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest

from served import Answer, Served
from shelves import ODD, SECRET, make_shelf

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

UPS = [
    "..",
    "../..",
    "../secret.json",
    "../../../../../../etc/passwd",
    "preference/usuale.json",
    "preference/../../secret.json",
    "/etc/passwd",
    "//etc/passwd",
    "file:///etc/passwd",
    "secret.txt",
    "packed.parquet",
    "..\\secret.json",
    "..\\..\\windows\\win.ini",
    "C:\\windows\\win.ini",
    "usual\0",
    "usuale.json\0.html",
    "~/secret.json",
    "${HOME}",
    "%2e%2e",
]
ENCODED = [
    "%2e%2e/secret.json",
    "%2e%2e%2fsecret.json",
    "%2E%2E%5Csecret.json",
    "..%2fsecret.json",
    "..%5csecret.json",
    "%252e%252e%252fsecret.json",
    "%25252e%25252e%25252fsecret.json",
    "..%00/secret.json",
    "%00",
    "%c0%ae%c0%ae%c0%afsecret.json",
    "%e0%80%ae%e0%80%ae/secret.json",
    "%f0%80%80%ae./secret.json",
    "%ff%fe",
    "%u002e%u002e%u2215secret.json",
    "..;/secret.json",
    ".%2e/.%2e/etc/passwd",
    "static/../../secret.json",
    "%",
    "%zz",
]


def is_nothing(answer: Answer) -> None:
    """Check that an answer is a plain 404."""
    assert answer.status == 404
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "There is no such page" in answer.text
    assert SECRET not in answer.text
    assert "root:" not in answer.text
    assert "Traceback" not in answer.text


# Paths


@pytest.mark.parametrize("path", [*(quote(one, safe="/") for one in UPS), *ENCODED])
def test_paths_to_files_are_not_found(served: Served, path: str) -> None:
    for start in ("/", "/watch/", "/pairs/", "//"):
        is_nothing(served.ask(start + path))


@pytest.mark.parametrize("path", [*(quote(one, safe="/") for one in UPS), *ENCODED])
def test_names_are_looked_up_and_never_opened(served: Served, path: str) -> None:
    for query in (
        f"task={path}&pair=usual",
        f"task=preference&pair={path}",
        f"task=preference&pair=usual&member={path}",
        f"task=preference&pair=usual&model={path}",
        f"task=preference&pair=usual&in={path}",
        f"task=preference&pair=usual&outcome={path}",
    ):
        is_nothing(served.ask(f"/watch?{query}"))
    is_nothing(served.ask(f"/pair?task=preference&pair={path}"))


@pytest.mark.parametrize(
    "target",
    [
        "/index.html",
        "/favicon.ico",
        "/pairs/",
        "/watch",
        "/watch?",
        "/watch?task=preference",
        "/watch?pair=usual",
        "/watch?task=&pair=",
        "/watch?task=PREFERENCE&pair=usual",
        "/watch?task=preference&pair=usual&member=x",
        "/watch?task=preference&pair=usual&member=",
        "/watch;task=preference?pair=usual",
        "/pair?task=preference&pair=usuale",
        "/pairs?outcome=right%00",
        "/pairs?in=nowhere",
        "/" + "a" * 30_000,
        "/watch?task=preference&pair=" + "a" * 30_000,
        "/" + "../" * 10_000,
    ],
    ids=lambda target: target[:60],
)
def test_missing_pages_are_not_found(served: Served, target: str) -> None:
    is_nothing(served.ask(target))


@pytest.mark.parametrize(
    "data",
    [
        b"GET /\xc0\xae\xc0\xae/secret.json HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /\0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"GET\r\n\r\n",
        b"\x16\x03\x01\x02\0\r\n\r\n",
    ],
    ids=lambda data: repr(data[:40]),
)
def test_malformed_requests_are_refused(served: Served, data: bytes) -> None:
    answer = served.say(data)
    assert 400 <= answer.status < 500
    assert SECRET.encode() not in answer.body


def test_an_endless_address_is_cut_off(served: Served) -> None:
    """The connection is closed, perhaps before everything was sent."""
    with suppress(ConnectionError):
        answer = served.say(b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert 400 <= answer.status < 500
    assert served.get("/pairs").status == 200


def test_an_absolute_address_in_a_request_leads_nowhere_else(served: Served) -> None:
    """It is a request as to a proxy; the path is not the root."""
    assert served.ask("http://example.org/secret.json").status == 404


@pytest.mark.skipif(os.name != "posix", reason="symbolic links")
def test_a_link_in_place_of_a_file_reveals_nothing(tmp_path: Path) -> None:
    shelf = make_shelf(tmp_path / "shelf")
    server = Served(shelf, "--no-open", "--workers", "1", cache=tmp_path)
    (shelf / "preference" / "usuale.json").unlink()
    (shelf / "preference" / "usuale.json").symlink_to(tmp_path / "secret.json")
    (shelf / "preference" / "otheru.json").unlink()
    linked = server.get("/watch", task="preference", pair="usual")
    missing = server.get("/watch", task="preference", pair="other")
    assert server.stop()[0] == 0
    assert linked.status == missing.status == 200
    assert SECRET not in linked.text
    assert "not JSON" in linked.text
    assert "there is no such file" in missing.text
    assert str(tmp_path) not in linked.text + missing.text


# Other sites


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "LOCALHOST:80", "localhost.", "[::1]:8765", "127.0.0.1:1"]
)
def test_requests_to_its_own_names_are_answered(served: Served, host: str) -> None:
    assert served.ask("/", headers=[("Host", host)]).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "127.0.0.1.example.org",
        "localhost.example.org",
        "192.168.0.1",
        "0.0.0.0",
        "[::]",
        "127.0.0.1@example.org",
        "example.org#127.0.0.1",
        "127.0.0.1:x",
        "[127.0.0.1]",
        "localhost, example.org",
        "localhost example.org",
        "[::1",
    ],
)
def test_requests_to_other_names_are_refused(served: Served, host: str) -> None:
    answer = served.ask("/pairs", headers=[("Host", host)])
    assert 400 <= answer.status < 500
    assert b"rows" not in answer.body


@pytest.mark.parametrize("path", ["/judge", "/stop"])
@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Origin", "http://example.org")],
        [("Origin", "null")],
        [("Origin", "http://127.0.0.1")],
        [("Origin", "http://127.0.0.1:1")],
        [("Sec-Fetch-Site", "cross-site")],
        [("Sec-Fetch-Site", "same-site")],
        [("Sec-Fetch-Site", "none")],
        [("Sec-Fetch-Site", "same-origin"), ("Origin", "http://example.org")],
        [("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")],
    ],
    ids=str,
)
def test_actions_from_other_sites_are_refused(
    served: Served, path: str, headers: list[tuple[str, str]]
) -> None:
    refused = served.ask(path, method="POST", headers=headers)
    assert (refused.status, refused.headers["connection"]) == (403, "close")
    assert served.get("/pairs").json["run"] is None


@pytest.mark.parametrize(
    "headers", [[("Sec-Fetch-Site", "same-origin")], [("Sec-Fetch-Site", "none")], []], ids=str
)
def test_its_own_pages_and_people_may_read(served: Served, headers: list[tuple[str, str]]) -> None:
    assert served.ask("/pairs", headers=headers).status == 200


def test_other_sites_can_link_to_pages_but_not_use_them(served: Served) -> None:
    elsewhere = ("Sec-Fetch-Site", "cross-site")
    linked = served.ask("/", headers=[elsewhere, ("Sec-Fetch-Mode", "navigate")])
    assert linked.status == 200
    assert served.ask("/pairs", headers=[elsewhere, ("Sec-Fetch-Mode", "no-cors")]).status == 403
    assert served.ask("/pairs", headers=[elsewhere, ("Sec-Fetch-Mode", "cors")]).status == 403


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "POST"])
def test_reading_requires_get(served: Served, method: str) -> None:
    own = [("Origin", f"http://{served.own}")]
    answer = served.ask("/pairs", method=method, headers=own)
    assert answer.status == 405
    assert answer.headers["allow"] in ("GET, HEAD", "HEAD, GET")


def test_actions_require_post(served: Served) -> None:
    for path in ("/judge", "/stop"):
        assert served.get(path).status == 405


# Headers for browsers


@pytest.mark.parametrize(
    "target",
    ["/", "/pairs", "/pair?task=preference&pair=usual", "/watch?task=preference&pair=usual", "/x"],
)
def test_every_answer_has_security_headers(served: Served, target: str) -> None:
    headers = served.ask(target).headers
    rules = dict(rule.split(" ", 1) for rule in headers["content-security-policy"].split("; "))
    assert rules["default-src"] == "'none'"
    assert rules["connect-src"] == "'self'"
    assert rules["frame-ancestors"] == "'none'"
    assert rules["base-uri"] == rules["form-action"] == "'none'"
    assert re.fullmatch(r"('sha256-[\w+/]{43}=' ?)+", rules["script-src"])
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"
    assert not {"access-control-allow-origin", "set-cookie", "server"} & set(headers)


def test_refusals_have_security_headers(served: Served) -> None:
    headers = served.ask("/", headers=[("Host", "example.org")]).headers
    assert "script-src 'sha256-" in headers["content-security-policy"]


def test_head_requests_are_answered(served: Served) -> None:
    answer = served.ask("/", method="HEAD")
    assert (answer.status, answer.body) == (200, b"")


def test_a_name_that_looks_like_markup_is_found(served: Served) -> None:
    assert served.get("/watch", task="preference", pair=ODD).status == 200
