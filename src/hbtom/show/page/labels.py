"""Names for things: short, plain and distinct."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from hbtom.judgement import Judgement
from hbtom.mind.regret import KEY
from hbtom.observe import Identity
from hbtom.show.plots.signs import rgb
from hbtom.show.words import plain

LONGEST = 40  # letters of a name; longer names are cut

_SUFFIX = re.compile(r"\.(png|jpe?g|gif|svg|webp)$", re.IGNORECASE)
_COLOURS = {
    "black": (0, 0, 0),
    "grey": (128, 128, 128),
    "white": (255, 255, 255),
    "red": (230, 0, 30),
    "orange": (255, 140, 0),
    "yellow": (255, 225, 0),
    "olive": (128, 128, 0),
    "green": (0, 150, 0),
    "cyan": (0, 225, 255),
    "blue": (40, 110, 220),
    "navy": (0, 0, 128),
    "purple": (130, 80, 220),
    "magenta": (255, 0, 255),
    "pink": (255, 130, 190),
    "brown": (139, 69, 19),
    "beige": (245, 222, 179),
}


def names_of(judgement: Judgement) -> dict[Identity, str]:
    """Return a name for each item and each agent of an episode, such as "heart"."""
    items = (look for one in judgement.posteriors for look in (*one.preferred, *one.goals))
    agents = [posterior.agent for posterior in judgement.posteriors]
    others = (o.look for trial in judgement.episode for o in trial.others if o.kind == "agent")
    return {**called(dict.fromkeys((*agents, *others))), **called(dict.fromkeys(items))}


def called(looks: Iterable[Identity]) -> dict[Identity, str]:
    """Return short and distinct names: by shape, if need be with colour or number."""
    names = {look: _short(look) for look in looks}
    common = Counter(names.values())
    for look, name in names.items():
        if common[name] > 1 and look.colour:
            names[look] = f"{colour_word(rgb(look))} {name}"
    seen: Counter[str] = Counter()
    for look, name in names.items():
        seen[name] += 1
        names[look] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return names


def shape_of(look: Identity) -> str:
    """Return the name of the image without its folder and suffix."""
    return _SUFFIX.sub("", str(Identity(look.image)))


def colour_word(colour: tuple[int, int, int]) -> str:
    """Return the word for the nearest colour in the list."""
    return min(
        _COLOURS,
        key=lambda word: sum((a - b) ** 2 for a, b in zip(_COLOURS[word], colour, strict=True)),
    )


def _short(look: Identity) -> str:
    if look.image == KEY.image:
        return "key"
    name = plain(shape_of(look).replace("_", " ")).strip() or "thing"
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
