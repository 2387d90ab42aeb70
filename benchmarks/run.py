"""How fast, as ratios measured in one run: machines differ and are noisy, ratios less so.

    python benchmarks/run.py [EPISODE.json]

Without a file it makes a synthetic episode of about 2 MB, the size of real ones.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import hbtom
from hbtom.bench.synth import encode, episode_pair

ROUNDS = 15


def cost(work: Callable[[], object]) -> float:
    """Return the least CPU time of several rounds, in seconds."""
    spent = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return min(spent)


def start_up(*command: str) -> float:
    """Return the least time that a command takes from start to end, in seconds."""
    spent = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        spent.append(time.perf_counter() - start)
    return min(spent)


def main() -> None:
    """Print a line for each ratio: what, the ratio, and what it should stay below."""
    if len(sys.argv) > 1:
        data = Path(sys.argv[1]).read_bytes()
    else:
        data = encode(episode_pair("preference", np.random.default_rng(0))[0])
    models = {name: hbtom.Model.preset(name) for name in ("default", "paper")}
    decode = cost(lambda: json.loads(data))
    judged = {n: cost(lambda m=m: hbtom.judge(hbtom.read(data), m)) for n, m in models.items()}
    read = cost(lambda: hbtom.read(data))
    numpy = start_up(sys.executable, "-c", "import numpy")
    script = Path(sys.executable).with_name("hbtom")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "hbtom"]
    helped = start_up(*command, "--help")
    print(f"an episode of {len(data) / 1e6:.1f} MB, Python {sys.version.split()[0]}")
    for what, ratio, limit in (
        ("judge (default) / json.loads", judged["default"] / decode, 1.0),
        ("judge (paper) / json.loads", judged["paper"] / decode, 1.0),
        ("read / json.loads", read / decode, 1.0),
        ("judge, default / paper", judged["default"] / judged["paper"], None),
        ("hbtom --help / import numpy", helped / numpy, 1.5),
    ):
        bound = "" if limit is None else f"   (below {limit:g})"
        print(f"{what:32} {ratio:6.2f}{bound}")


if __name__ == "__main__":
    main()
