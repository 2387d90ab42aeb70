"""The cast of a movie: things with their glyphs and colours, and all colours by number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hbtom.errors import BadInput
from hbtom.observe import Body, Trial
from hbtom.show.plots.glyphs import SQUARE, Polygon, turned
from hbtom.show.plots.signs import Signs, rgb

Colour = tuple[int, int, int]

FLOOR: Colour = (255, 255, 255)
WALL: Colour = (60, 61, 66)
BARRIER: Colour = (79, 157, 105)
HOME: Colour = (255, 105, 180)  # the benchmark's own
BETWEEN: Colour = (128, 128, 128)  # of the pictures between trials
BOARD: Colour = (216, 216, 216)  # of boards that are as white as the floor

MOST = 256  # colours of a movie


@dataclass(frozen=True, eq=False)
class Actor:
    """A thing and how it is drawn."""

    body: Body
    glyph: Polygon
    colour: Colour


@dataclass(frozen=True, eq=False)
class Cast:
    """All things of a trial."""

    agent: Actor
    objects: tuple[Actor, ...]
    key: Actor | None
    lock: Actor | None
    others: tuple[Colour, ...] = ()  # of other things, in the order of the trial

    @property
    def colours(self) -> list[Colour]:
        all_of_it = (self.agent, *self.objects, self.key, self.lock)
        return [*(actor.colour for actor in all_of_it if actor is not None), *self.others]


def cast(trial: Trial, signs: Signs, *, own: bool = True) -> Cast:
    """Return the cast of a trial, with items in their own colours or in those of figures."""
    items = [
        Actor(
            item,
            turned(item.look.image) if item is trial.key else sign.glyph,
            rgb(item.look) if own else _decoded(sign.colour),
        )
        for item, sign in zip(trial.items, signs.of(trial), strict=True)
    ]
    agent, lock, objects = trial.agent, trial.lock, len(trial.objects)
    others = (rgb(other.look) for other in trial.others)
    return Cast(
        agent=Actor(agent, signs.agents[agent.look].glyph, rgb(agent.look)),
        objects=tuple(items[:objects]),
        key=items[objects] if trial.key is not None else None,
        lock=Actor(lock, SQUARE, rgb(lock.look)) if lock is not None else None,
        others=tuple(BOARD if colour == FLOOR else colour for colour in others),
    )


def _decoded(colour: str) -> Colour:
    """Return a colour given as ``#RRGGBB``."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


@dataclass(frozen=True)
class Paints:
    """The colours of a movie, by their numbers."""

    colours: tuple[Colour, ...]

    def __getitem__(self, colour: Colour) -> int:
        return self.colours.index(colour)


def paints(casts: Iterable[Cast]) -> Paints:
    """Return all colours that are needed to draw some casts."""
    theirs = (colour for one in casts for colour in one.colours)
    found = tuple(dict.fromkeys((FLOOR, WALL, BARRIER, HOME, BETWEEN, *theirs)))
    if len(found) > MOST // 2:  # a chart beside the world needs some, too
        raise BadInput(
            f"the things have {len(found)} colours, too many for a movie",
            hint="choose fewer trials with --trials",
        )
    return Paints(found)
