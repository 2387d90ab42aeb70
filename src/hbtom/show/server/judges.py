"""A few processes that judge, so that the server always has time to answer."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from hbtom.errors import BadInput

P = ParamSpec("P")
T = TypeVar("T")

MOST = 61  # processes; Windows waits for no more
GRACE = 1.0  # seconds that processes have for finishing what they do


class Judges:
    """Processes that do one piece of work each at a time; whatever else is asked for waits here.

    They are started when they are needed, afresh rather than as copies of this process, which has
    connections that are not theirs.
    """

    def __init__(self, count: int | None = None) -> None:
        self.count = min(count or _cores(), MOST)
        self._others = set(multiprocessing.active_children())
        self._free = asyncio.Semaphore(self.count)
        self._pool = self._recruited()
        self._busy: set[asyncio.Future[Any]] = set()

    async def do(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Have some work done, and return its result."""
        async with self._free:
            pool = self._pool
            try:
                with _uninterrupted():
                    doing = asyncio.wrap_future(pool.submit(work, *args, **kwargs))
                self._busy.add(doing)
                doing.add_done_callback(self._settle)
                return await asyncio.shield(doing)
            except BrokenProcessPool:
                if self._pool is pool:
                    self._pool = self._recruited()
                raise BadInput(
                    "a process that judges was killed, probably because memory ran out",
                    hint="start the server with fewer --workers",
                ) from None

    def _settle(self, done: asyncio.Future[Any]) -> None:
        self._busy.discard(done)
        if not done.cancelled():
            done.exception()  # which may be of no interest to anybody any more

    async def close(self) -> None:
        """End the processes: at once if they are idle, else soon."""
        self._pool.shutdown(wait=False)
        await self._finished(GRACE)
        if self._busy:
            for process in set(multiprocessing.active_children()) - self._others:
                process.kill()
            await self._finished(None)

    async def _finished(self, seconds: float | None) -> None:
        if self._busy:
            await asyncio.wait(self._busy, timeout=seconds)

    def _recruited(self) -> ProcessPoolExecutor:
        afresh = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.count, mp_context=afresh, initializer=_begin)


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off for a moment: processes that are started meanwhile will never notice it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Prepare a process: Ctrl-C is the parent's business, but its end is the end of this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
