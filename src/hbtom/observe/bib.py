"""The reader of the Baby Intuitions Benchmark's own JSON files.

A file is a list of trials, a trial is a list of frames, and a frame is an object that says where
everything is. Similar frames are grouped into runs, and trials are made from runs. The fast scanner
finds the runs; if it gives up, the decoder does, with the same result.

Two generations of names are read. If there is a field ``lock``, then ``key`` is the key that the
agent carries. Otherwise ``pin`` is that key, and ``key`` is the lock.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from hbtom.errors import BadInput
from hbtom.observe.assembling import trial_of
from hbtom.observe.checks import check_number
from hbtom.observe.episode import Episode
from hbtom.observe.fields import Known
from hbtom.observe.frames import SHAPE, decode_runs
from hbtom.observe.scanner import scan


class Reading(NamedTuple):
    """An episode, the bytes it was read from, and what another reading can reuse.

    ``ends`` are the ends of the trials in ``data``, or empty if the scanner gave up. ``known`` are
    decoded values of fields, which the trials share.
    """

    episode: Episode
    data: bytes
    ends: list[int]
    known: Known


def read(data: bytes, name: str = "episode") -> Episode:
    """Read one episode from the bytes of its JSON document."""
    return reading(data, name).episode


def reading(data: bytes, name: str, other: Reading | None = None) -> Reading:
    """Read one episode, and reuse the first trials of another as far as the files are equal."""
    other = other or Reading(Episode(()), b"", [], {})
    alike = _alike(data, other)
    trials, ends = list(other.episode.trials[:alike]), other.ends[:alike]
    scanned = scan(data, other.known, ends[-1] if ends else 0)
    runs = decode_runs(data)[alike:] if scanned is None else [trial.runs for trial in scanned]
    check_number(alike + len(runs))
    for number, each in enumerate(runs, start=alike + 1):
        try:
            trials.append(trial_of(each, other.known))
        except BadInput as error:
            raise error.at(trial=number) from None
    if not trials:
        raise BadInput("the episode has no trials", hint=SHAPE)
    ends = [] if scanned is None else [*ends, *(trial.end for trial in scanned)]
    return Reading(Episode(tuple(trials), name), data, ends, other.known)


def _alike(data: bytes, other: Reading) -> int:
    """Return how many trials at the beginning of this file and another one are the same."""
    view = memoryview(other.data)
    for number, (start, end) in enumerate(pairwise((0, *other.ends))):
        if not data.startswith(view[start:end], start):
            return number
    return len(other.ends)
