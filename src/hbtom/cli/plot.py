"""``hbtom plot``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.cli.say import warn_of
from hbtom.files import check_target, write_whole
from hbtom.judgement import judge
from hbtom.model import find_model
from hbtom.show.plots import need_matplotlib, plot

KINDS = (".pdf", ".svg", ".png")


def run(
    files: Sequence[str], out: str, model: str, overwrite: bool, width: float | None, dpi: int
) -> None:
    """Judge one episode or two, and write their figure."""
    target = Path(out)
    check_target(target, overwrite=overwrite, kinds=KINDS)
    need_matplotlib()
    from hbtom.show.plots.sheet import INCH, figure_bytes

    chosen = find_model(model)
    judgements = [judge(files[0], chosen)]
    judgements += [judge(file, chosen, reuse=judgements[0]) for file in files[1:]]
    figure = plot(*judgements, width=width)
    write_whole(target, figure_bytes(figure, target.suffix[1:], dpi=dpi))
    warn_of(*judgements)
    across, down = figure.get_size_inches() * INCH
    click.echo(f"written to {target}, {across:.1f} x {down:.1f} cm")
