"""Listening, and serving until somebody says stop."""

from __future__ import annotations

import errno
import socket
from collections.abc import Mapping
from contextlib import suppress

import uvicorn

from hbtom.errors import BadInput
from hbtom.model import Model
from hbtom.show.server.app import make_app
from hbtom.show.server.catalogue import Catalogue

PATIENCE = 1  # seconds that answers under way have when the server is stopped


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 is any that is free."""
    where = f"{host}, port {port}"
    try:
        (family, _, _, _, address), *_ = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        return socket.create_server(address, family=family, backlog=128)
    except (OSError, UnicodeError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            problem = f"something else listens at {where}, perhaps another viewer"
            hint = "choose another port with --port, or any that is free with --port 0"
        else:
            why = getattr(error, "strerror", None) or error
            problem = f"it is not possible to listen at {where}: {why}"
            hint = "without --host and --port it is 127.0.0.1, port 8765"
        raise BadInput(problem, hint=hint) from None


def address_of(listener: socket.socket) -> str:
    """Return the address at which a browser on this machine finds what listens."""
    host, port = listener.getsockname()[:2]
    here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{here}]:{port}/" if ":" in here else f"http://{here}:{port}/"


def serve(
    listener: socket.socket,
    catalogue: Catalogue,
    models: Mapping[str, Model],
    *,
    host: str,
    workers: int | None = None,
) -> None:
    """Serve until Ctrl-C, or until the process is told to end."""
    config = uvicorn.Config(
        make_app(catalogue, models, host=host, workers=workers),
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="on",
        log_level="critical",  # the application itself tells what went wrong
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])
