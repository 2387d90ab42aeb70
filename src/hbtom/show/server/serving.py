"""Listening, and serving until told to stop."""

from __future__ import annotations

import errno
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn

from hbtom.errors import BadInput
from hbtom.show.server.connections import Connection
from hbtom.show.server.host_check import HostCheck

QUEUE = 128  # connections that wait to be let in
PATIENCE = 1  # seconds that answers under way have when the server is stopped


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    where = f"{host}, port {port}"
    try:
        (family, _, _, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        return socket.create_server(address, family=family, backlog=QUEUE)
    except (OSError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            problem = f"something else listens at {where}, perhaps another viewer"
            hint = "choose another port with --port, or any that is free with --port 0"
        else:
            why = getattr(error, "strerror", None) or error
            problem = f"it is not possible to listen at {where}: {why}"
            hint = "without --host and --port it is 127.0.0.1, port 8765"
        raise BadInput(problem, hint=hint) from None


def address_of(listener: socket.socket, token: str | None = None) -> str:
    """Return the address at which a browser on this machine finds what listens."""
    host, port = listener.getsockname()[:2]
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    address = f"http://[{here}]:{port}/" if ":" in here else f"http://{here}:{port}/"
    return address if token is None else f"{address}?token={token}"


def serve(listener: socket.socket, app: HostCheck, announce: Callable[[], None]) -> None:
    """Serve an application until Ctrl-C, or until the process is told to end.

    ``announce`` is called once Ctrl-C stops the server instead of interrupting it.
    """
    config = uvicorn.Config(
        app,
        loop="asyncio",
        http=Connection,
        backlog=max(1, Connection.most // 8),  # are let in at a time, before any can give way
        ws="none",
        lifespan="on",
        log_level="critical",  # the application itself tells what went wrong
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
    )
    server = _Server(config)
    # From now on, Ctrl-C stops the server, also while it is about to start or to end.
    before = signal.signal(signal.SIGINT, server.handle_exit)
    try:
        announce()
        server.run(sockets=[listener])
    finally:
        signal.signal(signal.SIGINT, before)


class _Server(uvicorn.Server):
    """A server that Ctrl-C stops in order, even if it is pressed repeatedly."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for one in sockets or ():
            one.listen(QUEUE)  # uvicorn has made it as short as what is let in at a time

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig == signal.SIGINT:
            self.should_exit = True
        else:
            super().handle_exit(sig, frame)
