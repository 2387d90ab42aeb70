"""Golden judgements: what the model said when it was last reviewed.

``golden/episodes`` holds two generated pairs of each of the nine tasks, and
``golden/synthetic.json`` how they are judged. ``golden/real.json`` holds the same for real files of
the benchmark, which are not part of this repository. If a change of the model changes these
numbers, look at the difference and, if it is intended, write them again with

    python tests/goldens.py             # judge in plain Python and write both files
    python tests/goldens.py --check     # write nothing; print the largest difference of each model
    python tests/goldens.py --check --compiled

The episodes are kept as files so that a change of the generator does not change them.
"""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

from hbtom import Episode, Judgement, Model, judge, load
from hbtom.model import find_model, with_settings

HERE = Path(__file__).parent / "golden"
EPISODES = HERE / "episodes"
REAL = Path(__file__).parents[2] / "shared" / "data" / "bib"

PRESETS = ("default", "default-0.1", "paper")
# Models that assume more. They take longer, so they only judge the first pair of a few tasks.
VARIANTS = {
    "paper, slips": ("paper", {"motion.slip": 0.25}),
    "paper, noise": ("paper", {"observation.noise": 1.0}),
    "default, noise": ("default", {"observation.noise": 1.0, "observation.particles": 50}),
    "default, other costs": ("default", {"acts.cost": 2.0, "motion.contact": False}),
}
VARIED = ("efficiency_path", "multi_agent", "instrumental_blocking_barrier")

Numbers = dict[str, float]
Golden = dict[str, dict[str, Numbers]]  # by model, by episode


def episodes(model: str) -> list[Path]:
    """Return the episodes that a model judges."""
    every = sorted(EPISODES.glob("*/*.json.zst"))
    if model in PRESETS:
        return every
    return [path for path in every if path.parent.name in VARIED and path.name.startswith("000000")]


def model(name: str) -> Model:
    """Return a preset, or one of the variants."""
    preset, settings = VARIANTS.get(name, (name, {}))
    return with_settings(find_model(preset), settings)


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name.partition('.')[0]}"


def numbers(judgement: Judgement) -> Numbers:
    """Return all numbers of a judgement, by name."""
    parts = {f"part {key}": value for key, value in judgement.parts.to_dict().items()}
    surprises = {f"surprise {key}": value for key, value in judgement.surprise.to_dict().items()}
    ends = {"plausibility": judgement.plausibility, "predictive": judgement.predictive}
    return ends | parts | surprises


@cache
def loaded(path: Path) -> Episode:
    """Load an episode that several models judge."""
    return load(path)


def judged(of: str, files: list[Path]) -> dict[str, Numbers]:
    """Judge files by a model; the members of a pair are adjacent and share most of the work."""
    found: dict[str, Numbers] = {}
    last = None
    for path in files:
        last = judge(loaded(path), model(of), reuse=last)
        found[name(path)] = numbers(last)
    return found


def synthetic() -> Golden:
    """Judge the episodes of the repository by all models."""
    return {of: judged(of, episodes(of)) for of in (*PRESETS, *VARIANTS)}


def real() -> Golden:
    """Judge the real files by the presets."""
    return {of: judged(of, sorted(REAL.glob("*/*.json"))) for of in PRESETS}


def read(which: str) -> Golden:
    return json.loads((HERE / f"{which}.json").read_text(encoding="utf-8"))


def write(which: str, golden: Golden) -> None:
    text = json.dumps(golden, indent=1) + "\n"
    (HERE / f"{which}.json").write_text(text, encoding="utf-8")


def difference(one: dict[str, Numbers], other: dict[str, Numbers]) -> float:
    """Return the largest difference between numbers of the same name and episode."""
    assert {key: list(value) for key, value in one.items()} == {
        key: list(value) for key, value in other.items()
    }
    return max(abs(value - other[key][what]) for key in one for what, value in one[key].items())


def main(arguments: list[str]) -> None:
    if "--compiled" in arguments:
        from hbtom.compiled import start_compiler

        assert start_compiler(), "there is no compiler: numba is not installed"
    found: dict[str, Golden] = {"synthetic": synthetic()}
    if REAL.is_dir():
        found["real"] = real()
    for which, golden in found.items():
        if "--check" not in arguments:
            write(which, golden)
            continue
        for of, wanted in read(which).items():
            print(f"{which:10} {of:22} {difference(golden[of], wanted):.1e}")


if __name__ == "__main__":
    main(sys.argv[1:])
