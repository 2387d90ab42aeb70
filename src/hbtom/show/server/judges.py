"""A few judging processes, so that the server always has time to answer."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from typing import Any, ParamSpec, TypeVar

from hbtom.bench.workers import count_workers, kill_all_but, start_pool, uninterrupted
from hbtom.errors import BadInput

P = ParamSpec("P")
T = TypeVar("T")

GRACE = 1.0  # seconds that processes have to finish their work


class Judges:
    """Processes that each do one piece of work at a time; other work waits here.

    They are started on demand, and spawned rather than forked, because a fork would inherit this
    process's connections.
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = count_workers(count)
        self._others = set(multiprocessing.active_children())
        self._free = asyncio.Semaphore(self.count)
        self._pool = start_pool(self.count, "spawn")
        self._busy: set[asyncio.Future[Any]] = set()

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Let a process do the work, and return its result."""
        async with self._free:
            pool = self._pool
            try:
                with uninterrupted():
                    doing = asyncio.wrap_future(pool.submit(work, *args, **kwargs))
                self._busy.add(doing)
                doing.add_done_callback(self._settle)
                return await asyncio.shield(doing)
            except BrokenProcessPool:
                if self._pool is pool:
                    self._pool = start_pool(self.count, "spawn")
                raise BadInput(
                    "a process that judges was killed, probably because memory ran out",
                    hint="start the server with fewer --workers",
                ) from None

    def _settle(self, done: asyncio.Future[Any]) -> None:
        self._busy.discard(done)
        if not done.cancelled():
            done.exception()  # mark it as seen, since nobody may be waiting for it

    async def close(self) -> None:
        """End the processes: at once if they are idle, otherwise soon."""
        self._pool.shutdown(wait=False)
        await self._finished(GRACE)
        if self._busy:
            kill_all_but(self._others)
            await self._finished(None)

    async def _finished(self, seconds: float | None) -> None:
        if self._busy:
            await asyncio.wait(self._busy, timeout=seconds)
