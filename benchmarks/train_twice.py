"""Train each network three times with one seed, and compare the weights bit for bit.

The third training is interrupted halfway, and another process continues it. All trainings run at
the same time in processes of their own. ``python benchmarks/train_twice.py OUT`` prints a hash of
each network's weights, and fails if any two differ.
"""

from __future__ import annotations

import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from hbtom.neural.batching import Generated
from hbtom.neural.device import choose_device
from hbtom.neural.recipes import PLANS
from hbtom.neural.training_data import collect
from hbtom.neural.weights_file import read_weights

SHARE = ".07"  # of the GPU's memory for each process: the choice of operations may depend on it
TIMES = "first", "second", "resumed"


def arguments() -> Namespace:
    """Return the parsed arguments."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--networks", default=",".join(PLANS))
    parser.add_argument("--episodes", type=int, default=280)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--batch", type=int, help="episodes in a batch, if not as many as usual")
    parser.add_argument("--device", choices=("cpu", "gpu"))
    parser.add_argument("--only", choices=TIMES, help="what a single process is to do")
    return parser.parse_args()


def train(asked: Namespace) -> None:
    """Train one network; to test resuming, stop halfway, or continue from there."""
    episodes = collect(Generated(asked.episodes), seed=0, workers=1)
    device = choose_device(asked.device)
    from hbtom.neural.running import TrainingRun, load_checkpoint, run_training
    from hbtom.neural.training import TrainingJob

    name = asked.networks
    plan = PLANS[name]
    steps = replace(plan.network, steps=asked.steps, batch=asked.batch or plan.network.batch)
    encoder = plan.encoder and replace(plan.encoder, steps=asked.steps)
    job = TrainingJob(name, replace(plan, network=steps, encoder=encoder))
    job = replace(job, precision="bfloat16" if device == "gpu" else "float32")
    run = TrainingRun(
        job, asked.out / f"{name}-{asked.only}.safetensors", "generated background tasks"
    )
    moment = load_checkpoint(run, episodes)

    def tell(now: Any) -> None:
        halfway = now.stage == "network" and now.step >= asked.steps // 2
        if asked.only == "resumed" and moment is None and halfway:
            raise KeyboardInterrupt

    run_training(run, episodes, tell, moment)


def start(asked: Namespace, name: str, which: str) -> subprocess.Popen[bytes]:
    """Start a process that trains one network."""
    given = vars(asked) | {"networks": name, "only": which}
    options = [f"--{key}={one}" for key, one in given.items() if key != "out" and one is not None]
    words = [sys.executable, __file__, str(asked.out), *options]
    env = {"XLA_PYTHON_CLIENT_MEM_FRACTION": SHARE, **os.environ}
    with (asked.out / f"{name}-{which}.log").open("ab") as log:
        return subprocess.Popen(words, stdout=log, stderr=log, env=env)


def hashed(file: Path) -> str:
    """Return a hash of all weights in a file."""
    weights, found = read_weights(file)[0], sha256()
    for name in sorted(weights):
        found.update(name.encode() + np.ascontiguousarray(weights[name]).tobytes())
    return found.hexdigest()[:16]


def main() -> None:
    """Train all networks and compare their weights."""
    asked = arguments()
    asked.out.mkdir(parents=True, exist_ok=True)
    if asked.only:
        return train(asked)
    names = asked.networks.split(",")
    running = {(name, which): start(asked, name, which) for which in TIMES for name in names}
    for name in names:
        running[name, "resumed"].wait()
        running[name, "resumed"] = start(asked, name, "resumed")
    for one in running.values():
        one.wait()
    failed = False
    for name in names:
        files = [asked.out / f"{name}-{which}.safetensors" for which in TIMES]
        hashes = [hashed(file) if file.exists() else "nothing" for file in files]
        same = len(set(hashes)) == 1 and "nothing" not in hashes
        failed |= not same
        print(f"{name}: {'the same' if same else 'DIFFERENT'}: {', '.join(hashes)}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
