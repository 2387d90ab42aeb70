"""``hbtom animate``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.cli.progress import progress
from hbtom.cli.say import complain, warn
from hbtom.errors import BadInput
from hbtom.files import check_target, write_whole
from hbtom.judgement import Judgement, judge
from hbtom.observe import Episode, load
from hbtom.show.plots.movie import Pace, animate

KINDS = (".gif", ".mp4")


def run(
    file: str,
    out: str,
    model: str,
    overwrite: bool,
    beliefs: bool,
    trials: Sequence[int] | None,
    fps: float,
    speed: float,
    size: int,
) -> int:
    """Write a movie of an episode; return 1 if that is not possible."""
    target = Path(out)
    try:
        check_target(target, overwrite=overwrite, kinds=KINDS)
        shown: Episode | Judgement = judge(file, model) if beliefs else load(file)
        with progress("drawing", "pictures") as drawn:
            movie = animate(
                shown,
                target.suffix[1:],
                trials=trials,
                pace=Pace(fps, speed),
                scale=size,
                progress=drawn,
            )
        write_whole(target, movie)
    except BadInput as error:
        complain(error)
        return 1
    for warning in shown.warnings if isinstance(shown, Judgement) else ():
        warn(file, warning)
    click.echo(f"written to {target}, {len(movie) / 1000:.0f} kB")
    return 0
