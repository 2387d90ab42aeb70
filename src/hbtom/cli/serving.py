"""Serving pages until Ctrl-C, for the verbs that do."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from hbtom.cli.output import INTERRUPTED, complain, warn
from hbtom.errors import missing
from hbtom.show.browser import browse

if TYPE_CHECKING:
    from hbtom.show.server.host_check import HostCheck


@dataclass(frozen=True)
class Listening:
    """Where to listen, and whether to open a browser."""

    host: str
    port: int
    no_open: bool


@contextmanager
def viewer_needed() -> Iterator[None]:
    """Say which extra is needed if a library for serving pages is missing."""
    try:
        import hbtom.show.server.listening  # noqa: F401, it is needed later

        yield
    except ImportError as error:
        library = (error.name or "starlette").partition(".")[0]
        if library == "hbtom":
            raise
        raise missing(library, "viewer") from None


def interruptible(serve: Callable[[], int]) -> int:
    """Serve, and return the status; Ctrl-C before the server is ready is not an error."""
    try:
        return serve()
    except KeyboardInterrupt:
        complain("interrupted before the server was ready")
        return INTERRUPTED


def serve_pages(
    where: Listening, make: Callable[[str | None], HostCheck], *, shown: str, risk: str
) -> int:
    """Serve an application, made for a token, until Ctrl-C.

    ``shown`` says what it shows; ``risk`` says what anyone with its address can do.
    """
    from hbtom.show.server.host_check import is_loopback
    from hbtom.show.server.listening import address_of, listen, serve

    with listen(where.host, where.port) as listener:
        token = None if is_loopback(listener.getsockname()[0]) else secrets.token_urlsafe(16)
        address = address_of(listener, token)

        def announce() -> None:
            if token is not None:
                hint = "from other machines, use this one's name instead of 127.0.0.1"
                warn(where.host, f"anyone with this address and its token can {risk}; {hint}")
            click.echo(address)
            complain(f"{shown}; Ctrl-C ends it")
            if not where.no_open:  # in a thread, because some browsers block until they close
                threading.Thread(target=browse, args=(address,), daemon=True).start()

        serve(listener, make(token), announce)
    return 0
