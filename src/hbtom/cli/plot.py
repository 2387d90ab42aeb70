"""``hbtom plot``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.cli.say import complain, warn
from hbtom.errors import BadInput
from hbtom.files import check_target, write_whole
from hbtom.judgement import judge
from hbtom.model import find_model
from hbtom.show.plots import need_matplotlib, plot

KINDS = (".pdf", ".svg", ".png")


def run(
    files: Sequence[str], out: str, model: str, overwrite: bool, width: float | None, dpi: int
) -> int:
    """Judge one episode or two, and write their figure; return 1 if that is not possible."""
    target = Path(out)
    try:
        check_target(target, overwrite=overwrite, kinds=KINDS)
        need_matplotlib()
        chosen = find_model(model)
        first, second = judge(files[0], chosen), None
        if len(files) > 1:
            second = judge(files[1], chosen, reuse=first)
        figure = plot(first, second, width=width)
        from hbtom.show.plots.sheet import INCH, figure_bytes

        write_whole(target, figure_bytes(figure, target.suffix[1:], dpi=dpi))
    except BadInput as error:
        complain(error)
        return 1
    for judgement in (first, second) if second is not None else (first,):
        for warning in judgement.warnings:
            warn(judgement.episode.name, warning)
    across, down = figure.get_size_inches() * INCH
    click.echo(f"written to {target}, {across:.1f} x {down:.1f} cm")
    return 0
