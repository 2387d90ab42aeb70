"""``hbtom studio``."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from hbtom.cli.serving import Listening, interruptible, serve_pages, viewer_needed
from hbtom.errors import located
from hbtom.files import file_bytes
from hbtom.model import Model


def run(**given: Any) -> int:
    """Serve the studio until Ctrl-C."""
    return interruptible(partial(_run, **given))


def _run(
    episode: str | None, model: str, host: str, port: int, workers: int | None, no_open: bool
) -> int:
    with viewer_needed():
        from hbtom.show.studio.studio_app import make_app
    from hbtom.show.server.session import choice_of_models
    from hbtom.show.studio.raw_trials import opened

    chosen = choice_of_models(model)
    models = {name: one for name, one in chosen.items() if isinstance(one, Model)}
    start, folder = None, Path.cwd()
    if episode is not None:
        with located(file=episode):
            start = Path(episode)
            opened(file_bytes(start), start.name)  # reports errors in it now
        folder = Path(episode).resolve().parent
    return serve_pages(
        Listening(host, port, no_open),
        lambda token: make_app(
            start, models, folder=folder, host=host, token=token, workers=workers
        ),
        shown=f"the studio saves to {folder}",
        risk="write files there",
    )
