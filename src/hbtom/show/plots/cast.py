"""The cast of a movie: things with their glyphs and colours, and all colours by number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hbtom.errors import BadInput
from hbtom.observe import Body, Trial
from hbtom.show.plots.glyphs import SQUARE, Polygon, turned
from hbtom.show.plots.signs import ATTITUDES, Signs, rgb
from hbtom.show.trial_deeds import has_company

Colour = tuple[int, int, int]

FLOOR: Colour = (255, 255, 255)
WALL: Colour = (60, 61, 66)
BARRIER: Colour = (79, 157, 105)
HOME: Colour = (255, 105, 180)  # the benchmark's own
BETWEEN: Colour = (128, 128, 128)  # of the pictures between trials
BOARD: Colour = (216, 216, 216)  # of boards that are as white as the floor

MOST = 256  # colours of a movie
PALE = 0.35  # share of the colour in trails, and in things that the agent does not see
SHARES = (PALE, 0.6, 0.85)  # of ghosts: the more probable, the stronger


def _decoded(colour: str) -> Colour:
    """Return a colour given as ``#RRGGBB``."""
    red, green, blue = bytes.fromhex(colour[1:])
    return red, green, blue


ATTITUDE_COLOURS = tuple(_decoded(colour) for _, colour in ATTITUDES)


@dataclass(frozen=True, eq=False)
class DrawnThing:
    """A thing and how it is drawn."""

    body: Body
    glyph: Polygon
    colour: Colour


@dataclass(frozen=True, eq=False)
class Cast:
    """All things of a trial."""

    agent: DrawnThing
    objects: tuple[DrawnThing, ...]
    key: DrawnThing | None
    lock: DrawnThing | None
    others: tuple[Colour, ...] = ()  # of other things, in the order of the trial
    marks: tuple[Colour, ...] = ()  # of marks, such as trails and ghosts

    @property
    def colours(self) -> list[Colour]:
        actors = (self.agent, *self.objects, self.key, self.lock)
        theirs = (actor.colour for actor in actors if actor is not None)
        return [*theirs, *self.others, *self.marks]


def cast(trial: Trial, signs: Signs, *, own: bool = True) -> Cast:
    """Return the cast of a trial, with items in their own colours or in those of figures."""
    items = [
        DrawnThing(
            item,
            turned(item.look.image) if item is trial.key else sign.glyph,
            rgb(item.look) if own else _decoded(sign.colour),
        )
        for item, sign in zip(trial.items, signs.of(trial), strict=True)
    ]
    agent, lock, objects = trial.agent, trial.lock, len(trial.objects)
    others = tuple(
        _decoded(signs.items[other.look].colour)
        if other.kind == "agent" and not own
        else _on_floor(rgb(other.look))
        for other in trial.others
    )
    marks = () if own or not has_company(trial) else _marks([*(i.colour for i in items), *others])
    return Cast(
        agent=DrawnThing(agent, signs.agents[agent.look].glyph, rgb(agent.look)),
        objects=tuple(items[:objects]),
        key=items[objects] if trial.key is not None else None,
        lock=DrawnThing(lock, SQUARE, rgb(lock.look)) if lock is not None else None,
        others=others,
        marks=marks,
    )


def _on_floor(colour: Colour) -> Colour:
    return BOARD if colour == FLOOR else colour


def _marks(colours: list[Colour]) -> tuple[Colour, ...]:
    """Return all colours that marks need, given those of the things."""
    pale = (paler(colour, share) for colour in colours for share in SHARES)
    return (*pale, *ATTITUDE_COLOURS)


def paler(colour: Colour, share: float = PALE) -> Colour:
    """Return a colour mixed with the floor's; ``share`` is that of the colour."""
    red, green, blue = (
        round(share * mine + (1 - share) * ground)
        for mine, ground in zip(colour, FLOOR, strict=True)
    )
    return red, green, blue


@dataclass(frozen=True)
class Paints:
    """The colours of a movie, by their numbers."""

    colours: tuple[Colour, ...]

    def __getitem__(self, colour: Colour) -> int:
        return self.colours.index(colour)


def paints(casts: Iterable[Cast]) -> Paints:
    """Return all colours that are needed to draw these casts."""
    theirs = (colour for one in casts for colour in one.colours)
    found = tuple(dict.fromkeys((FLOOR, WALL, BARRIER, HOME, BETWEEN, *theirs)))
    if len(found) > MOST // 2:  # a chart next to the world also needs some
        raise BadInput(
            f"the things have {len(found)} colours, too many for a movie",
            hint="choose fewer trials with --trials",
        )
    return Paints(found)
