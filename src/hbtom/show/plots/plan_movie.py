"""Plans as a movie: the board after every action, and next to it the probability of each goal.

Each state is shown for :data:`STEP` seconds. Between two plans there is a pause, as between trials.
All pictures have the same size, which fits the largest board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.ticker import MaxNLocator

from hbtom.bench.workers import Progress, counted
from hbtom.errors import BadInput
from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.show.plans.board import Board
from hbtom.show.plans.plan_story import PlanScene
from hbtom.show.plans.plan_values import board_of, plan_name
from hbtom.show.plots.board_drawing import SIZE, Moving, draw_panels, place_tokens
from hbtom.show.plots.cast import BETWEEN
from hbtom.show.plots.encoders import ENCODERS, Film
from hbtom.show.plots.legend import draw_legend, item_entries, legend_rows
from hbtom.show.plots.movie import Pace, choose, runs
from hbtom.show.plots.palette import Photograph, palette
from hbtom.show.plots.pixels import Pixels
from hbtom.show.plots.posteriors import draw_line, probability_axis
from hbtom.show.plots.sheet import INCH, LINE, Column, Sheet, label, styled
from hbtom.show.plots.signs import INK, SOFT, Signs, signs_of_goals
from hbtom.show.words import plain

STEP = 0.8  # seconds for which each state is shown
DOTS = 120  # pixels of a board per inch, so that letters are large enough
SCALE = 4  # the usual size, at which a pixel of a board is a pixel of the picture
# Centimetres
EDGE, CHART, LEFT, BELOW = 0.3, 8.0, 1.0, 0.8
AROUND = 3  # pixels around a board, so that its outer lines are whole
LOWEST = 5.0  # a picture with a chart is at least this high
SAMPLES = 8  # pictures from which the colours are taken


@styled()
def animate_plans(
    judgement: PlanJudgement,
    form: str = "gif",
    *,
    plans: Sequence[int] | None = None,
    beliefs: bool = True,
    pace: Pace | None = None,
    scale: int = SCALE,
    progress: Progress | None = None,
) -> bytes:
    """Return a movie of plans as the bytes of a file; ``form`` is gif or mp4.

    ``plans`` are numbers from 1; the default is all. Unless ``beliefs`` is False, P(goal) is shown
    next to the board. ``scale`` is the size of the pictures, which is usually 4.
    """
    if form not in ENCODERS:
        raise BadInput(f"a movie cannot be written as {form}", hint=f"one of {', '.join(ENCODERS)}")
    pace = pace or Pace()
    scenes = [PlanScene(judgement, one) for one in choose(len(judgement.plans), plans, "plan")]
    boards = [board_of(scene) for scene in scenes]
    known = signs_of_goals(goal for one in judgement.posteriors for goal in one.goals)
    size = _Size.of(boards, beliefs, scale)
    stages = [_Stage.drawn(*one, known, size) for one in zip(scenes, boards, strict=True)]
    paint = palette(list(_samples(stages)), BETWEEN)
    blank = np.zeros((size.pixels[1], size.pixels[0]), dtype=np.uint8)
    times = max(1, round(STEP * pace.fps / pace.speed))
    many = times * sum(stage.states for stage in stages) + pace.pause * (len(stages) - 1)
    pictures = counted(
        _pictures(stages, paint.numbered, times, [blank] * pace.pause), many, progress
    )
    return ENCODERS[form](Film(paint.colours, size.pixels, pace.fps), runs(pictures))


@dataclass(frozen=True)
class _Size:
    """The size of pictures and of the boards in them, in centimetres."""

    board: tuple[float, float]
    beliefs: bool
    dots: float  # per inch

    @classmethod
    def of(cls, boards: Sequence[Board | None], beliefs: bool, scale: int) -> _Size:
        sizes = [board.size for board in boards if board is not None] or [SIZE]
        wide, high = (max(size[axis] for size in sizes) * INCH / DOTS for axis in (0, 1))
        return cls((wide, high), beliefs, DOTS * scale / SCALE)

    @property
    def whole(self) -> tuple[float, float]:
        wide, high = self.board
        high = max(high, LOWEST) if self.beliefs else high
        return wide + 2 * EDGE + (CHART + EDGE) * self.beliefs, high + 2 * EDGE + 2 * LINE

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height; encoders need even numbers."""
        wide, high = (2 * round(length * self.dots / INCH / 2) for length in self.whole)
        return wide, high


@dataclass(frozen=True, eq=False)
class _Stage:
    """The drawing of one plan: fixed parts are drawn once, moving parts for every state."""

    states: int
    canvas: Any  # matplotlib has no types for these
    ground: Any  # the fixed parts
    moving: tuple[Moving, ...]

    @classmethod
    def drawn(cls, scene: PlanScene, board: Board | None, known: Signs, size: _Size) -> _Stage:
        sheet = Sheet(*size.whole)
        sheet.figure.set_dpi(size.dots)
        wide, high = size.pixels
        sheet.figure.set_size_inches((wide + 0.1) / size.dots, (high + 0.1) / size.dots)
        column = Column(sheet, EDGE, EDGE, size.board[0])
        moving = [
            _headings(column, scene),
            *_draw_board(column.below(2 * LINE), scene, board, known),
        ]
        if size.beliefs:
            beside = Column(sheet, 2 * EDGE + size.board[0], EDGE, CHART)
            moving.append(_draw_beliefs(beside, scene, known))
        for one in moving:
            for artist in one.artists:
                artist.set_animated(True)
        canvas: Any = FigureCanvasAgg(sheet.figure)
        canvas.draw()
        ground = canvas.copy_from_bbox(sheet.figure.bbox)
        return cls(len(scene.plan) + 1, canvas, ground, tuple(moving))

    def photograph(self, state: int) -> Photograph:
        """Return a picture of a state."""
        self.canvas.restore_region(self.ground)
        for one in self.moving:
            one.show(state)
            for artist in one.artists:
                self.canvas.figure.draw_artist(artist)
        return np.asarray(self.canvas.buffer_rgba())[..., :3].copy()


def _headings(column: Column, scene: PlanScene) -> Moving:
    """Write the name of a plan, and below it the last action."""
    column.text(0, LINE / 2, plan_name(scene.plan), fontweight="bold")
    text, many = column.text(0, 1.5 * LINE, "", color=INK), len(scene.plan)
    steps = ["before the first action", *(plain(step) for step in scene.plan.steps)]

    def show(state: int) -> None:
        text.set_text(f"{state} of {many}: {steps[state]}")

    return Moving((text,), show)


def _draw_board(
    column: Column, scene: PlanScene, board: Board | None, known: Signs
) -> list[Moving]:
    if board is None:
        column.text(0, LINE, "some actions were not seen: states are unknown", color=SOFT)
        return []
    (wide, high), unit = board.size, INCH / DOTS
    axes = column.axes(
        -AROUND * unit, -AROUND * unit, *(unit * (2 * AROUND + x) for x in board.size)
    )
    axes.set(xlim=(-AROUND, wide + AROUND), ylim=(high + AROUND, -AROUND))
    axes.set_axis_off()
    colours = [sign.colour for sign in map(known.items.get, scene.posterior.goals) if sign]
    draw_panels(axes, board, colours)
    return [place_tokens(axes, board, colours)]


def _draw_beliefs(column: Column, scene: PlanScene, known: Signs) -> Moving:
    """Draw P(goal) up to a state."""
    posterior = scene.posterior
    entries = item_entries(known.items[goal] for goal in posterior.goals)
    below = draw_legend(column, legend_rows(entries, column.width))
    tall = column.sheet.height - below.top - EDGE - BELOW - LINE / 2
    axes: Axes = below.axes(LEFT, LINE / 2, column.width - LEFT, tall)
    for look, belief in zip(posterior.goals, posterior.goal.T, strict=True):
        draw_line(axes, np.arange(len(belief)), belief, known.items[look])
    probability_axis(axes)
    axes.set_xlim(-0.3, len(scene.plan) + 0.3)
    axes.xaxis.set_major_locator(MaxNLocator(10, integer=True))
    label(axes, "step", "P(goal)")
    whole = [(one, np.asarray(one.get_xdata()), np.asarray(one.get_ydata())) for one in axes.lines]
    cursor = axes.axvline(0, color=SOFT, linewidth=0.6)

    def show(state: int) -> None:
        cursor.set_xdata([state, state])
        for line, x, y in whole:
            line.set_data(x[: state + 1], y[: state + 1])

    return Moving((cursor, *(line for line, _, _ in whole)), show)


def _samples(stages: Sequence[_Stage]) -> Iterator[Photograph]:
    """Yield pictures of some states of all plans, which together have all colours."""
    each = max(1, SAMPLES // len(stages))
    for stage in stages:
        for state in np.unique(np.linspace(0, stage.states - 1, each + 1).astype(int)):
            yield stage.photograph(int(state))


def _pictures(
    stages: Sequence[_Stage],
    numbered: Callable[[Photograph], Pixels],
    times: int,
    pause: Sequence[Pixels],
) -> Iterator[Pixels]:
    """Yield every state of all plans as often as it is shown, and pauses in between."""
    for index, stage in enumerate(stages):
        if index > 0:
            yield from pause
        for state in range(stage.states):
            yield from [numbered(stage.photograph(state))] * times
