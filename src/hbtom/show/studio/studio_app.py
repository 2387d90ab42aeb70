"""The application of the studio: one page, and the answers to its requests."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from hbtom import __version__
from hbtom.bench.synth.sprites import AGENT_SHAPES, COLOURS, OBJECT_SHAPES
from hbtom.errors import BadInput
from hbtom.files import file_bytes, too_large
from hbtom.model import Model
from hbtom.show.document import POLICY, document
from hbtom.show.page.plain_values import Plain
from hbtom.show.page.viewer import TEMPLATE as PAGE
from hbtom.show.server.host_check import HostCheck, policy
from hbtom.show.server.judges import Judges
from hbtom.show.studio.studio_state import Desk, Name, Saving
from hbtom.show.words import plain

T = TypeVar("T")
LARGEST = 1 << 26  # most bytes in a file that the page may send
LONGEST = 1 << 22  # most bytes in any other request
TEMPLATE = Path(__file__).parent / "template"
_SHARED_STYLES = ("page", "drawings")
_SHARED_SCRIPTS = ("frames", "film", "course", "shapes", "company", "world", "verdict")
STYLES = ("studio",)
SCRIPTS = (
    "server",  # sends requests to the server
    "history",  # the drawn episodes, with undo and redo
    "stage",  # draws a trial and the selection
    "tools",  # what the mouse does
    "keys",  # what keys do
    "palette",  # tools, shapes and colours
    "trials",  # the row of trials, and time
    "verdicts",  # the judgements of both episodes
    "saving",  # opening and saving
    "studio",  # puts everything together
)
_log = logging.getLogger(__name__)


class Edit(msgspec.Struct):
    """A trial, and a change to it."""

    trial: int
    change: dict[str, Any]


class Question(msgspec.Struct):
    """An episode, and the model to judge it."""

    trials: list[int]
    model: Name
    name: Name = "episode"


def make_app(
    start: Path | None,
    models: Mapping[str, Model],
    *,
    folder: Path,
    host: str,
    token: str | None = None,
    workers: int | None = None,
) -> HostCheck:
    """Return the application, which starts with the current content of a file, and saves files."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
        desk = Desk(folder, models, Judges(workers))
        try:
            yield {"desk": desk, "start": start}
        finally:
            await desk.close()

    app = Starlette(
        routes=[
            Route("/", _page),
            Route("/edit", _edit, methods=["POST"]),
            Route("/judge", _judge, methods=["POST"]),
            Route("/open", _open, methods=["POST"]),
            Route("/save", _save, methods=["POST"]),
        ],
        exception_handlers={
            HTTPException: _refused,
            BadInput: _failed,
            ClientDisconnect: _gone,
            RecursionError: _too_deep,
            Exception: _broken,
        },
        lifespan=lifespan,
    )
    return HostCheck(app, host, token, policy([studio_document({})]), _refuse)


def studio_document(facts: Plain) -> str:
    """Return the page, which requests everything that changes."""
    return document(
        TEMPLATE,
        [*(str(PAGE / name) for name in _SHARED_STYLES), *STYLES],
        [*(str(PAGE / name) for name in _SHARED_SCRIPTS), *SCRIPTS],
        title="Studio",
        instead="",
        data=facts,
        policy=f"{POLICY}; connect-src 'self'",
    )


async def _page(request: Request) -> Response:
    desk, start = request.state.desk, request.state.start
    trials = desk.open(file_bytes(start), start.name) if start else desk.begin()
    facts = {
        "version": __version__,
        "folder": str(desk.folder),
        "models": list(desk.models),
        "name": start.name if start else "scene.json",
        "trials": trials,
        "agents": [f"./shapes/train/agents/{one}.png" for one in AGENT_SHAPES],
        "objects": [f"./shapes/train/objects/{one}.png" for one in OBJECT_SHAPES],
        "colours": COLOURS,
    }
    return HTMLResponse(studio_document(facts))


async def _edit(request: Request) -> Response:
    asked = await _asked(request, Edit)
    return JSONResponse(request.state.desk.edit(asked.trial, asked.change))


async def _judge(request: Request) -> Response:
    asked = await _asked(request, Question)
    return JSONResponse(await request.state.desk.judge(asked.trials, asked.model, asked.name))


async def _open(request: Request) -> Response:
    name = request.query_params.get("name", "episode.json")
    return JSONResponse(request.state.desk.open(await _body(request, LARGEST), name))


async def _save(request: Request) -> Response:
    what = await _asked(request, Saving)
    desk = request.state.desk
    exists = not what.overwrite and not what.folder and desk.has(what.name)
    try:
        return JSONResponse({"path": str(await desk.save(what))})
    except BadInput as error:
        return JSONResponse({"problem": _told(error), "exists": exists})


async def _asked(request: Request, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(await _body(request, LONGEST), type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"the page has sent a bad request: {error}") from None


async def _body(request: Request, most: int) -> bytes:
    data = bytearray()
    async for chunk in request.stream():
        data += chunk
        if len(data) > most:
            raise too_large(most=most)
    return bytes(data)


def _told(error: Exception) -> str:
    """Return what is wrong, in a line that is not too long."""
    text = plain(str(error))
    return text if len(text) < 300 else f"{text[:298]}…"


def _refuse(text: str) -> Response:
    return PlainTextResponse(text, status_code=403, headers={"connection": "close"})


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return PlainTextResponse(error.detail, status_code=error.status_code, headers=error.headers)


async def _failed(request: Request, error: Exception) -> Response:
    """Answer with the error: an unfinished scene is not a failure of the page."""
    return JSONResponse({"problem": _told(error)})


async def _gone(request: Request, error: Exception) -> Response:
    """Answer nobody: the client has left in the middle of its request."""
    return PlainTextResponse("", status_code=400)


async def _too_deep(request: Request, error: Exception) -> Response:
    return await _failed(request, BadInput("this is nested too deeply", hint="make it flatter"))


async def _broken(request: Request, error: Exception) -> Response:
    _log.error("an error in hbtom itself, at %s", request.url.path, exc_info=error)
    text = "This is an error in hbtom itself. The terminal of the server shows what happened."
    return JSONResponse({"problem": text}, status_code=500)
