"""From trials to rows."""

from __future__ import annotations

from dataclasses import fields
from hashlib import blake2b
from itertools import takewhile
from typing import Any

import numpy as np

from hbtom.arrays import Floats
from hbtom.observe.archive.columns import arrow, schema
from hbtom.observe.bodies import Body, Other
from hbtom.observe.episode import Episode, check_writable
from hbtom.observe.trial import CHANGING, Trial

_FIELDS = [field.name for field in fields(Trial) if field.name not in (*CHANGING, "still")]
_OF_OTHERS = [field.name for field in fields(Other)]


def encoded(task: str, pair: str, expected: Episode, unexpected: Episode) -> Any:
    """Return the rows of a pair as a record batch of :func:`schema`."""
    pa, _ = arrow()
    for episode in (expected, unexpected):
        check_writable(episode)
    one, other = ([_content(trial) for trial in episode] for episode in (expected, unexpected))
    alike = sum(
        1 for _ in takewhile(lambda both: both[0] == both[1], zip(one, other, strict=False))
    )
    framed = (len(part).to_bytes(8, "big") + part for part in (*one, b"", *other))
    content = blake2b(b"".join(framed), digest_size=8).hexdigest()
    same = {"task": task, "pair": pair, "content": content}
    rows = [
        {**same, "members": members, "trial": number, **_row(trial)}
        for members, trials, first in (
            ("eu", expected.trials[:alike], 1),
            ("e", expected.trials[alike:], alike + 1),
            ("u", unexpected.trials[alike:], alike + 1),
        )
        for number, trial in enumerate(trials, start=first)
    ]
    return pa.RecordBatch.from_pylist(rows, schema=schema())


def _content(trial: Trial) -> bytes:
    """Return bytes that are equal for two trials only if the trials are equal, to the last bit."""
    names = [name for name in _FIELDS if name != "others" or trial.others]  # as in version 1
    parts = [_bytes(getattr(trial, name)) for name in names]
    changes = _changes(trial)  # as in version 2, if there are none
    return b"\0".join(parts if changes is None else [*parts, *map(_bytes, changes.values())])


def _bytes(value: object) -> bytes:
    if isinstance(value, tuple) and any(isinstance(one, Other) for one in value):
        return b"\0".join(_bytes(getattr(one, name)) for one in value for name in _OF_OTHERS)
    if isinstance(value, np.ndarray):
        return repr(value.shape).encode() + value.tobytes()
    # Unlike ==, repr distinguishes 0.0 from -0.0. Hashes still use the name of identities in 0.1.
    return repr(value).replace("Identity(image=", "Look(image=").encode()


def _row(trial: Trial) -> dict[str, Any]:
    width, height = trial.size
    key_x, key_y = (None, None) if trial.key_path is None else trial.key_path.T
    nothing_stands = not len(trial.barrier) and not trial.barrier_left.view(np.int64).any()
    return {
        "width": width,
        "height": height,
        "agent": _body(trial.agent),
        "path_x": trial.path[:, 0],
        "path_y": trial.path[:, 1],
        "walls": _blocks(trial.walls),
        "barrier": _blocks(trial.barrier),
        "barrier_left": None if nothing_stands else trial.barrier_left,
        "objects": [_body(one) for one in trial.objects],
        "key": None if trial.key is None else _body(trial.key),
        "key_path_x": key_x,
        "key_path_y": key_y,
        "lock": None if trial.lock is None else _body(trial.lock),
        "lock_there": trial.lock_there,
        "warnings": trial.warnings,
        "others": [_other(one) for one in trial.others],
        "changes": _changes(trial),
    }


def _changes(trial: Trial) -> dict[str, Any] | None:
    """Return motion, absence and the camera as lists; None if there is none of these."""
    if not trial.unusual:
        return None
    values = {name: getattr(trial, name) for name in CHANGING}
    return {
        name: value.ravel() if isinstance(value, np.ndarray) else value
        for name, value in values.items()
    }


def _body(body: Body) -> dict[str, Any]:
    x, y = body.centre
    look = body.look
    return {"image": look.image, "colour": list(look.colour), "x": x, "y": y, "radius": body.radius}


def _other(other: Other) -> dict[str, Any]:
    width, height = other.size
    return {
        "kind": other.kind,
        "image": other.look.image,
        "colour": list(other.look.colour),
        "width": width,
        "height": height,
        "path_x": other.path[:, 0],
        "path_y": other.path[:, 1],
        "angle": other.angle,
    }


def _blocks(blocks: Floats) -> list[dict[str, float]]:
    return [dict(zip(("x", "y", "width", "height"), row, strict=True)) for row in blocks.tolist()]
