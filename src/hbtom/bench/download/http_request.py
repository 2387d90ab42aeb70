"""Request a file, or the rest of it, from a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from hbtom import __version__
from hbtom.bench.download.folder import FileSource

TIMEOUT = 30.0  # seconds without a byte
CHUNK = 1 << 18
LARGEST = 8_000_000_000  # most bytes in an archive; a server that sends more may never stop


class Trouble(Exception):
    """It does not work; fetching by hand may."""


class Absent(Trouble):
    """The server does not have this file, or does not provide it."""


class TooLong(Trouble):
    """There are more bytes than an archive can have."""


class Again(Trouble):
    """It may work when tried again."""


class Unreachable(Again):
    """Nothing answered."""


class Changed(Again):
    """The file on the server has changed, so its beginning here is useless."""


_REFUSALS = {403: Absent, 404: Absent, 410: Absent, 408: Again, 429: Again, 416: Changed}


@dataclass(frozen=True, slots=True)
class Reply:
    """The bytes of a file from `start` on."""

    stream: Any
    start: int
    source: FileSource

    def pieces(self) -> Iterator[bytes]:
        """Yield bytes as they arrive, up to a limit."""
        left = LARGEST - self.start
        try:
            while piece := self.stream.read1(CHUNK):
                left -= len(piece)
                if left < 0:
                    raise TooLong(f"more than {LARGEST} bytes were sent, too many for an archive")
                yield piece
        except (OSError, HTTPException) as error:
            raise Again(f"the connection was lost ({error})") from error


@contextmanager
def ask(url: str, start: int = 0, known: FileSource | None = None) -> Iterator[Reply]:
    """Request a file, or the rest of it from `start` on if it is still the `known` one."""
    request = Request(url, headers={"User-Agent": f"hbtom/{__version__}"})
    if known and known.etag:
        request.add_header("Range", f"bytes={start}-")
        request.add_header("If-Range", known.etag)
    with closing(_open(request)) as response:
        yield _reply(response, url, start, known)


class _Redirects(HTTPRedirectHandler):
    """Follows redirects to https; to plain http only if all addresses so far were plain http."""

    def redirect_request(
        self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        if urlsplit(newurl).scheme not in ("https", req.type):
            fp.close()
            raise Trouble(f"{req.full_url} redirects to {newurl}, which is less safe")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _open(request: Request) -> Any:
    url = request.full_url
    try:
        return build_opener(_Redirects).open(request, timeout=TIMEOUT)
    except HTTPError as error:
        error.close()
        kind = _REFUSALS.get(error.code, Again if error.code >= 500 else Trouble)
        raise kind(f"{url}: {error.code} {error.reason}") from error
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        if isinstance(reason, FileNotFoundError):
            raise Absent(f"{url}: no such file") from error
        raise Unreachable(f"cannot reach {url.rsplit('/', 1)[0]}/ ({reason})") from error


def _reply(response: Any, url: str, start: int, known: FileSource | None) -> Reply:
    """Accept the rest of a file only if exactly this was requested and the file is the same."""
    etag, length = response.headers["ETag"], response.headers["Content-Length"] or ""
    if response.status == 206 and known and known.size:
        rest = f"bytes {start}-{known.size - 1}/{known.size}"
        if (etag, response.headers["Content-Range"]) != (known.etag, rest):
            raise Changed("the file on the server has changed")
        return Reply(response, start, known)
    size = int(length) if length.isdecimal() else None
    if size is not None and size > LARGEST:
        raise TooLong(f"{url} has {size} bytes, too many for an archive")
    return Reply(response, 0, FileSource(url, size, None if str(etag).startswith("W/") else etag))
