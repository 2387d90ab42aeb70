"""Draws docs/figures/judgement.png: both episodes of the example pair and the model's beliefs.

python docs/figures/judgement.py
"""

from __future__ import annotations

from pathlib import Path

import hbtom
from hbtom.show.plots import plot
from hbtom.show.plots.sheet import figure_bytes

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def main() -> None:
    """Draw both episodes side by side."""
    judged = [hbtom.judge(EXAMPLES / f"preference_{member}.json.zst") for member in "eu"]
    figure = plot(*judged, width=17)
    (HERE / "judgement.png").write_bytes(figure_bytes(figure, "png", dpi=150))


if __name__ == "__main__":
    main()
