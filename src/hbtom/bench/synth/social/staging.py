"""Staging: make trials from what each thing does, step by step.

A step is two frames, as in scenes of the 3D benchmark. Things have short names: A is the agent that
is judged, B and C are others, O and P are objects; everything else is a panel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np

from hbtom.arrays import Floats, frozen, read_only
from hbtom.bench.synth.geometry import CELL, WORLD, Point, Rng
from hbtom.bench.synth.layouts import Cells
from hbtom.bench.synth.motion import pixel_line
from hbtom.bench.synth.sprites import AGENT_R, OBJECT_R, agent_looks, object_looks
from hbtom.observe import Body, Episode, Identity, Trial
from hbtom.observe.bodies import Other, OtherKind
from hbtom.observe.events import without_gaps
from hbtom.observe.mcs.pace import NEARLY, SceneSteps, along, pace, turning
from hbtom.observe.mcs.roles import look_of, plain

SLOW, BRISK = 2, 6  # pixels per step: for gestures and approaches; for errands in a house
MEETING = AGENT_R + OBJECT_R  # pixels between the centres of an agent and an object that touch
OVERLAP = 0.01  # pixels, so that rounding does not undo a touch
OFF_STAGE = (-30, 42)
_DIGITS = 6  # after the decimal point of a pixel, as in files

Place = tuple[float, float]
Track = Sequence[Place | None]  # where something is at each step; None where it is absent
Act = Mapping[str, Track]  # what things do from the next step on, by name
Name = Literal["A", "B", "C", "O", "P"]


@dataclass(frozen=True, slots=True)
class StagedPanel:
    """A door, board or paddle of an episode; ``turn`` is its angle at each step, or throughout."""

    kind: OtherKind
    size: tuple[int, int]
    turn: float | Sequence[float] = 0.0


@dataclass(frozen=True, slots=True)
class StageCast:
    """The agents and things that appear in an episode, and where."""

    looks: Mapping[str, Identity]  # by name
    walls: Cells
    camera: Place | None = None


def cast(rng: Rng, walls: Cells, camera: Place | None = None) -> StageCast:
    """Draw the looks of all agents and objects."""
    looks = (*agent_looks(rng, 3), *object_looks(rng, 2))
    return StageCast(dict(zip("ABCOP", looks, strict=True)), walls, camera)


# Acts


def pause(steps: int) -> Act:
    """Do nothing for this many steps."""
    return {"": [None] * steps}


def played(start: Mapping[str, Place | None], acts: Sequence[Act]) -> dict[str, list[Place | None]]:
    """Return the track of each thing; once it has done its part, it rests until the act ends."""
    tracks = {name: [place] for name, place in start.items()}
    for act in acts:
        longest = max(map(len, act.values()), default=0)
        for name, track in tracks.items():
            now = list(act.get(name, ()))
            track += now + [(now or track)[-1]] * (longest - len(now))
    return tracks


def delayed(act: Act, steps: int) -> Act:
    """Return the same act, beginning this many steps later, so that acts can overlap."""
    return {name: [*[track[0]] * steps, *track] for name, track in act.items()}


def walk(route: Sequence[Point], speed: int) -> list[Place]:
    """Return the steps along a route, after its start; each corner of the route is a step."""
    steps: list[Place] = []
    for a, b in pairwise(route):
        line = pixel_line(a, b)
        steps += line[speed::speed]
        if line[-1] != (steps[-1] if steps else a):
            steps.append(line[-1])
    return steps


def walk_up_to(route: Sequence[Point], speed: int, reach: float = MEETING) -> list[Place]:
    """Return the steps towards the end of a route, until outlines meet.

    Scenes do not say how the last few pixels are covered, so the last step leads straight there.
    """
    goal, steps = route[-1], [route[0], *walk(route, speed)]
    far = [float(np.hypot(x - goal[0], y - goal[1])) for x, y in steps]
    last = next(i for i, away in enumerate(far) if away - reach <= NEARLY) - 1
    (x, y), share = steps[last], (far[last] - reach + OVERLAP) / far[last]
    touch = x + share * (goal[0] - x), y + share * (goal[1] - y)
    return [*steps[1 : last + 1], (round(touch[0], _DIGITS), round(touch[1], _DIGITS))]


# Trials made from tracks


def staged(
    who: StageCast,
    tracks: Mapping[str, Track],
    panels: Mapping[str, StagedPanel] | None = None,
    order: Rng | None = None,
) -> Trial:
    """Return a trial in which things follow their tracks; with ``order``, lists are shuffled."""
    steps = {name: _steps(track) for name, track in tracks.items()}
    at = pace(np.zeros(len(steps["A"]), dtype=np.int64))
    agent, here = steps["A"], ~np.isnan(steps["A"][:, 0])
    things = [name for name in "OP" if name in steps]
    extras = [
        _other(who, name, panels or {}, steps[name]) for name in steps if name not in ("A", *things)
    ]
    if order is not None:
        things = [things[i] for i in order.permutation(len(things))]
        extras = [extras[i] for i in order.permutation(len(extras))]
    path = along(at, without_gaps(agent))
    moved = any((steps[name] != steps[name][0]).any() for name in things)
    screens = any(one.kind in ("door", "occluder") for one in extras)
    return Trial(
        size=(float(WORLD), float(WORLD)),
        walls=frozen([(x * CELL, y * CELL, CELL, CELL) for x, y in who.walls]).reshape(-1, 4),
        barrier=frozen([]).reshape(0, 4),
        objects=tuple(_body(who.looks[name], steps[name][0], OBJECT_R) for name in things),
        agent=_body(who.looks["A"], path[0], AGENT_R),
        path=path,
        barrier_left=frozen(np.zeros(len(path))),
        others=tuple(extras),
        object_paths=read_only(np.stack([along(at, steps[name]) for name in things], axis=1))
        if moved
        else None,
        still=moved,
        agent_there=None if here.all() else read_only(here[at.step]),
        camera=who.camera if screens else None,
    )


def _steps(track: Track) -> Annotated[Floats, "step 2"]:
    return np.array([(np.nan, np.nan) if place is None else place for place in track], dtype=float)


def _body(look: Identity, place: Floats, radius: int) -> Body:
    x, y = place.tolist()
    return Body(look, (x, y), float(radius))


_COLOURS: dict[OtherKind, str] = {"door": "Cyan", "occluder": "White", "paddle": "Black"}


_AGENT = StagedPanel("agent", (2 * AGENT_R, 2 * AGENT_R))


def _other(
    who: StageCast,
    name: str,
    panels: Mapping[str, StagedPanel],
    places: Annotated[Floats, "step 2"],
) -> Other:
    """Return another agent or a panel; panels look as they do in scenes."""
    panel = panels.get(name, _AGENT)
    skin = plain("cube", _COLOURS.get(panel.kind, ""))
    look = who.looks[name] if name in who.looks else look_of(skin.shape, skin.materials)
    angle = np.where(np.isnan(places[:, 0]), np.nan, np.broadcast_to(panel.turn, len(places)))
    at, (wide, high) = pace(np.zeros(len(places), dtype=np.int64)), panel.size
    size = float(wide), float(high)
    return Other(panel.kind, look, size, along(at, places), turning(at, angle % 360.0))


def scene_steps(trial: Trial) -> SceneSteps:
    """Return the steps of a staged trial: every second frame."""
    frames = np.arange(0, len(trial.path), 2)
    return SceneSteps(frames, trial.whole_path[frames])


# Mirrors


@dataclass(frozen=True, slots=True)
class Mirror:
    """Whether everything is mirrored: left and right, up and down."""

    x: bool = False
    y: bool = False

    def places(self, places: Floats) -> Floats:
        """Return the same places, mirrored; the last axis is x and y."""
        flip = np.array([self.x, self.y])
        return np.asarray(np.where(flip, WORLD - places, places))

    def trial(self, trial: Trial) -> Trial:
        """Return the same trial, mirrored."""
        spin = -1.0 if self.x != self.y else 1.0
        corner = self.places(trial.walls[:, :2] + CELL / 2) - CELL / 2
        return replace(
            trial,
            walls=frozen(np.concatenate([corner, trial.walls[:, 2:]], axis=1)),
            objects=tuple(self._body(one) for one in trial.objects),
            agent=self._body(trial.agent),
            path=frozen(self.places(trial.path)),
            others=tuple(
                replace(
                    one, path=frozen(self.places(one.path)), angle=frozen(spin * one.angle % 360.0)
                )
                for one in trial.others
            ),
            object_paths=None
            if trial.object_paths is None
            else read_only(self.places(trial.object_paths)),
            camera=None if trial.camera is None else self._place(trial.camera),
        )

    def episode(self, trials: Sequence[Trial]) -> Episode:
        """Return an episode of mirrored trials."""
        return Episode(tuple(self.trial(one) for one in trials))

    def _place(self, place: Place) -> Place:
        x, y = self.places(np.array(place)).tolist()
        return x, y

    def _body(self, body: Body) -> Body:
        return replace(body, centre=self._place(body.centre))


def mirror(rng: Rng) -> Mirror:
    """Draw a mirror."""
    return Mirror(*(bool(one) for one in rng.random(2) < 0.5))
