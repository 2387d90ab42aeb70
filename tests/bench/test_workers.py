"""Processes: results in order, and nothing left when interrupted."""

import os
import signal
import subprocess
import sys
import time

import pytest

from hbtom.bench.workers import each


def squared(items):
    return [x * x for x in items]


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_come_in_order_whatever_the_number_of_processes(workers):
    items = list(range(300))
    assert list(each(squared, items, workers)) == [x * x for x in items]


def fails(items):
    if 70 in items:
        raise ValueError("seventy")
    return items


def test_an_error_in_a_process_reaches_the_caller():
    with pytest.raises(ValueError, match="seventy"):
        list(each(fails, list(range(100)), 2))


def leaves_interrupts_to_the_parent(items):
    return [signal.getsignal(signal.SIGINT) == signal.SIG_IGN for _ in items]


def test_ctrl_c_is_the_parents_business():
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
    assert running.returncode == 1
    assert b"Traceback" not in complaint
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
