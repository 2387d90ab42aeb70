"""Connections: a client must send a request soon, read the answer, and make room for others.

Otherwise, a thousand idle connections would use up all files that a process may open, and nobody
would get an answer any more.
"""

from __future__ import annotations

import asyncio
import math
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 64  # most connections; a browser opens six
PATIENCE = 10.0  # seconds for sending a request, the first or another, and for reading more


def most_connections() -> int:
    """Return the most connections: fewer if a process may open only a few files."""
    try:
        import resource
    except ImportError:  # Windows counts differently
        return MOST
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(1, min(MOST, files // 4))


class Connection(H11Protocol):
    """A connection that is closed if it takes too long, or is idle longest of too many."""

    most = most_connections()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.gone = False
        self._wait()
        known = (one for one in self.connections if isinstance(one, Connection))
        here = [one for one in known if not one.gone]
        if len(here) > self.most:
            min((one for one in here if not one.busy), key=lambda one: one.since).drop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.busy and not self.flow.write_paused:
            self._timer.cancel()

    def pause_writing(self) -> None:
        """Begin to wait for the client to read, even if it has already sent more requests."""
        super().pause_writing()
        self._timer.cancel()
        self._wait()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.busy:
            self._timer.cancel()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.busy:  # otherwise the next request has already arrived
            self._timer.cancel()
            self._wait()

    @property
    def busy(self) -> bool:
        """Whether a request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def drop(self) -> None:
        """Close at once."""
        self.gone = True
        self.transport.abort()

    def _wait(self) -> None:
        """Begin to wait for a whole request; bytes that trickle in do not extend the time."""
        self.since = self.loop.time()
        self._unread: float = math.inf
        self._timer: Any = self.loop.call_later(PATIENCE, self._look)

    def _look(self) -> None:
        """Close, unless a long answer is still being read."""
        unread = self.transport.get_write_buffer_size()
        if 0 < unread < self._unread:
            self._unread = unread
            self._timer = self.loop.call_later(PATIENCE, self._look)
        else:
            self.drop()
