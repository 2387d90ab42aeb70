"""Listening, and serving until stopped."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from hbtom.errors import BadInput
from hbtom.show.server.connections import QUEUE, Connection, accept
from hbtom.show.server.host_check import HostCheck

PATIENCE = 1  # seconds that unfinished answers have when the server is stopped


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any free port."""
    where = f"{host}, port {port}"
    try:
        (family, _, _, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        return socket.create_server(address, family=family, backlog=QUEUE)
    except (OSError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            problem = f"another program listens at {where}, perhaps another viewer"
            hint = "choose another port with --port, or any free port with --port 0"
        else:
            why = getattr(error, "strerror", None) or error
            problem = f"it is not possible to listen at {where}: {why}"
            hint = "without --host and --port, it is 127.0.0.1, port 8765"
        raise BadInput(problem, hint=hint) from None


def address_of(listener: socket.socket, token: str | None = None) -> str:
    """Return the address of a listening socket for a browser on this machine."""
    host, port = listener.getsockname()[:2]
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    address = f"http://[{here}]:{port}/" if ":" in here else f"http://{here}:{port}/"
    return address if token is None else f"{address}?token={token}"


def serve(listener: socket.socket, app: HostCheck, announce: Callable[[], None]) -> None:
    """Serve an application until Ctrl-C, or until the process is terminated.

    ``announce`` is called once Ctrl-C stops the server instead of interrupting it.
    """
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=Connection,
        ws="none",
        lifespan="on",
        log_level="critical",  # the application itself reports errors
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = _Server(config)
    # From now on, Ctrl-C stops the server, even while it is starting or ending.
    before = signal.signal(signal.SIGINT, server.handle_exit)
    try:
        announce()
        server.run(sockets=[listener])
    finally:
        signal.signal(signal.SIGINT, before)


class _Server(uvicorn.Server):
    """A server that Ctrl-C stops in an orderly way, even if it is pressed repeatedly."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup([])  # uvicorn would accept more clients than there is room for
        there = self.server_state.connections
        self._accepting = [
            asyncio.create_task(accept(one, self._connection, there)) for one in sockets or ()
        ]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self._accepting:
            task.cancel()
        await asyncio.wait(self._accepting)
        await super().shutdown(sockets)

    def _connection(self) -> Connection:
        state = self.lifespan.state
        return Connection(config=self.config, server_state=self.server_state, app_state=state)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig == signal.SIGINT:
            self.should_exit = True
        else:
            super().handle_exit(sig, frame)
