"""Fetching the archives, from a local server that misbehaves in every known way."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hbtom.bench.download import LEDGER, FetchedArchive, Incomplete, download, http_request
from hbtom.bench.tasks import BACKGROUND_TASKS, EVALUATION_TASKS
from hbtom.cache import cache_folder
from hbtom.cli import main
from hbtom.cli.download import _Bars, run
from hbtom.errors import BadInput

NAME = "agents_evaluation_inaccessible_goal.zip"
TASK = "inaccessible_goal"
NEW = "agents_evaluation_object_preference_eval_4.zip"
OLD = "agents_evaluation_object_preference.zip"


def packed(*names: str, seed: int = 0, size: int = 300_000) -> bytes:
    """Return a zip archive of random bytes, which do not shrink, so that its length is known."""
    content = random.Random(seed).randbytes(size)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names or (f"{TASK}/000001ige.json", f"{TASK}/000001igu.json"):
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


GOOD = packed()
OTHER = packed(seed=1)


@dataclass(frozen=True)
class Answer:
    """How to answer one request; the defaults are those of a good server."""

    status: int | None = None  # an error instead of the file
    send: int | None = None  # break the connection after this many bytes of the body
    extra_length: int = 0  # lie about the length
    ranges: bool = True  # heed Range
    if_range: bool = True  # heed If-Range
    content_range: str = "bytes {}-{}/{}"
    chunked: bool = False  # send no length, but mark the end
    stall: bool = False  # send nothing more, but keep the connection
    redirect: str = ""
    hang_up: bool = False  # break the connection before sending anything


@dataclass
class Mirror:
    """A server's files, its answers to one request after the other, and the requests."""

    files: dict[str, bytes] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)  # for the next requests
    always: Answer = Answer()  # for those after
    later: dict[str, bytes] = field(default_factory=dict)  # files from the second request on
    etag: str = '"{}"'
    base: str = ""
    over: threading.Event = field(default_factory=threading.Event)
    names: list[str] = field(default_factory=list)  # of the files that were asked for
    ranges: list[str | None] = field(default_factory=list)  # and the ranges


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mirror: Mirror

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        mirror, name = self.mirror, self.path.rsplit("/", 1)[-1]
        if mirror.names:
            mirror.files.update(mirror.later)
        mirror.names.append(name)
        mirror.ranges.append(self.headers["Range"])
        answer = mirror.answers.pop(0) if mirror.answers else mirror.always
        self.close_connection = True
        body = mirror.files.get(name)
        if answer.redirect:
            self.send_response(302)
            self.send_header("Location", answer.redirect)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif answer.status or body is None:
            self.send_error(answer.status or 404)
        elif not answer.hang_up:
            self.send_file(answer, body)

    def send_file(self, answer: Answer, body: bytes) -> None:
        tag = self.mirror.etag.format(hashlib.md5(body).hexdigest())
        wanted, condition = self.headers["Range"], self.headers["If-Range"]
        partial = wanted and answer.ranges and (condition == tag or not answer.if_range)
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if partial else 0
        if partial and start >= len(body):
            self.send_error(416)
            return
        self.send_response(206 if partial else 200)
        if partial:
            told = answer.content_range.format(start, len(body) - 1, len(body))
            self.send_header("Content-Range", told)
        if tag:
            self.send_header("ETag", tag)
        if answer.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(len(body) - start + answer.extra_length))
        self.end_headers()
        piece = body[start:][: answer.send]
        if answer.chunked:
            piece = b"%x\r\n%b\r\n" % (len(piece), piece) + (b"0\r\n\r\n" * (answer.send is None))
        with suppress(ConnectionError):  # an interrupted client stops reading
            self.wfile.write(piece)
            if answer.stall:
                self.mirror.over.wait(30)


@contextmanager
def serving(certificate: Path | None = None) -> Iterator[Mirror]:
    """Serve as a mirror; with a certificate, by https."""
    one = Mirror(files={NAME: GOOD})
    handler = type("OneHandler", (Handler,), {"mirror": one})
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    scheme = "http" if certificate is None else "https"
    one.base = f"{scheme}://127.0.0.1:{httpd.server_address[1]}/sets/"
    yield one
    one.over.set()
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with serving() as one:
        yield one


@pytest.fixture
def safe_mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mirror]:
    """A mirror by https, with a certificate that this process trusts."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs openssl, to make a certificate")
    file = tmp_path / "certificate.pem"
    made = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext"
    names = ["subjectAltName=IP:127.0.0.1", "-keyout", file, "-out", tmp_path / "public.pem"]
    subprocess.run([openssl, *made.split(), *names], check=True, capture_output=True)
    file.write_bytes(file.read_bytes() + (tmp_path / "public.pem").read_bytes())
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "public.pem"))
    with serving(file) as one:
        yield one


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address where nothing listens; the port stays taken, so that nothing else can."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/"


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Record pauses instead of waiting, and use no proxy."""
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)
    monkeypatch.setenv("no_proxy", "*")
    return waited


def fetch(mirror: Mirror, to: Path, *tasks: str, **options: Any) -> list[FetchedArchive]:
    return download(tasks or (TASK,), to, base=mirror.base, **options)


def failing(mirror: Mirror, to: Path, *tasks: str, **options: Any) -> Incomplete:
    with pytest.raises(Incomplete) as caught:
        fetch(mirror, to, *tasks, **options)
    return caught.value


def interrupt(name: str, done: int, total: int | None) -> None:
    if done >= 100_000:
        raise KeyboardInterrupt


def interrupted(mirror: Mirror, to: Path) -> int:
    """Interrupt a download; return how many bytes have arrived."""
    with pytest.raises(KeyboardInterrupt):
        fetch(mirror, to, progress=interrupt)
    return (to / f"{NAME}.part").stat().st_size


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def ledger(folder: Path) -> Any:
    return json.loads((folder / LEDGER).read_text())


# When all goes well.


def test_archive_arrives_and_is_recorded(mirror: Mirror, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    final = tmp_path / "a" / "b" / NAME

    def progress(name: str, done: int, total: int | None) -> None:
        assert not final.exists(), "the final name is for whole archives"
        seen.append((name, done, total))

    (archive,) = fetch(mirror, final.parent, progress=progress)

    digest, url = hashlib.sha256(GOOD).hexdigest(), mirror.base + NAME
    assert archive == FetchedArchive(TASK, final, len(GOOD), digest, url, fetched=True)
    assert final.read_bytes() == GOOD
    assert files_in(final.parent) == {NAME, LEDGER}
    etag = f'"{hashlib.md5(GOOD).hexdigest()}"'
    entry = {"url": url, "size": len(GOOD), "etag": etag, "sha256": digest}
    assert ledger(final.parent) == {NAME: entry}
    assert seen[0] == (NAME, 0, len(GOOD))
    assert seen[-1] == (NAME, len(GOOD), len(GOOD))
    assert seen == sorted(seen)


def test_existing_archives_are_not_fetched_again_by_default(mirror: Mirror, tmp_path: Path) -> None:
    (first,) = fetch(mirror, tmp_path)
    (second,) = fetch(mirror, tmp_path)
    assert len(mirror.names) == 1
    assert (second.fetched, second.sha256, second.url) == (False, first.sha256, first.url)

    mirror.files[NAME] = OTHER
    (third,) = fetch(mirror, tmp_path, again=True)
    assert third.fetched
    assert (tmp_path / NAME).read_bytes() == OTHER
    assert ledger(tmp_path)[NAME]["sha256"] == third.sha256 != first.sha256


def test_all_evaluation_tasks_are_fetched_by_default(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files = {one.archives[0]: packed(size=10) for one in EVALUATION_TASKS}
    got = download(to=tmp_path, base=mirror.base.rstrip("/"))
    assert [one.task for one in got] == [one.folder for one in EVALUATION_TASKS]
    assert mirror.names == [one.archives[0] for one in EVALUATION_TASKS]


def test_background_adds_the_four_background_tasks(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files |= {one.archives[0]: GOOD for one in BACKGROUND_TASKS}
    got = fetch(mirror, tmp_path, TASK, "background/single_object", background=True)
    assert [one.task for one in got] == [TASK, *(one.folder for one in BACKGROUND_TASKS)]


def test_archives_can_come_from_a_folder(tmp_path: Path) -> None:
    there, here = tmp_path / "a mirror", tmp_path / "here"
    there.mkdir()
    (there / OLD).write_bytes(GOOD)
    (archive,) = download("preference", here, base=there.as_uri())
    assert (here / OLD).read_bytes() == GOOD
    assert archive.url == f"{there.as_uri()}/{OLD}"


def test_redirects_are_followed_but_not_to_files(mirror: Mirror, tmp_path: Path) -> None:
    mirror.answers = [Answer(redirect=mirror.base.replace("sets", "elsewhere") + NAME)]
    fetch(mirror, tmp_path / "one")
    mirror.answers = [Answer(redirect=(tmp_path / "one" / NAME).as_uri())]
    failing(mirror, tmp_path / "other")
    assert files_in(tmp_path / "other") == set()


def test_every_hop_is_safe(mirror: Mirror, safe_mirror: Mirror, tmp_path: Path) -> None:
    """A redirect through plain http is not followed, even if it ends at https again."""
    elsewhere = safe_mirror.base.replace("sets", "elsewhere") + NAME
    safe_mirror.answers = [Answer(redirect=elsewhere)]
    fetch(safe_mirror, tmp_path / "one")
    assert (tmp_path / "one" / NAME).read_bytes() == GOOD

    safe_mirror.answers = [Answer(redirect=mirror.base + NAME)]
    mirror.always = Answer(redirect=elsewhere)
    error = failing(safe_mirror, tmp_path / "other")
    assert "less safe" in str(error)
    assert mirror.names == []
    assert files_in(tmp_path / "other") == set()

    mirror.always = Answer(redirect=elsewhere)  # a safer address is allowed
    fetch(mirror, tmp_path / "third")
    mirror.always = Answer()
    safe_mirror.answers = [Answer(redirect=mirror.base + NAME)]
    mirror.answers = [Answer(redirect=elsewhere)]
    assert "less safe" in str(failing(mirror, tmp_path / "fourth"))  # but not back


# The older name.


def test_older_archive_is_taken_if_the_newer_is_absent(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files = {NEW: GOOD, OLD: OTHER}
    mirror.answers = [Answer(status=403)]
    (archive,) = fetch(mirror, tmp_path, "preference")
    assert mirror.names == [NEW, OLD]
    assert (archive.path.name, archive.task) == (OLD, "preference")

    fetch(mirror, tmp_path, "preference")
    assert len(mirror.names) == 2, "the older one is there, that will do"


def test_a_named_archive_is_the_one_fetched(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files = {NEW: GOOD, OLD: GOOD}
    fetch(mirror, tmp_path, OLD.removesuffix(".zip"))
    assert mirror.names == [OLD]


# Connections that break.


def test_resume_asks_for_the_remaining_bytes_only(
    mirror: Mirror, tmp_path: Path, pauses: list[float]
) -> None:
    mirror.answers = [Answer(send=100_000), Answer(send=50_000)]
    notices: list[str] = []
    fetch(mirror, tmp_path, notice=notices.append)
    assert (tmp_path / NAME).read_bytes() == GOOD
    assert mirror.ranges == [None, "bytes=100000-", "bytes=150000-"]
    assert pauses == [1, 2]
    assert [NAME in text and "trying again" in text for text in notices] == [True, True]


def test_interrupted_run_is_resumed_by_the_next(mirror: Mirror, tmp_path: Path) -> None:
    size = interrupted(mirror, tmp_path)
    assert files_in(tmp_path) == {f"{NAME}.part", LEDGER}
    seen: list[int] = []
    fetch(mirror, tmp_path, progress=lambda name, done, total: seen.append(done))
    assert mirror.ranges == [None, f"bytes={size}-"]
    assert seen[0] == size
    assert (tmp_path / NAME).read_bytes() == GOOD
    assert files_in(tmp_path) == {NAME, LEDGER}


@pytest.mark.parametrize("now", [OTHER, packed(size=1000)])
@pytest.mark.parametrize(
    "second", [Answer(), Answer(ranges=False), Answer(if_range=False), Answer(content_range="x")]
)
def test_a_file_that_changes_is_fetched_from_the_start(
    mirror: Mirror, tmp_path: Path, second: Answer, now: bytes
) -> None:
    mirror.answers = [Answer(send=100_000), second]
    mirror.later = {NAME: now}
    fetch(mirror, tmp_path)
    assert (tmp_path / NAME).read_bytes() == now


@pytest.mark.parametrize("etag", ["", 'W/"{}"'])
def test_without_a_strong_validator_a_download_is_not_resumed(
    mirror: Mirror, tmp_path: Path, etag: str
) -> None:
    mirror.etag = etag
    mirror.answers = [Answer(send=100_000)]
    mirror.later = {NAME: OTHER}
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, None]
    assert (tmp_path / NAME).read_bytes() == OTHER


def test_another_mirror_starts_from_the_beginning(mirror: Mirror, tmp_path: Path) -> None:
    interrupted(mirror, tmp_path)
    mirror.base = mirror.base.replace("sets", "other")
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, None]
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_an_unknown_length_is_accepted(mirror: Mirror, tmp_path: Path) -> None:
    mirror.answers = [Answer(chunked=True, send=100_000), Answer(chunked=True)]
    fetch(mirror, tmp_path)
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_a_server_that_stalls_is_given_up(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_request, "TIMEOUT", 0.5)
    mirror.answers = [Answer(send=100_000, stall=True)]
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, "bytes=100000-"]
    assert (tmp_path / NAME).read_bytes() == GOOD


@pytest.mark.parametrize("trouble", [Answer(status=503), Answer(status=429), Answer(hang_up=True)])
def test_temporary_failures_are_retried(
    mirror: Mirror, tmp_path: Path, trouble: Answer, pauses: list[float]
) -> None:
    mirror.answers = [trouble] * 3
    fetch(mirror, tmp_path)
    assert pauses == [1, 2, 4]
    assert (tmp_path / NAME).read_bytes() == GOOD


@pytest.mark.parametrize(("status", "tries"), [(500, 5), (400, 1), (404, 1)])
def test_retries_are_bounded(mirror: Mirror, tmp_path: Path, status: int, tries: int) -> None:
    mirror.always = Answer(status=status)
    error = failing(mirror, tmp_path)
    assert len(mirror.names) == tries
    assert str(status) in str(error)
    assert error.failures[0].address == mirror.base + NAME


# Servers that lie.


def test_a_length_that_is_too_long_is_never_complete(mirror: Mirror, tmp_path: Path) -> None:
    mirror.always = Answer(extra_length=10)
    failing(mirror, tmp_path)
    assert NAME not in files_in(tmp_path)
    mirror.always = Answer()
    fetch(mirror, tmp_path)
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_a_length_that_is_too_short_gives_no_complete_zip(mirror: Mirror, tmp_path: Path) -> None:
    mirror.always = Answer(extra_length=-10)
    error = failing(mirror, tmp_path)
    assert "not a whole zip" in str(error)
    assert files_in(tmp_path) == {LEDGER}
    assert error.failures[0].address is None, "what is broken there is broken by hand, too"


@pytest.mark.parametrize("chunked", [False, True])
def test_an_endless_download_is_given_up(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunked: bool
) -> None:
    monkeypatch.setattr(http_request, "LARGEST", 100_000)
    mirror.always = Answer(chunked=chunked)
    seen: list[int] = []
    error = failing(mirror, tmp_path, progress=lambda name, done, total: seen.append(done))
    assert "too many for an archive" in str(error)
    assert max(seen, default=0) <= 100_000
    assert len(mirror.names) == 1, "trying again would not help"
    assert not (tmp_path / f"{NAME}.part").exists()
    monkeypatch.setattr(http_request, "LARGEST", len(GOOD))
    fetch(mirror, tmp_path)
    assert (tmp_path / NAME).read_bytes() == GOOD


BROKEN = {
    "not a zip": b"<html>please log in</html>",
    "nothing": b"",
    "cut": GOOD[:-200],
    "bytes missing inside": GOOD[:500] + GOOD[600:],
    "broken directory": GOOD[:-200] + b"x" * 60 + GOOD[-140:],
    "broken member": GOOD.replace(b"PK\3\4", b"PK\3\5"),
    "only a folder": packed("set/", size=0),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_archive_never_gets_its_final_name(
    mirror: Mirror, tmp_path: Path, case: str
) -> None:
    mirror.files[NAME] = BROKEN[case]
    assert "zip archive" in str(failing(mirror, tmp_path))
    assert files_in(tmp_path) == {LEDGER}
    mirror.files[NAME] = GOOD
    fetch(mirror, tmp_path)
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_a_failure_does_not_stop_the_others(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files = {one.archives[0]: packed(size=10) for one in EVALUATION_TASKS}
    first, absent = EVALUATION_TASKS[0].archives[0], EVALUATION_TASKS[4].archives[0]
    mirror.files[first] = b"broken"
    del mirror.files[absent]
    with pytest.raises(Incomplete) as caught:
        download(to=tmp_path, base=mirror.base)
    assert [one.name for one in caught.value.failures] == [first, absent]
    assert len(caught.value.archives) == 7
    assert all(one.path.exists() for one in caught.value.archives)
    assert "2 of 9" in str(caught.value)


# No network.


def test_without_a_network_it_says_what_to_do_by_hand(
    nowhere: str, tmp_path: Path, pauses: list[float]
) -> None:
    with pytest.raises(Incomplete) as caught:
        download(to=tmp_path, base=nowhere)
    assert pauses == [1, 2, 4, 8], "not so many tries for each archive"
    text = str(caught.value)
    assert all(nowhere + one.archives[0] in text for one in EVALUATION_TASKS)
    assert str(tmp_path) in text
    assert "9 archives: cannot reach" in text


def test_the_network_is_needed_only_for_missing_archives(
    mirror: Mirror, nowhere: str, tmp_path: Path
) -> None:
    fetch(mirror, tmp_path)
    with pytest.raises(Incomplete) as caught:
        download(["multi_agent", TASK], tmp_path, base=nowhere)
    assert [one.task for one in caught.value.archives] == [TASK]
    assert NAME not in str(caught.value)


def test_an_archive_put_there_by_hand_is_accepted(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(GOOD)
    (archive,) = fetch(mirror, tmp_path)
    assert (archive.url, archive.fetched, archive.size) == (None, False, len(GOOD))
    assert mirror.names == []


# The user's files.


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("mine", [b"mine", OTHER])
def test_a_users_file_is_never_overwritten(
    mirror: Mirror, tmp_path: Path, mine: bytes, again: bool
) -> None:
    (tmp_path / NAME).write_bytes(mine)
    if again or mine != OTHER:
        assert str(tmp_path / NAME) in str(failing(mirror, tmp_path, again=again))
    else:
        fetch(mirror, tmp_path)
    assert (tmp_path / NAME).read_bytes() == mine
    assert mirror.names == []


@pytest.mark.parametrize("again", [False, True])
def test_an_archive_that_was_changed_is_left_alone(
    mirror: Mirror, tmp_path: Path, again: bool
) -> None:
    fetch(mirror, tmp_path)
    (tmp_path / NAME).write_bytes(OTHER)
    assert "has changed" in str(failing(mirror, tmp_path, again=again))
    assert (tmp_path / NAME).read_bytes() == OTHER


def test_an_archive_put_there_by_hand_is_recognised(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(GOOD)
    fetch(mirror, tmp_path)
    assert ledger(tmp_path)[NAME]["sha256"] == hashlib.sha256(GOOD).hexdigest()
    fetch(mirror, tmp_path)
    (tmp_path / NAME).write_bytes(OTHER)
    assert "has changed since it was first used" in str(failing(mirror, tmp_path))
    assert "not written by hbtom" not in str(failing(mirror, tmp_path))
    (tmp_path / NAME).write_bytes(GOOD)
    assert "not written by hbtom" in str(failing(mirror, tmp_path, again=True))
    assert mirror.names == []


def test_a_different_archive_is_not_accepted_by_default(mirror: Mirror, tmp_path: Path) -> None:
    (first,) = fetch(mirror, tmp_path)
    (tmp_path / NAME).unlink()
    mirror.files[NAME] = OTHER
    assert "differs from the one fetched before" in str(failing(mirror, tmp_path))
    assert files_in(tmp_path) == {LEDGER}
    mirror.files[NAME] = GOOD
    assert fetch(mirror, tmp_path) == [first]
    (tmp_path / NAME).unlink()
    mirror.files[NAME] = OTHER
    fetch(mirror, tmp_path, again=True)
    assert (tmp_path / NAME).read_bytes() == OTHER


def test_a_file_that_appears_meanwhile_is_not_overwritten(mirror: Mirror, tmp_path: Path) -> None:
    failing(mirror, tmp_path, progress=lambda *_: (tmp_path / NAME).write_bytes(OTHER) and None)
    assert (tmp_path / NAME).read_bytes() == OTHER
    assert ledger(tmp_path)[NAME]["url"] is None, "it is known as the user's"


def test_a_users_part_file_is_never_written_to(mirror: Mirror, tmp_path: Path) -> None:
    part = tmp_path / f"{NAME}.part"
    part.write_bytes(b"of a browser")
    assert str(part) in str(failing(mirror, tmp_path))
    assert part.read_bytes() == b"of a browser"


@pytest.mark.parametrize("content", ["", "[]", '{"my": "notes"}', '{"x.zip": {"size": 1}}'])
def test_a_users_record_is_not_overwritten(mirror: Mirror, tmp_path: Path, content: str) -> None:
    (tmp_path / LEDGER).write_text(content)
    with pytest.raises(BadInput, match=r"downloads\.json"):
        fetch(mirror, tmp_path)
    assert (tmp_path / LEDGER).read_text() == content


def test_a_full_disk_is_not_mistaken_for_a_network_failure(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "No space left" in str(failing(mirror, tmp_path))
    assert pauses == []
    assert NAME not in files_in(tmp_path)


# Requests that are refused.


BASES = [
    "ftp://a/",
    "/a",
    "C:\\a",
    "a/b",
    "http://",
    "http://[::1/",
    "http://a:port/",
    "file://a/x",
]


@pytest.mark.parametrize("base", BASES)
def test_only_http_https_and_file_addresses(base: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot fetch from"):
        download([TASK], tmp_path / "to", base=base)
    assert not (tmp_path / "to").exists()


def test_unknown_task_is_refused_before_anything_is_fetched(mirror: Mirror, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no task called 'nonsense'.*inaccessible_goal"):
        fetch(mirror, tmp_path, TASK, "nonsense")
    assert mirror.names == []


def test_a_folder_that_cannot_be_made_is_reported(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for to in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(BadInput, match="cannot use the folder"):
            fetch(mirror, to)


# The cache folder.


@pytest.mark.skipif(sys.platform == "win32", reason="a path without a drive is relative there")
@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {}, "/home/me/.cache/hbtom"),
        ("linux", {"XDG_CACHE_HOME": "/var/c"}, "/var/c/hbtom"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/hbtom"),
        ("darwin", {"XDG_CACHE_HOME": "/var/c"}, "/home/me/Library/Caches/hbtom"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/hbtom/Cache"),
        ("win32", {}, "/home/me/AppData/Local/hbtom/Cache"),
        ("linux", {"HBTOM_CACHE": "/mine", "XDG_CACHE_HOME": "/var/c"}, "/mine"),
        ("linux", {"HBTOM_CACHE": "~/mine"}, "/home/me/mine"),
        ("linux", {"HBTOM_CACHE": ""}, "/home/me/.cache/hbtom"),
    ],
)
def test_cache_folder(
    platform: str, environ: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert cache_folder(environ=environ, platform=platform) == Path(expected)
    assert cache_folder("a", "b", environ=environ, platform=platform) == Path(expected, "a", "b")


def test_a_relative_cache_folder_is_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HBTOM_CACHE", "mine")
    assert cache_folder("bib") == tmp_path / "mine" / "bib"


def test_a_missing_home_folder_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(BadInput, match="HBTOM_CACHE"):
        cache_folder(environ={}, platform="linux")


# The command.


def said(*args: object) -> tuple[int, list[str], list[str]]:
    result = CliRunner().invoke(main, ["download", *map(str, args)])
    return result.exit_code, result.stdout.splitlines(), result.stderr.splitlines()


def test_command_prints_paths_and_one_line_for_each_archive(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HBTOM_CACHE", str(tmp_path))
    mirror.files |= {NEW: GOOD}
    folder = tmp_path / "bib"
    status, out, err = said(TASK, "preference", "--from", mirror.base)
    assert (status, out) == (0, [str(folder / NAME), str(folder / NEW)])
    assert len(err) == 3
    assert err[-1].endswith(f"hbtom evaluate {folder}")
    assert err[0].startswith(f"hbtom: {TASK}: fetched, {len(GOOD) / 1000:.1f} kB")

    assert "already there" in said(TASK, "--from", mirror.base)[2][0]
    assert "fetched" in said(TASK, "--from", mirror.base, "--again")[2][0]


def test_command_says_what_failed_and_what_to_do(nowhere: str, tmp_path: Path) -> None:
    status, out, err = said("--to", tmp_path, "--from", nowhere, "--background")
    assert (status, out) == (1, [])
    addresses = [line.strip() for line in err if line.startswith("  ")]
    everything = [*EVALUATION_TASKS, *BACKGROUND_TASKS]
    assert addresses == [nowhere + one.archives[0] for one in everything]
    assert any("13 of 13" in line for line in err)
    assert any(str(tmp_path) in line for line in err)
    assert sum("13 archives: cannot reach" in line for line in err) == 1


def test_command_continues_after_a_failure(mirror: Mirror, tmp_path: Path) -> None:
    status, out, err = said("multi_agent", TASK, "--to", tmp_path, "--from", mirror.base)
    assert (status, out) == (1, [str(tmp_path / NAME)])
    assert any("agents_evaluation_multiple_agents.zip: not found" in line for line in err)


@pytest.mark.parametrize("args", [("nonsense",), (TASK, "--from", "ftp://127.0.0.1/")])
def test_command_reports_bad_input(args: tuple[str, ...], tmp_path: Path) -> None:
    status, out, err = said(*args, "--to", tmp_path)
    assert (status, out, len(err)) == (1, [], 1)
    assert err[0].startswith("hbtom: ")


def test_command_says_that_an_interrupted_download_can_be_resumed(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_Bars, "progress", lambda self, *a: interrupt(*a))
    status, out, err = said(TASK, "--to", tmp_path, "--from", mirror.base)
    assert (status, out) == (130, [])
    assert "the same command continues" in err[0]
    assert files_in(tmp_path) == {f"{NAME}.part", LEDGER}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_command_shows_a_bar_on_a_terminal(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    mirror.answers = [Answer(send=100_000)]
    assert run([TASK], str(tmp_path), mirror.base) == 0
    shown = terminal.getvalue()
    assert f"{TASK}, {len(GOOD) / 1000:.1f} kB" in shown
    assert "100%" in shown
    assert "trying again" in shown
