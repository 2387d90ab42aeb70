"""Train all networks on the same episodes, within a given time.

``python benchmarks/train_all.py OUT --minutes 9`` makes the background tasks once, in all
processes, and writes OUT/<network>.safetensors as soon as each network is trained. It may be
stopped at any time: what is finished stays. ``--curve 100,1000,10000`` then trains the networks
again, on so many of the same episodes, and writes OUT/<network>-<episodes>.safetensors.
"""

from __future__ import annotations

import shlex
import sys
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hbtom.neural.batching import Generated
from hbtom.neural.device import choose_device
from hbtom.neural.feeding import Episodes, collect
from hbtom.neural.recipes import PLANS, QUICK

SHARES = {"bc-mlp": 0.12, "bc-rnn": 0.2, "set-transformer": 0.35, "video-rnn": 0.33}  # of the time
ENCODER = 0.08  # of the time
START = time.monotonic()


def say(text: str) -> None:
    """Print a line with the time since the start."""
    print(f"{time.monotonic() - START:7.1f} s  {text}", flush=True)


def arguments() -> Namespace:
    """Return what was asked."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--networks", default=",".join(SHARES))
    parser.add_argument("--episodes", type=int, default=28_000)
    parser.add_argument("--minutes", type=float, default=9.0, help="for training, in all")
    parser.add_argument("--curve", default="", help="numbers of episodes, with commas")
    parser.add_argument("--curve-minutes", type=float, default=0.5, help="for each training")
    parser.add_argument("--quick", action="store_true", help="small batches and few steps")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--device", choices=("cpu", "gpu"))
    parser.add_argument("--precision", choices=("float32", "bfloat16"))
    return parser.parse_args()


class Trainer:
    """Trains networks that share an encoder and what it sees."""

    def __init__(self, asked: Namespace, precision: str) -> None:
        self.asked, self.precision = asked, precision
        self.episodes: Episodes | None = None  # what the encoder was trained on
        self.encoder: Any = None  # where its training ended
        self.states: Any = None  # what it sees in these episodes

    def train(self, name: str, episodes: Episodes, seconds: float, suffix: str = "") -> None:
        """Train one network and write its weights."""
        from hbtom.neural.running import Run, run_training
        from hbtom.neural.training import Job, device_data, with_encoder

        job = Job(name, self.plan(name, seconds), self.asked.seed, self.precision)
        moment, data = None, None
        if job.plan.encoder is not None:
            if self.episodes is not episodes:
                self.states, self.encoder = None, self.train_encoder(job, episodes)
            moment = with_encoder(job, self.encoder)
            if self.states is None:
                self.states = device_data(job, episodes, moment.frozen)
                self.episodes = episodes
                say("pictures are encoded")
            data = self.states
        out = self.asked.out / f"{name}{suffix}.safetensors"
        run = Run(job, out, "generated background tasks", shlex.join(["python", *sys.argv]))
        card = run_training(run, episodes, self.watch(name), moment, data)
        told = "validation_loss_before", "validation_loss", "steps", "seconds", "episodes"
        say(f"{out.name}: " + ", ".join(f"{one} {card[one]:.6g}" for one in told))

    def train_encoder(self, job: Any, episodes: Episodes) -> Any:
        """Train the encoder and return where that ended."""
        from hbtom.neural.training import train_encoder

        tell = self.watch("encoder")
        for moment in train_encoder(job, episodes):
            tell(moment)
        say(f"encoder: {moment.step} steps, loss {moment.loss:.4f}")
        return moment

    def plan(self, name: str, seconds: float) -> Any:
        """Return a plan that takes so long."""
        plan = (QUICK if self.asked.quick else PLANS)[name]
        if plan.encoder is not None:
            within = min(seconds, ENCODER * 60 * self.asked.minutes)
            plan = replace(plan, encoder=replace(plan.encoder, seconds=within))
        return replace(plan, network=replace(plan.network, seconds=seconds))

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


def runs(asked: Namespace, episodes: Episodes) -> Iterator[tuple[str, Episodes, float, str]]:
    """Yield each network to be trained, on what, for how many seconds, and how it is called."""
    names = asked.networks.split(",")
    whole = sum(SHARES[name] for name in names) + ENCODER
    for name in names:
        few = min(PLANS[name].episodes, episodes.count)
        some = episodes if few == episodes.count else episodes.first(few)
        yield name, some, 60 * asked.minutes * SHARES[name] / whole, ""
    for count in [int(one) for one in asked.curve.split(",") if one]:
        some = episodes.first(count)
        for name in names:
            yield name, some, 60 * asked.curve_minutes, f"-{count}"


def main() -> None:
    """Do what was asked."""
    asked = arguments()
    asked.out.mkdir(parents=True, exist_ok=True)
    source = Generated(asked.episodes, asked.seed)
    episodes = collect(source, asked.seed, asked.workers)
    say(f"{episodes.count} episodes made")
    device = choose_device(asked.device)
    trainer = Trainer(asked, asked.precision or ("bfloat16" if device == "gpu" else "float32"))
    for name, some, seconds, suffix in runs(asked, episodes):
        try:
            trainer.train(name, some, seconds, suffix)
        except Exception as error:  # the other networks are still to be trained
            say(f"{name}{suffix} failed: {type(error).__name__}: {str(error)[:2000]}")


if __name__ == "__main__":
    main()
