"""``hbtom animate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.cli.progress import progress
from hbtom.cli.say import tell_notes, warn
from hbtom.files import check_target, write_whole
from hbtom.judgement import Judgement, judge
from hbtom.observe import Episode, load
from hbtom.show.plots.movie import Pace, animate

KINDS = (".gif", ".mp4")


def run(
    episode: str,
    out: str,
    model: str,
    overwrite: bool,
    beliefs: bool,
    trials: Sequence[int] | None,
    fps: float,
    speed: float,
    size: int,
    scene: str | None = None,
) -> None:
    """Write a movie of an episode."""
    target, pace = Path(out), Pace(fps, speed)
    check_target(target, overwrite=overwrite, kinds=KINDS)
    seen = load(episode, scene)
    tell_notes(seen)
    shown: Episode | Judgement = judge(seen, model) if beliefs else seen
    with progress("drawing", "pictures") as drawn:
        form = target.suffix[1:]
        movie = animate(shown, form, trials=trials, pace=pace, scale=size, progress=drawn)
    write_whole(target, movie)
    for warning in shown.warnings if isinstance(shown, Judgement) else ():
        warn(episode, warning)
    click.echo(f"written to {target}, {len(movie) / 1000:.0f} kB")
