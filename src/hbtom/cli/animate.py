"""``hbtom animate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from hbtom.bench.scenarios import is_plan
from hbtom.cli.output import tell_notes, warn_of
from hbtom.cli.plan_showing import judge_plan, movie_of_plans
from hbtom.cli.progress import progress
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
    """Write a movie of an episode, or of a plan."""
    target, pace = Path(out), Pace(fps, speed)
    check_target(target, overwrite=overwrite, kinds=KINDS)
    form, how = target.suffix[1:], {"pace": pace, "scale": size}
    if is_plan(episode):
        shown = judge_plan(episode, model)
        movie = movie_of_plans(shown, form, plans=trials, beliefs=beliefs, **how)
    else:
        seen = load(episode, scene)
        tell_notes(seen)
        movie = _episode(judge(seen, model) if beliefs else seen, form, trials, **how)
    write_whole(target, movie)
    click.echo(f"written to {target}, {len(movie) / 1000:.0f} kB")


def _episode(
    shown: Episode | Judgement, form: str, trials: Sequence[int] | None, **how: Any
) -> bytes:
    """Return a movie of an episode, and print warnings about its judgement."""
    with progress("drawing", "pictures") as drawn:
        movie = animate(shown, form, trials=trials, progress=drawn, **how)
    if isinstance(shown, Judgement):
        warn_of(shown)
    return movie
