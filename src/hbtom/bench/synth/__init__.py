"""Synthetic episodes: nine evaluation tasks, four background tasks, five social tasks.

Everything public is here. `audit` checks the files and shares no code with the generator.
"""

from __future__ import annotations

from hbtom.bench.synth.generate import generate
from hbtom.bench.synth.script import Moment, Script, Take, Thing, encode
from hbtom.bench.synth.social import social_labels, social_pair
from hbtom.bench.synth.task_episodes import background_episode, episode_pair

__all__ = [
    "Moment",
    "Script",
    "Take",
    "Thing",
    "background_episode",
    "encode",
    "episode_pair",
    "generate",
    "social_labels",
    "social_pair",
]
