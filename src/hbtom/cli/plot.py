"""``hbtom plot``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from hbtom.cli.output import tell_notes, warn_of
from hbtom.files import check_target, write_whole
from hbtom.judgement import judge
from hbtom.model import find_model
from hbtom.observe import load
from hbtom.show.plots import need_matplotlib, plot

KINDS = (".pdf", ".svg", ".png")


def run(
    files: Sequence[str],
    out: str,
    model: str,
    overwrite: bool,
    width: float | None,
    dpi: int,
    scene: str | None = None,
) -> None:
    """Judge one episode or two, and write their figure."""
    target = Path(out)
    check_target(target, overwrite=overwrite, kinds=KINDS)
    need_matplotlib()
    from hbtom.show.plots.sheet import INCH, figure_bytes

    chosen = find_model(model)
    shown = [load(file, scene) for file in files]
    tell_notes(*shown)
    judgements = [judge(shown[0], chosen)]
    judgements += [judge(one, chosen, reuse=judgements[0]) for one in shown[1:]]
    figure = plot(*judgements, width=width)
    write_whole(target, figure_bytes(figure, target.suffix[1:], dpi=dpi))
    warn_of(*judgements)
    across, down = figure.get_size_inches() * INCH
    click.echo(f"written to {target}, {across:.1f} x {down:.1f} cm")
