"""Work shared out among processes: in order, and stopped at once when it is interrupted."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import Protocol, TypeVar

from hbtom.errors import BadInput

S = TypeVar("S")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MOST = 61  # processes; Windows waits for no more
FEW = 8  # items for which it is not worth starting processes
MOST_AT_ONCE = 64  # items in a chunk


Work = Callable[[Sequence[S]], Iterable[T]]  # takes items, yields a result for each, in order


def each(
    work: Work[S, T], items: Sequence[S], workers: int | None = None, *, weight: int = 1
) -> Generator[T]:
    """Yield the result of some work on each item, in order, done by ``workers`` processes.

    Work is handed out in chunks of items, so that what they have in common is opened once.
    The default is as many as there are cores. Leaving early, also by Ctrl-C, ends the processes
    at once: whatever they write must be written whole or not at all. ``weight`` says how much
    there is to do with an item, such as the number of models: few items may be much work.
    """
    if workers is not None and workers < 1:
        raise BadInput(f"there cannot be {workers} workers", hint="give at least one, or None")
    worthwhile = min(len(items), len(items) * weight // FEW)
    workers = min(workers or _cores(), max(1, worthwhile), MOST)
    if workers == 1:
        with without_collecting_garbage():
            yield from work(items)
        return
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(workers, mp_context=_context(), initializer=_begin)
    try:
        submit = partial(_submit, pool, work)
        yield from in_order(submit, chunks(items, workers), ahead=lambda: 4 * workers)
        pool.shutdown()
    except BaseException as error:
        # Not by cancelling: in Python 3.11 that races with processes that end. Waiting for the
        # pool is over at once, and leaves nothing that the end of Python could stumble over.
        for process in set(multiprocessing.active_children()) - others:
            process.kill()
        _let_go(pool)
        pool.shutdown()
        if isinstance(error, BrokenProcessPool):
            raise BadInput(
                "a worker process was killed, probably because memory ran out",
                hint="use fewer --workers",
            ) from None
        raise


@contextmanager
def without_collecting_garbage() -> Iterator[None]:
    """Collect no garbage for a while: judging builds many small objects, and no cycles."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _let_go(pool: ProcessPoolExecutor) -> None:
    """Keep a pool whose processes were killed from waiting for them.

    One that is killed while it writes leaves half a message. For the rest of it the pool would wait
    forever, as long as anybody could write it: this process can, though it never does.
    """
    writer = getattr(getattr(pool, "_result_queue", None), "_writer", None)
    if writer is not None:
        writer.close()


def chunks(items: Sequence[S], workers: int) -> list[Sequence[S]]:
    """Return items in chunks: small enough that no worker is left with much at the end.

    The size is a power of two, as that of an archive's groups is, for these are read whole.
    """
    fair = len(items) // (8 * max(1, workers))
    size = 1 << max(0, min(MOST_AT_ONCE, fair).bit_length() - 1)
    return [items[start : start + size] for start in range(0, len(items), size)]


class Promise(Protocol[T_co]):
    """A result that is waited for, here or on another machine."""

    def result(self) -> T_co: ...


def in_order(
    submit: Callable[[Sequence[S]], Promise[list[T]]],
    chunks: Iterable[Sequence[S]],
    ahead: Callable[[], int],
) -> Generator[T]:
    """Keep a few chunks ahead of what is asked for, so that memory does not grow with the work."""
    waiting: deque[Promise[list[T]]] = deque()
    for chunk in chunks:
        waiting.append(submit(chunk))
        while len(waiting) > ahead():
            yield from waiting.popleft().result()
    while waiting:
        yield from waiting.popleft().result()


def _submit(pool: ProcessPoolExecutor, work: Work[S, T], chunk: Sequence[S]) -> Promise[list[T]]:
    with _uninterrupted(), warnings.catch_warnings():
        # Newer Pythons warn of forking beside threads; idle BLAS threads are harmless here,
        # because the workers take no lock that such a thread could hold.
        warnings.filterwarnings("ignore", "This process .* multi-threaded", DeprecationWarning)
        return pool.submit(_work_on, work, chunk)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put Ctrl-C off for a moment: while processes are started, it might be lost or reach them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work_on(work: Work[S, T], chunk: Sequence[S]) -> list[T]:
    return list(work(chunk))


def _cores() -> int:
    """Return how many cores this process may use, which a cluster may have limited."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _context() -> multiprocessing.context.BaseContext:
    """Fork on Linux: processes start at once, and a caller's script needs no main guard."""
    return multiprocessing.get_context("fork" if sys.platform == "linux" else None)


def _begin() -> None:
    """Prepare a process: Ctrl-C is the parent's business, and collecting garbage only costs.

    Reading builds many small objects in a short time, and no cycles.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when its parent does, which may have been killed and could not say so."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
