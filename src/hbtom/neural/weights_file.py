"""Files of weights: safetensors, which hold numbers and a card, and never code."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hbtom.errors import BadInput, located, needed
from hbtom.files import file_bytes, write_whole
from hbtom.neural.operations import Array

CARD = "hbtom"  # the entry of a file's metadata that holds the card, as JSON
Card = dict[str, Any]  # a description of weights


def checkpoint_of(path: Path) -> Path:
    """Return the file in which unfinished training is kept."""
    return path.with_name(f"{path.name}.unfinished")


def check_begun(path: Path, card: Card, asked: Card) -> None:
    """Refuse to continue unfinished training that was started with other options."""
    begun = card.get("asked")
    if not isinstance(begun, dict) or any(begun.get(name) != one for name, one in asked.items()):
        hint = "give the same options as before, or remove the file to start over"
        raise BadInput("this training was begun with other options", hint=hint, file=path)


def write_weights(path: Path, weights: Mapping[str, Array], card: Card) -> None:
    """Write weights and their card, whole or not at all."""
    with needed("safetensors", "neural"):
        from safetensors.numpy import save

    arrays = {name: np.ascontiguousarray(values) for name, values in sorted(weights.items())}
    write_whole(path, save(arrays, {CARD: json.dumps(card, sort_keys=True)}))


def read_weights(path: Path) -> tuple[dict[str, Array], Card]:
    """Return the weights in a file, and their card."""
    with needed("safetensors", "neural"):
        from safetensors import SafetensorError
        from safetensors.numpy import load

    with located(file=str(path)):
        data = file_bytes(path, "a file of weights")
    try:
        weights = load(data)
        header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
        return weights, dict(json.loads(header["__metadata__"][CARD]))
    except (SafetensorError, KeyError, TypeError, ValueError, RecursionError):
        hint = "'hbtom train' writes such files; is this file one, and complete?"
        raise BadInput("these are not weights of a network", hint=hint, file=path) from None
