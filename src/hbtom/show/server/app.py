"""The application: the answer to each address."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from hbtom.errors import BadInput
from hbtom.show.page.viewer import PageContent
from hbtom.show.server.catalogue import Catalogue, CatalogueEntry, Selection
from hbtom.show.server.host_check import HostCheck, policy
from hbtom.show.server.judges import Judges
from hbtom.show.server.listing import facts, list_document, listing, row
from hbtom.show.server.navigation import message_page, watch_document, watch_page
from hbtom.show.server.session import Raters, Session
from hbtom.show.server.work import UNJUDGED, VERDICTS, VIEWS

_log = logging.getLogger(__name__)
_NOWHERE = "There is no such page"


def make_app(
    catalogue: Catalogue,
    models: Raters,
    *,
    host: str,
    token: str | None = None,
    workers: int | None = None,
) -> HostCheck:
    """Return the application, which judges with ``workers`` processes while it runs.

    If there is a ``token``, only requests with it are answered.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Session]]:
        desk = Session(catalogue, models, Judges(workers))
        try:
            yield {"desk": desk}
        finally:
            await desk.close()

    app = Starlette(
        routes=[
            Route("/", _list),
            Route("/pairs", _pairs),
            Route("/pair", _pair),
            Route("/watch", _watch),
            Route("/judge", _judge, methods=["POST"]),
            Route("/stop", _stop, methods=["POST"]),
        ],
        exception_handlers={HTTPException: _refused, BadInput: _failed, Exception: _broken},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    # A refused request closes its connection, because others may need it.
    refuse = partial(_message, "Request refused", status=403, headers={"connection": "close"})
    return HostCheck(app, host, token, _policy(), refuse)


def _policy() -> str:
    """Return a policy that allows the scripts of all pages; the pages made for it are empty."""
    nothing = PageContent("", "", {})
    pages = list_document("", {}), watch_document(nothing, ""), message_page("", ())
    return policy(pages)


# Reading


async def _list(request: Request) -> Response:
    desk = _desk(request)
    return HTMLResponse(list_document(desk.catalogue.title, facts(desk)))


async def _pairs(request: Request) -> Response:
    """Answer with a sheet of the list."""
    start = request.query_params.get("from", "")
    first = int(start) if start.isascii() and start.isdigit() and len(start) < 10 else 0
    model, selection = _asked(request)
    return JSONResponse(listing(_desk(request), model, selection, first))


async def _pair(request: Request) -> Response:
    """Answer with a row of the list, after judging the pair if necessary."""
    desk, (model, _), entry = _desk(request), _asked(request), _entry(request)
    await desk.outcome(model, entry)
    return JSONResponse(row(desk, model, entry))


async def _watch(request: Request) -> Response:
    """Answer with the page of a pair or an episode."""
    desk, (model, selection), entry = _desk(request), _asked(request), _entry(request)
    member = request.query_params.get("member", VIEWS[0])
    view = next((one for one in VIEWS if one == member), None)
    if view is None:
        raise HTTPException(404, "A pair has the members e and u.")
    drawing = await desk.drawing(model, entry, view)
    return HTMLResponse(watch_page(desk, model, selection, entry, view, drawing))


# Judging all


async def _judge(request: Request) -> Response:
    """Begin to judge all pairs that match a search."""
    desk, (model, selection) = _desk(request), _asked(request)
    if not desk.start(model, desk.catalogue.within(selection)):
        raise HTTPException(409, "Pairs are being judged already.")
    return JSONResponse({}, status_code=202)


async def _stop(request: Request) -> Response:
    """Stop judging all pairs."""
    _desk(request).stop()
    return JSONResponse({}, status_code=202)


# Requests


def _desk(request: Request) -> Session:
    return request.state.desk


def _asked(request: Request) -> tuple[str, Selection]:
    """Return the model and the selection that an address names."""
    query, desk = request.query_params, _desk(request)
    model = query.get("model") or next(iter(desk.models))
    task, outcome = query.get("in", ""), query.get("outcome", "")
    if model not in desk.models:
        raise HTTPException(404, "There is no such model.")
    if task and task not in desk.catalogue.sections:
        raise HTTPException(404, "There is no such task in this dataset.")
    if outcome not in ("", *VERDICTS, UNJUDGED):
        raise HTTPException(404, "There is no such outcome.")
    return model, Selection(task, query.get("search", ""), outcome)


def _entry(request: Request) -> CatalogueEntry:
    query = request.query_params
    entry = _desk(request).catalogue.find(query.get("task", ""), query.get("pair", ""))
    if entry is None:
        raise HTTPException(404, "There is no such pair in this dataset.")
    return entry


# Errors


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = _NOWHERE if error.status_code == 404 else "This cannot be done"
    return _message(title, error.detail, status=error.status_code, headers=error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    return _message("This did not work", str(error), status=503)


async def _broken(request: Request, error: Exception) -> Response:
    _log.error("an error in hbtom itself, at %s", request.url.path, exc_info=error)
    text = "This is an error in hbtom itself. The terminal of the server shows what happened."
    return _message("Something is broken", text, status=500)


def _message(
    title: str, text: str, *, status: int, headers: Mapping[str, str] | None = None
) -> Response:
    return HTMLResponse(message_page(title, [text]), status_code=status, headers=headers)
