"""Trained networks as raters: an episode is as plausible as its most unexpected step.

The rating is minus the largest error over the steps of the test trial: the error of the expected
action or, for Video-RNN, of the expected picture.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import ClassVar

from hbtom.bench.checked_rater import AnyRater, CheckedRater, find_rater
from hbtom.bench.rater import Rating
from hbtom.bench.results import Columns
from hbtom.bench.workers import Start
from hbtom.neural.nets import NETWORKS
from hbtom.neural.trained import Reaction, States, react, read_trained, shipped
from hbtom.observe import Episode

FILES = ".safetensors", ".pt", ".pth", ".bin", ".ckpt", ".onnx", ".pkl", ".pickle", ".npz"
_ACTIONS = "taken_x", "taken_y", "expected_x", "expected_y"


class NetworkRater:
    """A network whose weights are in a file, which other processes read again.

    Processes are spawned, because a forked process would have as many threads as this one.
    """

    start: ClassVar[Start] = "spawn"

    def __init__(self, file: str | os.PathLike[str]) -> None:
        self.file = Path(file).absolute()
        self.trained = read_trained(self.file)
        self.name, self.fingerprint = self.trained.network.name, self.trained.fingerprint
        own = "frame", "mean_error", *(() if self.sees_pictures else _ACTIONS)
        self.columns: Columns = {**dict.fromkeys(own, float), "frame": int}

    def __reduce__(self) -> tuple[type[NetworkRater], tuple[Path]]:
        return NetworkRater, (self.file,)

    @property
    def sees_pictures(self) -> bool:
        """Whether it predicts pictures rather than actions."""
        return self.trained.network.sees == "pictures"

    def rate(self, expected: Episode, unexpected: Episode) -> tuple[Rating, Rating]:
        """Rate both episodes of a pair; trials that they share are encoded once."""
        known: States = {}
        return self._rated(expected, known), self._rated(unexpected, known)

    def rate_one(self, episode: Episode) -> Rating:
        """Rate an episode by its most unexpected step."""
        return self._rated(episode, {})

    def _rated(self, episode: Episode, known: States) -> Rating:
        found = react(self.trained, episode, expect=not self.sees_pictures, known=known)
        step = self._steps(found)[found.worst]
        own = {name: step[name] for name in self.columns if name in step}
        return Rating(-step["error"], {**own, "mean_error": float(found.errors.mean())})

    def trace(self, episode: Episode) -> list[dict[str, float]]:
        """Return the observed and the expected action, and the error, of each test step."""
        return self._steps(react(self.trained, episode, expect=not self.sees_pictures))

    def react(self, episode: Episode) -> Reaction:
        """Return the network's reaction to an episode."""
        return react(self.trained, episode)

    def _steps(self, found: Reaction) -> list[dict[str, float]]:
        """Return the frame, counted from 1, the error, and both actions of each step."""
        steps = []
        for number, error in enumerate(found.errors.tolist()):
            step = {"frame": int(found.frames[number]) + 1, "error": error}
            if found.expected is not None:
                actions = (*found.taken[number].tolist(), *found.expected[number].tolist())
                step |= dict(zip(_ACTIONS, actions, strict=True))
            steps.append(step)
        return steps


def network_rater(name: str) -> NetworkRater:
    """Return a network by its name, with the weights shipped with hbtom, or by its file."""
    return NetworkRater(shipped(name) if name in NETWORKS else name)


def chosen_rater(name: str) -> AnyRater:
    """Return a rater by name: a network, a file, or ``module:object``."""
    if name in NETWORKS:
        origin = f"{__name__}:{name.replace('-', '_')}"
        return CheckedRater(network_rater(name), origin)
    if name.endswith(FILES):
        return CheckedRater(network_rater(name))
    return find_rater(name)


# Other processes find the networks shipped with hbtom by these names.
bc_mlp, bc_rnn, video_rnn, set_transformer = (partial(network_rater, name) for name in NETWORKS)
