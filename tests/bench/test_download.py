"""Fetching the archives, from a server on this machine that misbehaves in every known way."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import socket
import stat
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from hbtom.bench import download as module
from hbtom.bench.cache import archive_folder, cache_folder
from hbtom.bench.download import (
    DEFAULT_BASE,
    Archive,
    Incomplete,
    check_archive,
    download,
)
from hbtom.bench.tasks import BACKGROUND_TASKS, EVALUATION_TASKS, task
from hbtom.cli import download as command
from hbtom.errors import BadInput

NAME = "agents_evaluation_inaccessible_goal.zip"
TASK = "inaccessible_goal"
NEW = "agents_evaluation_object_preference_eval_4.zip"
OLD = "agents_evaluation_object_preference.zip"


def packed(*names: str, seed: int = 0, size: int = 300_000) -> bytes:
    """A zip archive; what is random in it does not shrink, so that its length is known."""
    content = random.Random(seed).randbytes(size)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names or (f"{TASK}/000001ige.json", f"{TASK}/000001igu.json"):
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


GOOD = packed()


@dataclass(frozen=True)
class Answer:
    """How to answer one request; as it comes, a good server's way."""

    status: int | None = None  # an error instead of the file
    send: int | None = None  # break the connection after so many bytes of the body
    extra_length: int = 0  # lie about the length
    ranges: bool = True  # heed Range
    if_range: bool = True  # heed If-Range
    content_range: str | None = None  # lie about the piece
    chunked: bool = False  # tell no length, but the end
    untold: bool = False  # tell neither length nor end
    stall_at: int | None = None  # say no more after so many bytes; below 0: say nothing at all
    redirect: str = ""
    hang_up: bool = False  # break the connection before anything is said


@dataclass
class Mirror:
    """A server's files, how it answers one request after the other, and what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    answers: list[Answer] = field(default_factory=list)  # for the next requests
    always: Answer = Answer()  # for those after
    later: dict[int, dict[str, bytes]] = field(default_factory=dict)  # files from request n on
    etag: str = '"{}"'
    modified: bool = False
    base: str = ""
    over: threading.Event = field(default_factory=threading.Event)
    asked: list[tuple[str, str | None, str | None]] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)

    @property
    def ranges(self) -> list[str | None]:
        return [asked_range for _, asked_range, _ in self.asked]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mirror: Mirror

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        mirror, name = self.mirror, self.path.rsplit("/", 1)[-1]
        mirror.files.update(mirror.later.get(len(mirror.asked), {}))
        mirror.asked.append((name, self.headers["Range"], self.headers["If-Range"]))
        answer = mirror.answers.pop(0) if mirror.answers else mirror.always
        self.close_connection = True
        body = mirror.files.get(name)
        if (answer.stall_at or 0) < 0:
            self.mirror.over.wait(30)
        if answer.hang_up or self.mirror.over.is_set():
            return
        if answer.redirect:
            self.send_response(302)
            self.send_header("Location", answer.redirect)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif answer.status or body is None:
            self.send_error(answer.status or 404)
        else:
            self.send_file(answer, body)

    def send_file(self, answer: Answer, body: bytes) -> None:
        tags = {}
        if self.mirror.etag:
            tags["ETag"] = self.mirror.etag.format(hashlib.md5(body).hexdigest())
        if self.mirror.modified:
            tags["Last-Modified"] = (
                f"Mon, 01 Jan 2024 00:00:{hashlib.md5(body).digest()[0] % 60:02} GMT"
            )
        start = self.start(answer, list(tags.values()))
        if start is not None and start >= len(body):
            self.send_error(416)
            return
        self.send_response(200 if start is None else 206)
        if start is not None:
            told = answer.content_range or "bytes {}-{}/{}"
            self.send_header("Content-Range", told.format(start, len(body) - 1, len(body)))
        piece = body[start or 0 :]
        for key, value in tags.items():
            self.send_header(key, value)
        if answer.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif not answer.untold:
            self.send_header("Content-Length", str(len(piece) + answer.extra_length))
        self.end_headers()
        piece = piece[: answer.send if answer.stall_at is None else answer.stall_at]
        self.mirror.sent.append(len(piece))
        if answer.chunked:
            piece = b"%x\r\n%b\r\n" % (len(piece), piece) + (b"0\r\n\r\n" * (answer.send is None))
        with suppress(ConnectionError):  # a client that is interrupted does not read on
            self.wfile.write(piece)
            if answer.stall_at is not None:
                self.mirror.over.wait(30)

    def start(self, answer: Answer, tags: list[str]) -> int | None:
        wanted, condition = self.headers["Range"], self.headers["If-Range"]
        if wanted is None or not answer.ranges:
            return None
        if condition is not None and answer.if_range and condition not in tags:
            return None
        return int(wanted.removeprefix("bytes=").removesuffix("-"))


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    one = Mirror(files={NAME: GOOD})
    handler = type("OneHandler", (Handler,), {"mirror": one})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    one.base = f"http://127.0.0.1:{server.server_address[1]}/sets/"
    yield one
    one.over.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")


class Pauses(list[float]):
    """A sleep that only takes notes."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def fetch(mirror: Mirror, to: Path, *tasks: str, **options: Any) -> list[Archive]:
    options.setdefault("sleep", Pauses())
    return download(tasks or (TASK,), to, base=mirror.base, **options)


def failing(mirror: Mirror, to: Path, *tasks: str, **options: Any) -> Incomplete:
    with pytest.raises(Incomplete) as caught:
        fetch(mirror, to, *tasks, **options)
    return caught.value


def interrupt_after(count: int) -> Any:
    def progress(name: str, done: int, total: int | None) -> None:
        if done >= count:
            raise KeyboardInterrupt

    return progress


def interrupted(mirror: Mirror, to: Path, count: int = 100_000) -> int:
    """Have a download interrupted; return how many bytes are there."""
    with pytest.raises(KeyboardInterrupt):
        fetch(mirror, to, progress=interrupt_after(count))
    size = (to / f"{NAME}.part").stat().st_size
    assert count <= size < len(GOOD)
    return size


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def ledger(folder: Path) -> Any:
    return json.loads((folder / "downloads.json").read_text())


# When all goes well.


def test_archive_arrives_and_is_recorded(mirror: Mirror, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    final = tmp_path / "a" / "b" / NAME

    def progress(name: str, done: int, total: int | None) -> None:
        assert not final.exists(), "the final name is for whole archives"
        seen.append((name, done, total))

    (archive,) = fetch(mirror, final.parent, progress=progress)

    assert final.read_bytes() == GOOD
    digest, tag = hashlib.sha256(GOOD).hexdigest(), f'"{hashlib.md5(GOOD).hexdigest()}"'
    assert (archive.path, archive.task, archive.fetched) == (final, TASK, True)
    assert files_in(final.parent) == {NAME, "downloads.json"}
    entry = ledger(final.parent)["archives"][NAME]
    assert entry.pop("date").endswith("+00:00")
    assert entry == {
        "task": TASK,
        "url": mirror.base + NAME,
        "size": len(GOOD),
        "sha256": digest,
        "etag": tag,
        "modified": None,
    }
    assert ledger(final.parent)["begun"] == {}
    assert seen[0] == (NAME, 0, len(GOOD))
    assert seen[-1] == (NAME, len(GOOD), len(GOOD))
    counts = [done for _, done, _ in seen]
    assert counts == sorted(counts)


def test_what_is_there_is_not_fetched_again_unless_asked(mirror: Mirror, tmp_path: Path) -> None:
    (first,) = fetch(mirror, tmp_path)
    (second,) = fetch(mirror, tmp_path)
    assert len(mirror.asked) == 1
    assert (first.fetched, second.fetched) == (True, False)
    assert (second.sha256, second.url, second.date) == (first.sha256, first.url, first.date)

    mirror.files[NAME] = packed(seed=1)
    (third,) = fetch(mirror, tmp_path, again=True)
    assert third.fetched
    assert (tmp_path / NAME).read_bytes() == packed(seed=1)
    assert ledger(tmp_path)["archives"][NAME]["sha256"] == third.sha256 != first.sha256


def test_all_evaluation_tasks_are_fetched_by_default(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files = {one.archives[0]: packed(size=10) for one in EVALUATION_TASKS}
    got = download(to=tmp_path, base=mirror.base)
    assert [one.task for one in got] == [one.folder for one in EVALUATION_TASKS]
    assert [name for name, _, _ in mirror.asked] == [one.archives[0] for one in EVALUATION_TASKS]


def test_background_adds_the_four_background_tasks(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files |= {one.archives[0]: GOOD for one in BACKGROUND_TASKS}
    got = fetch(mirror, tmp_path, TASK, "background/preference", background=True)
    assert [one.task for one in got] == [
        TASK,
        "background/preference",
        "background/single_object",
        "background/multi_agent",
        "background/instrumental_action",
    ]


def test_a_single_name_is_taken_for_one_task(mirror: Mirror, tmp_path: Path) -> None:
    (archive,) = download(TASK, tmp_path, base=mirror.base.rstrip("/"))
    assert archive.name == NAME


def test_archives_come_from_a_folder_too(tmp_path: Path) -> None:
    there, here = tmp_path / "a mirror", tmp_path / "here"
    there.mkdir()
    (there / OLD).write_bytes(GOOD)
    (archive,) = download(["preference"], here, base=there.as_uri())
    assert (here / OLD).read_bytes() == GOOD
    assert archive.url == f"{there.as_uri()}/{OLD}"


def test_redirects_are_followed_but_not_to_other_kinds_of_address(
    mirror: Mirror, tmp_path: Path
) -> None:
    elsewhere = mirror.base.replace("sets", "elsewhere")
    mirror.answers = [Answer(redirect=elsewhere + NAME)]
    (archive,) = fetch(mirror, tmp_path)
    assert archive.url == mirror.base + NAME
    assert len(mirror.asked) == 2

    for bad in ("ftp://127.0.0.1/x.zip", f"file://{tmp_path}/{NAME}"):
        mirror.answers = [Answer(redirect=bad)]
        error = failing(mirror, tmp_path / "other")
        assert bad in str(error)
        assert len(files_in(tmp_path / "other")) == 0


# The older name.


@pytest.mark.parametrize("status", [403, 404])
def test_older_archive_is_taken_if_the_newer_is_absent(
    mirror: Mirror, tmp_path: Path, status: int
) -> None:
    mirror.files = {NEW: GOOD, OLD: packed(seed=1)}
    mirror.answers = [Answer(status=status)]
    (archive,) = fetch(mirror, tmp_path, "preference")
    assert [name for name, _, _ in mirror.asked] == [NEW, OLD]
    assert (archive.name, archive.task) == (OLD, "preference")
    assert (tmp_path / OLD).read_bytes() == packed(seed=1)

    fetch(mirror, tmp_path, "preference")
    assert len(mirror.asked) == 2, "the older one is there, that will do"


def test_older_archive_is_not_taken_if_the_newer_only_fails(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files = {NEW: GOOD, OLD: GOOD}
    mirror.always = Answer(status=500)
    failing(mirror, tmp_path, "preference", retries=1)
    assert [name for name, _, _ in mirror.asked] == [NEW, NEW]


def test_an_archive_named_is_the_one_fetched(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files = {NEW: GOOD, OLD: GOOD}
    (archive,) = fetch(mirror, tmp_path, OLD.removesuffix(".zip"))
    assert (archive.name, archive.task) == (OLD, "preference")
    assert [name for name, _, _ in mirror.asked] == [OLD]


def test_absent_archive_is_told_with_its_addresses(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files = {}
    pauses = Pauses()
    error = failing(mirror, tmp_path, "preference", sleep=pauses)
    assert not pauses
    (failure,) = error.failures
    assert "404" in failure.reason
    assert failure.addresses == (mirror.base + NEW, mirror.base + OLD)


# Connections that break.


def test_resume_asks_for_the_remaining_bytes_only(mirror: Mirror, tmp_path: Path) -> None:
    mirror.answers = [Answer(send=100_000), Answer(send=50_000)]
    pauses, notices = Pauses(), list[str]()
    fetch(mirror, tmp_path, sleep=pauses, notice=notices.append)
    assert (tmp_path / NAME).read_bytes() == GOOD
    assert mirror.ranges == [None, "bytes=100000-", "bytes=150000-"]
    assert mirror.sent == [100_000, 50_000, len(GOOD) - 150_000]
    assert mirror.asked[1][2] == f'"{hashlib.md5(GOOD).hexdigest()}"', "If-Range"
    assert pauses == [1, 2]
    assert [NAME in text and "trying again" in text for text in notices] == [True, True]


def test_interrupted_run_is_resumed_by_the_next(mirror: Mirror, tmp_path: Path) -> None:
    size = interrupted(mirror, tmp_path)
    assert files_in(tmp_path) == {f"{NAME}.part", "downloads.json"}
    seen: list[int] = []
    fetch(mirror, tmp_path, progress=lambda name, done, total: seen.append(done))
    assert mirror.ranges == [None, f"bytes={size}-"]
    assert seen[0] == size
    assert (tmp_path / NAME).read_bytes() == GOOD
    assert files_in(tmp_path) == {NAME, "downloads.json"}


def test_last_modified_does_when_the_etag_is_weak(mirror: Mirror, tmp_path: Path) -> None:
    mirror.etag, mirror.modified = 'W/"{}"', True
    mirror.answers = [Answer(send=100_000)]
    fetch(mirror, tmp_path)
    condition = mirror.asked[1][2]
    assert condition is not None
    assert condition.endswith("GMT")
    assert mirror.sent[1] == len(GOOD) - 100_000


def test_whole_part_of_an_interrupted_run_needs_no_server(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "check_archive", stop)
        with pytest.raises(KeyboardInterrupt):
            fetch(mirror, tmp_path)
    assert files_in(tmp_path) == {f"{NAME}.part", "downloads.json"}
    fetch(mirror, tmp_path)
    assert len(mirror.asked) == 1
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_server_that_ignores_range_makes_it_start_anew(mirror: Mirror, tmp_path: Path) -> None:
    mirror.answers = [Answer(send=100_000), Answer(ranges=False)]
    fetch(mirror, tmp_path)
    assert mirror.sent == [100_000, len(GOOD)]
    assert (tmp_path / NAME).read_bytes() == GOOD


@pytest.mark.parametrize("etag", ['"{}"', ""])
@pytest.mark.parametrize("if_range", [True, False])
def test_file_that_changes_makes_it_start_anew(
    mirror: Mirror, tmp_path: Path, if_range: bool, etag: str
) -> None:
    other = packed(seed=1)
    notices: list[str] = []
    mirror.etag, mirror.modified = etag, not etag
    mirror.answers = [Answer(send=100_000), Answer(if_range=if_range)]
    mirror.later = {1: {NAME: other}}
    (archive,) = fetch(mirror, tmp_path, notice=notices.append)
    assert (tmp_path / NAME).read_bytes() == other
    if etag:
        assert archive.etag == f'"{hashlib.md5(other).hexdigest()}"'
    assert len(mirror.asked) == (2 if if_range else 3)
    assert ("has changed" in notices[-1]) != if_range, "found out before it was joined"


def test_file_that_changes_unnoticed_is_found_out_by_its_contents(
    mirror: Mirror, tmp_path: Path
) -> None:
    other = packed(seed=1)
    assert len(other) == len(GOOD)
    mirror.etag = ""
    mirror.answers = [Answer(send=100_000)]
    mirror.later = {1: {NAME: other}}
    notices: list[str] = []
    fetch(mirror, tmp_path, notice=notices.append)
    assert mirror.ranges == [None, "bytes=100000-", None]
    assert "starting anew" in notices[-1]
    assert (tmp_path / NAME).read_bytes() == other


def test_file_that_got_shorter_makes_it_start_anew(mirror: Mirror, tmp_path: Path) -> None:
    short = packed(size=1000)
    mirror.etag = ""
    mirror.answers = [Answer(send=100_000)]
    mirror.later = {1: {NAME: short}}
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, "bytes=100000-", None]
    assert (tmp_path / NAME).read_bytes() == short


@pytest.mark.parametrize(
    "told", ["bytes 0-{1}/{2}", "bytes {0}-{1}/9999999", "bytes {0}-{0}/{2}", "nonsense"]
)
def test_wrong_piece_makes_it_start_anew(mirror: Mirror, tmp_path: Path, told: str) -> None:
    mirror.answers = [Answer(send=100_000), Answer(content_range=told)]
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, "bytes=100000-", None]
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_piece_of_untold_length_must_be_the_right_one(mirror: Mirror, tmp_path: Path) -> None:
    wrong = Answer(chunked=True, content_range="bytes 0-{1}/{2}")
    mirror.answers = [Answer(send=100_000), wrong]
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, "bytes=100000-", None]


def test_part_longer_than_the_file_is_started_anew(mirror: Mirror, tmp_path: Path) -> None:
    interrupted(mirror, tmp_path)
    (tmp_path / f"{NAME}.part").write_bytes(GOOD + b"more")
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, None]
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_another_mirror_starts_anew(mirror: Mirror, tmp_path: Path) -> None:
    interrupted(mirror, tmp_path)
    mirror.base = mirror.base.replace("sets", "other")
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, None]


def test_length_untold_is_no_obstacle(mirror: Mirror, tmp_path: Path) -> None:
    mirror.answers = [Answer(chunked=True, send=100_000), Answer(chunked=True)]
    totals: set[int | None] = set()
    fetch(mirror, tmp_path, progress=lambda name, done, total: totals.add(total))
    assert totals == {None, len(GOOD)}, "the second answer tells it in Content-Range"
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_end_untold_is_found_by_the_zip(mirror: Mirror, tmp_path: Path) -> None:
    mirror.answers = [Answer(untold=True, send=100_000), Answer(untold=True)]
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, None]
    assert (tmp_path / NAME).read_bytes() == GOOD


@pytest.mark.parametrize("at", [-1, 100_000])
def test_server_that_falls_silent_is_left(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    monkeypatch.setattr(module, "TIMEOUT", 1.0)
    mirror.answers = [Answer(stall_at=at)]
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, f"bytes={at}-" if at > 0 else None]
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_server_that_hangs_up_is_asked_again(mirror: Mirror, tmp_path: Path) -> None:
    mirror.answers = [Answer(hang_up=True)]
    fetch(mirror, tmp_path)
    assert len(mirror.asked) == 2


@pytest.mark.parametrize("status", [500, 503, 429])
def test_error_of_the_moment_is_waited_for(mirror: Mirror, tmp_path: Path, status: int) -> None:
    mirror.answers = [Answer(status=status)] * 3
    pauses = Pauses()
    fetch(mirror, tmp_path, sleep=pauses)
    assert pauses == [1, 2, 4]
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_retries_are_bounded(mirror: Mirror, tmp_path: Path) -> None:
    mirror.always = Answer(status=500)
    pauses = Pauses()
    error = failing(mirror, tmp_path, retries=8, sleep=pauses)
    assert len(mirror.asked) == 9
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60]
    assert "500" in str(error)


def test_lasting_error_is_not_tried_again(mirror: Mirror, tmp_path: Path) -> None:
    mirror.always = Answer(status=400)
    assert "400" in str(failing(mirror, tmp_path))
    assert len(mirror.asked) == 1


def test_connection_that_brings_much_is_no_failed_try(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WORTHWHILE", 50_000)
    mirror.always = Answer(send=60_000)
    fetch(mirror, tmp_path, retries=1)
    assert len(mirror.asked) == len(GOOD) // 60_000 + 1

    mirror.always = Answer(send=40_000)
    failing(mirror, tmp_path / "other", retries=1)


def test_giving_up_keeps_the_part_and_says_so(mirror: Mirror, tmp_path: Path) -> None:
    mirror.always = Answer(send=1000)
    error = failing(mirror, tmp_path, retries=2)
    assert "3000 bytes are kept" in str(error)
    assert (tmp_path / f"{NAME}.part").read_bytes() == GOOD[:3000]
    mirror.always = Answer()
    fetch(mirror, tmp_path)
    assert mirror.ranges[-1] == "bytes=3000-"


# Servers that lie.


def test_length_told_too_long_is_never_whole(mirror: Mirror, tmp_path: Path) -> None:
    mirror.always = Answer(extra_length=10)
    error = failing(mirror, tmp_path, retries=3)
    assert f"lost after {len(GOOD)} of {len(GOOD) + 10}" in str(error) or "shorter" in str(error)
    assert len(mirror.asked) == 4
    assert NAME not in files_in(tmp_path)


def test_length_told_too_long_once_is_got_over(mirror: Mirror, tmp_path: Path) -> None:
    mirror.answers = [Answer(extra_length=10)]
    fetch(mirror, tmp_path)
    assert mirror.ranges == [None, f"bytes={len(GOOD)}-", None]
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_length_told_too_short_is_not_a_whole_zip(mirror: Mirror, tmp_path: Path) -> None:
    mirror.always = Answer(extra_length=-10)
    error = failing(mirror, tmp_path)
    assert "not a whole zip" in str(error)
    assert files_in(tmp_path) == {"downloads.json"}
    assert error.failures[0].addresses == (), "what is broken there is broken by hand, too"


def swapped(data: bytes, old: bytes, new: bytes) -> bytes:
    assert old in data
    assert len(old) == len(new)
    return data.replace(old, new)


def linked() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("set/link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    return buffer.getvalue()


BROKEN = {
    "not a zip": (b"<html>please log in</html>", "not a whole zip"),
    "nothing": (b"", "not a whole zip"),
    "cut": (GOOD[:-200], "not a whole zip"),
    "bytes missing inside": (GOOD[:500] + GOOD[600:], "not a whole zip"),
    "bytes added inside": (GOOD[:500] + b"x" * 100 + GOOD[500:], "not a whole zip"),
    "broken directory": (GOOD[:-200] + b"x" * 60 + GOOD[-140:], "not a whole zip"),
    "broken member": (swapped(GOOD, b"PK\3\4", b"PK\3\5"), "not a whole zip"),
    "empty": (b"PK\5\6" + bytes(18), "without any file"),
    "only a folder": (packed("set/", size=0), "without any file"),
    "up": (packed("ok.json", "../x.json"), "unsafe name"),
    "up and down": (packed("set/../../x.json"), "unsafe name"),
    "up, backwards": (packed("set\\..\\x.json"), "unsafe name"),
    "absolute": (packed("/x.json"), "unsafe name"),
    "absolute, backwards": (packed("\\x.json"), "unsafe name"),
    "drive": (packed("C:x.json"), "unsafe name"),
    "control": (packed("a\x1b[31m.json"), "unsafe name"),
    "nul": (swapped(packed("ax.json"), b"ax.json", b"a\0.json"), "unsafe name"),
    "link": (linked(), "a link"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_or_unsafe_archive_never_gets_its_name(
    mirror: Mirror, tmp_path: Path, case: str
) -> None:
    mirror.files[NAME], told = BROKEN[case]
    error = failing(mirror, tmp_path)
    assert told in str(error)
    assert files_in(tmp_path) == {"downloads.json"}
    assert len(mirror.asked) == 1
    mirror.files[NAME] = GOOD
    fetch(mirror, tmp_path)
    assert (tmp_path / NAME).read_bytes() == GOOD


def test_contents_are_compared_on_request(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(GOOD[:1000] + bytes([GOOD[1000] ^ 1]) + GOOD[1001:])
    check_archive(path)
    with pytest.raises(BadInput, match="CRC"):
        check_archive(path, contents=True)


def test_a_failure_does_not_stop_the_others(mirror: Mirror, tmp_path: Path) -> None:
    mirror.files = {one.archives[0]: packed(size=10) for one in EVALUATION_TASKS}
    mirror.files[EVALUATION_TASKS[0].archives[0]] = b"broken"
    del mirror.files[EVALUATION_TASKS[4].archives[0]]
    with pytest.raises(Incomplete) as caught:
        download(to=tmp_path, base=mirror.base, sleep=Pauses())
    assert [one.task for one in caught.value.failures] == ["efficiency_path", "multi_agent"]
    assert len(caught.value.archives) == 7
    assert all(one.path.exists() for one in caught.value.archives)
    assert "2 of 9" in str(caught.value)


# No network.


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address where nobody listens; the port stays taken, so that nobody else will."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/"


def test_no_network_says_what_to_do_by_hand(nowhere: str, tmp_path: Path) -> None:
    pauses = Pauses()
    with pytest.raises(Incomplete) as caught:
        download(to=tmp_path, base=nowhere, sleep=pauses)
    assert pauses == [1, 2], "not so many tries for each archive"
    text = str(caught.value)
    for one in EVALUATION_TASKS:
        for name in one.archives:
            assert nowhere + name in text
    assert str(tmp_path) in text
    assert "(for preference the first that can be had is enough)" in text
    assert len(caught.value.reasons()) == 1
    assert "refused" in caught.value.reasons()[0]


def test_no_network_matters_only_for_what_is_missing(
    mirror: Mirror, nowhere: str, tmp_path: Path
) -> None:
    fetch(mirror, tmp_path)
    with pytest.raises(Incomplete) as caught:
        download(["multi_agent", TASK], tmp_path, base=nowhere, sleep=Pauses())
    assert [one.task for one in caught.value.archives] == [TASK]
    assert NAME not in str(caught.value)


def test_by_hand_addresses_are_public_ones_if_a_folder_lacks_archives(tmp_path: Path) -> None:
    with pytest.raises(Incomplete) as caught:
        download([TASK], tmp_path / "here", base=(tmp_path / "there").as_uri())
    assert caught.value.failures[0].addresses == (DEFAULT_BASE + NAME,)


def test_archive_put_there_by_hand_is_taken(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(GOOD)
    (archive,) = fetch(mirror, tmp_path)
    assert (archive.url, archive.fetched, archive.size) == (None, False, len(GOOD))
    assert mirror.asked == []


# The user's files.


def link(path: Path, target: Path) -> None:
    try:
        path.symlink_to(target)
    except OSError:
        pytest.skip("this system makes no symbolic links for us")


@pytest.mark.parametrize("again", [False, True])
def test_file_of_the_user_is_never_overwritten(mirror: Mirror, tmp_path: Path, again: bool) -> None:
    (tmp_path / NAME).write_bytes(b"mine")
    error = failing(mirror, tmp_path, again=again)
    assert "was not written by hbtom" in str(error)
    assert str(tmp_path / NAME) in str(error)
    assert (tmp_path / NAME).read_bytes() == b"mine"
    assert mirror.asked == []


def test_archive_of_the_user_is_not_fetched_again(mirror: Mirror, tmp_path: Path) -> None:
    mine = packed(seed=7)
    (tmp_path / NAME).write_bytes(mine)
    assert "left alone" in str(failing(mirror, tmp_path, again=True))
    assert (tmp_path / NAME).read_bytes() == mine


def test_file_that_appears_meanwhile_is_not_overwritten(mirror: Mirror, tmp_path: Path) -> None:
    mine = packed(seed=7)

    def progress(name: str, done: int, total: int | None) -> None:
        (tmp_path / NAME).write_bytes(mine)

    failing(mirror, tmp_path, progress=progress)
    assert (tmp_path / NAME).read_bytes() == mine
    assert ledger(tmp_path)["archives"] == {}


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("changed", [GOOD[:-1], packed(seed=1)])
def test_archive_that_was_changed_is_left_alone(
    mirror: Mirror, tmp_path: Path, changed: bytes, again: bool
) -> None:
    fetch(mirror, tmp_path)
    (tmp_path / NAME).write_bytes(changed)
    assert "has changed" in str(failing(mirror, tmp_path, again=again))
    assert (tmp_path / NAME).read_bytes() == changed


def test_folder_or_dangling_link_in_the_way_is_left_alone(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    assert "not a file" in str(failing(mirror, tmp_path))
    other = tmp_path / "other"
    other.mkdir()
    link(other / NAME, tmp_path / "missing")
    assert "not a file" in str(failing(mirror, other))
    assert (other / NAME).is_symlink()


def test_part_of_the_user_is_never_written_to(mirror: Mirror, tmp_path: Path) -> None:
    part = tmp_path / f"{NAME}.part"
    part.write_bytes(b"of a browser")
    error = failing(mirror, tmp_path)
    assert str(part) in str(error)
    assert part.read_bytes() == b"of a browser"


def test_part_that_appears_meanwhile_is_not_written_to(mirror: Mirror, tmp_path: Path) -> None:
    part = tmp_path / f"{NAME}.part"
    error = failing(mirror, tmp_path, progress=lambda *_: part.write_bytes(b"mine") and None)
    assert "cannot write" in str(error)
    assert part.read_bytes() == b"mine"


def test_file_that_cannot_be_read_does_not_stop_the_others(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(mirror, tmp_path)
    mirror.files[NEW] = GOOD

    def unreadable(path: Path) -> str:
        if path.name == NAME:
            raise PermissionError(13, "Permission denied", str(path))
        return ""

    monkeypatch.setattr(module, "_digest", unreadable)
    error = failing(mirror, tmp_path, TASK, "preference")
    assert [one.task for one in error.archives] == ["preference"]
    assert f"{tmp_path / NAME}: Permission denied" in str(error)


def test_part_that_became_a_link_is_not_followed(mirror: Mirror, tmp_path: Path) -> None:
    interrupted(mirror, tmp_path)
    part, mine = tmp_path / f"{NAME}.part", tmp_path / "mine"
    mine.write_bytes(b"mine")
    part.unlink()
    link(part, mine)
    failing(mirror, tmp_path)
    assert mine.read_bytes() == b"mine"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"my": "notes"}',
        '{"format": "another", "archives": {}, "begun": {}}',
        '{"format": "hbtom downloads 1", "archives": {"x.zip": {}}, "begun": {}}',
        '{"format": "hbtom downloads 1", "archives": {}, "begun": '
        '{"x": {"url": "x", "size": "9", "etag": null, "modified": null}}}',
    ],
)
def test_record_of_the_user_is_not_overwritten(
    mirror: Mirror, tmp_path: Path, content: str
) -> None:
    (tmp_path / "downloads.json").write_text(content)
    with pytest.raises(BadInput, match=r"downloads\.json"):
        fetch(mirror, tmp_path)
    assert (tmp_path / "downloads.json").read_text() == content


def test_record_is_written_in_one_stroke(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch(mirror, tmp_path)
    before = ledger(tmp_path)
    mirror.files |= {"agents_evaluation_multiple_agents.zip": GOOD, NEW: GOOD}
    os.link(tmp_path / "downloads.json", tmp_path / "as it was")
    fetch(mirror, tmp_path, "preference")
    assert json.loads((tmp_path / "as it was").read_text()) == before != ledger(tmp_path)
    before = ledger(tmp_path)

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "_sync", full)
    assert "No space left" in str(failing(mirror, tmp_path, "multi_agent"))
    assert ledger(tmp_path) == before
    assert files_in(tmp_path) == {NAME, NEW, "downloads.json", "as it was"}


def test_trouble_with_the_disk_is_not_taken_for_the_network(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    pauses = Pauses()
    monkeypatch.setattr(os, "replace", full)
    assert "cannot write" in str(failing(mirror, tmp_path, sleep=pauses))
    assert pauses == []
    assert NAME not in files_in(tmp_path)


def test_two_downloads_do_not_share_a_folder(mirror: Mirror, tmp_path: Path) -> None:
    refused: list[str] = []

    def progress(name: str, done: int, total: int | None) -> None:
        with pytest.raises(BadInput, match="another download") as caught:
            fetch(mirror, tmp_path)
        refused.append(str(caught.value))

    fetch(mirror, tmp_path, progress=progress)
    assert str(tmp_path) in refused[0]
    assert len(mirror.asked) == 1


# What cannot be asked for.


@pytest.mark.parametrize(
    "base",
    [
        "",
        "ftp://example.org/",
        "data:,x",
        "/a/folder",
        "C:\\folder",
        "example.org/bib",
        "http://",
        "http:///x",
        "http://[::1/",
        "http://127.0.0.1:port/",
        "http://127.0.0.1/a b/",
        "http://127.0.0.1/ä/",
        "http://me:secret@127.0.0.1/",
        "http://127.0.0.1/?x=",
        "http://127.0.0.1/#x",
        "file://example.org/x",
        " file:///x",
    ],
)
def test_only_http_https_and_file_addresses(base: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot fetch from"):
        download([TASK], tmp_path / "to", base=base)
    assert not (tmp_path / "to").exists()


def test_unknown_task_is_refused_before_anything_is_fetched(mirror: Mirror, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"no task called 'nonsense'.*inaccessible_goal"):
        fetch(mirror, tmp_path, TASK, "nonsense")
    assert mirror.asked == []


def test_folder_that_cannot_be_made_is_told(mirror: Mirror, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for to in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(BadInput, match="cannot write"):
            fetch(mirror, to)


# The cache folder.


@pytest.mark.skipif(sys.platform == "win32", reason="a path without a drive is relative there")
@pytest.mark.parametrize(
    ("platform", "environ", "expected"),
    [
        ("linux", {}, "/home/me/.cache/hbtom"),
        ("linux", {"XDG_CACHE_HOME": "/var/c"}, "/var/c/hbtom"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/hbtom"),
        ("linux", {"XDG_CACHE_HOME": ""}, "/home/me/.cache/hbtom"),
        ("darwin", {"XDG_CACHE_HOME": "/var/c"}, "/home/me/Library/Caches/hbtom"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/hbtom/Cache"),
        ("win32", {}, "/home/me/AppData/Local/hbtom/Cache"),
        ("linux", {"HBTOM_CACHE": "/mine", "XDG_CACHE_HOME": "/var/c"}, "/mine"),
        ("linux", {"HBTOM_CACHE": "~/mine"}, "/home/me/mine"),
        ("darwin", {"HBTOM_CACHE": "/mine"}, "/mine"),
        ("win32", {"HBTOM_CACHE": "/mine", "LOCALAPPDATA": "/local"}, "/mine"),
        ("linux", {"HBTOM_CACHE": ""}, "/home/me/.cache/hbtom"),
    ],
)
def test_cache_folder(
    platform: str, environ: dict[str, str], expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/me"))
    assert cache_folder(environ=environ, platform=platform) == Path(expected)
    assert cache_folder("a", "b", environ=environ, platform=platform) == Path(expected, "a", "b")


def test_relative_cache_folder_is_one_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HBTOM_CACHE", "mine")
    assert archive_folder() == tmp_path / "mine" / "bib"


def test_no_home_folder_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(BadInput, match="HBTOM_CACHE"):
        cache_folder(environ={}, platform="linux")


# The command.


def test_command_prints_paths_and_one_line_for_each_archive(
    mirror: Mirror,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("HBTOM_CACHE", str(tmp_path))
    mirror.files |= {NEW: GOOD}
    assert command.run([TASK, "preference"], None, mirror.base) == 0
    out, err = capsys.readouterr()
    folder = tmp_path / "bib"
    assert out.splitlines() == [str(folder / NAME), str(folder / NEW)]
    lines = err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith(f"hbtom: {TASK}: fetched, {len(GOOD) / 1000:.1f} kB")

    assert command.run([TASK], None, mirror.base) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [str(folder / NAME)]
    assert "already there" in err
    assert len(mirror.asked) == 2

    assert command.run([TASK], None, mirror.base, again=True) == 0
    assert len(mirror.asked) == 3


def test_command_says_what_failed_and_what_to_do(
    nowhere: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.run([], str(tmp_path), nowhere, background=True, sleep=Pauses()) == 1
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    addresses = [line.strip() for line in lines if line.startswith("  ")]
    everything = [*EVALUATION_TASKS, *BACKGROUND_TASKS]
    assert addresses == [nowhere + name for one in everything for name in one.archives]
    assert any("13 of 13" in line for line in lines)
    assert any(str(tmp_path) in line for line in lines)
    assert sum("13 archives: cannot reach" in line for line in lines) == 1


def test_command_goes_on_after_a_failure(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.run(["multi_agent", TASK], str(tmp_path), mirror.base) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [str(tmp_path / NAME)]
    assert "agents_evaluation_multiple_agents.zip: not found" in err
    assert "1 of 2" in err


@pytest.mark.parametrize(
    ("tasks", "base"), [(["nonsense"], "http://127.0.0.1/"), ([TASK], "ftp://127.0.0.1/")]
)
def test_command_complains_of_bad_input(
    tasks: list[str], base: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.run(tasks, str(tmp_path), base) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("hbtom: ")


def test_command_says_that_an_interrupted_download_can_go_on(
    mirror: Mirror,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command._Screen, "progress", lambda self, *a: interrupt_after(100_000)(*a))
    assert command.run([TASK], str(tmp_path), mirror.base) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert str(tmp_path / f"{NAME}.part") in err
    assert "the same command goes on from there" in err


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_moving_line_shows_size_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    terminal, now = Terminal(), [0.0]
    screen = command._Screen(terminal, shown=True, clock=lambda: now[0])

    def shown(time: float, done: int, total: int | None) -> str:
        terminal.seek(0)
        terminal.truncate()
        now[0] = time
        screen.progress(NAME, done, total)
        return terminal.getvalue().strip("\r ")

    assert shown(0, 10_000_000, 20_000_000) == f"{TASK}: 10.0 MB of 20.0 MB"
    assert shown(0.01, 10_100_000, 20_000_000) == "", "too soon to be read"
    assert shown(2, 14_000_000, 20_000_000) == (
        f"{TASK}: 14.0 MB of 20.0 MB, 2.0 MB/s, 3 s left"  # what was there before is no speed
    )
    assert shown(2.01, 20_000_000, 20_000_000).startswith(f"{TASK}: 20.0 MB of 20.0 MB")
    assert shown(3, 0, None) == f"{TASK}: 0 bytes", "started anew"
    assert shown(5, 3_000, None) == f"{TASK}: 3.0 kB, 1.5 kB/s"

    monkeypatch.setenv("COLUMNS", "10")
    assert shown(6, 4_000, None) == TASK[:9]
    terminal.truncate(0)
    screen.clear()
    assert terminal.getvalue().strip("\0") == "\r" + " " * 9 + "\r"


def test_nothing_moves_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    command._Screen(stream, shown=False).progress(NAME, 1, 2)
    assert stream.getvalue() == ""


def test_command_moves_a_line_on_a_terminal(
    mirror: Mirror, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    assert command.run([TASK], str(tmp_path), mirror.base) == 0
    assert f"\r{TASK}: " in terminal.getvalue()


@pytest.mark.parametrize(
    ("count", "text"),
    [(999, "999 bytes"), (1000, "1.0 kB"), (999_960, "1.0 MB"), (2_500_000_000, "2.5 GB")],
)
def test_sizes_suit_people(count: int, text: str) -> None:
    assert command.size(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.2, "0 s"), (99, "99 s"), (100, "2 min"), (7200, "2 h")]
)
def test_times_suit_people(seconds: float, text: str) -> None:
    assert command.span(seconds) == text


def test_names_of_this_test_are_those_of_the_benchmark() -> None:
    assert task(TASK).archives == (NAME,)
    assert task("preference").archives == (NEW, OLD)
