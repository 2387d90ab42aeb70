"""Connections that send nothing, send slowly or do not read block no other client."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from episodes import write_pairs
from served import Served

pytest.importorskip("starlette")
uvicorn = pytest.importorskip("uvicorn")

from hbtom.show.server import connections  # noqa: E402
from hbtom.show.server.connections import Connection, accept  # noqa: E402

LONG = 60.0  # seconds after which a test fails
LARGE = bytes(50_000_000)  # more than the system buffers

Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Wire]]


def test_a_thousand_half_open_connections_do_no_harm(tmp_path: Path) -> None:
    """With few file descriptors, fewer connections are used."""
    resource = pytest.importorskip("resource")
    data = write_pairs(tmp_path / "data", ["preference"], 1)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (128, hard))
    try:
        server = Served(data, "--no-open", "--workers", "1", cache=tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    with ExitStack() as held:
        for _ in range(150):
            wire = socket.create_connection(("127.0.0.1", server.port), timeout=LONG)
            held.enter_context(wire).sendall(b"GET /pairs HTTP/1.1\r\nHost: loc")
        assert server.get("/pairs").json["chosen"] == 1
        status, complaints = server.stop()
    assert status == 0
    assert complaints == f"hbtom: showing 1 pair of {data}; Ctrl-C ends it\n"


# One by one


@asynccontextmanager
async def listening(app: Any) -> AsyncIterator[tuple[Connect, set[Any]]]:
    """Serve an application; yield a function to connect, and the open connections."""
    config = uvicorn.Config(app, http=Connection, ws="none", lifespan="off", log_level="critical")
    config.load()
    state = uvicorn.server.ServerState()

    def made() -> Connection:
        return Connection(config=config, server_state=state, app_state={})

    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    accepting = asyncio.create_task(accept(listener, made, state.connections))
    try:
        yield lambda: asyncio.open_connection("127.0.0.1", port), state.connections
    finally:
        accepting.cancel()
        await asyncio.wait([accepting])
        listener.close()
        for one in list(state.connections):  # otherwise a failing test would wait for it
            one.transport.abort()
        await asyncio.sleep(0)


async def hello(scope: Any, receive: Any, send: Any) -> None:
    while scope["path"] == "/read" and (await receive()).get("more_body"):
        pass
    body = LARGE if scope["path"] == "/large" else b"hello"
    length = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": length})
    await send({"type": "http.response.body", "body": body})


async def closed(reader: asyncio.StreamReader) -> bytes:
    """Wait until the server closes a connection; return what it has sent."""
    said = b""
    async with asyncio.timeout(LONG):
        try:
            while piece := await reader.read(1 << 16):
                said += piece
        except ConnectionError:
            pass
    return said


async def until(fact: Callable[[], bool]) -> None:
    async with asyncio.timeout(LONG):
        while not fact():
            await asyncio.sleep(0.01)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "PATIENCE", 0.1)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("first", "then", "answered"),
    [
        (b"", b"", 0),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: ", b"x", 0),
        (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n", b"x", 1),
        (b"POST /read HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n", b"x", 0),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"", 1),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 3, b"", 3),
        (b"GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nX: ", b"x", 1),
    ],
    ids=[
        "nothing",
        "slow head",
        "slow body",
        "read body",
        "idle",
        "several at once",
        "slow second head",
    ],
)
def test_slow_clients_are_disconnected(first: bytes, then: bytes, answered: int) -> None:
    async def main() -> bytes:
        async with listening(hello) as (connect, _):
            reader, writer = await connect()
            writer.write(first)
            trickle = asyncio.create_task(trickling(writer, then))
            said = await closed(reader)
            trickle.cancel()
            writer.close()
            return said

    async def trickling(writer: asyncio.StreamWriter, piece: bytes) -> None:
        while piece:
            writer.write(piece)
            await asyncio.sleep(0.02)

    assert asyncio.run(main()).count(b"hello") == answered


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("times", [1, 5])
def test_clients_that_do_not_read_are_disconnected(times: int) -> None:
    async def main() -> None:
        async with listening(hello) as (connect, there):
            reader, writer = await connect()
            writer.write(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n" * times)
            await until(lambda: len(there) == 1)
            await until(lambda: not there)
            assert len(await closed(reader)) < len(LARGE)
            writer.close()

    asyncio.run(main())


def test_the_longest_idle_connection_is_closed_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections that are being answered are kept."""
    monkeypatch.setattr(Connection, "most", 3)
    monkeypatch.setattr(connections, "GRACE", 0)

    async def main() -> None:
        go_on = asyncio.Event()

        async def slow(scope: Any, receive: Any, send: Any) -> None:
            await go_on.wait()
            await hello(scope, receive, send)

        async with listening(slow) as (connect, there):
            wires = [await connect()]
            wires[0][1].write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            await until(lambda: any(one.busy for one in there))
            for number in range(1, 5):
                wires.append(await connect())
                await until(lambda number=number: len(there) == min(number + 1, 3))
            assert [await closed(wires[number][0]) for number in (1, 2)] == [b"", b""]
            wires[4][1].write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            go_on.set()
            for number in (0, 4):
                assert b"hello" in await closed(wires[number][0])
            for _, writer in wires:
                writer.close()

    asyncio.run(main())


@pytest.mark.usefixtures("impatient")
def test_a_long_request_may_take_its_time() -> None:
    async def main() -> bytes:
        async with listening(hello) as (connect, _):
            reader, writer = await connect()
            head = b"POST /read HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
            writer.write(head + b"Content-Length: 5000000\r\n\r\n")
            for _ in range(50):
                writer.write(bytes(100_000))
                await writer.drain()
                await asyncio.sleep(0.01)
            said = await closed(reader)
            writer.close()
            return said

    assert b"hello" in asyncio.run(main())


def test_requests_wait_in_line_while_others_are_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Connection, "most", 3)

    async def main() -> list[bytes]:
        go_on = asyncio.Event()

        async def slow(scope: Any, receive: Any, send: Any) -> None:
            await go_on.wait()
            await hello(scope, receive, send)

        async with listening(slow) as (connect, there):
            wires = [await connect() for _ in range(20)]
            for _, writer in wires:
                writer.write(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            await until(lambda: sum(one.busy for one in there) == 3)
            go_on.set()
            said = [await closed(reader) for reader, _ in wires]
            for _, writer in wires:
                writer.close()
            return said

    assert all(b"hello" in one for one in asyncio.run(main()))
