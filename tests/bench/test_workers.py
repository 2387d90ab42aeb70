"""Processes: results come in order, and interrupted runs leave nothing behind."""

import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial

import pytest

from hbtom.bench.workers import MOST_AT_ONCE, SOON, Done, chunk_size, each, in_order
from hbtom.errors import BadInput


def squared(items):
    return [x * x for x in items]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_order_with_any_number_of_processes(workers):
    items = list(range(300))
    assert list(each(squared, items, workers)) == [x * x for x in items]


@pytest.mark.parametrize(
    ("items", "weight", "alone"), [(15, 1, True), (15, 2, False), (1, 99, True)]
)
def test_a_few_large_items_are_worth_processes(items, weight, alone):
    processes = set(each(who, list(range(items)), 2, weight=weight))
    assert (processes == {os.getpid()}) == alone


def who(items):
    return [os.getpid() for _ in items]


@pytest.mark.parametrize("workers", [0, -1])
def test_there_is_at_least_one_process(workers):
    with pytest.raises(BadInput, match=f"cannot be {workers} workers"):
        list(each(squared, [1], workers))


def fails(items):
    if 70 in items:
        raise ValueError("seventy")
    return items


def test_an_error_in_a_process_reaches_the_caller():
    with pytest.raises(ValueError, match="seventy"):
        list(each(fails, list(range(100)), 2))


def fails_at_seventy(items):
    for item in items:
        if item == 70:
            raise ValueError("seventy")
        yield item


def test_results_before_an_error_are_kept():
    results = each(fails_at_seventy, list(range(100)), 2)
    assert [next(results) for _ in range(70)] == list(range(70))
    with pytest.raises(ValueError, match="seventy") as caught:
        next(results)
    assert "in fails_at_seventy" in "".join(caught.value.__notes__)  # where it happened


def dies(items):
    if 70 in items:
        os.kill(os.getpid(), signal.SIGKILL)
    return items


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_killed_process_gives_a_clear_message():
    with pytest.raises(BadInput, match=r"worker process was killed.*memory.*--workers"):
        list(each(dies, list(range(100)), 2))
    for process in multiprocessing.active_children():
        process.join(60)
    assert multiprocessing.active_children() == []


def told_of(taken, items):
    for item in items:
        taken.append(item)
        yield item


def test_work_is_taken_as_results_are_requested():
    taken = []
    results = each(partial(told_of, taken), list(range(100)), 1)
    assert [next(results) for _ in range(3)] == [0, 1, 2] == taken


class Told:
    """A result that records when it is requested, of work that takes some seconds per item."""

    def __init__(self, chunk, waiting, seconds=0.001):
        self.chunk, self.waiting, self.seconds = chunk, waiting, seconds
        waiting.append(chunk)

    def result(self):
        self.waiting.remove(self.chunk)
        return Done(self.chunk, self.seconds * len(self.chunk))


def test_only_a_few_chunks_are_out_at_any_time():
    waiting, most = [], 0
    for _ in in_order(lambda chunk: Told(chunk, waiting), range(999), lambda: 1):
        most = max(most, len(waiting))
    assert most == 3  # and the one whose result is being used
    assert waiting == []


@pytest.mark.parametrize("seconds", [0.001, 0.1, 10.0])
@pytest.mark.parametrize(("items", "workers"), [(0, 1), (1, 4), (17, 1), (1000, 3), (5, 0)])
def test_chunks_are_all_items_in_order(items, workers, seconds):
    waiting, handed = [], []

    def submit(chunk):
        handed.append(len(chunk))
        return Told(chunk, waiting, seconds)

    assert list(in_order(submit, range(items), lambda: workers)) == list(range(items))
    assert all(1 <= size <= max(1, min(MOST_AT_ONCE, SOON / seconds)) for size in handed)
    assert seconds > SOON or items < 1000 or max(handed) > 1


@pytest.mark.parametrize(
    ("pace", "size"), [(math.inf, 1), (10.0, 1), (SOON / 4, 4), (SOON / 5, 4), (0.0, 64)]
)
def test_slow_work_is_handed_out_in_small_chunks(pace, size):
    assert chunk_size(10_000, 2, pace) == size
    assert chunk_size(20, 2, pace) == 1  # so that both workers finish at about the same time


def leaves_interrupts_to_the_parent(items):
    return [signal.getsignal(signal.SIGINT) == signal.SIG_IGN for _ in items]


def test_ctrl_c_is_left_to_the_parent():
    assert all(each(leaves_interrupts_to_the_parent, list(range(32)), 2))


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_an_interrupted_generation_ends_and_leaves_nothing(tmp_path):
    command = [sys.executable, "-m", "hbtom", "generate", str(tmp_path / "out"), "--pairs", "500"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
    while not list(tmp_path.glob("out/*/*.json")):
        assert running.poll() is None
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, complaint = running.communicate(timeout=60)
    assert running.returncode == 130
    assert b"Traceback" not in complaint
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def heavy(numbers: Sequence[int]) -> Iterator[bytes]:
    for _ in numbers:
        yield bytes(30_000_000)  # takes long to send, so that it is mostly in transit


def test_leaving_while_results_are_in_transit_does_not_hang() -> None:
    """Processes are killed in the middle of a message, whose rest never arrives."""
    for _ in range(2):
        with closing(each(heavy, range(32), 2)) as results:
            next(results)
