"""Trained networks: reading their weights, and their reactions to episodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import numpy as np

from hbtom.arrays import Ints
from hbtom.errors import BadInput
from hbtom.neural.drawing import draw
from hbtom.neural.inputs import see_pictures, see_steps, see_things
from hbtom.neural.nets import NETWORKS, Network
from hbtom.neural.nets.batch import Batch
from hbtom.neural.nets.encoder import STATE, encode
from hbtom.neural.operations import Array
from hbtom.neural.operations_numpy import Numpy
from hbtom.neural.tensors import Numbers, Pictures, Tensors, stacked, step_frames, to_tensors
from hbtom.neural.weights_file import Card, read_weights
from hbtom.observe import Episode, Trial

States = dict[Trial, Numbers]  # the encoded pictures of each trial, by its identity
LARGEST = 1e6  # of weights; those of the networks shipped with hbtom are below 5
SHIPPED = Path(__file__).parent / "weights"
_NUMPY = Numpy()


@dataclass(frozen=True, eq=False)
class Trained:
    """A network with its weights, and their card."""

    network: Network
    weights: Mapping[str, Array]
    card: Card
    fingerprint: str  # of network and weights


@dataclass(frozen=True, eq=False)
class Reaction:
    """A network's reaction to the steps of a test trial."""

    frames: Annotated[Ints, "step"]  # at which steps begin, counted from 0
    errors: Annotated[Numbers, "step"]
    taken: Annotated[Numbers, "step 2"]  # actions
    expected: Annotated[Numbers, "step ..."] | None  # actions, or pictures from 0 to 1
    seen: Tensors  # of the episode

    @property
    def worst(self) -> int:
        """The most unexpected step."""
        return int(self.errors.argmax())

    def pictures(self) -> Annotated[Pictures, "2 84 84 3"]:
        """Return the pictures before and after the most unexpected step."""
        return draw(self.seen.things[:, -1], self.seen.places[:, -1, self.worst : self.worst + 2])[
            0
        ]


def read_trained(path: Path) -> Trained:
    """Read weights; refuse those that do not fit the network that their card names."""
    weights, card = read_weights(path)
    name = card.get("network")
    if not isinstance(name, str) or name not in NETWORKS:
        hint = f"there are {', '.join(NETWORKS)}"
        raise BadInput(
            f"there is no network {name!r:.30} to give these weights to", hint=hint, file=path
        )
    network = NETWORKS[name]
    again = f"train it again: hbtom train {name}"
    if card.get("version") != network.version:
        problem = f"these weights are for version {card.get('version')!r:.30} of {name}"
        raise BadInput(f"{problem}, but this is version {network.version}", hint=again, file=path)
    fits = {key: one.shape for key, one in network.init(0).items()}
    if {key: one.shape for key, one in weights.items()} != fits:
        raise BadInput(f"these weights do not fit the network {name}", hint=again, file=path)
    if not all(one.dtype.kind == "f" and (abs(one) <= LARGEST).all() for one in weights.values()):
        problem = f"some of these weights are not finite numbers of at most {LARGEST:g}"
        raise BadInput(problem, hint=again, file=path)
    return Trained(network, weights, card, _fingerprint(network, weights))


def _fingerprint(network: Network, weights: Mapping[str, Array]) -> str:
    """Return a text that changes whenever a network's predictions may."""
    digest = sha256(f"{network.name} {network.version}".encode())
    for key in sorted(weights):
        digest.update(key.encode() + np.ascontiguousarray(weights[key]).tobytes())
    return digest.hexdigest()[:12]


def shipped(name: str) -> Path:
    """Return the file of weights shipped with hbtom."""
    path = SHIPPED / f"{name}.safetensors"
    if not path.is_file():
        hint = f"train it: hbtom train {name} --out weights.safetensors"
        raise BadInput(f"no weights of {name} come with hbtom", hint=hint)
    return path


@np.errstate(over="ignore", invalid="ignore")  # the result is checked
def react(
    trained: Trained, episode: Episode, *, expect: bool = True, known: States | None = None
) -> Reaction:
    """Show an episode to a network; the trials before the last one are its context.

    Without ``expect``, only the errors are computed. ``known`` holds trials that were encoded
    before, because the two episodes of a pair share most trials; new ones are added to it.
    """
    if len(episode) < 2:
        hint = "networks learn about an agent from the trials before the last"
        raise BadInput("the episode has a single trial", hint=hint, file=episode.name)
    network, seen = trained.network, stacked([to_tensors(episode)])
    batch = _given(trained, episode, seen, {} if known is None else known)
    steps = int(seen.steps[0, -1])
    errors = network.errors(_NUMPY, trained.weights, batch)[0, :steps]
    expected = network.predict(_NUMPY, trained.weights, batch)[0, :steps] if expect else None
    if not (np.isfinite(errors).all() and (expected is None or np.isfinite(expected).all())):
        problem = (
            f"the weights of the network {network.name} are so large that its numbers overflow"
        )
        raise BadInput(
            problem, hint=f"train it again: hbtom train {network.name}", file=episode.name
        )
    frames = step_frames(len(episode.test.path))[:steps]
    return Reaction(frames, errors, seen.actions[0, -1, :steps], expected, seen)


def _given(trained: Trained, episode: Episode, seen: Tensors, known: States) -> Batch:
    """Return the input of a network for an episode."""
    if trained.network.sees == "states":
        return {**see_steps(seen), "states": _states(trained, episode, seen, known)}
    return see_pictures(seen) if trained.network.sees == "pictures" else see_things(seen)


def _states(
    trained: Trained, episode: Episode, seen: Tensors, known: States
) -> Annotated[Numbers, "1 trial step 128"]:
    """Encode each trial separately, so that the result does not depend on other trials."""
    states = np.zeros((*seen.actions.shape[:3], STATE), dtype=np.float32)
    for number, trial in enumerate(episode):
        steps = int(seen.steps[0, number])
        if trial not in known:
            places = seen.places[:, number, :steps]
            pictures = draw(seen.things[:, number], places)[0]
            known[trial] = encode(_NUMPY, trained.weights, pictures)
        states[0, number, :steps] = known[trial]
    return states
