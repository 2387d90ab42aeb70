"""Bad input ends with status 1, one line on standard error and nothing on standard output."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from broken import Broken, catalogue
from episodes import (
    HEART,
    SPOON,
    Json,
    block,
    border,
    episode,
    every_frame,
    ring,
    simple_episode,
    to_thing,
    trial,
    walk,
    write,
)


def one_complaint(ran, file: Path | str, *words: str) -> None:
    """Check that a command ended as it should for one bad file."""
    assert ran.status == 1
    assert ran.out == ""
    (line,) = ran.complaints
    assert line.startswith(f"hbtom: {file}: ")
    for word in words:
        assert word in line


CATALOGUE = catalogue()


@pytest.mark.parametrize("broken", CATALOGUE, ids=lambda broken: broken.name)
def test_the_catalogue_is_refused(run, tmp_path: Path, broken: Broken) -> None:
    file = tmp_path / "broken.json"
    file.write_bytes(broken.data)
    one_complaint(run("judge", file), file, *broken.words, "Hint: ")


BY_A_PROCESS = [
    "empty",
    "words",
    "cut off at 60.00%",
    "deep lists",
    "deep 'agent'",
    "no 'objects'",
    "a world of [0, 0]",
    "broken coding",
    "the agent inside a wall",
]


def test_bad_files_are_refused_by_a_real_process(spawn, tmp_path: Path) -> None:
    chosen = [broken for broken in CATALOGUE if broken.name in BY_A_PROCESS]
    assert len(chosen) == len(BY_A_PROCESS)
    files = [tmp_path / f"{number}.json" for number in range(len(chosen))]
    for file, broken in zip(files, chosen, strict=True):
        file.write_bytes(broken.data)
    ran = spawn("judge", *files, "--format", "json")
    assert ran.status == 1
    assert ran.out == ""
    for line, file, broken in zip(ran.complaints, files, chosen, strict=True):
        assert line.startswith(f"hbtom: {file}: ")
        assert all(word in line for word in broken.words)


@pytest.mark.parametrize("name", ["empty", "only None", "deep lists"])
def test_one_bad_file_is_refused_by_a_real_process(spawn, tmp_path: Path, name: str) -> None:
    (broken,) = [broken for broken in CATALOGUE if broken.name == name]
    file = tmp_path / "broken.json"
    file.write_bytes(broken.data)
    one_complaint(spawn("judge", file), file, "Hint: ")


def test_files_that_cannot_be_opened(run, tmp_path: Path) -> None:
    one_complaint(run("judge", tmp_path / "nowhere.json"), tmp_path / "nowhere.json", "no such")
    one_complaint(run("judge", tmp_path), tmp_path, "no episodes")
    circle = tmp_path / "circle.json"
    circle.symlink_to(circle)
    one_complaint(run("judge", circle), circle, "cannot be read")
    long = tmp_path / ("a" * 5000)
    one_complaint(run("judge", long), long, "cannot be read")


LONG = "a" * 300  # longer than any file system allows
SOURCES = {
    "evaluate": ("FILE",),
    "fit": ("FILE", "-o", "new.toml"),
    "ablate": ("FILE",),
    "sweep": ("FILE", "--set", "acts.cost=1"),
    "score": ("FILE",),
    "compare": ("FILE", "FILE"),
    "report": ("FILE", "-o", "new.html"),
    "pack": ("FILE", "new.parquet"),
    "convert": ("FILE", "new.json", "--to", "mcs"),
    "show": ("FILE", "-o", "new.html"),
    "plot": ("FILE", "-o", "new.png"),
    "animate": ("FILE", "-o", "new.gif"),
}
TARGETS = {
    "show": ("good.json", "-o", "FILE.html"),
    "plot": ("good.json", "-o", "FILE.png"),
    "animate": ("good.json", "-o", "FILE.gif"),
    "convert": ("good.json", "FILE.json", "--to", "mcs"),
    "pack": (".", "FILE.parquet"),
    "evaluate": (".", "--out", "FILE.csv"),
    "sweep": (".", "--set", "acts.cost=1", "--out", "FILE.csv"),
    "fit": (".", "-o", "FILE.toml"),
}


@pytest.mark.parametrize(("verb", "words"), [*SOURCES.items(), *TARGETS.items()])
@pytest.mark.parametrize("file", [LONG, "nowhere/a"])
def test_every_verb_refuses_missing_files(
    run, good: Path, monkeypatch: pytest.MonkeyPatch, verb: str, words: tuple[str, ...], file: str
) -> None:
    monkeypatch.chdir(good.parent)
    before = set(good.parent.iterdir())
    ran = run(verb, *(word.replace("FILE", file) for word in words))
    assert (ran.status, ran.out) == (1, "")
    (line,) = ran.complaints
    assert file.partition("/")[0] in line
    assert "Hint: " in line
    assert set(good.parent.iterdir()) == before


@pytest.mark.parametrize("packing", ["json.gz", "json.zst"])
def test_truncated_compressed_files(run, tmp_path: Path, packing: str) -> None:
    file = write(tmp_path / f"cut.{packing}", simple_episode())
    file.write_bytes(file.read_bytes()[:-9])
    one_complaint(run("judge", file), file, "cut off", "Hint: ")


# Some good, some bad


@pytest.mark.parametrize("form", ["table", "json"])
def test_the_good_files_are_judged_beside_a_bad_one(run, good: Path, form: str) -> None:
    bad = good.with_name("bad.json")
    bad.write_bytes(b"[[")
    other = write(good.with_name("other.json"), simple_episode())
    ran = run("judge", good, bad, other, "--format", form)
    assert ran.status == 1
    assert "good.json" in ran.out
    assert "other.json" in ran.out
    assert "bad.json" not in ran.out
    (line,) = ran.complaints
    assert line.startswith(f"hbtom: {bad}: ")


def test_every_bad_file_is_named(run, good: Path) -> None:
    files = [good.with_name(f"bad{number}.json") for number in range(3)]
    for file in files:
        file.write_bytes(b"{}")
    ran = run("judge", *files, good)
    assert ran.status == 1
    assert [line.split(": ")[1] for line in ran.complaints] == [str(file) for file in files]


# Judged with a warning


def warned(ran, file: Path) -> list[str]:
    """Check that a file was judged, and return its warnings."""
    assert ran.status == 0
    assert file.name in ran.out
    start = f"hbtom: warning: {file}: "
    assert all(line.startswith(start) for line in ran.complaints)
    return [line.removeprefix(start) for line in ran.complaints]


@pytest.mark.parametrize("form", ["table", "json"])
def test_only_one_trial(run, tmp_path: Path, form: str) -> None:
    file = write(tmp_path / "one.json", simple_episode(times=0))
    (warning,) = warned(run("judge", file, "--format", form), file)
    assert "only one trial" in warning


@pytest.mark.parametrize("model", ["default", "paper"])
def test_one_frame_for_each_trial(run, tmp_path: Path, model: str) -> None:
    file = write(tmp_path / "still.json", [frames[:1] for frames in simple_episode()])
    ran = run("judge", file, "--model", model, "--trace")
    (warning,) = warned(ran, file)
    assert "does not move" in warning
    assert "it does not move" in ran.out


def test_one_trial_of_one_frame(run, tmp_path: Path) -> None:
    file = write(tmp_path / "least.json", [simple_episode()[0][:1]])
    assert len(warned(run("judge", file, "--trace"), file)) == 2


@pytest.mark.parametrize("model", ["default", "paper"])
def test_no_object_can_be_reached(run, tmp_path: Path, model: str) -> None:
    closed = border() + ring(6, 5)
    frames = trial(walk((40, 110), (90, 110)), [HEART.at(130, 110)], walls=closed)
    file = write(tmp_path / "closed.json", episode(frames, frames))
    warnings = warned(run("judge", file, "--model", model), file)
    assert [line[:40] for line in warnings if "no goal can be reached" in line] == [
        "trial 1: no goal can be reached; the tri",
        "trial 2: no goal can be reached; the tri",
    ]


def test_everything_is_walled_in(run, tmp_path: Path) -> None:
    """The agent is walled in, and so is the object."""
    closed = border() + ring(2, 5) + ring(6, 5)
    frames = trial(walk((46, 110), (54, 110)), [HEART.at(130, 110)], walls=closed)
    file = write(tmp_path / "closed.json", episode(frames, frames))
    assert any("no goal can be reached" in line for line in warned(run("judge", file), file))


def test_things_that_change_within_a_trial(run, tmp_path: Path) -> None:
    changed = simple_episode()
    changed[1][4]["walls"] = []
    file = write(tmp_path / "changed.json", changed)
    (warning,) = warned(run("judge", file), file)
    assert warning.startswith("trial 2: 'walls' changes at frame 5")


# Never endless, never out of memory


def winding(size: int) -> list[Json]:
    """Return walls that make the path from one corner to the other as long as possible."""
    walls = border(size)
    for number, y in enumerate(range(40, size - 40, 40)):
        gap = size - 40 if number % 2 else 20
        walls += [block(x, y) for x in range(20, size - 20, 20) if x != gap]
    return walls


@pytest.mark.parametrize("size", [500, 2000])
def test_an_enormous_maze_is_judged_or_refused(spawn, tmp_path: Path, size: int) -> None:
    far = HEART.at(size - 30, size - 30)
    maze = trial(walk((30, 30), (60, 30)), [far, SPOON.at(100, 30)], walls=winding(size), size=size)
    ran = spawn("judge", write(tmp_path / "maze.json", episode(*[maze] * 3)), memory=4 << 30)
    assert ran.status in (0, 1)
    assert "Traceback" not in ran.err


def test_many_kinds_of_objects_over_many_trials_are_judged_or_refused(
    spawn, tmp_path: Path
) -> None:
    def crowd(number: int) -> Json:
        def rename(one: Json) -> None:
            one["objects"] = [
                [[60 + 7 * n, 50], 9, f"thing{number * 6 + n}.png", [0, 0, 0]] for n in range(6)
            ]

        return every_frame([to_thing(HEART.at(65, 100))], rename)[0]

    file = write(tmp_path / "crowd.json", [crowd(number) for number in range(10)])
    ran = spawn("judge", file, memory=4 << 30)
    assert ran.status in (0, 1)
    assert "Traceback" not in ran.err


def test_very_many_bad_files_are_counted(run, tmp_path: Path) -> None:
    """The first twenty are named."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for number in range(50):
            for member in "eu":
                archive.writestr(f"preference/{number}{member}.json", "[")
    ran = run("evaluate", tmp_path / "a.zip", "--workers", "1")
    assert ran.status == 1
    assert sum("the file is cut off" in line for line in ran.complaints) == 20
    assert ran.complaints[-2:] == [
        "hbtom: ... and 80 more like these",
        "hbtom: 100 left out in all",
    ]
