"""Share work among machines, by a Dask scheduler that is already running.

This works like :mod:`hbtom.bench.workers`: results come in order, only a few chunks are handed out
ahead of time, and stopping early cancels them. If a worker dies, others take over its chunks.
"""

from __future__ import annotations

import json
import os
import re
import socket
import time
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from hbtom import __version__
from hbtom.bench.workers import (
    Done,
    S,
    T,
    Work,
    in_order,
    without_collecting_garbage,
    work_on,
)
from hbtom.errors import BadInput, needed
from hbtom.files import WRITTEN, read_whole

PATIENCE = 15  # seconds to wait for the scheduler's reply
SOON = 10  # seconds without any worker after which that is said
LEAVE = 300  # seconds after which workers that have all been lost are no longer waited for
OFTEN = 1.0  # seconds between two looks at whether there are workers
_ADDRESS = re.compile(r"((tcp|tls|wss?)://)?[^/\s]+:\d{1,5}")


def each(
    work: Work[S, T], items: Sequence[S], address: str, shared: Sequence[str] = ()
) -> Generator[T]:
    """Yield the result of work on each item, in order, done by the workers of a scheduler.

    ``address`` is the scheduler's address (tcp://...), or a file to which it has written it.
    ``shared`` are paths that must exist on every machine. This waits for the first worker, however
    long that takes, but raises `WorkersLost` if all workers are lost and none comes back.
    """
    if not items:
        return
    with _connected(address) as client:
        _refuse_other_versions(client)
        workers = _Workers(client)

        def submit(chunk: Sequence[S]) -> _Awaited:
            done = client.submit(_work_on, __version__, shared, work, chunk, pure=False)
            return _Awaited(done, workers)

        yield from in_order(submit, items, workers.threads)


class NoWorkers(UserWarning):
    """There are no workers at present."""


class WorkersLost(BadInput):
    """All workers were lost, and none has come back."""

    so_far: Any = None  # what was evaluated until then, if anything


@dataclass
class _Workers:
    """The workers of a scheduler, which come and go."""

    client: Any
    joined: bool = False  # at least one, at some time
    away: float | None = None  # since when there have been none
    told: bool = False

    def threads(self) -> int:
        """Return how many threads the workers have at present."""
        many: int = sum(self.client.nthreads().values())
        self.joined = self.joined or many > 0
        return many

    def look(self) -> None:
        """Say so if there have been no workers for some time, and at last give up."""
        now = time.monotonic()
        if self.threads():
            self.away, self.told = None, False
            return
        self.away = now if self.away is None else self.away
        if self.joined and now - self.away >= LEAVE:
            hint = "start workers again"
            raise WorkersLost(f"all workers were lost, and none came back for {LEAVE} s", hint=hint)
        if now - self.away >= SOON and not self.told:
            self.told = True
            lost = f"all workers were lost; waiting up to {LEAVE} s for others"
            warnings.warn(lost if self.joined else "waiting for workers", NoWorkers, stacklevel=2)


@dataclass(frozen=True)
class _Awaited:
    """A result that workers compute."""

    done: Any
    workers: _Workers

    def result(self) -> Any:
        """Wait for the result while there are workers."""
        while True:
            try:
                return self.done.result(timeout=OFTEN)
            except TimeoutError:
                if self.done.done():  # the work itself took too long, or just ended
                    return self.done.result()
                self.workers.look()


@contextmanager
def _connected(place: str) -> Iterator[Any]:
    """Connect to a scheduler; disconnect at the end, so that the scheduler drops all work."""
    with needed("distributed", "cluster"):
        import distributed
    dask: Any = distributed
    address = _address(place)
    try:
        client = dask.Client(address, timeout=PATIENCE, set_as_default=False)
    except OSError as error:
        hint = "start one with 'dask scheduler', and name the address that it prints"
        raise BadInput(f"no scheduler answers at {address} ({error})", hint=hint) from None
    try:
        with client:
            yield client
    except dask.KilledWorker:
        problem = "several workers died at the same pairs, probably because memory ran out"
        hint = "give each worker more memory and one thread; their logs may say more"
        raise BadInput(problem, hint=hint) from None
    except (dask.CancelledError, OSError):  # not from work: there, a failure to read is a result
        hint = "check whether the scheduler is still running"
        raise BadInput(f"the connection to {address} was lost", hint=hint) from None


def _address(place: str) -> str:
    """Return the given address, or the one that a scheduler has written to the given file."""
    address = place
    if place.endswith(".json"):
        try:
            address = str(json.loads(read_whole(place, WRITTEN))["address"])
        except (OSError, ValueError, TypeError, KeyError) as error:
            hint = "start one: dask scheduler --scheduler-file FILE"
            problem = f"this is not a scheduler file ({error})"
            raise BadInput(problem, hint=hint, file=place) from None
    if not _ADDRESS.fullmatch(address):
        hint = "tcp://HOST:PORT, or the file of 'dask scheduler --scheduler-file FILE.json'"
        raise BadInput(f"'{address}' is not the address of a scheduler", hint=hint)
    return address


def _refuse_other_versions(client: Any) -> None:
    """Refuse a scheduler or worker with another version of hbtom, or without hbtom."""
    try:
        _refuse_other_version("the scheduler", client.run_on_scheduler(_version), __version__)
    except ImportError as error:
        _refuse_other_version("the scheduler", error, __version__)
    for worker, version in client.run(_version, on_error="return").items():
        _refuse_other_version(f"the worker {worker}", version, __version__)


def _version() -> str:
    return __version__


def _refuse_other_version(who: str, version: object, wanted: str) -> None:
    if version != wanted:
        has = (
            f"hbtom {version}" if isinstance(version, str) else f"another hbtom or none ({version})"
        )
        hint = "start scheduler and workers in the same environment as this command"
        raise BadInput(f"{who} has {has}, but this is hbtom {wanted}", hint=hint)


def _work_on(wanted: str, shared: Sequence[str], work: Work[S, T], chunk: Sequence[S]) -> Done[T]:
    """Work on a chunk, on a worker, after making sure that results are the same as here."""
    who = f"the worker on {socket.gethostname()}"
    _refuse_other_version(who, __version__, wanted)  # it may have joined later
    unseen = [path for path in shared if not os.path.exists(path)]
    if unseen:
        hint = "all machines need the dataset in the same place: a shared file system"
        raise BadInput(f"{who} cannot see {unseen[0]}", hint=hint)
    with without_collecting_garbage():
        return work_on(work, chunk)
