"""Make an episode from tracks and a scene, with a note about everything that was guessed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import numpy as np

from hbtom.arrays import Bools, Floats, frozen
from hbtom.errors import BadInput, Place, count, located
from hbtom.observe.bodies import Body, Identity
from hbtom.observe.checks import MOST_FRAMES, check_number, check_trial
from hbtom.observe.episode import Episode, Sight
from hbtom.observe.events import without_gaps
from hbtom.observe.oddities import jumps
from hbtom.observe.tracks.agent_track import likely_positions, listed, watched
from hbtom.observe.tracks.points import Individual, Tracks, in_order, uneven
from hbtom.observe.tracks.scene_file import WORLD, Scene, SceneObject, Span
from hbtom.observe.tracks.track_sight import guess_sight
from hbtom.observe.trial import Trial

_MARGIN = 0.05 * WORLD  # pixels; positions may be this far outside due to jitter
_ASTRAY = 0.05  # largest share of positions that may be farther outside
_SMALL = 0.05  # share of the world; a track that covers less is suspicious
_LARGEST_NOISE = 20.0  # pixels
_COLOURS = ((230, 159, 0), (86, 180, 233), (0, 158, 115), (240, 228, 66), (213, 94, 0))

Path = Annotated[Floats, "frame 2"]


def build(tracks: Tracks, scene: Scene, name: str) -> Episode:
    """Return the episode that a track shows in a scene."""
    notes = [f"read as {tracks.kind}"]
    seen, places = watched(tracks, scene, notes)
    places = likely_positions(places, tracks, scene, notes)
    placed = _placed(places, scene, notes)
    spans = list(_spans(seen, scene, notes))
    paths = [_path(seen, placed, rows, timed=tracks.timed) for _, rows in spans]
    trials = [_trial(scene, span, path) for (span, _), path in zip(spans, paths, strict=True)]
    odd = [tuple(uneven(seen, rows, timed=tracks.timed)) for _, rows in spans]
    trials = [_warned(trial, one) for trial, one in zip(trials, odd, strict=True)]
    for number, trial in enumerate(trials, start=1):
        with located(trial=number):
            check_trial(trial)
    total, lost = (sum(int(n) for n in each) for each in zip(*map(_lost, paths), strict=True))
    notes.append(f"{count(len(trials), 'trial')}, {total} frames, {lost} of them without the agent")
    if scene.pixels != 1:
        width, height = trials[0].size
        world = f"{width:.4g} x {height:.4g} pixels"
        notes.append(
            f"1 {scene.units} is {scene.pixels:.4g} pixels of the model's world of {world}"
        )
    sight = _sight(paths, scene, notes)
    return Episode(tuple(trials), name, sight, tuple(notes))


def _lost(path: Path) -> tuple[int, int]:
    return len(path), int(np.isnan(path[:, 0]).sum())


# Positions


def _placed(path: Path, scene: Scene, notes: list[str]) -> Path:
    """Return places in pixels of the model's world; refuse a track that is not in the scene."""
    unit, size = scene.track_unit, np.array(scene.size)
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is outside
        inner = path * unit - scene.corner
        if scene.y == "up":
            inner[:, 1] = size[1] - inner[:, 1]
    margin = _MARGIN / scene.pixels
    seen = ~np.isnan(inner[:, 0])
    if not seen.any():
        raise BadInput(
            "the agent is never seen", hint="lower the likelihood: [track] likelihood = 0"
        )
    astray: Bools = seen & ~((inner >= -margin) & (inner <= size + margin)).all(axis=1)
    if astray.sum() > _ASTRAY * seen.sum():
        (left, top), (right, bottom) = np.nanmin(path, axis=0), np.nanmax(path, axis=0)
        ranges = f"x from {left:g} to {right:g} and y from {top:g} to {bottom:g}"
        world = f"{size[0]:g} x {size[1]:g} {scene.units} from {scene.corner}"
        raise BadInput(
            f"track and scene do not fit: the track has {ranges}, the scene is {world}",
            hint="check size, corner, units, and [track] units",
        )
    inner[astray] = np.nan
    if astray.any():
        notes.append(f"left out: {count(int(astray.sum()), 'position')} far outside the scene")
    return np.clip(inner, 0.0, size) * scene.pixels


# Trials


def _spans(seen: Individual, scene: Scene, notes: list[str]) -> Iterator[tuple[Span, list[int]]]:
    """Yield each trial with its rows."""
    check_number(len(scene.trials))
    by, not_by = ("name", "frames") if seen.trial else ("frames", "name")
    for number, span in enumerate(scene.trials, start=1):
        missing = getattr(span, by) is None and (bool(seen.trial) or len(scene.trials) > 1)
        if missing or getattr(span, not_by) is not None:
            wrong = f"the trial is found by its {by}, not by its {not_by}"
            problem = f"the trial has no {by}" if missing else wrong
            hint = "give frames = [first, last], or a name if the scene has [track.columns] trial"
            raise BadInput(problem, hint=hint, place=Place(trial=number, field="trials"))
    yield from _labelled(seen, scene, notes) if seen.trial else _numbered(seen, scene, notes)


def _numbered(seen: Individual, scene: Scene, notes: list[str]) -> Iterator[tuple[Span, list[int]]]:
    taken: set[int] = set()
    for number, span in enumerate(scene.trials or (Span(),), start=1):
        first, last = span.frames or (-np.inf, np.inf)
        rows = np.flatnonzero((seen.number >= first) & (seen.number <= last)).tolist()
        if not rows:
            known = f"the track has {seen.number.min():g} to {seen.number.max():g}"
            problem = f"there are no frames {first:g} to {last:g}"
            raise BadInput(problem, hint=known, place=Place(trial=number, field="frames"))
        if twice := len(taken & {*rows}):
            notes.append(f"trial {number} shares {count(twice, 'frame')} with earlier trials")
        taken |= {*rows}
        yield span, rows


def _labelled(seen: Individual, scene: Scene, notes: list[str]) -> Iterator[tuple[Span, list[int]]]:
    """Yield trials by their names in a column; rows without a name belong to no trial."""
    runs: dict[str, list[int]] = {}
    for row, label in enumerate(seen.trial):
        if label in runs and seen.trial[row - 1] != label and label:
            hint = "keep the rows of a trial together"
            problem = f"trial '{label}' continues after another one"
            raise BadInput(problem, hint=hint, place=seen.place(row, scene.track.columns.trial))
        runs.setdefault(label, []).append(row)
    if outside := len(runs.pop("", ())):
        notes.append(f"left out: {count(outside, 'row')} without a trial")
    check_number(len(runs))
    known = {span.name: span for span in scene.trials}
    for span in scene.trials:
        if span.name not in runs or known[span.name] is not span:
            problem = "is in the scene twice" if span.name in runs else "is not in the track"
            hint = f"the column has {listed(list(runs))}"
            raise BadInput(f"trial '{span.name}' {problem}", hint=hint, place=Place(field="trials"))
    if not runs:
        raise BadInput("no row has a trial", place=Place(field=scene.track.columns.trial))
    for label, rows in runs.items():
        yield known.get(label, Span()), rows


def _path(seen: Individual, placed: Path, rows: Sequence[int], *, timed: bool) -> Path:
    """Return where the agent was in every frame of a trial; NaN where it was not seen."""
    frames = in_order(seen, rows, timed=timed)
    if frames[-1] >= MOST_FRAMES:
        at = rows[int(np.diff(frames).argmax()) + 1] if len(rows) > 1 else rows[0]
        problem = (
            f"the trial has {frames[-1] + 1:g} frames with its gaps; at most {MOST_FRAMES} are read"
        )
        raise BadInput(problem, hint="split it into trials", place=seen.place(at))
    path = np.full((int(frames[-1]) + 1, 2), np.nan)
    path[frames.astype(int)] = placed[rows]
    return frozen(path)


def _trial(scene: Scene, span: Span, path: Path) -> Trial:
    walls = scene.walls if span.walls is None else span.walls
    objects = scene.objects if span.objects is None else span.objects
    look = Identity(span.agent or scene.agent.name)
    if np.isnan(path).all():
        raise BadInput("the agent is never seen in the trial", hint="leave the trial out")
    x, y = without_gaps(path)[0].tolist()
    radius = (scene.agent.radius or scene.radius) * scene.pixels
    colours = {one.name: _COLOURS[at % len(_COLOURS)] for at, one in enumerate(_things(scene))}
    return Trial(
        size=(scene.size[0] * scene.pixels, scene.size[1] * scene.pixels),
        walls=frozen([_box(scene, *wall) for wall in walls]).reshape(-1, 4),
        barrier=frozen(np.empty((0, 4))),
        objects=tuple(_body(scene, one, colours[one.name]) for one in objects),
        agent=Body(look, (x, y), radius),
        path=path,
        barrier_left=frozen(np.zeros(len(path))),
    )


def _things(scene: Scene) -> list[SceneObject]:
    """Return one object for each name, in order."""
    every = (*scene.objects, *(one for span in scene.trials for one in span.objects or ()))
    return list({one.name: one for one in every}.values())


def _box(scene: Scene, x: float, y: float, width: float, height: float) -> list[float]:
    """Return a wall in pixels of the model's world."""
    left, top = x - scene.corner[0], y - scene.corner[1]
    top = scene.size[1] - top - height if scene.y == "up" else top
    if not (-width <= left <= scene.size[0] and -height <= top <= scene.size[1]):
        problem = f"the wall or object at ({x:g}, {y:g}) is outside the scene"
        raise BadInput(problem, hint="walls are [x, y, width, height]; check size and corner")
    return [value * scene.pixels for value in (left, top, width, height)]


def _body(scene: Scene, thing: SceneObject, colour: tuple[float, ...]) -> Body:
    x, y, *_ = _box(scene, *thing.at, 0.0, 0.0)
    return Body(Identity(thing.name, colour), (x, y), (thing.radius or scene.radius) * scene.pixels)


def _warned(trial: Trial, odd: tuple[str, ...]) -> Trial:
    """Warn about a track that is tiny in its world, or jumps, and about ``odd`` times."""
    trial = replace(trial, warnings=(*odd, *jumps(trial)))
    extent = np.nanmax(trial.path, axis=0) - np.nanmin(trial.path, axis=0)
    if extent.max() >= _SMALL * max(trial.size):
        return trial
    tiny = (
        f"the track covers {extent.max() / max(trial.size):.1%} of the world; are the units right?"
    )
    return replace(trial, warnings=(tiny, *trial.warnings))


def _sight(paths: Sequence[Path], scene: Scene, notes: list[str]) -> Sight:
    """Return how well the agent is seen: as the scene says, or as guessed."""
    guess, rests = guess_sight(paths)
    own = scene.track.noise
    pixel, units = scene.track_unit * scene.pixels, scene.track.units or scene.units
    noise = guess.noise if own is None else own * pixel
    pace = scene.track.pace
    walks = guess.pace if pace is None else pace * pixel
    if noise > _LARGEST_NOISE:
        hint = f"smooth the track; the limit is {_LARGEST_NOISE:g} pixels of the model's world"
        raise BadInput(f"the track jitters by {noise:.3g} pixels", hint=hint)
    if own is None:
        basis = f"measured in {rests} frames at rest" if rests else "guessed from the whole track"
        jitter = f"jitter {noise / pixel:.3g} {units} of the track, {basis}"
        found = jitter if noise else "positions are taken to be exact"
        notes.append(f"{found}: observation.noise = {noise:g}; to change it, set [track] noise")
    if pace is None and noise:
        notes.append(
            f"the agent walks {walks / pixel:.3g} {units} of the track a frame: "
            f"observation.pace = {walks:g}; to change it, set [track] pace"
        )
    return Sight(noise, min(max(walks, 0.01), 100.0))
