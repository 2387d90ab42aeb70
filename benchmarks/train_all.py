"""Train all networks on the same episodes.

``python benchmarks/train_all.py OUT`` makes the background tasks once, in all processes, and writes
OUT/<network>.safetensors as soon as each network is trained. It may be stopped at any time:
finished networks are kept. ``--curve 100,1000,10000`` instead trains each network on 100, 1000 and
10000 of these episodes, and writes OUT/<network>-<episodes>.safetensors. ``--steps
bc-mlp=20000,encoder=2000`` changes the number of steps. ``--rate BENCH`` has each network rate a
dataset while the next one is trained.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from hbtom.neural.batching import Generated
from hbtom.neural.device import choose_device
from hbtom.neural.recipes import PLANS, QUICK, Recipe
from hbtom.neural.tensors import Tensors
from hbtom.neural.training_data import Episodes, collect

START = time.monotonic()


def since_start() -> float:
    """Return the seconds since the start."""
    return time.monotonic() - START


def say(text: str) -> None:
    """Print a line with the time since the start."""
    print(f"{since_start():7.1f} s  {text}", flush=True)


def arguments() -> Namespace:
    """Return the parsed arguments."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--networks", default=",".join(PLANS))
    parser.add_argument("--episodes", type=int, default=28_000)
    parser.add_argument("--keep", type=Path, help="where episodes are kept for the next time")
    parser.add_argument("--curve", default="", help="numbers of episodes, with commas")
    parser.add_argument("--steps", default="", help="name=steps, with commas")
    parser.add_argument("--until", type=float, default=1e9, help="seconds after which all is done")
    parser.add_argument("--rate", type=Path, help="a dataset that each network rates")
    parser.add_argument("--quick", action="store_true", help="small batches and few steps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--device", choices=("cpu", "gpu"))
    parser.add_argument("--precision", choices=("float32", "bfloat16"))
    return parser.parse_args()


class Trainer:
    """Trains networks that share an encoder and training data."""

    def __init__(self, asked: Namespace, precision: str) -> None:
        self.asked, self.precision = asked, precision
        self.steps = dict(one.split("=") for one in asked.steps.split(",") if one)
        self.encoders: dict[Any, Any] = {}  # the final state of each training
        self.seen: dict[Any, Any] = {}  # training data on the device
        self.raters = list[subprocess.Popen[bytes]]()

    def train(self, name: str, episodes: Episodes, suffix: str = "") -> None:
        """Train one network and write its weights."""
        from hbtom.neural.running import TrainingRun, run_training
        from hbtom.neural.training import TrainingJob, device_data, with_encoder

        job = TrainingJob(name, self.plan(name), self.asked.seed, self.precision)
        moment, which = None, (job.network.sees, episodes.count)
        if job.plan.encoder is not None:
            which = (*which, episodes.limit)
            if which not in self.encoders:
                self.encoders[which] = self.train_encoder(job, episodes)
            moment = with_encoder(job, self.encoders[which])
        if which not in self.seen:
            self.seen[which] = device_data(job, episodes, moment.frozen if moment else {})
            say(f"{name} can see")
        out = self.asked.out / f"{name}{suffix}.safetensors"
        run = TrainingRun(job, out, "generated background tasks", shlex.join(["python", *sys.argv]))
        card = run_training(run, episodes, self.watch(name), moment, self.seen[which])
        told = "validation_loss_before", "validation_loss", "steps", "seconds", "episodes"
        say(f"{out.name}: " + ", ".join(f"{one} {card[one]:.6g}" for one in told))
        if self.asked.rate:
            self.rate(out)

    def train_encoder(self, job: Any, episodes: Episodes) -> Any:
        """Train the encoder and return its final state."""
        from hbtom.neural.training import train_encoder

        tell = self.watch("encoder")
        for moment in train_encoder(job, episodes):
            tell(moment)
        say(f"encoder: {moment.step} steps, loss {moment.loss:.4f}")
        return moment

    def plan(self, name: str) -> Any:
        """Return a plan with as many steps as requested, or as there is time for."""
        plan = (QUICK if self.asked.quick else PLANS)[name]

        def fitted(recipe: Recipe, what: str) -> Recipe:
            steps = int(self.steps.get(what, recipe.steps))
            return replace(recipe, steps=steps, seconds=max(1, self.asked.until - since_start()))

        encoder = plan.encoder and fitted(plan.encoder, "encoder")
        return replace(plan, network=fitted(plan.network, name), encoder=encoder)

    def rate(self, weights: Path) -> None:
        """Start a process in which a network rates the dataset."""
        out, log = weights.with_suffix(".csv"), weights.with_suffix(".log")
        words = ["evaluate", self.asked.rate, "--rater", weights, "--out", out]
        words += ["--workers", max(1, (self.asked.workers or 4) - 4)]
        env = {**os.environ, "JAX_PLATFORMS": "cpu", "OPENBLAS_NUM_THREADS": "1"}
        with log.open("wb") as to:
            command = [sys.executable, "-m", "hbtom", *map(str, words)]
            self.raters.append(subprocess.Popen(command, stdout=to, stderr=to, env=env))

    def watch(self, name: str) -> Any:
        """Return a function that prints a line every ten seconds."""
        last = time.monotonic()

        def tell(moment: Any) -> None:
            nonlocal last
            if time.monotonic() - last > 10:
                last = time.monotonic()
                steps = int(moment.state.steps)
                say(f"{name} {moment.stage} {moment.step}/{steps} loss {moment.loss:.5f}")

        return tell


def runs(asked: Namespace, episodes: Episodes) -> Iterator[tuple[str, Episodes, str]]:
    """Yield each network to be trained, its episodes, and the suffix of its name."""
    counts = [int(one) for one in asked.curve.split(",") if one]
    names = asked.networks.split(",")
    some = {name: episodes.first(min(PLANS[name].episodes, episodes.count)) for name in names}
    for count in counts or [None]:
        for name in names:
            if count is None or count <= some[name].count:
                suffix = "" if count is None else f"-{count}"
                yield name, replace(some[name], limit=count), suffix


def made(asked: Namespace) -> Episodes:
    """Return all episodes, from the cache if they are there."""
    names = [name for name in Tensors._fields if name != "frames"]
    if asked.keep and asked.keep.exists():
        with np.load(asked.keep) as kept:
            parts = range(len(kept) // len(names))
            found = [Tensors(**{name: kept[f"{i}/{name}"] for name in names}) for i in parts]
        return Episodes(tuple(found), ())
    episodes = collect(Generated(asked.episodes, asked.seed), asked.seed, asked.workers)
    if asked.keep:
        parts = enumerate(episodes.parts)
        arrays = {f"{i}/{name}": getattr(one, name) for i, one in parts for name in names}
        unfinished = asked.keep.with_name(f"unfinished-{asked.keep.name}")
        np.savez(unfinished, **arrays)
        unfinished.replace(asked.keep)
    return episodes


def main() -> None:
    """Train the networks that the arguments ask for."""
    asked = arguments()
    asked.out.mkdir(parents=True, exist_ok=True)
    episodes = made(asked)
    say(f"{episodes.count} episodes made")
    device = choose_device(asked.device)
    trainer = Trainer(asked, asked.precision or ("bfloat16" if device == "gpu" else "float32"))
    for name, some, suffix in runs(asked, episodes):
        if since_start() > asked.until:
            say(f"no time is left for {name}{suffix}")
            continue
        try:
            trainer.train(name, some, suffix)
        except Exception as error:  # the other networks are still to be trained
            say(f"{name}{suffix} failed: {type(error).__name__}: {str(error)[:2000]}")
    for one in trainer.raters:
        one.wait()
    say("done")


if __name__ == "__main__":
    main()
