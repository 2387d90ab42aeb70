"""Synthetic episodes: the nine evaluation tasks and the four background tasks.

Everything public is here; `audit` checks written files without sharing code with the generator.
"""

from __future__ import annotations

from .generate import background_episode, episode_pair, generate
from .model import Episode, Moment, Thing, Trial, encode

__all__ = [
    "Episode",
    "Moment",
    "Thing",
    "Trial",
    "background_episode",
    "encode",
    "episode_pair",
    "generate",
]
