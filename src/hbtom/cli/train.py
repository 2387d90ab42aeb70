"""``hbtom train``."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hbtom.cli.output import tell_files
from hbtom.cli.progress import progress
from hbtom.errors import BadInput, count, needed
from hbtom.files import replacing
from hbtom.neural.batching import Generated
from hbtom.neural.device import Device, choose_device
from hbtom.neural.recipes import PLANS, QUICK, TrainingPlan, asked
from hbtom.neural.training_data import collect
from hbtom.neural.weights_file import check_begun, checkpoint_of, read_weights

if TYPE_CHECKING:
    from hbtom.neural.training import TrainingState

OFTEN = 30.0  # seconds between two lines of progress, without a terminal


def run(
    network: str,
    data: str | None,
    out: str | None,
    overwrite: bool,
    episodes: int | None,
    steps: int | None,
    seed: int,
    quick: bool,
    device: Device | None,
    precision: str | None,
    resume: bool,
    workers: int | None,
) -> None:
    """Train a network."""
    target = Path(out or f"{network}.safetensors")
    with replacing(target, overwrite=overwrite, kinds=(".safetensors",)) as check:
        left = checkpoint_of(target)
        if left.exists() and not (resume or overwrite):
            hint = "use --resume to continue it, or --overwrite to start over"
            raise BadInput("an interrupted run has left this file", hint=hint, file=left)
        with needed("safetensors", "train"):
            import safetensors  # noqa: F401
        plan = _plan(network, quick, episodes, steps)
        words = "generated background tasks" if data is None else str(data)
        if resume and left.exists():  # report other options before episodes are generated
            check_begun(left, read_weights(left)[1], asked(network, plan, seed, words))
        source = Generated(plan.episodes, seed) if data is None else data
        # Start processes before JAX, which has threads.
        label = "making episodes" if data is None else "reading episodes"
        with progress(label, "episodes", lines=OFTEN) as made:
            seen = collect(source, seed, workers, made)
        tell_files(seen.left_out)
        chosen = choose_device(device)
        from hbtom.neural.running import TrainingRun, load_checkpoint, run_training
        from hbtom.neural.training import TrainingJob

        job = TrainingJob(
            network, plan, seed, precision or ("bfloat16" if chosen == "gpu" else "float32")
        )
        task = TrainingRun(job, target, words, shlex.join(["hbtom", *sys.argv[1:]]))
        with progress(f"training {network}", "steps", lines=OFTEN) as update:

            def tell(moment: TrainingState) -> None:
                done, total = plan.progress(moment.stage, moment.step)
                update(done, total, f"{moment.stage} loss {moment.loss:.4g}")

            card = run_training(
                task, seen, tell, load_checkpoint(task, seen) if resume else None, check=check
            )
    before, after = card["validation_loss_before"], card["validation_loss"]
    click.echo(
        f"{target}: {network}, {count(seen.count, 'episode')}, {card['seconds']:.0f} s on "
        f"{card['hardware']}\n"
        f"loss on {seen.held_out} of them, held out: {before:.4g} before, {after:.4g} after"
    )


def _plan(network: str, quick: bool, episodes: int | None, steps: int | None) -> TrainingPlan:
    plan = (QUICK if quick else PLANS)[network]
    if steps is not None:
        encoder = plan.encoder and replace(plan.encoder, steps=min(steps, plan.encoder.steps))
        plan = replace(plan, network=replace(plan.network, steps=steps), encoder=encoder)
    return replace(plan, episodes=episodes or plan.episodes)
