"""Names, colours and glyphs: each thing looks the same wherever it is drawn."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hbtom.judgement import Judgement, account
from hbtom.mind.regret import KEY, name_goals
from hbtom.observe import Episode, Identity, Trial
from hbtom.observe.colour_names import colour_table, nearest_name
from hbtom.show.plots.glyphs import AGENTS, DISC, OBJECTS, TRIANGLE, Polygon
from hbtom.show.words import distinct, explain, plain

# Colours that colour-blind readers can distinguish, after Okabe and Ito; and greys.
ITEMS = ("#0072B2", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442")
KEY_COLOUR = "#E69F00"
BARRIER = "#4F9D69"
WALL = "#3C3D42"
INK, SOFT, HAIR = "#1C1D20", "#5E6067", "#D5D3CC"
HEAT = "#17456E"
ATTITUDES = ("hinders", "#D55E00"), ("neutral", "#D9D9D9"), ("helps", "#0072B2")
NO_COLOUR = (128, 128, 128)

LONGEST, LONGEST_DRAWN = 40, 24  # most letters in a name, in sentences and in figures

_SUFFIX = re.compile(r"\.(png|jpe?g|gif|svg|webp)$", re.IGNORECASE)
COLOURS = colour_table(
    "black 000000, grey 808080, white FFFFFF, red E6001E, orange FF8C00, yellow FFE100, "
    "olive 808000, green 009600, cyan 00E1FF, blue 286EDC, navy 000080, purple 8250DC, "
    "magenta FF00FF, pink FF82BE, brown 8B4513, beige F5DEB3"
)


@dataclass(frozen=True, eq=False)
class Sign:
    """How a thing is named and drawn."""

    name: str
    colour: str  # #RRGGBB
    glyph: Polygon
    number: int = 0  # in order of appearance


@dataclass(frozen=True, eq=False)
class Signs:
    """The signs of all items and agents of these episodes."""

    items: Mapping[Identity, Sign]
    agents: Mapping[Identity, Sign]

    def of(self, trial: Trial) -> tuple[Sign, ...]:
        """Return the signs of a trial's items, in their order."""
        return tuple(self.items[look] for look in name_goals(trial)[: len(trial.items)])


def signs(episodes: Iterable[Episode]) -> Signs:
    """Give every item and agent of these episodes a sign, in order of appearance.

    Other agents come after the items, because they may also be goals.
    """
    trials = [trial for episode in episodes for trial in episode]
    agents = list(dict.fromkeys(trial.agent.look for trial in trials))
    named = called(agents, LONGEST_DRAWN)
    goals = [look for trial in trials for look in name_goals(trial)]
    others = (one.look for trial in trials for one in trial.others if one.kind == "agent")
    return Signs(
        {**signs_of_goals(goals).items, **signs_of_others(goals, others).items},
        {
            look: Sign(named[look], hexadecimal(look), AGENTS[index % len(AGENTS)], index)
            for index, look in enumerate(agents)
        },
    )


def signs_of_goals(goals: Iterable[Identity]) -> Signs:
    """Give each goal a sign, in order of appearance; the key has its own."""
    items = list(dict.fromkeys(goals))
    objects = [look for look in items if look != KEY]
    named = called(items, LONGEST_DRAWN)
    number = {look: len(objects) if look == KEY else objects.index(look) for look in items}
    return Signs({look: _item_sign(named[look], look, number[look]) for look in items}, {})


def signs_of_others(goals: Iterable[Identity], others: Iterable[Identity]) -> Signs:
    """Give each other agent a sign: a disc, with the next colour after those of the goals."""
    known = list(dict.fromkeys(goals))
    looks = [look for look in dict.fromkeys(others) if look not in known]
    named = called(looks, LONGEST_DRAWN)
    number = len([look for look in known if look != KEY])
    found = {}
    for at, look in enumerate(looks, start=number):
        found[look] = Sign(named[look], ITEMS[at % len(ITEMS)], DISC, at)
    return Signs(found, {})


def _item_sign(name: str, look: Identity, number: int) -> Sign:
    if look == KEY:
        return Sign(name, KEY_COLOUR, TRIANGLE, number)
    return Sign(name, ITEMS[number % len(ITEMS)], OBJECTS[number % len(OBJECTS)], number)


def called(looks: Iterable[Identity], longest: int = LONGEST) -> dict[Identity, str]:
    """Return short and distinct names: the shape, with colour or number if necessary."""
    names = {look: _short(look, longest) for look in looks}
    common = Counter(names.values())
    for look, name in names.items():
        if common[name] > 1 and look.colour:
            names[look] = f"{nearest_name(rgb(look), COLOURS)} {name}"
    return dict(zip(names, distinct(names.values()), strict=True))


def shape_of(look: Identity) -> str:
    """Return the name of the image without its folder and suffix."""
    return _SUFFIX.sub("", str(Identity(look.image)))


def _short(look: Identity, longest: int) -> str:
    if look.image == KEY.image:
        return "key"
    name = plain(shape_of(look).replace("_", " ")).strip() or "thing"
    return name if len(name) <= longest else name[: longest - 1] + "…"


def rgb(look: Identity) -> tuple[int, int, int]:
    """Return a thing's colour as whole numbers from 0 to 255; grey if it has none."""
    if len(look.colour) < 3:
        return NO_COLOUR
    red, green, blue = (round(min(max(value, 0.0), 255.0)) for value in look.colour[:3])
    return red, green, blue


def hexadecimal(look: Identity) -> str:
    """Return a thing's colour as #RRGGBB."""
    return "#{:02X}{:02X}{:02X}".format(*rgb(look))


def said(judgement: Judgement, known: Signs) -> str:
    """Return the sentence about a judgement, with the names of the signs."""
    sentence = explain(account(judgement))
    for look, sign in {**known.items, **known.agents}.items():
        if look != KEY:
            sentence = sentence.replace(plain(str(look)), sign.name)
    return sentence
