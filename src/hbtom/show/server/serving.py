"""Listening, and serving until told to stop."""

from __future__ import annotations

import errno
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import uvicorn

from hbtom.errors import BadInput
from hbtom.show.server.app import make_app
from hbtom.show.server.catalogue import Catalogue
from hbtom.show.server.connections import Connection
from hbtom.show.server.session import Raters

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


def serve(
    listener: socket.socket,
    catalogue: Catalogue,
    models: Raters,
    *,
    host: str,
    token: str | None = None,
    workers: int | None = None,
    announce: Callable[[], None] = lambda: None,
) -> None:
    """Serve until Ctrl-C, or until the process is told to end.

    ``announce`` is called once Ctrl-C stops the server instead of interrupting it.
    """
    config = uvicorn.Config(
        make_app(catalogue, models, host=host, token=token, workers=workers),
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
    with _stopped_by_ctrl_c(server):
        announce()
        server.run(sockets=[listener])


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


@contextmanager
def _stopped_by_ctrl_c(server: _Server) -> Iterator[None]:
    """Let Ctrl-C stop the server also while it is about to start, or about to end."""
    before = signal.signal(signal.SIGINT, server.handle_exit)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
