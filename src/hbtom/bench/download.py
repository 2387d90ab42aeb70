"""Fetch the benchmark's public archives.

Nobody publishes checksums of these archives, so all that can be known is checked: lengths, that
pieces belong to the same file, and that the zip is whole. Bytes arrive in ``NAME.zip.part``; only
a whole archive gets its final name. ``downloads.json`` beside the archives records what was
fetched; it also tells hbtom's files from the user's, which are never written to.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import stat
import sys
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from email.message import Message
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any, Protocol
from urllib import request as web
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from hbtom import __version__
from hbtom.bench.cache import archive_folder
from hbtom.bench.tasks import BACKGROUND_TASKS, EVALUATION_TASKS, Task, task
from hbtom.errors import BadInput

DEFAULT_BASE = "https://nyu-datasets.s3.amazonaws.com/"
HOME_PAGE = "https://www.kanishkgandhi.com/bib"
LEDGER = "downloads.json"

RETRIES = 5
FIRST_RETRIES = 2  # for a server that never answered: most likely there is no network
LONGEST_PAUSE = 60.0  # seconds
TIMEOUT = 30.0  # seconds without a byte
CHUNK = 1 << 18
WORTHWHILE = 1 << 20  # a connection that brought so many new bytes was not in vain

Progress = Callable[[str, int, int | None], None]  # archive, bytes so far, bytes in all if known


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive that is whole and in its place."""

    name: str
    task: str
    path: Path
    size: int
    sha256: str
    url: str | None  # None: the user put it there
    etag: str | None
    modified: str | None  # the server's Last-Modified
    date: str | None  # when it was fetched
    fetched: bool  # by this call; otherwise it was there already


@dataclass(frozen=True, slots=True)
class Failure:
    """An archive that is not in its place, and why."""

    name: str
    task: str
    reason: str
    addresses: tuple[str, ...]  # what to fetch by hand; empty if that would not help


class Incomplete(BadInput):
    """Some archives could not be fetched; the others were."""

    def __init__(
        self, archives: Iterable[Archive], failures: Iterable[Failure], folder: Path
    ) -> None:
        self.archives = tuple(archives)
        self.failures = tuple(failures)
        self.folder = folder
        total = len(self.archives) + len(self.failures)
        self.summary = f"{len(self.failures)} of {total} archives could not be fetched"
        hint = " ".join(line.strip() for line in self.by_hand())
        super().__init__("; ".join((self.summary, *self.reasons())), hint=hint)

    def reasons(self) -> list[str]:
        """Return one line for each reason; a reason that many archives share is told once."""
        names: dict[str, list[str]] = {}
        for failure in self.failures:
            names.setdefault(failure.reason, []).append(failure.name)
        return [
            f"{who[0] if len(who) == 1 else f'{len(who)} archives'}: {reason}"
            for reason, who in names.items()
        ]

    def by_hand(self) -> list[str]:
        """Return, line by line, what to fetch by hand and where to put it."""
        addresses = [f"  {address}" for failure in self.failures for address in failure.addresses]
        if not addresses:
            return []
        return [
            "to do it by hand, fetch with a browser or on another computer",
            *addresses,
            *(
                f"(for {failure.task} the first that can be had is enough)"
                for failure in self.failures
                if len(failure.addresses) > 1
            ),
            f"and put the archives, as they are, into {self.folder};",
            "the same command then checks them, and fetches only what is missing;",
            f"the benchmark's home page is {HOME_PAGE}",
        ]


def download(
    tasks: Iterable[str] = (),
    to: str | os.PathLike[str] | None = None,
    *,
    base: str = DEFAULT_BASE,
    background: bool = False,
    again: bool = False,
    retries: int = RETRIES,
    progress: Progress | None = None,
    finished: Callable[[Archive], None] | None = None,
    notice: Callable[[str], None] | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Archive]:
    """Fetch the archives of some tasks, or of all evaluation tasks, and return what is there.

    A task is given by its folder name, or by the name of one of its archives if just that one is
    wanted. What is already there is not fetched again unless `again` is set. A failure does not
    stop the others; at the end it raises `Incomplete`, which tells what is there and what is not.
    """
    wanted = _wanted(tasks, background)
    base = _address(base)
    folder = _folder(to)
    with _alone_in(folder):
        run = _Run(
            folder=folder,
            base=base,
            again=again,
            retries=retries,
            progress=progress or (lambda name, done, total: None),
            finished=finished or (lambda archive: None),
            notice=notice or (lambda text: None),
            sleep=sleep,
            ledger=_Ledger(folder),
        )
        return run.all(wanted)


def check_archive(path: Path, *, contents: bool = False) -> None:
    """Raise `BadInput` unless this is a whole zip archive of which every name is safe.

    With `contents`, every member is unpacked (to nowhere) and compared with its CRC as well.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            for member in members:
                _check_name(member)
            for member in members:
                _check_member(archive, member, contents)
    except BadInput:
        raise
    except Exception as error:  # broken archives make zipfile raise almost anything
        raise BadInput(f"not a whole zip archive ({_why(error)})") from error
    if all(member.is_dir() for member in members):
        raise BadInput("a zip archive without any file in it")


def _check_name(member: zipfile.ZipInfo) -> None:
    """Refuse names that could lead out of a folder, on any platform, and links."""
    name = member.orig_filename
    parts = re.split(r"[/\\]", name)
    if not parts[0] or ".." in parts or re.search(r"[\x00-\x1f\x7f:]", name):
        raise BadInput(f"a zip archive with an unsafe name in it ({name!r})")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise BadInput(f"a zip archive with a link in it ({name!r})")


def _check_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, contents: bool) -> None:
    """Opening a member checks that it starts where the central directory says."""
    with archive.open(member) as stream:
        while contents and stream.read(CHUNK):
            pass


# What to fetch, from where, and into which folder.


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A task, and the archives that would do, best first."""

    task: str
    names: tuple[str, ...]


def _wanted(tasks: Iterable[str], background: bool) -> list[_Wanted]:
    given = [tasks] if isinstance(tasks, str) else list(tasks)
    chosen = [_named(name) for name in given] or [_all_of(one) for one in EVALUATION_TASKS]
    chosen += [_all_of(one) for one in BACKGROUND_TASKS if background]
    return list(dict.fromkeys(chosen))


def _all_of(one: Task) -> _Wanted:
    return _Wanted(one.folder, one.archives)


def _named(name: str) -> _Wanted:
    try:
        one = task(name)
    except KeyError as error:
        raise BadInput(str(error.args[0])) from error
    if name == one.folder:
        return _all_of(one)
    return _Wanted(one.folder, (name.removesuffix(".zip") + ".zip",))


def _address(base: str) -> str:
    """Return the base address with a slash at its end, if archives can be fetched from it."""
    problem = _problem(base)
    if problem:
        raise BadInput(
            f"cannot fetch from {base!r}: {problem}",
            hint="give an address such as https://example.org/bib/ or file:///folder/of/archives/",
        )
    return base if base.endswith("/") else base + "/"


def _problem(base: str) -> str:
    if not re.fullmatch("[!-~]+", base):
        return "an address has no blanks, and other letters are written as %XX"
    try:
        parts = urlsplit(base)
        _ = parts.port
    except ValueError as error:
        return str(error)
    if parts.scheme not in ("http", "https", "file"):
        return "only http, https and file addresses are possible"
    if (parts.scheme == "file") == (parts.hostname not in (None, "localhost")):
        return "a file address has no host, any other address has one"
    if parts.username is not None or "?" in base or "#" in base:
        return "it must not hold a user name, a question mark or a number sign"
    return ""


def _folder(to: str | os.PathLike[str] | None) -> Path:
    folder = archive_folder() if to is None else Path(to)
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say which file or folder is the trouble: a full disk is not a lost connection."""
    try:
        yield
    except OSError as error:
        raise BadInput(f"cannot write {path}: {error.strerror or error}") from error


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Keep two downloads from writing to the same files; the system unlocks if a run is killed."""
    handle = _lock(folder)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock(folder: Path) -> int | None:
    try:
        if sys.platform == "win32":
            only = os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_TEMPORARY
            return os.open(folder / ".download.lock", only)
        import fcntl

        handle = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise
        return handle
    except (BlockingIOError, FileExistsError) as error:
        raise BadInput(f"another download into {folder} is under way; wait for it") from error
    except OSError:
        return None  # some network file systems cannot lock; go on without


# What was written before.


@dataclass(frozen=True, slots=True)
class _Source:
    """What the server said about the file of which a part is here."""

    url: str
    size: int | None
    etag: str | None
    modified: str | None

    @property
    def validator(self) -> str | None:
        """What tells this version of the file from others; a weak ETag does not."""
        strong = self.etag is not None and not self.etag.startswith("W/")
        return self.etag if strong else self.modified


class _Ledger:
    """``downloads.json``: what hbtom wrote into a folder, and what it has begun there."""

    FORMAT = "hbtom downloads 1"

    def __init__(self, folder: Path) -> None:
        self.file = folder / LEDGER
        self.archives: dict[str, Archive] = {}
        self.begun: dict[str, _Source] = {}
        if os.path.lexists(self.file):
            self._read()

    def _read(self) -> None:
        try:
            value = json.loads(self.file.read_text("utf-8"))
            if value["format"] != self.FORMAT:
                raise ValueError(f"the format is not {self.FORMAT!r}")
            for name, entry in value["archives"].items():
                self.archives[name] = _recorded(self.file.parent, name, entry)
            for name, entry in value["begun"].items():
                self.begun[name] = _source(entry)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInput(
                f"{self.file} is not a record of downloads ({_why(error)})",
                hint="move it away or delete it; archives that are whole need not be fetched again",
            ) from error

    def save(self) -> None:
        """Write the record in one stroke: it is always the old one or the new one."""
        value = {
            "format": self.FORMAT,
            "archives": {name: _entry(archive) for name, archive in sorted(self.archives.items())},
            "begun": {name: asdict(source) for name, source in sorted(self.begun.items())},
        }
        new = self.file.with_name(f".{LEDGER}.{secrets.token_hex(4)}")
        with _writing(self.file):
            try:
                with open(new, "x", encoding="utf-8") as file:
                    file.write(json.dumps(value, indent=2) + "\n")
                    _sync(file)
                os.replace(new, self.file)
            finally:
                new.unlink(missing_ok=True)


def _entry(archive: Archive) -> dict[str, Any]:
    entry = asdict(archive)
    for local in ("name", "path", "fetched"):
        del entry[local]
    return entry


def _recorded(folder: Path, name: str, entry: dict[str, Any]) -> Archive:
    return Archive(
        name=name,
        task=_text(entry["task"]),
        path=folder / name,
        size=_count(entry["size"]),
        sha256=_text(entry["sha256"]),
        url=_text(entry["url"]),
        etag=_text_or_none(entry["etag"]),
        modified=_text_or_none(entry["modified"]),
        date=_text(entry["date"]),
        fetched=False,
    )


def _source(entry: dict[str, Any]) -> _Source:
    return _Source(
        url=_text(entry["url"]),
        size=None if entry["size"] is None else _count(entry["size"]),
        etag=_text_or_none(entry["etag"]),
        modified=_text_or_none(entry["modified"]),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _text_or_none(value: object) -> str | None:
    return None if value is None else _text(value)


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"{value!r} is not a number of bytes")
    return value


# The server.


class _Again(Exception):
    """It did not work, but may work when tried again."""


class _Unreachable(_Again):
    """Nothing answered at all."""


class _Stale(Exception):
    """What is here is not the beginning of what the server has."""


class _Absent(Exception):
    """The server does not have this file, or does not give it out."""


class _Failed(Exception):
    """It does not work; fetching it by hand might."""


class _Stream(Protocol):
    def read1(self, most: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class _Reply:
    """The bytes from `start` to `stop` of a file of `total` bytes; None: not told."""

    stream: _Stream
    start: int
    stop: int | None
    total: int | None
    etag: str | None
    modified: str | None

    def read(self, done: int) -> bytes:
        """Return what has arrived after `done` bytes; nothing at the end."""
        most = CHUNK if self.stop is None else min(CHUNK, self.stop - done)
        if most == 0:
            return b""
        try:
            return self.stream.read1(most)
        except (OSError, HTTPException) as error:
            raise _Again(f"the connection was lost after {done} bytes ({_why(error)})") from error


class _Redirects(web.HTTPRedirectHandler):
    """Follow redirects, but not to an address that is less safe than the one asked for."""

    def redirect_request(
        self, req: web.Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> web.Request | None:
        if urlsplit(newurl).scheme not in ("https", req.type):
            fp.close()
            raise _Failed(f"the server sends us to {newurl}, where we do not go")
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


class _Server:
    """Where the archives come from."""

    def __init__(self) -> None:
        self.answered = False
        self._opener = web.OpenerDirector()  # not build_opener: that would add ftp and data
        for handler in (
            web.ProxyHandler(),
            web.HTTPHandler(),
            web.HTTPSHandler(),
            web.FileHandler(),
            web.HTTPDefaultErrorHandler(),
            web.HTTPErrorProcessor(),
            web.UnknownHandler(),
            _Redirects(),
        ):
            self._opener.add_handler(handler)

    @contextmanager
    def ask(self, url: str, offset: int, source: _Source | None) -> Iterator[_Reply]:
        """Ask for a file, or for what comes after `offset` if it still is the same file."""
        headers = {"User-Agent": f"hbtom/{__version__}", "Accept-Encoding": "identity"}
        if offset:
            headers["Range"] = f"bytes={offset}-"
        if offset and source and source.validator:
            headers["If-Range"] = source.validator
        with closing(self._open(web.Request(url, headers=headers))) as response:
            yield _reply(response, offset)

    def _open(self, request: web.Request) -> Any:
        try:
            response = self._opener.open(request, timeout=TIMEOUT)
        except HTTPError as error:
            self.answered = True
            error.close()
            raise _refusal(error) from error
        except URLError as error:
            raise _no_answer(request, error) from error
        except (OSError, HTTPException) as error:
            self.answered = True
            raise _Again(f"the server broke off before it answered ({_why(error)})") from error
        self.answered = True
        return response


def _no_answer(request: web.Request, error: URLError) -> Exception:
    if isinstance(error.reason, FileNotFoundError):
        return _Absent("no such file")
    if request.type == "file":
        return _Failed(f"cannot read {request.full_url} ({_why(error)})")
    return _Unreachable(f"cannot reach {request.host} ({_why(error)})")


def _refusal(error: HTTPError) -> Exception:
    answer = f"{error.code} {error.reason}"
    if error.code in (403, 404, 410):
        return _Absent(answer)
    if error.code == 416:
        return _Stale("the file on the server is shorter than it was")
    if error.code in (408, 425, 429) or error.code >= 500:
        return _Again(f"the server answered {answer}")
    return _Failed(f"the server answered {answer}")


def _reply(response: Any, offset: int) -> _Reply:
    headers: Message = response.headers
    length = _number(headers.get("Content-Length"))
    status = response.status or 200  # a file has no status
    if status == 200:
        start, stop, total = 0, length, length
    elif status == 206:
        start, stop, total = _range(headers.get("Content-Range", ""), length, offset)
    else:
        raise _Failed(f"the server answered {status}")
    return _Reply(response, start, stop, total, headers.get("ETag"), headers.get("Last-Modified"))


def _range(text: str, length: int | None, offset: int) -> tuple[int, int, int | None]:
    """Read a Content-Range; what is not exactly what was asked for cannot be joined to a part."""
    match = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+|\*)", text.strip(), re.IGNORECASE | re.ASCII)
    if match is None:
        raise _Stale(f"the server sent a piece without telling which ({text!r})")
    start, stop, total = int(match[1]), int(match[2]) + 1, _number(match[3])
    if not start == offset < stop or (total is not None and stop > total):
        raise _Stale(f"the server sent another piece ({text!r}) than what follows byte {offset}")
    if length is not None and length != stop - start:
        raise _Stale(f"the server contradicts itself: {text!r} is not {length} bytes long")
    return start, stop, total


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"\d+", text.strip(), re.ASCII) else None


def _why(error: BaseException) -> str:
    """Return the reason in a few words, without the layers that it came through."""
    if isinstance(error, URLError) and not isinstance(error, HTTPError):
        reason = error.reason
        return _why(reason) if isinstance(reason, BaseException) else str(reason)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror)
    return str(error) or type(error).__name__


# Fetching.


@dataclass(slots=True)
class _Run:
    """One call of `download`: what it was asked for and what it has found out so far."""

    folder: Path
    base: str
    again: bool
    retries: int
    progress: Progress
    finished: Callable[[Archive], None]
    notice: Callable[[str], None]
    sleep: Callable[[float], None]
    ledger: _Ledger
    server: _Server = field(default_factory=_Server)
    offline: str = ""  # why nothing can be reached; asking for the other archives is no use

    def all(self, wanted: Iterable[_Wanted]) -> list[Archive]:
        """Fetch what can be fetched; raise `Incomplete` at the end if anything is missing."""
        archives: list[Archive] = []
        failures: list[Failure] = []
        for one in wanted:
            try:
                archive = self._one(one)
            except _Failed as error:
                addresses = tuple(self._by_hand() + name for name in one.names)
                failures.append(Failure(one.names[0], one.task, str(error), addresses))
            except (BadInput, OSError) as error:
                failures.append(Failure(one.names[0], one.task, _why(error), ()))
            else:
                archives.append(archive)
                self.finished(archive)
        if failures:
            raise Incomplete(archives, failures, self.folder)
        return archives

    def _by_hand(self) -> str:
        return DEFAULT_BASE if self.base.startswith("file:") else self.base

    def _one(self, wanted: _Wanted) -> Archive:
        for name in () if self.again else wanted.names:
            here = self._here(name, wanted.task)
            if here is not None:
                return here
        answers: list[str] = []
        for name in wanted.names:
            try:
                return self._fetch(name, wanted.task)
            except _Absent as error:
                answers.append(f"{self.base}{name}: {error}")
        raise _Failed(f"not found ({'; '.join(answers)})")

    def _here(self, name: str, task_name: str) -> Archive | None:
        """Return the archive if it is there; refuse if something else has its name."""
        path = self.folder / name
        if not os.path.lexists(path):
            return None
        if not path.is_file():
            raise BadInput(f"{path} is in the way: it is not a file; move it or choose --to")
        recorded = self.ledger.archives.get(name)
        if recorded is None:
            return _put_by_hand(path, task_name)
        if path.stat().st_size != recorded.size or _digest(path) != recorded.sha256:
            raise BadInput(
                f"{path} has changed since it was fetched; it is left alone: "
                "move it away or delete it to have it fetched again"
            )
        return recorded

    def _fetch(self, name: str, task_name: str) -> Archive:
        self._refuse_foreign(name, task_name)
        if self.offline:
            raise _Failed(self.offline)
        return self._persist(name, task_name)

    def _refuse_foreign(self, name: str, task_name: str) -> None:
        here = self._here(name, task_name)
        if here is not None and here.url is None:
            raise BadInput(
                f"{here.path} was not written by hbtom; it is left alone: "
                "move it away to have it fetched"
            )

    def _persist(self, name: str, task_name: str) -> Archive:
        """Try again as long as there is hope: bounded, with growing pauses."""
        failed, best = 0, self._size(name)
        while True:
            try:
                return self._attempt(name, task_name)
            except _Again as error:
                if self._size(name) >= best + WORTHWHILE:
                    failed, best = 0, self._size(name)
                failed += 1
                if failed > self._allowed():
                    raise self._give_up(name, error) from error
                pause = min(2.0 ** (failed - 1), LONGEST_PAUSE)
                self.notice(f"{name}: {error}; trying again in {pause:.0f} s")
                self.sleep(pause)

    def _allowed(self) -> int:
        return self.retries if self.server.answered else min(self.retries, FIRST_RETRIES)

    def _give_up(self, name: str, error: _Again) -> _Failed:
        if isinstance(error, _Unreachable) and not self.server.answered:
            self.offline = str(error)
            return _Failed(self.offline)
        kept = self._size(name)
        more = f"; {kept} bytes are kept, and the same command goes on from there" if kept else ""
        return _Failed(f"{error}{more}")

    def _attempt(self, name: str, task_name: str) -> Archive:
        """Fetch an archive, or the rest of it, with one request."""
        url = self.base + name
        source = self._begun(name, url)
        offset = self._size(name)
        if source is None or not offset or offset != source.size:
            try:
                with self.server.ask(url, offset, source) as reply:
                    offset = reply.start
                    source = self._agree(name, url, reply, source)
                    self._receive(name, reply, source)
            except _Stale as error:
                self._discard(name)
                raise _Again(f"{error}; starting anew") from error
        return self._finish(name, task_name, source, joined=offset > 0)

    def _begun(self, name: str, url: str) -> _Source | None:
        """Return where the part comes from that is here, if it can be gone on with."""
        part, source = self._part(name), self.ledger.begun.get(name)
        if not os.path.lexists(part):
            return None
        if source is None or part.is_symlink() or not part.is_file():
            raise BadInput(
                f"{part} is in the way and was not written by hbtom; it is left alone: "
                "move it away or delete it"
            )
        if source.url == url and self._size(name) <= (source.size or sys.maxsize):
            return source
        self._discard(name)
        return None

    def _agree(self, name: str, url: str, reply: _Reply, source: _Source | None) -> _Source:
        """Make sure that the reply goes on with the part, or start anew; note which file it is."""
        if reply.start == 0:
            self._discard(name)
            agreed = _Source(url, reply.total, reply.etag, reply.modified)
        elif source is None or _differs(source, reply):
            raise _Stale("the file on the server has changed")
        else:
            agreed = replace(source, size=reply.total or source.size)
        if agreed != self.ledger.begun.get(name):
            self.ledger.begun[name] = agreed
            self.ledger.save()
        return agreed

    def _receive(self, name: str, reply: _Reply, source: _Source) -> None:
        done = reply.start
        self.progress(name, done, source.size)
        with _writing(self._part(name)), open(self._part(name), "ab" if done else "xb") as file:
            while chunk := reply.read(done):
                file.write(chunk)
                done += len(chunk)
                self.progress(name, done, source.size)
        if done < (source.size or 0):
            raise _Again(f"the connection was lost after {done} of {source.size} bytes")

    def _finish(self, name: str, task_name: str, source: _Source, joined: bool) -> Archive:
        """Check what has arrived, record it, and only then give it its name."""
        part = self._part(name)
        try:
            check_archive(part, contents=joined)
        except BadInput as error:
            self._discard(name)
            if joined or source.size is None:
                raise _Again(f"what arrived is {error}; starting anew") from error
            raise BadInput(f"what {source.url} gives is {error}") from error
        archive = Archive(
            name=name,
            task=task_name,
            path=self.folder / name,
            size=part.stat().st_size,
            sha256=_digest(part),
            url=source.url,
            etag=source.etag,
            modified=source.modified,
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            fetched=True,
        )
        self._place(archive)
        return archive

    def _place(self, archive: Archive) -> None:
        """Record first: an archive without a record would be taken for the user's."""
        part = self._part(archive.name)
        self._refuse_foreign(archive.name, archive.task)  # one may have come in the meantime
        self.ledger.archives[archive.name] = archive
        self.ledger.save()
        with _writing(archive.path):
            with open(part, "rb+") as file:
                _sync(file)
            os.replace(part, archive.path)
        self.ledger.begun.pop(archive.name, None)
        self.ledger.save()

    def _part(self, name: str) -> Path:
        return self.folder / f"{name}.part"

    def _size(self, name: str) -> int:
        part = self._part(name)
        return part.stat().st_size if part.is_file() else 0

    def _discard(self, name: str) -> None:
        """Delete a part that hbtom wrote; `_begun` has made sure that it did."""
        with _writing(self._part(name)):
            self._part(name).unlink(missing_ok=True)


def _differs(source: _Source, reply: _Reply) -> bool:
    """Whether a server that should have noticed sends the rest of another file."""
    return any(
        then is not None and now is not None and then != now
        for then, now in (
            (source.size, reply.total),
            (source.etag, reply.etag),
            (source.modified, reply.modified),
        )
    )


def _put_by_hand(path: Path, task_name: str) -> Archive:
    """Take an archive that the user put there, as the advice for those without network says."""
    try:
        check_archive(path)
    except BadInput as error:
        raise BadInput(
            f"{path} was not written by hbtom and is {error}; it is left alone: "
            "move it away or delete it to have it fetched"
        ) from error
    size, digest = path.stat().st_size, _digest(path)
    return Archive(path.name, task_name, path, size, digest, None, None, None, None, fetched=False)


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(file: IO[Any]) -> None:
    """Have the bytes on the disk before the name: a power cut must not leave a hollow file."""
    file.flush()
    os.fsync(file.fileno())
