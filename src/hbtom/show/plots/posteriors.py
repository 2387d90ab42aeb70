"""Beliefs during a trial, and from trial to trial: one function per panel.

Frames count from 1, as in all output for people. A belief holds from the frame at which its step
is complete until the next step is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Annotated, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.ticker import MaxNLocator

from hbtom.arrays import Floats, Ints
from hbtom.judgement.surprises import shift
from hbtom.mind import Posterior
from hbtom.observe import Identity
from hbtom.show.company_beliefs import PlacedGoal, aims, asks_where
from hbtom.show.plots.sheet import LINE, SMALL, How, grid, label, size_of, text_width, title
from hbtom.show.plots.signs import HAIR, HEAT, INK, SOFT, Sign, Signs
from hbtom.show.terminal import two

LINES = ("-", (0, (4, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.2, 1.2, 1.2)))  # distinct in grey
SHADES = LinearSegmentedColormap.from_list("hbtom", ["#FFFFFF", HEAT])
_STILL = 6  # frames shown before the first step and after the last


@dataclass(frozen=True)
class Scales:
    """The scales that comparable panels share."""

    efficiency: float  # the largest probability of an efficiency
    surprise: tuple[float, float]  # from the least to the most surprising step, including zero


def scales(posteriors: Sequence[Posterior]) -> Scales:
    """Return scales that fit all of these posteriors."""
    steps = np.concatenate([[0.0, 0.1], *(-posterior.log_likelihood for posterior in posteriors)])
    steps = steps[np.isfinite(steps)]
    top = max(float(posterior.efficiency.max()) for posterior in posteriors)
    return Scales(min(1.0, np.ceil(10 * top - 1e-6) / 10), (float(steps.min()), float(steps.max())))


def draw_goal(axes: Axes, posterior: Posterior, signs: Signs) -> None:
    """Draw P(goal) over the frames of a trial."""
    draw_goal_lines(axes, posterior, signs, _ends(posterior))
    belief = posterior.aims.sum(axis=2)
    _mark_shift(axes, posterior, belief)
    title(axes, "goal and place" if asks_where(posterior) else "goal", _shifted(belief))


def draw_goal_lines(
    axes: Axes, posterior: Posterior, signs: Signs, ends: tuple[float, float]
) -> None:
    """Draw P(goal), or P(goal, place), from one frame of a trial to another."""
    _time_axis(axes, ends)
    for aim in aims(posterior):
        draw_belief(axes, posterior, aim.chance, aim_sign(posterior, aim, signs), ends[1])
    probability_axis(axes)
    label(axes, y="probability")


def aim_sign(posterior: Posterior, aim: PlacedGoal, signs: Signs) -> Sign:
    """Return the sign of a goal; if it may be in several places, their lines differ."""
    sign = signs.items[posterior.goals[aim.goal]]
    return replace(sign, name=f"{sign.name} {aim.where}".strip(), number=sign.number + aim.place)


def draw_belief(
    axes: Axes, posterior: Posterior, belief: Annotated[Floats, "1+step"], sign: Sign, end: float
) -> None:
    """Draw a probability as it changes from step to step, up to the last frame shown."""
    draw_line(axes, posterior.frame + 1, belief, sign, drawstyle="steps-post")
    axes.hlines(belief[-1], posterior.frame[-1] + 1, end, **line_style(sign))


def draw_efficiency(axes: Axes, posterior: Posterior, top: float) -> None:
    """Draw P(efficiency) over the frames of a trial; darker is more probable."""
    _time_axis(axes, _ends(posterior))
    edges = np.concatenate([posterior.frame + 1, [_ends(posterior)[1]]])
    draw_shades(axes, posterior, edges, top)
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    _mark_shift(axes, posterior, posterior.efficiency)
    title(axes, "efficiency", _shifted(posterior.efficiency), taken=_draw_key_to_shades(axes, top))
    label(axes, y="efficiency β")


def draw_shades(axes: Axes, posterior: Posterior, edges: Floats, top: float = 1.0) -> None:
    """Draw P(efficiency) from edge to edge; darker is more probable, and ``top`` is darkest."""
    order = np.argsort(posterior.efficiencies)
    names = [f"{posterior.efficiencies[row]:.2g}" for row in order]
    shade_rows(axes, edges, posterior.efficiency[:, order], names, top)


def shade_rows(
    axes: Axes,
    edges: Floats,
    belief: Annotated[Floats, "1+step value"],
    names: Sequence[str],
    top: float = 1.0,
) -> None:
    """Draw the probability of each value as a row of shades; some rows are labelled."""
    how: How = {"cmap": SHADES, "vmin": 0.0, "vmax": top, "edgecolors": "face", "linewidth": 0.2}
    axes.pcolormesh(edges, np.arange(len(names) + 1), belief.T, **how)
    between = (len(names) - 1) // 5 if len(names) > 6 else 0
    marked = np.arange(len(names) - 1, -1, -1 - between)[::-1]
    axes.set_yticks(marked + 0.5, [names[row] for row in marked])
    axes.tick_params(axis="y", length=0)


def draw_observation(axes: Axes, posterior: Posterior, limits: tuple[float, float]) -> None:
    """Draw the surprise of each step, -log P(step | steps before); the largest is dark."""
    _time_axis(axes, _ends(posterior))
    low, high = limits
    room = 0.08 * (high - low)
    axes.set_ylim(low - room if low < 0 else 0, high + room)
    grid(axes)
    axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
    surprise = np.nan_to_num(-posterior.log_likelihood, posinf=high + room)
    if len(surprise):
        starts, widths = _bars(posterior)
        shades = np.where(np.arange(len(surprise)) == surprise.argmax(), INK, "#A9ABB0")
        bars: How = {"align": "edge", "color": shades, "edgecolor": "white", "linewidth": 0.3}
        axes.bar(starts, surprise, widths, **bars)
    axes.axhline(0, color=SOFT, linewidth=0.5)
    most = f", at most {two(-posterior.log_likelihood.min())}" if len(surprise) else ""
    title(axes, "observation", f"surprise of each step{most.replace('-', '−')}")
    label(axes, y="surprise (nats)")


def draw_preference(axes: Axes, posteriors: Sequence[Posterior], signs: Signs) -> None:
    """Draw E[preference] after each trial; new lines start when the agent changes."""
    numbered = list(enumerate(posteriors))
    runs = [list(run) for _, run in groupby(numbered, key=lambda one: one[1].agent)]
    for run in runs:
        first = run[0][0]
        for look in run[-1][1].preferred:
            before = _share(run[0][1], look, 0)
            shares = [before, *(_share(posterior, look, -1) for _, posterior in run)]
            trials = np.arange(first, first + len(shares))
            draw_line(axes, trials, np.array(shares), signs.items[look])
    for run in runs[1:]:
        axes.axvline(run[0][0], color=SOFT, linewidth=0.5, linestyle=(0, (2, 2)))
    axes.set_xlim(-0.15, len(posteriors) + 0.15)
    axes.xaxis.set_major_locator(MaxNLocator(9, integer=True))
    probability_axis(axes)
    begun = ((first, signs.agents[posterior.agent].name) for (first, posterior), *_ in runs[1:])
    others = (f"{name} from trial {first + 1}" for first, name in begun)
    title(axes, "preference", "; ".join(["learnt from trial to trial", *others]))
    label(axes, "trials seen", "expected share")


# Parts of panels


def draw_line(axes: Axes, x: Ints, y: Floats, sign: Sign, **more: Any) -> None:
    marks: How = {"marker": sign.glyph * (1, -1), "markersize": 3.6, "markeredgewidth": 0}
    axes.plot(x, y, label=sign.name, **line_style(sign), **marks, **more)  # glyphs have y downwards


def line_style(sign: Sign) -> How:
    """Return the style of a thing's line."""
    return {"color": sign.colour, "linestyle": LINES[sign.number % len(LINES)], "linewidth": 1.1}


def _share(posterior: Posterior, look: Identity, time: int) -> float:
    known = look in posterior.preferred
    return float(posterior.preference[time, posterior.preferred.index(look)]) if known else np.nan


def _ends(posterior: Posterior) -> tuple[float, float]:
    """Return the first and last frame to show: all steps, with a margin before and after."""
    frames = posterior.frame + 1
    if len(frames) == 1:
        return 1, 1 + _STILL
    return max(1, frames[1] - _stride(posterior) - _STILL), frames[-1] + _STILL


def _stride(posterior: Posterior) -> float:
    """Return the usual number of frames in a step."""
    strides = np.diff(posterior.frame)[1:]  # the first step includes still frames
    walked = strides[strides > 0]
    return float(np.median(walked)) if len(walked) else _STILL


def _bars(posterior: Posterior) -> tuple[Floats, Floats]:
    """Return the starts and widths of bars that end when their steps do.

    An act takes no time; its narrow bar stands after the move that precedes it.
    """
    first, last = _ends(posterior)
    narrow, usual = 0.02 * (last - first), _stride(posterior)
    frames = posterior.frame + 1
    starts, widths, free = [], [], 0.0
    for before, now in pairwise(frames):
        start = max(now - min(now - before, usual), free)
        width = max(now - start, narrow)
        starts.append(start)
        widths.append(width)
        free = start + width
    return np.array(starts), np.array(widths)


def _time_axis(axes: Axes, ends: tuple[float, float]) -> None:
    axes.set_xlim(*ends)
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True, steps=[1, 2, 5, 10]))


def probability_axis(axes: Axes) -> None:
    axes.set_ylim(-0.05, 1.05)
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    grid(axes)


def _shifted(belief: Annotated[Floats, "time value"]) -> str:
    return f"shifts by at most {shift(belief).max():.2f}"


def _mark_shift(axes: Axes, posterior: Posterior, belief: Annotated[Floats, "time value"]) -> None:
    """Mark the frame at which a belief is farthest from the first one."""
    moved = shift(belief)
    if moved.max() >= 0.01:
        frame = posterior.frame[int((moved >= moved.max() - 0.005).argmax())] + 1
        axes.axvline(frame, color=INK, linewidth=0.6, linestyle=(0, (1, 1.5)), gid="shift")


def _draw_key_to_shades(axes: Axes, top: float) -> float:
    """Draw the key to the shades above the axes; return its width in centimetres."""
    wide, tall = size_of(axes)
    end, bar_width, gap = text_width("0.0", SMALL) + 0.05, 0.8, 0.08
    middle = 1 + LINE / 2 / tall
    left = 1 - (end + bar_width) / wide
    bar = axes.inset_axes((left, middle - 0.07 / tall, bar_width / wide, 0.14 / tall))
    bar.pcolormesh(np.linspace(0, 1, 16)[None], cmap=SHADES, edgecolors="face", linewidth=0.2)
    bar.set(xticks=[], yticks=[])
    for side in bar.spines.values():
        side.set(visible=True, linewidth=0.4, color=HAIR)
    how: How = {"xycoords": "axes fraction", "va": "center", "fontsize": SMALL, "color": SOFT}
    axes.annotate("probability 0", (left - gap / wide, middle), ha="right", **how)
    axes.annotate(f"{top:.1g}", (1, middle), ha="right", **how)
    return end + bar_width + gap + text_width("probability 0", SMALL)
