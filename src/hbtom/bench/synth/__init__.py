"""Synthetic episodes of the nine evaluation tasks and the four background tasks.

Everything public is here. `audit` checks the files and shares no code with the generator.
"""

from __future__ import annotations

from hbtom.bench.synth.generate import background_episode, episode_pair, generate
from hbtom.bench.synth.script import Moment, Script, Take, Thing, encode

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
