"""Adding to hbtom as docs/architecture.md describes: nothing else has to be changed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import msgspec
import numpy as np
import pytest

import hbtom
from hbtom import Beliefs, Episode, Model, Trial, infer
from hbtom.assumptions import Acts
from hbtom.bench.rater import Rating
from hbtom.mind.grid import action_regrets
from hbtom.mind.motion_regret import PlannedSteps, choices_of
from hbtom.mind.regret import ChosenSteps
from hbtom.observe import Body, Identity
from hbtom.plan import Plans, Stencil
from hbtom.plan.cost_to_go import plan_worlds
from hbtom.plan.planning import plans_in
from hbtom.world import Costs, Space, Trajectories, Worlds
from hbtom.world.occupancy import Openings, make_worlds
from hbtom.world.seeing import gait_of, worlds_of
from hbtom.world.steps import Gait
from hbtom.world.trial_arrays import Scenes
from measuring import unmeasured

HOUSE = Path(hbtom.__file__).parent

# A motion: agents in a city walk only along streets, in four directions

STREETS = Stencil(((-1, 0), (0, -1), (0, 1), (1, 0)))


class City(msgspec.Struct, frozen=True):
    """Four moves on square blocks."""

    block: float = 20.0


@worlds_of.register
def _worlds(motion: City, acts: Acts, opening: Openings, scenes: Scenes) -> Worlds:
    space = Space(motion.block, in_cells=True)
    return make_worlds(scenes, space, Costs(1.0, float(acts.cost)), opening)


@gait_of.register
def _along_streets(motion: City) -> Gait:
    return Gait(diagonals=False)


@plans_in.register
def _plan(motion: City, worlds: Worlds, steps: Trajectories, everywhere: bool) -> Plans:
    return plan_worlds(worlds, STREETS, steps, everywhere=everywhere)


@choices_of.register
def _streets(motion: City, planned: PlannedSteps) -> list[ChosenSteps]:
    return action_regrets(planned.plans, planned.steps, planned.goals, STREETS)


def walk_to(*corners: tuple[float, float]) -> Trial:
    path = np.array(corners, dtype=float)
    heart, spoon = (
        Body(Identity(name), place, 8.0)
        for name, place in (("heart", (170.0, 30.0)), ("spoon", (170.0, 170.0)))
    )
    return Trial(
        size=(200.0, 200.0),
        walls=np.empty((0, 4)),
        barrier=np.empty((0, 4)),
        objects=(heart, spoon),
        agent=Body(Identity("anna"), corners[0], 6.0),
        path=path,
        barrier_left=np.zeros(len(path)),
    )


def test_a_motion_is_four_functions() -> None:
    city = msgspec.structs.replace(Model.preset("paper"), motion=City())
    up = walk_to((50, 110), (50, 90), (50, 70), (50, 50), (70, 50), (90, 50))
    posterior, _ = infer(city, Beliefs(), up)
    assert posterior.goal[-1][0] > 0.95
    # In a city all paths without detours are equally good: going on or turning wastes nothing.
    assert not posterior.likelihood.regret.step_regret[:, 0].any()
    judged = hbtom.judge(Episode((up, up, walk_to((50, 110), (50, 130), (50, 150)))), city)
    assert judged.surprise.goal > 0.5
    assert str(judged.trace().world).startswith("<PlaceWorld of 10 x 10 cells")


def test_motions_of_different_types_have_different_fingerprints() -> None:
    """Otherwise results of one could be continued with the other."""
    city, moor = (
        msgspec.structs.replace(Model.preset("paper"), motion=one) for one in (City(), Moor())
    )
    assert len({city.fingerprint, moor.fingerprint, Model.preset("paper").fingerprint}) == 3


class Moor(msgspec.Struct, frozen=True):
    """Another motion with the same parameters."""

    block: float = 20.0


# Surprises, readers, writers and presets are added to a copy of the package. Only the files that
# docs/architecture.md names are changed there.


class Copy:
    """A copy of the package to which something is added."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        unneeded = shutil.ignore_patterns("__pycache__", "weights", "template")
        self.package = Path(shutil.copytree(HOUSE, folder / "hbtom", ignore=unneeded))

    def add(self, file: str, text: str) -> None:
        assert not (self.package / file).exists()
        (self.package / file).write_text(textwrap.dedent(text), encoding="utf-8")

    def edit(self, file: str, after: str, text: str) -> None:
        """Add text after a line, or after part of one."""
        before = (self.package / file).read_text(encoding="utf-8")
        assert before.count(after) == 1
        (self.package / file).write_text(before.replace(after, after + text), encoding="utf-8")

    def run(self, *command: str) -> str:
        """Run a command with the copy, and return its output."""
        ran = subprocess.run(
            [sys.executable, *command],
            cwd=HOUSE.parents[1],
            env=unmeasured(PYTHONPATH=str(self.folder)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


EXAMPLE = "examples/preference_u.json.zst"


def test_a_surprise_that_counts(copy: Copy) -> None:
    copy.add(
        "judgement/doubt.py",
        """
        def doubt(posterior):
            return float((posterior.goal[1:].max(axis=1) <= 0.6).mean())
        """,
    )
    surprises = "judgement/classifier.py"
    copy.edit(surprises, "    waste: float | None = None\n", "    doubt: float | None = None\n")
    copy.edit(surprises, "Callable[[Posterior], float]] = {", '"doubt": doubt')
    imports = "from hbtom.assumptions import Classifier, Logistic\n"
    copy.edit(surprises, imports, "from hbtom.judgement.doubt import doubt\n")
    last = 'without it, waste does not count")\n    ] = None\n'
    copy.edit("assumptions.py", last, "    doubt: Logistic | None = None\n")
    code = f"""
import hbtom
settings = {{"classifier.doubt": {{"weight": -1.0, "bias": 0.0}}}}
for one in (hbtom.judge({EXAMPLE!r}), hbtom.judge({EXAMPLE!r}, settings)):
    print(one.plausibility, one.surprise.doubt, one.parts.doubt, one.model.fingerprint)
"""
    before, after = (line.split() for line in copy.run("-c", code).splitlines())
    here = hbtom.judge(HOUSE.parents[1] / EXAMPLE)
    assert float(before[0]) == here.plausibility  # existing models judge as before
    assert before[3] == here.model.fingerprint
    assert before[1] == after[1]
    assert float(after[0]) == pytest.approx(here.plausibility * float(after[2]))
    assert "doubt" in copy.run("-m", "hbtom", "judge", EXAMPLE).splitlines()[0]


LINES = """
import math
import numpy as np
from hbtom.errors import BadInput
from hbtom.observe.bodies import Body, Identity
from hbtom.observe.episode import Episode
from hbtom.observe.trial import Trial

def read(data: bytes, name: str) -> Episode:
    places = [tuple(map(float, line.split())) for line in data.decode().splitlines()[1:]]
    if not all(len(place) == 2 and all(map(math.isfinite, place)) for place in places):
        raise BadInput("a line is not 'x y'").at(file=name)
    things = {"heart": (170.0, 30.0), "spoon": (170.0, 170.0)}
    return Episode((Trial.from_arrays(places, things),), name)

def write(episode: Episode) -> bytes:
    lines = [f"{x} {y}" for x, y in episode.test.path.tolist()]
    return "\\n".join(["walk", *lines]).encode()
"""


def test_a_reader_and_a_writer(copy: Copy, tmp_path: Path) -> None:
    copy.add("observe/lines.py", LINES)
    copy.edit(
        "observe/formats.py",
        "    data = unpack(data)\n",
        """    if data.startswith(b"walk"):
        from hbtom.observe import lines
        return bib.Reading(lines.read(data, name), b"", [], {})
""",
    )
    copy.edit("observe/writing.py", 'Format = Literal["bib", "mcs"', ', "lines"')
    copy.edit("bench/conversion.py", '"mcs": mcs.write', ', "lines": lines.write')
    imports = "from hbtom.observe import writing as bib\n"
    copy.edit("bench/conversion.py", imports, "from hbtom.observe import lines\n")
    walk, back = tmp_path / "walk.txt", tmp_path / "back.json"
    walk.write_text("walk\n50 110\n80 60\n110 50\n150 40")
    assert "walk.txt" in copy.run("-m", "hbtom", "judge", str(walk))
    code = f"""
from hbtom.bench.conversion import convert
convert({EXAMPLE!r}, {str(back)!r}, to="lines")
"""
    copy.run("-c", code)
    assert back.read_text().startswith("walk\n")


def test_a_preset(copy: Copy) -> None:
    paper = (HOUSE / "presets" / "paper.toml").read_text(encoding="utf-8")
    copy.add("presets/mine.toml", paper.replace('name = "paper"', 'name = "mine"'))
    assert "mine" in copy.run("-m", "hbtom", "model", "list")
    assert "mine" in copy.run(
        "-m", "hbtom", "judge", EXAMPLE, "--model", "mine", "--format", "json"
    )


# A rater: a name, a fingerprint, and ratings of both members


class ShortWalks:
    """Finds short walks plausible."""

    name = "short walks"
    fingerprint = "short-walks-1"
    columns: ClassVar = {"length": float}

    def rate(self, expected: Episode, unexpected: Episode) -> Sequence[Rating]:
        lengths = [
            float(np.hypot(*np.diff(one.test.whole_path, axis=0).T).sum())
            for one in (expected, unexpected)
        ]
        return [Rating(-length, {"length": length}) for length in lengths]


def test_a_rater_is_evaluated_like_a_model(tmp_path) -> None:
    from hbtom.bench.synth import generate

    generate(tmp_path, pairs=2, seed=1, tasks=["efficiency_irrational"])
    result = hbtom.evaluate(tmp_path, ShortWalks(), workers=1)
    assert result.overall.pairs == 2
    assert all(row.length > 0 for row in result.rows)
