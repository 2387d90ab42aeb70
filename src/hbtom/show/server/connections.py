"""Connections: a client must send a request soon, read the answer, and make room for others.

Otherwise, a thousand idle connections would use up all files that a process may open, and nobody
would get an answer any more. While all connections are being answered, new clients wait in line.
"""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 64  # most connections; a browser opens six
QUEUE = 1024  # most clients that wait for a connection
PATIENCE = 10.0  # seconds for sending a request, the first or another, and for reading more
GRACE = 0.5  # seconds for sending a request while others wait in line
PIECE = 1 << 16  # bytes of a long request; a client that sends as many may take more time


def most_connections() -> int:
    """Return the most connections: fewer if a process may open only a few files."""
    try:
        import resource
    except ImportError:  # Windows counts differently
        return MOST
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if files == resource.RLIM_INFINITY else max(1, min(MOST, files // 4))


class Connection(H11Protocol):
    """A connection that is closed if it takes too long."""

    most = most_connections()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._arrived += len(data)
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
        """Whether a whole request has arrived and is being answered."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    def _wait(self) -> None:
        """Begin to wait for a whole request; bytes that trickle in do not extend the time."""
        self.since = self.loop.time()
        self._arrived = 0
        self._unread: float = math.inf
        self._timer: Any = self.loop.call_later(PATIENCE, self._look)

    def _look(self) -> None:
        """Close, unless a long request is still arriving, or a long answer still being read."""
        unread, arrived = self.transport.get_write_buffer_size(), self._arrived
        if 0 < unread < self._unread or arrived >= PIECE:
            self._unread, self._arrived = unread or math.inf, 0
            self._timer = self.loop.call_later(PATIENCE, self._look)
        else:
            self.transport.abort()


async def accept(
    listener: socket.socket, made: Callable[[], Connection], there: Collection[Any]
) -> None:
    """Accept clients until cancelled; ``there`` are the connections made so far."""
    loop = asyncio.get_running_loop()
    listener.setblocking(False)
    while True:
        try:
            wire, _ = await loop.sock_accept(listener)
        except OSError:  # the client is gone, or this process has too many open files
            await asyncio.sleep(GRACE)
            continue
        try:
            await _room(there)
        except asyncio.CancelledError:
            wire.close()
            raise
        with suppress(OSError):  # the client is gone
            await loop.connect_accepted_socket(made, wire)


async def _room(there: Collection[Any]) -> None:
    """Wait until there is room: close the connection that is idle longest, but not a new one."""
    loop = asyncio.get_running_loop()
    while len(there) >= Connection.most:
        idle = [one for one in there if not one.busy and loop.time() - one.since >= GRACE]
        if idle:
            min(idle, key=lambda one: one.since).transport.abort()
        await asyncio.sleep(0 if idle else 0.01)
