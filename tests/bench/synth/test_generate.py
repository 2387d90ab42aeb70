import gzip
import json
import os
import random
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import zstandard
from click.testing import CliRunner

from hbtom.bench.dataset import find_pairs
from hbtom.bench.synth import background_episode, encode, episode_pair, generate
from hbtom.bench.synth.jitter import Jitter
from hbtom.bench.tasks import BACKGROUND_TASKS, EVALUATION_TASKS
from hbtom.cli import main
from hbtom.errors import BadInput
from hbtom.observe.packing import Compression

BACKGROUND = [task.folder for task in BACKGROUND_TASKS]


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def test_the_same_seed_gives_the_same_bytes_with_any_workers(tmp_path: Path) -> None:
    names = ["preference", "efficiency_irrational", "instrumental_no_barrier", *BACKGROUND]
    for workers in (1, 2):
        generate(
            tmp_path / str(workers),
            pairs=1,
            seed=5,
            tasks=names,
            compress="zst",
            workers=workers,
        )
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


def test_a_pair_does_not_depend_on_the_others(tmp_path: Path) -> None:
    generate(tmp_path / "all", pairs=2, seed=3, tasks=["multi_agent", "efficiency_path"])
    generate(tmp_path / "one", pairs=3, seed=3, tasks=["multi_agent"])
    every, one = contents(tmp_path / "all"), contents(tmp_path / "one")
    shared = every.keys() & one.keys()
    assert len(shared) == 4
    assert all(every[name] == one[name] for name in shared)


def test_another_seed_gives_other_episodes(tmp_path: Path) -> None:
    for seed in (1, 2):
        generate(tmp_path / str(seed), pairs=1, seed=seed, tasks=["preference"])
    one, two = contents(tmp_path / "1"), contents(tmp_path / "2")
    assert one.keys() == two.keys()
    assert all(one[name] != two[name] for name in one)


def test_compressed_files_hold_the_same_episodes(tmp_path: Path) -> None:
    for compress in (None, "gz", "zst"):
        generate(tmp_path / str(compress), pairs=1, seed=9, tasks=["preference"], compress=compress)
    plain = contents(tmp_path / "None")
    for name, data in plain.items():
        packed = (tmp_path / "gz" / f"{name}.gz").read_bytes()
        assert gzip.decompress(packed) == data
        assert packed[4:8] == b"\0\0\0\0", "the modification time must not leak into the bytes"
        zst = (tmp_path / "zst" / f"{name}.zst").read_bytes()
        assert zstandard.ZstdDecompressor().decompress(zst) == data


def test_existing_files_are_never_overwritten(tmp_path: Path) -> None:
    files = generate(tmp_path, pairs=1, tasks=["preference"])
    before = contents(tmp_path)
    with pytest.raises(BadInput, match="exists already"):
        generate(tmp_path, pairs=2, tasks=["preference"])
    assert contents(tmp_path) == before
    assert [p.exists() for p in files] == [True, True]


@pytest.mark.parametrize(("first", "then"), [("zst", None), (None, "gz"), ("gz", "zst")])
def test_an_episode_is_not_written_both_plain_and_compressed(
    tmp_path: Path, first: Compression, then: Compression
) -> None:
    generate(tmp_path, pairs=1, tasks=["preference"], compress=first, jitter=Jitter(3.0))
    before = contents(tmp_path)
    with pytest.raises(BadInput, match="choose another folder, or remove it"):
        generate(tmp_path, pairs=1, tasks=["preference"], compress=then)
    assert contents(tmp_path) == before


SETTINGS = '{"pairs": 3, "seed": 4, "tasks": ["preference"], "compress": "gz"}'


def kill_after(pairs: int, out: Path, settings: str = SETTINGS) -> None:
    """Start to generate, and kill the process after this many pairs."""
    program = (
        "import json, os, signal, sys\nfrom pathlib import Path\n"
        "from hbtom.bench.synth import generate\n"
        "def kill(done, _):\n"
        f"    if done == {pairs}: os.kill(os.getpid(), signal.SIGKILL)\n"
        "generate(Path(sys.argv[1]), workers=1, progress=kill, **json.loads(sys.argv[2]))"
    )
    command = [sys.executable, "-c", program, str(out), settings]
    assert subprocess.run(command, check=False, timeout=120).returncode == -signal.SIGKILL


@pytest.mark.skipif(os.name != "posix", reason="kills itself as posix does")
def test_a_killed_run_is_marked_and_completed(tmp_path: Path) -> None:
    settings = json.loads(SETTINGS)
    generate(tmp_path / "whole", workers=1, **settings)
    out = tmp_path / "out"
    kill_after(2, out)
    torn = out / "preference" / ".000002loe.json.gz.part"
    torn.write_bytes(b"torn")  # as left by a run killed while writing
    for folder in (out, out / "preference", tmp_path):
        with pytest.raises(BadInput, match="unfinished") as caught:
            find_pairs(folder)
        command = f"hbtom generate --pairs 3 --seed 4 --tasks preference --compress gz {out}"
        assert caught.value.hint.endswith(command)
    with pytest.raises(BadInput, match="exists already"):  # another command
        generate(out, workers=1, **{**settings, "seed": 5})
    seen: list[tuple[int, int]] = []
    ran = CliRunner().invoke(main, shlex.split(command)[1:])
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert contents(out) == contents(tmp_path / "whole")
    assert len(find_pairs(out).pairs) == 3
    kill_after(1, tmp_path / "again")
    generate(
        tmp_path / "again",
        workers=1,
        progress=lambda done, total: seen.append((done, total)),
        **settings,
    )
    assert seen == [(2, 3), (3, 3)]


@pytest.mark.skipif(os.name != "posix", reason="kills itself as posix does")
@pytest.mark.parametrize("step", ["_refuse_existing", "_remove"])
def test_an_interrupted_completion_stays_marked(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is interrupted before anything is written, or while everything is removed again."""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    settings = json.loads(SETTINGS)
    kill_after(1, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(sys.modules[generate.__module__], step, interrupt)
        with pytest.raises(KeyboardInterrupt):
            generate(tmp_path, workers=1, progress=interrupt, **settings)
    with pytest.raises(BadInput, match="unfinished"):
        find_pairs(tmp_path)
    generate(tmp_path, workers=1, **settings)
    assert len(find_pairs(tmp_path).pairs) == 3


@pytest.mark.skipif(os.name != "posix", reason="kills itself as posix does")
def test_a_completion_interrupted_midway_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    kill_after(1, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path, workers=1, progress=interrupt, **json.loads(SETTINGS))
    assert contents(tmp_path) == {}


def test_existing_files_without_a_mark_are_refused(tmp_path: Path) -> None:
    generate(tmp_path, pairs=1, tasks=["preference"], workers=1)
    with pytest.raises(BadInput, match="exists already"):
        generate(tmp_path, pairs=1, seed=1, tasks=["preference"], workers=1)
    assert len(find_pairs(tmp_path).pairs) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
def test_a_pipe_named_like_a_mark_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "hbtom-unfinished-0.txt")
    with pytest.raises(BadInput, match="unfinished"):
        find_pairs(tmp_path)


def test_two_runs_cannot_write_to_one_folder_at_once(tmp_path: Path) -> None:
    told: list[str] = []

    def again(done: int, total: int) -> None:
        with pytest.raises(BadInput, match="another run") as caught:
            generate(tmp_path, pairs=1, tasks=["preference"], workers=1)
        told.append(str(caught.value))
        with pytest.raises(BadInput, match="unfinished"):
            find_pairs(tmp_path)

    generate(tmp_path, pairs=1, tasks=["preference"], workers=1, progress=again)
    assert len(told) == 1
    assert len(find_pairs(tmp_path).pairs) == 1


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path, pairs=2, tasks=["preference"], workers=1, progress=interrupt)
    assert contents(tmp_path) == {}


def test_files_are_named_and_returned_in_a_fixed_order(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    files = generate(
        tmp_path,
        pairs=2,
        tasks=["preference", *BACKGROUND],
        workers=1,
        progress=lambda done, total: seen.append((done, total)),
    )
    names = [str(p.relative_to(tmp_path)) for p in files]
    assert names[:4] == [
        "preference/000000loe.json",
        "preference/000000lou.json",
        "preference/000001loe.json",
        "preference/000001lou.json",
    ]
    assert {str(p.parent.relative_to(tmp_path)) for p in files[4:]} == set(BACKGROUND)
    assert all(p.name.endswith("e.json") for p in files[4:])
    assert seen == [(i, 10) for i in range(1, 11)]
    assert set(contents(tmp_path)) == set(names), "nothing but the episodes is left behind"


def test_nothing_touches_global_random_state() -> None:
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    for t in EVALUATION_TASKS[2:]:
        episode_pair(t.folder, np.random.default_rng(0))
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002


@pytest.mark.parametrize("task", BACKGROUND)
def test_background_episodes_have_nine_trials(task: str) -> None:
    episode = background_episode(task, np.random.default_rng(1))
    assert len(json.loads(encode(episode))) == 9


def test_background_agents_are_replaced_once() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        trials = background_episode("background/multi_agent", rng).trials
        agents = [t.agent for t in trials]
        changes = [i for i in range(1, 9) if agents[i] != agents[i - 1]]
        assert len(changes) == 1


def test_unknown_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no task"):
        generate(tmp_path, pairs=1, tasks=["nonsense"])
    with pytest.raises(BadInput, match="no evaluation task"):
        episode_pair("single_object", np.random.default_rng(0))
    with pytest.raises(BadInput, match="negative"):
        generate(tmp_path, pairs=-1)
