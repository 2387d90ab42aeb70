"""Surprises that version 0.3 found in generated pairs, to compare worlds of places with.

``golden/generated.json`` has the surprises of two pairs of each task, made with fixed seeds and not
kept as files. They were recorded by the pipeline that was there before the core, with

    python tests/recorded.py                        # judge in plain Python and write the file
    python tests/recorded.py --check [--compiled]   # print how far the core is from it

If a change of the generator makes other episodes, record them again, and only then.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np

import goldens
import hbtom
from goldens import PRESETS, Numbers
from hbtom import Episode, Model
from hbtom.bench.synth import encode, episode_pair
from hbtom.bench.tasks import EVALUATION_TASKS
from hbtom.judgement.pipeline import plan_trials
from hbtom.places.surprise import shift, waste, worst_step
from hbtom.places.watching import Watched, Watcher

FILE = Path(__file__).parent / "golden" / "generated.json"
SEEDS = 1, 2

Golden = dict[str, dict[str, Numbers]]  # by preset, by episode


@cache
def generated() -> dict[str, Episode]:
    """Return two generated pairs of each task; the members of a pair are adjacent."""
    found = {}
    for task in EVALUATION_TASKS:
        for seed in SEEDS:
            pair = episode_pair(task.folder, np.random.default_rng(seed))
            for member, one in zip("eu", pair, strict=True):
                name = f"{task.folder}/{seed}{member}"
                found[name] = hbtom.read(encode(one), name)
    return found


@cache
def kept() -> dict[str, Episode]:
    """Return the golden episodes, which are kept as files."""
    return {goldens.name(path): goldens.loaded(path) for path in goldens.episodes("default")}


def surprises(watched: Watched, model: Model) -> Numbers:
    """Return the surprises of the last trial that the model's classifier may use."""
    p = watched.posteriors[-1]
    found = {
        "goal": shift(p, "goal"),
        "efficiency": shift(p, "efficiency"),
        "observation": worst_step(p),
    }
    wasted = waste(p) if model.classifier.waste is not None else None
    return found if wasted is None else found | {"waste": wasted}


def on_the_core(preset: str, episodes: Mapping[str, Episode]) -> dict[str, Numbers]:
    """Watch episodes in worlds of places."""
    model = Model.preset(preset)
    watcher = Watcher(model)
    return {name: surprises(watcher.watch(one.trials), model) for name, one in episodes.items()}


def before_the_core(preset: str, episodes: Mapping[str, Episode]) -> dict[str, Numbers]:
    """Judge episodes by the pipeline that was there before."""
    model = Model.preset(preset)
    judged = {
        name: hbtom.judge(one, model, planned=plan_trials(model, one))
        for name, one in episodes.items()
    }
    return {name: judgement.surprise.to_dict() for name, judgement in judged.items()}


def recorded() -> Golden:
    return json.loads(FILE.read_text(encoding="utf-8"))


def golden(preset: str) -> dict[str, Numbers]:
    """Return the surprises of the golden episodes, as they were recorded."""
    start = "surprise "
    return {
        name: {
            key.removeprefix(start): value for key, value in one.items() if key.startswith(start)
        }
        for name, one in goldens.read("synthetic")[preset].items()
    }


def differences() -> Iterator[tuple[str, float]]:
    """Yield how far the core is from what was recorded, by what and under which preset."""
    for preset in PRESETS:
        both = on_the_core(preset, kept()), golden(preset)
        yield f"golden {preset}", goldens.difference(*both)
        both = on_the_core(preset, generated()), recorded()[preset]
        yield f"generated {preset}", goldens.difference(*both)


def main(arguments: list[str]) -> None:
    if "--compiled" in arguments:
        from hbtom.compiled import start_compiler

        assert start_compiler(), "there is no compiler: numba is not installed"
    if "--check" in arguments:
        for what, difference in differences():
            print(f"{what:24} {difference:.1e}")
        return
    found = {preset: before_the_core(preset, generated()) for preset in PRESETS}
    FILE.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
