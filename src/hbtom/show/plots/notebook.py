"""Output for notebooks: a judgement with a map of its test trial, and a table of scores.

Plain HTML and SVG, made without any library. All text from files is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape
from pathlib import PurePath

import numpy as np

from hbtom.errors import count
from hbtom.judgement import Judgement
from hbtom.judgement.plan_judging import PlanJudgement
from hbtom.judgement.tracing import BaseJudgement
from hbtom.model import Model
from hbtom.observe import Body, Episode, Trial, names
from hbtom.show.plots.glyphs import CALLED, SQUARE, Polygon, outline, seen_at, seen_from_to, turned
from hbtom.show.plots.signs import BARRIER, INK, SOFT, WALL, Signs, hexadecimal, said, signs
from hbtom.show.terminal import three, two
from hbtom.show.words import plain

_SIDE = 180  # pixels on the screen


def judgement_html(judgement: Judgement) -> str:
    """Return plausibility, its parts, a sentence, and a map of the test trial."""
    known = signs([judgement.episode])
    parts, surprise = judgement.parts.to_dict(), judgement.surprise.to_dict()
    rows = [
        ("", *parts),
        ("surprise", *(two(value) for value in surprise.values())),
        ("part", *map(three, parts.values())),
    ]
    name = escape(plain(PurePath(judgement.episode.name).name))
    return (
        '<div style="display: flex; gap: 1.2em; align-items: flex-start">'
        f"{trial_svg(judgement.episode.test, known)}"
        f"<div><b>{name}</b>: {_plausibility(judgement)}"
        f"<br>{escape(said(judgement, known))}"
        f"{'' if judgement.missing else _table(rows)}</div></div>"
    )


def episode_html(episode: Episode) -> str:
    """Return a map of every trial, and the guesses made about the episode."""
    known = signs([episode])
    maps = "".join(trial_svg(trial, known) for trial in episode)
    notes = "".join(f"<br><small>{escape(plain(note))}</small>" for note in episode.notes)
    name = escape(plain(PurePath(episode.name).name))
    heading = f"<b>{name}</b>: {count(len(episode), 'trial')}, the last one is judged{notes}"
    return (
        f'<div>{heading}<div style="display: flex; flex-wrap: wrap; gap: 0.4em">{maps}</div></div>'
    )


def model_html(model: Model) -> str:
    """Return all parameters of a model, folded away."""
    heading = f"model <b>{escape(plain(model.name))}</b> ({model.fingerprint})"
    return f"<details><summary>{heading}</summary><pre>{escape(model.to_toml())}</pre></details>"


def plans_html(judgement: PlanJudgement) -> str:
    """Return plausibility, a sentence, and the probability of each goal after each plan."""
    goals = names(judgement.test.goals)
    rows = [("", *goals)]
    for plan, posterior in zip(judgement.plans, judgement.posteriors, strict=True):
        known = dict(zip(names(posterior.goals), posterior.goal[-1].tolist(), strict=True))
        rows.append((plan.name, *(three(known[goal]) if goal in known else "" for goal in goals)))
    heading = _plausibility(judgement)
    said_so = escape(plain(judgement.explanation))
    name = escape(plain(judgement.plans[-1].name))
    return f"<div><b>{name}</b>: {heading}<br>{said_so}{_table(rows)}</div>"


def _plausibility(judgement: BaseJudgement) -> str:
    why = f" ({judgement.missing})" if judgement.missing else ""
    return f"plausibility <b>{escape(three(judgement.plausibility))}</b>{why}"


def evaluation_html(evaluation: object) -> str | None:
    """Return the benchmark's table; None if this is not an evaluation."""
    from hbtom.bench.evaluation import Evaluation
    from hbtom.show.score_text import score_rows

    if not isinstance(evaluation, Evaluation):
        return None
    model = evaluation.model
    note = f"model {model.name} ({model.fingerprint}), dataset {evaluation.dataset}"
    return f"<div>{_table(score_rows(evaluation.tasks))}<small>{escape(plain(note))}</small></div>"


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    """Return an HTML table; the first row is the heading, the first column names the rows."""
    heading, *body = rows
    lines = [_row("th", heading), *(_row("td", row) for row in body)]
    return f'<table style="margin: 0.5em 0">{"".join(lines)}</table>'


def _row(kind: str, cells: tuple[str, ...]) -> str:
    made = []
    for index, cell in enumerate(cells):
        side = "left" if index == 0 else "right"
        indent = len(cell) - len(cell.lstrip())
        style = f"text-align: {side}; padding-left: {0.5 + indent / 2:g}em"
        made.append(f'<{kind} style="{style}">{escape(cell.strip())}</{kind}>')
    return f"<tr>{''.join(made)}</tr>"


def trial_svg(trial: Trial, known: Signs) -> str:
    """Return a small map of a trial as SVG."""
    width, height = trial.size
    shapes = [f'<rect width="{width:g}" height="{height:g}" fill="white"/>']
    at_end = seen_at(trial, -1)
    shapes += [_box(block, WALL) for block in at_end.walls]
    shapes += [_box(block, BARRIER) for block in trial.barrier]
    if trial.lock is not None:
        shapes.append(_glyph(trial.lock, SQUARE, WALL))
        shapes.append(_glyph(trial.lock, turned(trial.lock.look.image), "white", size=0.6))
    for item, sign in zip(at_end.items, known.of(trial), strict=True):
        glyph = turned(item.look.image) if item is trial.key else sign.glyph
        shapes.append(_glyph(item, glyph, sign.colour, sign.name))
    for other in trial.others:
        first, last = seen_from_to(other)
        if first <= last:
            colour, name = hexadecimal(other.look), CALLED[other.kind]
            shapes.append(_polygon(outline(other, last), colour, name, SOFT, opacity=0.45))
    agent = known.agents[trial.agent.look]
    moved = np.concatenate([[True], (np.diff(trial.whole_path, axis=0) != 0).any(axis=1)])
    points = _points(trial.whole_path[moved])
    shapes.append(f'<polyline points="{points}" fill="none" stroke="{INK}" stroke-width="2"/>')
    x, y = trial.whole_path[0]
    shapes.append(f'<circle cx="{x:g}" cy="{y:g}" r="3.5" fill="white" stroke="{INK}"/>')
    end = replace(trial.agent, centre=tuple(trial.whole_path[-1]))
    shapes.append(_glyph(end, agent.glyph, agent.colour, agent.name, INK))
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{_SIDE}" role="img" '
        f'style="border: 1px solid {SOFT}">{"".join(shapes)}</svg>'
    )


def _box(block: Iterable[float], colour: str) -> str:
    x, y, width, height = block
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{colour}"/>'


def _glyph(
    body: Body, glyph: Polygon, colour: str, name: str = "", edge: str = "none", size: float = 1.0
) -> str:
    corners = np.array(body.centre) + size * body.radius * glyph
    return _polygon(corners, colour, name, edge)


def _polygon(corners: Polygon, colour: str, name: str, edge: str, opacity: float = 1.0) -> str:
    points = _points(corners)
    title = f"<title>{escape(name)}</title>" if name else ""
    thin = f' fill-opacity="{opacity:g}"' if opacity < 1 else ""
    return f'<polygon points="{points}" fill="{colour}"{thin} stroke="{edge}">{title}</polygon>'


def _points(corners: Polygon) -> str:
    return " ".join(f"{x:.6g},{y:.6g}" for x, y in corners)
