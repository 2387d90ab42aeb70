"""Names for things: short, plain and distinct."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from hbtom.judgement import Judgement
from hbtom.mind.regret import KEY
from hbtom.observe import Identity
from hbtom.observe.colour_names import colour_table, nearest_name
from hbtom.show.plots.signs import rgb
from hbtom.show.words import plain

LONGEST = 40  # letters of a name; longer names are cut

_SUFFIX = re.compile(r"\.(png|jpe?g|gif|svg|webp)$", re.IGNORECASE)
COLOURS = colour_table(
    "black 000000, grey 808080, white FFFFFF, red E6001E, orange FF8C00, yellow FFE100, "
    "olive 808000, green 009600, cyan 00E1FF, blue 286EDC, navy 000080, purple 8250DC, "
    "magenta FF00FF, pink FF82BE, brown 8B4513, beige F5DEB3"
)


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
            names[look] = f"{nearest_name(rgb(look), COLOURS)} {name}"
    seen: Counter[str] = Counter()
    for look, name in names.items():
        seen[name] += 1
        names[look] = name if seen[name] == 1 else f"{name} ({seen[name]})"
    return names


def shape_of(look: Identity) -> str:
    """Return the name of the image without its folder and suffix."""
    return _SUFFIX.sub("", str(Identity(look.image)))


def _short(look: Identity) -> str:
    if look.image == KEY.image:
        return "key"
    name = plain(shape_of(look).replace("_", " ")).strip() or "thing"
    return name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
