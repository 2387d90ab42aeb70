"""Synthetic episodes: the nine evaluation tasks and the four background tasks.

Everything public is here; `audit` checks written files without sharing code with the generator.
"""

from __future__ import annotations

from .generate import background_episode, episode_pair, generate
from .script import Moment, Script, Take, Thing, encode

__all__ = [
    "Moment",
    "Script",
    "Take",
    "Thing",
    "background_episode",
    "encode",
    "episode_pair",
    "generate",
]
