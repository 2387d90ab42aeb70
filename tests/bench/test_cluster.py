"""Evaluating on a cluster: a real scheduler, two workers, one of which is killed."""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import hbtom
from episodes import write_pairs
from hbtom.bench import cluster as machines
from hbtom.bench.checked_rater import find_rater
from hbtom.bench.evaluation import Interrupted, evaluate
from hbtom.bench.results import encode, write_rows
from hbtom.cli import main
from hbtom.errors import BadInput

distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
# The library leaves connections open when a worker dies; that is not hbtom's concern.
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
PAIRS = 16


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "many"
    return write_pairs(folder, ["efficiency_path", "preference"], PAIRS // 2)


@pytest.fixture(scope="module")
def alone(data):
    """The results of a single process."""
    return evaluate(data, workers=1)


def started(workers: int):
    """Start a scheduler, and workers in processes of their own."""
    return distributed.LocalCluster(
        n_workers=workers,
        processes=True,
        threads_per_worker=1,
        dashboard_address=":0",  # any free port
        silence_logs=logging.CRITICAL,
    )


@pytest.fixture(scope="module")
def cluster():
    with started(2) as two:
        yield two


def command(*words: object) -> Result:
    return CliRunner().invoke(main, ["evaluate", *map(str, words)], prog_name="hbtom")


def test_a_worker_that_is_killed_changes_nothing(data, alone, cluster, tmp_path):
    victim = cluster.workers[0].pid

    def kill(done: int, total: int) -> None:
        if done == 3:
            os.kill(victim, signal.SIGKILL)

    out = tmp_path / "out.csv"
    found = evaluate(data, cluster=cluster.scheduler_address, out=out, progress=kill)
    assert found == alone
    assert out.read_bytes() == encode(alone.rows, ".csv")


def test_the_command_on_a_cluster_prints_the_same(data, cluster, tmp_path, monkeypatch):
    """It also runs in another folder than the workers', with the scheduler's file."""
    (tmp_path / "scheduler.json").write_text(json.dumps({"address": cluster.scheduler_address}))
    (tmp_path / "data").symlink_to(data, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    here = command("data", "--workers", "1", "--out", "here.csv")
    there = command("data", "--cluster", "scheduler.json", "--out", "there.csv")
    assert (there.exit_code, there.stderr) == (0, "")
    assert there.stdout == here.stdout
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()


def test_a_users_rater_is_imported_on_the_workers_by_name(data, cluster, tmp_path, monkeypatch):
    code = "class Fixed:\n    name, fingerprint = 'fixed', '1'\n    rate = lambda *_: (1, 0)\n"
    (tmp_path / "fixed_rater.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    rater = find_rater("fixed_rater:Fixed")
    there = evaluate(data, rater, cluster=cluster.scheduler_address)
    assert there.overall.correct == PAIRS
    assert there == evaluate(data, rater, workers=1)


def test_unreadable_files_are_reported_as_by_a_single_process(data, cluster, tmp_path):
    broken = Path(shutil.copytree(data / "preference", tmp_path / "preference"))
    (broken / "03e.json.gz").write_bytes(b"[[")
    there = evaluate(broken, cluster=cluster.scheduler_address)
    assert there == evaluate(broken, workers=1)
    assert len(there.unreadable) == 1


def test_ctrl_c_cancels_tasks_and_the_run_can_be_resumed(data, alone, cluster, tmp_path):
    def interrupt(done: int, total: int) -> None:
        if done == 9:
            raise KeyboardInterrupt

    out = tmp_path / "out.parquet"
    address = cluster.scheduler_address
    with pytest.raises(Interrupted) as caught:
        evaluate(data, cluster=address, out=out, progress=interrupt)
    assert caught.value.so_far.rows == alone.rows[:18]
    for _ in range(1000):
        if not cluster.scheduler.tasks:
            break
        time.sleep(0.01)
    assert not cluster.scheduler.tasks
    assert evaluate(data, cluster=address, out=out, resume=True) == alone
    assert out.read_bytes() == encode(alone.rows, ".parquet")


def test_a_lost_scheduler_is_reported_and_the_run_can_be_resumed(
    data, alone, cluster, tmp_path, monkeypatch
):
    monkeypatch.setattr(machines, "PATIENCE", 5)
    out = tmp_path / "out.jsonl"
    with started(1) as other:

        def lose(done: int, total: int) -> None:
            if done == 3:
                other.close()

        with pytest.raises(BadInput, match=r"connection.*was lost.*--resume"):
            evaluate(data, cluster=other.scheduler_address, out=out, progress=lose)
    assert encode(alone.rows, ".jsonl").startswith(out.read_bytes())
    assert evaluate(data, cluster=cluster.scheduler_address, out=out, resume=True) == alone
    assert out.read_bytes() == encode(alone.rows, ".jsonl")


def test_lost_workers_may_come_back(data, alone, monkeypatch):
    monkeypatch.setattr(machines, "SOON", 1)
    with started(1) as other:

        def leave(done: int, total: int) -> None:
            if done == 3:
                other.scale(0)
                threading.Timer(4, other.scale, [1]).start()

        with pytest.warns(machines.NoWorkers, match="all workers were lost") as said:
            assert evaluate(data, cluster=other.scheduler_address, progress=leave) == alone
        assert len(said) == 1


def test_if_no_worker_comes_back_the_results_so_far_are_printed(data, tmp_path, monkeypatch):
    monkeypatch.setattr(machines, "SOON", 1)
    monkeypatch.setattr(machines, "LEAVE", 3)
    code = """
import time
class Slow:
    name, fingerprint = "slow", "1"
    def rate(self, *_):
        time.sleep(0.5)
        return 1, 0
"""
    (tmp_path / "slow_rater.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out.csv"
    words = (data, "--rater", "slow_rater:Slow", "--out", out)
    with started(1) as other:

        def leave() -> None:
            while not out.exists() or out.read_bytes().count(b"\n") < 3:
                time.sleep(0.01)
            other.scale(0)

        threading.Thread(target=leave).start()
        ran = command(*words, "--cluster", other.scheduler_address)
    assert ran.exit_code == 1
    assert "rater slow (1), dataset" in ran.stdout
    lost, end = ran.stderr.splitlines()
    assert lost == "hbtom: all workers were lost; waiting up to 3 s for others"
    assert end.startswith("hbtom: all workers were lost, and none came back for 3 s. Hint: start")
    assert "--resume" in end
    assert command(*words, "--resume", "--workers", "1").exit_code == 0


def test_a_complete_evaluation_needs_no_scheduler(data, alone, tmp_path):
    write_rows(alone.rows, tmp_path / "out.csv")
    found = evaluate(data, cluster="tcp://127.0.0.1:1", out=tmp_path / "out.csv", resume=True)
    assert found == alone


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_workers_that_cannot_see_the_data_are_reported(data, cluster, monkeypatch):
    monkeypatch.chdir(data.parent)
    ran = command("/proc/self/cwd/many", "--cluster", cluster.scheduler_address)
    assert (ran.exit_code, ran.stdout) == (1, "")
    (line,) = ran.stderr.splitlines()
    assert "cannot see /proc/self/cwd/many/efficiency_path" in line
    assert "shared file system" in line


def test_workers_with_another_version_are_reported(data, cluster, tmp_path):
    other = tmp_path / "other" / "hbtom"
    shutil.copytree(Path(hbtom.__file__).parent, other)
    front = other / "__init__.py"
    front.write_text(front.read_text().replace(hbtom.__version__, "99.0"))
    path = os.pathsep.join([str(other.parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)])
    environment = {**os.environ, "PYTHONPATH": path}
    words = ["evaluate", str(data), "--cluster", cluster.scheduler_address]
    ran = subprocess.run(
        [sys.executable, "-m", "hbtom", *words],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    (line,) = ran.stderr.splitlines()
    assert f"has hbtom {hbtom.__version__}, but this is hbtom 99.0" in line


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("nonsense", "not the address of a scheduler"),
        ("ftp://here:21", "not the address of a scheduler"),
        ("nowhere.json", "not a scheduler file"),
        ("tcp://127.0.0.1:1", "no scheduler answers at tcp://127.0.0.1:1"),
    ],
)
def test_a_missing_scheduler(data, tmp_path, monkeypatch, address, complaint):
    monkeypatch.setattr(machines, "PATIENCE", 1)
    out = tmp_path / "out.csv"
    with pytest.raises(BadInput, match=complaint):
        evaluate(data, cluster=address, out=out)
    assert not out.exists()


def test_a_file_that_is_not_from_a_scheduler(data, tmp_path):
    (tmp_path / "scheduler.json").write_text("[]")
    with pytest.raises(BadInput, match="not a scheduler file"):
        evaluate(data, cluster=str(tmp_path / "scheduler.json"))


def test_a_missing_library(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadInput, match=r"distributed.*'cluster'"):
        evaluate(data, cluster="tcp://127.0.0.1:1")


def test_work_that_times_out_ends() -> None:
    done = Future[None]()
    done.set_exception(TimeoutError("the rater's service did not answer"))
    with pytest.raises(TimeoutError, match="did not answer"):
        machines._Awaited(done, machines._Workers(None)).result()
