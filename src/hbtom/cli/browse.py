"""``hbtom browse``."""

from __future__ import annotations

from functools import partial
from typing import Any

from hbtom.bench.evaluation import as_dataset
from hbtom.cli.progress import given_or_default
from hbtom.cli.serving import Listening, interruptible, serve_pages, viewer_needed
from hbtom.errors import count


def run(**given: Any) -> int:
    """Serve the pages of a dataset until Ctrl-C."""
    return interruptible(partial(_run, **given))


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
    with viewer_needed():
        from hbtom.show.server.app import make_app
    from hbtom.show.server.catalogue import catalogue
    from hbtom.show.server.session import choice_of_models

    models = choice_of_models(model, rater)
    pairs = catalogue(as_dataset(given_or_default(dataset, labels), None))
    return serve_pages(
        Listening(host, port, no_open),
        lambda token: make_app(pairs, models, host=host, token=token, workers=workers),
        shown=f"showing {count(len(pairs.entries), 'pair')} of {pairs.path}",
        risk="see the dataset",
    )
