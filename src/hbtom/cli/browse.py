"""``hbtom browse``."""

from __future__ import annotations

import secrets
import threading
from typing import Any

import click

from hbtom.bench.evaluation import as_dataset
from hbtom.cli.progress import given_or_default
from hbtom.cli.say import INTERRUPTED, complain, warn
from hbtom.errors import count, missing
from hbtom.show.browser import browse


def run(**given: Any) -> int:
    """Serve the pages of a dataset until Ctrl-C."""
    try:
        return _run(**given)
    except KeyboardInterrupt:
        complain("interrupted before the server was ready")
        return INTERRUPTED


def _run(
    dataset: str | None,
    labels: str | None,
    model: str,
    rater: str | None,
    host: str,
    port: int,
    workers: int | None,
    no_open: bool,
) -> int:
    try:
        from hbtom.show.server.app import make_app
        from hbtom.show.server.host_check import is_loopback
        from hbtom.show.server.serving import address_of, listen, serve
    except ImportError as error:
        library = (error.name or "starlette").partition(".")[0]
        if library == "hbtom":
            raise
        raise missing(library, "viewer") from None
    from hbtom.show.server.catalogue import catalogue
    from hbtom.show.server.session import choice_of_models

    models = choice_of_models(model, rater)
    pairs = catalogue(as_dataset(given_or_default(dataset, labels), None))
    with listen(host, port) as listener:
        token = None if is_loopback(listener.getsockname()[0]) else secrets.token_urlsafe(16)
        address = address_of(listener, token)

        def announce() -> None:
            if token is not None:
                hint = "from other machines, put this one's name in place of 127.0.0.1"
                told = "whoever has this address with its token can see the dataset"
                warn(host, f"{told}; {hint}")
            click.echo(address)
            shown = count(len(pairs.entries), "pair")
            complain(f"showing {shown} of {pairs.path}; Ctrl-C ends it")
            if not no_open:  # beside the server, for some browsers are waited for
                threading.Thread(target=browse, args=(address,), daemon=True).start()

        app = make_app(pairs, models, host=host, token=token, workers=workers)
        serve(listener, app, announce)
    return 0
