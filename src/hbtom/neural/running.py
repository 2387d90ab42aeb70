"""A training run: its options, its checkpoints, and the card of the resulting weights."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from hbtom import __version__
from hbtom.errors import BadInput
from hbtom.neural.nets.batch import Batch
from hbtom.neural.operations import Array
from hbtom.neural.optimise import State
from hbtom.neural.recipes import asked
from hbtom.neural.training import TrainingJob, TrainingState, train
from hbtom.neural.training_data import Episodes
from hbtom.neural.weights_file import Card, check_begun, checkpoint_of, read_weights, write_weights

OFTEN = 30.0  # seconds between two checkpoints
_STATE = "weights", "mean", "first", "second"

Tell = Callable[[TrainingState], None]


@dataclass(frozen=True)
class TrainingRun:
    """One network to be trained, its data, and the file for its weights."""

    job: TrainingJob
    out: Path
    data: str  # what it learns from, in words
    command: str = ""

    @property
    def checkpoint(self) -> Path:
        """The file for unfinished work."""
        return checkpoint_of(self.out)

    def asked(self) -> Card:
        """Return everything that determines the weights."""
        one = self.job
        return asked(one.name, one.plan, one.seed, self.data) | {"precision": one.precision}


def run_training(
    run: TrainingRun,
    episodes: Episodes,
    tell: Tell,
    moment: TrainingState | None = None,
    data: Batch | None = None,
    check: Callable[[], None] = lambda: None,
) -> Card:
    """Train a network, keep checkpoints, write its weights, and return their card.

    ``check`` is called before the weights are written; if either fails, a checkpoint is left.
    """
    began = saved = time.monotonic()
    now = None
    try:
        for now in train(run.job, episodes, moment, data):
            tell(now)
            if time.monotonic() - saved >= OFTEN:
                save_checkpoint(run, episodes, now)
                saved = time.monotonic()
    except KeyboardInterrupt:
        if now is not None:
            save_checkpoint(run, episodes, now)
        raise
    assert now is not None
    card = finished(run, episodes, now) | {"seconds": round(time.monotonic() - began, 1)}
    try:
        check()
        write_weights(run.out, now.weights(), card)
    except BadInput:
        save_checkpoint(run, episodes, now)
        raise
    run.checkpoint.unlink(missing_ok=True)
    return card


def finished(run: TrainingRun, episodes: Episodes, moment: TrainingState) -> Card:
    """Return the card of trained weights."""
    before, after = moment.validation or (float("nan"), float("nan"))
    return run.asked() | {
        "hbtom": __version__,
        "command": run.command,
        "date": datetime.now(UTC).date().isoformat(),
        "hardware": hardware(),
        "jax": jax.__version__,
        "episodes": episodes.shown,
        "held_out": episodes.held_out,
        "left_out": len(episodes.left_out),
        "steps": moment.step,
        "training_loss": moment.loss,
        "validation_loss_before": before,
        "validation_loss": after,
    }


def hardware() -> str:
    """Return a description of the hardware."""
    device = jax.devices()[0]
    return f"{device.device_kind}, {platform.machine()}, {os.cpu_count()} cores"


def save_checkpoint(run: TrainingRun, episodes: Episodes, moment: TrainingState) -> None:
    """Write everything needed to continue."""
    arrays: dict[str, Array] = {f"frozen/{name}": one for name, one in moment.frozen.items()}
    for part in _STATE:
        arrays |= {f"{part}/{name}": one for name, one in getattr(moment.state, part).items()}
    card = {"asked": run.asked(), "stage": moment.stage, "step": moment.step, "loss": moment.loss}
    card |= {"steps": int(moment.state.steps), "digest": episodes.digest}
    write_weights(run.checkpoint, arrays, card)


def load_checkpoint(run: TrainingRun, episodes: Episodes) -> TrainingState | None:
    """Return where an earlier run on the same episodes stopped, or None if there was none."""
    if not run.checkpoint.exists():
        return None
    arrays, card = read_weights(run.checkpoint)
    check_begun(run.checkpoint, card, run.asked())
    if card.get("digest", episodes.digest) != episodes.digest:
        hint = "train on the same files again, or remove this file to start over"
        raise BadInput(
            "this training was begun with other episodes", hint=hint, file=run.checkpoint
        )

    def part(name: str) -> dict[str, Any]:
        found = {key.partition("/")[::2]: one for key, one in arrays.items()}
        return {rest: one for (first, rest), one in found.items() if first == name}

    parts = {name: {n: jnp.asarray(one) for n, one in part(name).items()} for name in _STATE}
    done, steps = (jnp.asarray(card[name], jnp.int32) for name in ("step", "steps"))
    state = State(done, steps, **parts)
    return TrainingState(card["stage"], state, part("frozen"), card["loss"])
