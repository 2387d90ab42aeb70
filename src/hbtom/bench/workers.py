"""Sharing work among processes: results come in order, and an interruption stops it at once."""

from __future__ import annotations

import gc
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from traceback import format_exception
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from hbtom.errors import BadInput

S = TypeVar("S")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MOST = 61  # most processes; Windows cannot wait for more
FEW = 8  # items; for fewer, it does not pay to start processes
MOST_AT_ONCE = 64  # items in a chunk
SOON = 0.5  # seconds; a chunk should take no longer, so that results arrive steadily
THREADS = "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"


Progress = Callable[[int, int], None]  # items done, items in all
Start = Literal["fork", "spawn"]  # how processes start: as copies of this one, or afresh
Work = Callable[[Sequence[S]], Iterable[T]]  # takes items, yields a result for each, in order


def each(
    work: Work[S, T],
    items: Sequence[S],
    workers: int | None = None,
    *,
    weight: int = 1,
    start: Start = "fork",
) -> Generator[T]:
    """Yield the result of work on each item, in order, done by ``workers`` processes.

    By default there are as many processes as cores. Work is handed out in chunks of items, so that
    files that items share are opened once; slow work is handed out item by item. If the work on an
    item fails, the results before it are yielded, and then the error is raised. ``weight`` is the
    amount of work per item, such as the number of models: a few items may be a lot of work.
    ``start`` is how processes start. Stopping early, as by Ctrl-C, ends them at once, so they must
    write files whole or not at all.
    """
    if workers is not None and workers < 1:
        raise BadInput(f"there cannot be {workers} workers", hint="give at least one, or None")
    worthwhile = min(len(items), len(items) * weight // FEW)
    workers = min(count_workers(workers), max(1, worthwhile))
    if workers == 1:
        with without_collecting_garbage():
            yield from work(items)
        return
    others = set(multiprocessing.active_children())
    pool = start_pool(workers, start, work)
    try:
        submit = partial(_submit, pool)
        yield from in_order(submit, items, lambda: workers)
        pool.shutdown()
    except BaseException as error:
        # Do not cancel: in Python 3.11, that races with processes that end. Waiting for the pool
        # takes no time, and leaves nothing behind that could fail when Python exits.
        kill_all_but(others)
        _let_go(pool)
        pool.shutdown()
        if isinstance(error, BrokenProcessPool):
            problem = "a worker process was killed, probably because memory ran out"
            hint = "use fewer --workers"
            if not forks(start):  # a fresh process imports the script that starts it
                problem = "a worker process ended early"
                hint = f"{hint}; in a script, call this under if __name__ == '__main__'"
            raise BadInput(problem, hint=hint) from None
        raise


def counted(results: Iterable[T], total: int, progress: Progress | None) -> Iterator[T]:
    """Yield results; report progress before the first and after each."""
    tell = progress or (lambda done, total: None)
    tell(0, total)
    for done, result in enumerate(results, start=1):
        yield result
        tell(done, total)


def count_workers(wanted: int | None = None) -> int:
    """Return how many processes to start: as many as wanted, or one per usable core."""
    if wanted is None and hasattr(os, "sched_getaffinity"):
        wanted = len(os.sched_getaffinity(0))  # a cluster may limit the cores
    return min(wanted or os.cpu_count() or 1, MOST)


def start_pool(
    workers: int, start: Start = "fork", work: Work[Any, Any] | None = None
) -> ProcessPoolExecutor:
    """Return processes that leave Ctrl-C to this one, and end when it does.

    ``work`` is the work of all of them, if known. It is sent to each only once. Forked processes
    need not be sent anything; processes are forked where possible, unless ``start`` is "spawn".
    Spawned ones use one thread each, because threads of several processes would only take turns.
    """
    context = multiprocessing.get_context("fork") if forks(start) else _Spawning()
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(work,))


class _Spawned(SpawnProcess):
    """A fresh process whose numerical libraries use one thread, unless the user sets another."""

    def start(self) -> None:
        unset = [name for name in THREADS if name not in os.environ]
        os.environ.update(dict.fromkeys(unset, "1"))
        try:
            super().start()
        finally:
            for name in unset:
                del os.environ[name]


class _Spawning(SpawnContext):
    Process = _Spawned


def forks(start: Start) -> bool:
    """Return whether processes are forked: they start at once, and scripts need no main guard."""
    return start == "fork" and sys.platform == "linux"


def kill_all_but(others: Set[BaseProcess]) -> None:
    """Kill the processes that this one has started, except for the given ones."""
    for process in set(multiprocessing.active_children()) - others:
        process.kill()


@contextmanager
def without_collecting_garbage() -> Iterator[None]:
    """Switch garbage collection off: judging builds many small objects but no cycles."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _let_go(pool: ProcessPoolExecutor) -> None:
    """Keep a pool whose processes were killed from waiting for them.

    A process that is killed while it writes leaves half a message. The pool would wait forever for
    the rest, because this process also holds the pipe open for writing.
    """
    writer = getattr(getattr(pool, "_result_queue", None), "_writer", None)
    if writer is not None:
        writer.close()


class Done(NamedTuple, Generic[T]):
    """The results of a chunk, up to the first error."""

    results: list[T]
    seconds: float
    error: Exception | None = None


def work_on(work: Work[S, T], chunk: Sequence[S]) -> Done[T]:
    """Work on a chunk, and keep the results so far if the work on an item fails."""
    results, start = list[T](), time.perf_counter()
    try:
        results.extend(work(chunk))
    except Exception as error:
        if not isinstance(error, BadInput):
            error.add_note("".join(format_exception(error)))  # which does not travel otherwise
        return Done(results, time.perf_counter() - start, error)
    return Done(results, time.perf_counter() - start)


class Promise(Protocol[T_co]):
    """A result that is still being computed, here or on another machine."""

    def result(self) -> T_co: ...


def in_order(
    submit: Callable[[Sequence[S]], Promise[Done[T]]],
    items: Sequence[S],
    workers: Callable[[], int],
) -> Generator[T]:
    """Yield results in order; hand out only a few chunks ahead of time, to limit memory.

    ``workers`` returns their current number.
    """
    waiting: deque[Promise[Done[T]]] = deque()
    start, pace = 0, math.inf  # the next item, and the seconds that an item takes
    while start < len(items) or waiting:
        while start < len(items) and len(waiting) < 4 * max(1, workers()):
            size = chunk_size(len(items), workers(), pace)
            stop = start + size - start % size
            waiting.append(submit(items[start:stop]))
            start = stop
        done = waiting.popleft().result()
        yield from done.results
        if done.error is not None:
            raise done.error
        pace = done.seconds / max(1, len(done.results))


def chunk_size(items: int, workers: int, pace: float) -> int:
    """Return how many items to hand out at once, given the seconds that an item takes.

    Chunks are small enough that all workers finish at about the same time. Their size is a power of
    two, like that of an archive's row groups, which are read as a whole.
    """
    fair, timely = items // (8 * max(1, workers)), SOON / max(pace, SOON / MOST_AT_ONCE)
    return 1 << max(0, int(min(MOST_AT_ONCE, fair, timely)).bit_length() - 1)


def _submit(pool: ProcessPoolExecutor, chunk: Sequence[S]) -> Promise[Done[Any]]:
    with uninterrupted(), warnings.catch_warnings():
        # Newer Pythons warn about forking a process with threads. Idle BLAS threads are harmless
        # here, because workers take no lock that such a thread could hold.
        warnings.filterwarnings("ignore", "This process .* multi-threaded", DeprecationWarning)
        return pool.submit(_work_on, chunk)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Postpone Ctrl-C while processes are started, since it might get lost or reach them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_work: list[Work[Any, Any]] = []  # the work for which this process was started, if any


def _work_on(chunk: Sequence[Any]) -> Done[Any]:
    return work_on(_work[-1], chunk)


def _begin(work: Work[Any, Any] | None) -> None:
    """Prepare a process: it leaves Ctrl-C to its parent, and ends when the parent does.

    Garbage collection would only cost time, because judging makes no cycles.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if work is not None:
        _work.append(work)
        gc.disable()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when its parent ends, even if the parent is killed."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
