"""How the cost of judging grows: with frames, cells, goals and trials.

An empty room with walls around it, an agent that walks to one of several objects, again and again.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace

import numpy as np
from msgspec.structs import replace as changed

from hbtom import Episode, Model, Trial, judge
from hbtom.compiled import start_compiler
from hbtom.observe import Body, Identity

ROUNDS = 7  # at least
LONG = 0.5  # seconds; rounds are added until then, since others use the machine, too
SIZE = 200.0


def room(goals: int, frames: int) -> Trial:
    """Return a trial in which the agent walks from a corner to the first of several objects."""
    turns = np.linspace(0.0, math.pi / 2, goals) if goals > 1 else [math.pi / 4]
    places = [(30 + 130 * math.cos(turn), 30 + 130 * math.sin(turn)) for turn in turns]
    objects = tuple(Body(Identity(f"{n}.png"), place, 8.0) for n, place in enumerate(places))
    walls = [[0, 0, SIZE, 20], [0, 0, 20, SIZE], [180, 0, 20, SIZE], [0, 180, SIZE, 20]]
    path = np.linspace((30.0, 30.0), places[0], frames)
    return Trial(
        size=(SIZE, SIZE),
        walls=np.array(walls, dtype=float),
        barrier=np.empty((0, 4)),
        objects=objects,
        agent=Body(Identity("agent.png"), (30.0, 30.0), 8.0),
        path=path,
        barrier_left=np.zeros(frames),
    )


def episode(goals: int = 2, frames: int = 100, trials: int = 9) -> Episode:
    return Episode((room(goals, frames),) * trials)


def cost(seen: Episode, model: Model) -> float:
    """Return the shortest CPU time of judging an episode from scratch, in seconds."""
    times = list[float]()
    while len(times) < ROUNDS or sum(times) < LONG:
        anew = Episode(tuple(replace(trial) for trial in seen))  # nothing remembered
        start = time.process_time()
        judge(anew, model)
        times.append(time.process_time() - start)
    return min(times)


def growth() -> str:
    """Return a table in Markdown: cost relative to a plain episode, by what is made larger."""
    start_compiler()
    rows = ["| judging costs, relative to 9 trials of 100 frames with 2 goals | default | paper |"]
    rows.append("|---|---:|---:|")
    default, paper = Model.preset("default"), Model.preset("paper")
    base = {model.name: cost(episode(), model) for model in (default, paper)}

    def row(what: str, seen: Episode, *models: Model) -> None:
        ratios = (f"{cost(seen, model) / base[model.name]:.2f}" for model in models)
        rows.append(f"| {what} | {' | '.join(ratios)} |")

    for frames in (25, 400, 1600):
        row(f"{frames} frames", episode(frames=frames), default, paper)
    for goals in (1, 4, 8):
        row(f"{goals} goals", episode(goals=goals), default, paper)
    for trials in (3, 18, 36):
        row(f"{trials} trials", episode(trials=trials), default, paper)
    for shrink in (2.0, 0.5):
        finer = [
            changed(m, motion=changed(m.motion, cell=m.motion.cell * shrink))
            for m in (default, paper)
        ]
        row(f"cells {1 / shrink:g} times as fine", episode(), *finer)
    return "\n".join(rows)
