"""What else is seen in a trial: other agents, occluders, doors, the paddle."""

from __future__ import annotations

from collections.abc import Iterable

from hbtom.observe.episode import Other, OtherKind
from hbtom.observe.mcs.pace import Pace, along
from hbtom.observe.mcs.roles import colour_of, look_of
from hbtom.observe.mcs.space import extent
from hbtom.observe.mcs.timeline import SeenThing

RADIUS = 6.0  # of other agents, in pixels

_SIZES: dict[OtherKind, tuple[float, float]] = {
    "agent": (2 * RADIUS, 2 * RADIUS),  # at whatever size they are drawn
    "door": (20.0, 40.0),
    "occluder": (10.0, 42.0),
    "paddle": (10.0, 40.0),
}
_CYAN = colour_of(("Cyan",))


def others_of(
    at: Pace,
    agents: Iterable[SeenThing],
    paddles: Iterable[SeenThing],
    screens: Iterable[SeenThing],
) -> tuple[Other, ...]:
    """Return what else is seen, sorted by kind; screens in cyan are doors."""
    found = [
        *(_other(at, "agent", one) for one in agents),
        *(_other(at, "paddle", one) for one in paddles),
        *(
            _other(at, "door" if colour_of(one.thing.materials) == _CYAN else "occluder", one)
            for one in screens
        ),
    ]
    return tuple(sorted(found, key=lambda other: other.kind))


def _other(at: Pace, kind: OtherKind, one: SeenThing) -> Other:
    usual = _SIZES[kind]
    return Other(
        kind=kind,
        look=look_of(one.thing.type, one.thing.materials),
        size=usual if kind == "agent" else extent(one.thing, usual),
        path=along(at, one.place),
        angle=along(at, one.angle[:, None])[:, 0],
    )
