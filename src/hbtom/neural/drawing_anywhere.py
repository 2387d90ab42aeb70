"""The same pictures drawn by any array library, such as JAX on a GPU.

While :func:`hbtom.neural.draw` paints each thing in its place, this compares every thing with
every pixel. That is a waste on a CPU but fast on a GPU, which needs to receive only positions.
Colours may differ by one or two in 255, because they are rounded once, at the end.
"""

from __future__ import annotations

from typing import Annotated, Any

from hbtom.neural.drawing import DEPTH, FLOOR, LOBES, RIM, SIDE, TINY, TURN
from hbtom.neural.tensors import COLOUR, HEIGHT, KIND, OBJECT, SHAPE, THERE, WIDTH

Array = Any  # an array of the library
ROUND = 8  # most round things in a trial, by default


def draw_anywhere(
    xp: Any,
    things: Annotated[Array, "trial thing 7"],
    places: Annotated[Array, "trial frame thing 3"],
    rounds: int = ROUND,
) -> Annotated[Array, "trial frame 84 84 3"]:
    """Return a picture of every frame; ``xp`` is ``jax.numpy``, numpy, or the like.

    Of each trial, only the first ``rounds`` round things are drawn.
    """
    looks = things[:, None]
    is_box = (looks[..., KIND] > OBJECT) * places[..., THERE]
    tint = (255 * looks[..., COLOUR] - FLOOR) * is_box[..., None]
    across = _covered(xp, places[..., 0], looks[..., WIDTH])
    down = _covered(xp, places[..., 1], looks[..., HEIGHT])
    tinted = (across[..., None] * tint[..., None, :]).reshape(*across.shape[:-1], 3 * SIDE)
    painted = xp.maximum(FLOOR + xp.matmul(down.swapaxes(-1, -2), tinted), 0)
    painted = painted.reshape(*painted.shape[:2], SIDE, SIDE, 3)
    for slot in reversed(range(min(rounds, things.shape[1]))):
        share = _share(xp, things[:, None, slot], places[:, :, slot])[..., None]
        colour = 255 * things[:, None, None, None, slot, COLOUR]
        painted = painted + share * (colour - painted)
    return (painted + 0.5).astype(xp.uint8)


def _covered(xp: Any, middle: Array, length: Array) -> Array:
    """Return how much of each pixel of a row an interval covers."""
    pixel = xp.arange(SIDE, dtype=xp.float32)
    first, last = (SIDE * (middle + sign * length / 2)[..., None] for sign in (-1, 1))
    return xp.clip(xp.minimum(last, pixel + 1) - xp.maximum(first, pixel), 0, 1)


def _share(xp: Any, look: Array, place: Array) -> Array:
    """Return how much of each pixel a round thing covers; nothing where it is absent."""
    pixel = xp.arange(SIDE, dtype=xp.float32) + 0.5
    size = SIDE / 2 * look[..., [WIDTH, HEIGHT]]
    size = xp.clip(size, TINY, SIDE)  # padding has no size
    x = ((pixel - SIDE * place[..., 0, None]) / size[..., 0, None])[..., None, :]
    y = ((pixel - SIDE * place[..., 1, None]) / size[..., 1, None])[..., :, None]
    kind, shape = look[..., KIND], look[..., SHAPE].astype(xp.int32)
    lobes, turn = (xp.asarray(table)[shape][..., None, None] for table in (LOBES, TURN))
    rim = RIM + DEPTH * xp.cos(lobes * xp.arctan2(y, x) + turn)
    inward = (rim - xp.hypot(x, y)) * size.min(axis=-1)[..., None, None]
    there = (kind > 0) * (kind <= OBJECT) * place[..., THERE]
    return xp.clip(inward + 0.5, 0, 1) * there[..., None, None]
