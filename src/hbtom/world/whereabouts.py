"""Where things may lie as far as an agent knows, and what it may believe at first.

A thing lies at one of a few places. An agent that sees a place knows whether the thing lies there
(:mod:`hbtom.world.sight_map`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import numpy as np

from hbtom.arrays import Floats, Ints
from hbtom.errors import BadInput
from hbtom.errors import Place as Field
from hbtom.observe import Identity, Trial

MOST_PLACES = 4  # there are 2^n - 1 states of knowledge about n places

Place = tuple[float, float]


@dataclass(frozen=True)
class Whereabouts:
    """The places where things may lie, and what an agent may believe about them at first.

    ``places`` are centres in pixels, by name. ``beliefs`` maps the name of each belief to the
    probabilities of places; a place that it does not name has probability 0. ``prior`` is the
    observer's probability of each belief. Without beliefs, the model says what agents believe.
    ``things`` names the objects whose place the agent does not know; if empty, it knows none.
    """

    places: Mapping[str, Place]
    beliefs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    prior: Mapping[str, float] = field(default_factory=dict)
    things: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= len(self.places) <= MOST_PLACES:
            hint = f"give 1 to {MOST_PLACES} places; n of them make 2^n - 1 states of knowledge"
            raise _bad(f"there are {len(self.places) or 'no'} places", "places", hint)
        if len(set(self.places.values())) < len(self.places):
            raise _bad("two places are the same", "places", "give each place once")
        for name, chances in self.beliefs.items():
            _check_chances(f"the belief '{name}'", chances, self.places, "beliefs")
        if self.prior:
            _check_chances("the prior", self.prior, self.beliefs, "prior")

    @property
    def centres(self) -> Annotated[Floats, "place 2"]:
        """The centres of the places, in pixels."""
        return np.array(list(self.places.values()), dtype=np.float64)

    def chances(self, certain: float) -> dict[str, tuple[float, Annotated[Floats, "place"]]]:
        """Return the prior of each possible belief, and the probabilities that it gives to places.

        If no beliefs are given, an agent is certain of one place with probability ``certain``, and
        each place is equally likely to be this one. Otherwise all places are equally probable to
        the agent.
        """
        many, names = len(self.places), list(self.places)
        if not self.beliefs:
            sure = {f"at {name}": np.eye(many)[index] for index, name in enumerate(names)}
            beliefs = {"unsure": np.full(many, 1.0 / many), **sure}
            prior = dict.fromkeys(sure, certain / many) | {"unsure": 1.0 - certain}
        else:
            some = self.beliefs.items()
            beliefs = {one: np.array([b.get(name, 0.0) for name in names]) for one, b in some}
            prior = dict(self.prior) or dict.fromkeys(beliefs, 1.0 / len(beliefs))
        return {one: (prior[one], b) for one, b in beliefs.items() if prior.get(one, 0.0) > 0}

    def hidden(self, trial: Trial) -> tuple[int, ...]:
        """Return the numbers of the objects whose places the agent may not know."""
        names = [str(one.look) for one in trial.objects]
        for thing in self.things:
            if thing not in names:
                hint = f"the objects are {', '.join(names) or 'none'}"
                raise _bad(f"there is no object '{thing}'", "things", hint)
        return tuple(i for i, name in enumerate(names) if name in (self.things or names))

    def check(self, trial: Trial) -> None:
        """Reject places that are not on the floor of a trial, and things that lie elsewhere."""
        for name, place in self.places.items():
            if not on_floor(trial, place):
                where = f"the place '{name}' at ({place[0]:g}, {place[1]:g})"
                hint = f"the world is {trial.size[0]:g} x {trial.size[1]:g} pixels"
                raise _bad(f"{where} is inside a wall or outside the world", "places", hint)
        where_to = lying_at(trial, self.centres)
        for index in self.hidden(trial):
            if (where_to[:, index] < 0).all():
                look, hint = trial.objects[index].look, "add its place, or remove it from 'things'"
                raise _bad(f"'{look}' lies at none of the places", "places", hint)


def _check_chances(
    what: str, chances: Mapping[str, float], names: Mapping[str, object], where: str
) -> None:
    """Reject probabilities that are negative, do not sum to 1, or have an unknown name."""
    for name in chances:
        if name not in names:
            hint = f"the names are {', '.join(names)}"
            raise _bad(f"{what} has the unknown name '{name}'", where, hint)
    total = math.fsum(chances.values())
    if not (all(one >= 0 for one in chances.values()) and abs(total - 1.0) < 1e-6):
        told = ", ".join(f"{one:g}" for one in chances.values())
        hint = "give probabilities that are not negative and sum to 1"
        raise _bad(f"{what} is {told}, with a sum of {total:g}", where, hint)


def _bad(problem: str, where: str, hint: str) -> BadInput:
    return BadInput(problem, hint=hint, place=Field(field=where))


def whereabouts_of(trial: Trial, earlier: Sequence[Trial] = ()) -> Whereabouts | None:
    """Return where the objects of a trial may lie, or None if there are fewer than two places.

    These are the places where they lie at the end and at the start of the trial, and then those of
    earlier trials, the latest first; at most four. The place of an object that lies elsewhere is
    known.
    """
    looks, places = {one.look for one in trial.objects}, list[Place]()
    for place, near in _rests(trial, earlier, looks):
        apart = all(math.dist(place, other) > near for other in places)
        if apart and on_floor(trial, place) and len(places) < MOST_PLACES:
            places.append(place)
    if len(places) < 2:
        return None
    lies = lying_at(trial, np.array(places)).max(axis=0).tolist()
    named = [str(one.look) for one in trial.objects]
    known = {name for name, at in zip(named, lies, strict=True) if at < 0}
    things = tuple(name for name in named if name not in known)
    named_places = {f"({x:g}, {y:g})": (x, y) for x, y in places}
    return Whereabouts(named_places, things=things) if things else None


def noticing(trial: Trial) -> Trial:
    """Return a trial whose agent notices changes, if the places of all objects are known."""
    paths = trial.object_paths
    unknown = paths is not None and bool(np.isnan(paths).any())
    return replace(trial, still=False) if trial.still and not unknown else trial


def _rests(
    trial: Trial, earlier: Sequence[Trial], looks: set[Identity]
) -> Iterator[tuple[Place, float]]:
    """Yield the places, now and earlier, of objects with the given looks, and their radii.

    Places within the radius count as the same.
    """
    for one, frame in (
        (trial, -1),
        (trial, 0),
        *((noticing(old), -1) for old in reversed(earlier)),
    ):
        for index, body in enumerate(one.objects):
            x, y = _objects_at(one)[frame, index].tolist()
            if body.look in looks and not math.isnan(x):
                yield (x, y), body.radius


def _objects_at(trial: Trial) -> Annotated[Floats, "frame object 2"]:
    """Return the places of objects in each frame, as the agent notices them."""
    if trial.changes:
        return trial.objects_at
    places = np.array([one.centre for one in trial.objects]).reshape(-1, 2)
    return np.broadcast_to(places, (len(trial.path), *places.shape))


def on_floor(trial: Trial, place: Place) -> bool:
    """Return whether a place is in the world of a trial and not inside a wall."""
    (x, y), (wide, high) = place, trial.size
    left, top, width, height = trial.walls.T
    walled = (left < x) & (x < left + width) & (top < y) & (y < top + height)
    return 0 <= x <= wide and 0 <= y <= high and not walled.any()


def lying_at(trial: Trial, places: Annotated[Floats, "place 2"]) -> Annotated[Ints, "frame object"]:
    """Return the place at which each object lies in each frame; -1 if it lies elsewhere."""
    objects = _objects_at(trial)
    away = np.linalg.norm(objects[:, :, None] - places, axis=-1)
    away = np.where(np.isnan(away), np.inf, away)
    radius = np.array([one.radius for one in trial.objects])
    return np.where(away.min(axis=2) <= radius, away.argmin(axis=2), -1)
