"""The reader of Machine Common Sense (MCS) passive-agent scenes.

A scene is one JSON object for all trials: a list of actions, in which ``EndHabituation`` ends a
trial, and a list of things with the steps at which each is shown or hidden. ``scene`` decodes it,
``roles`` finds out what a thing is, ``space`` where it is at each step, ``pace`` turns steps into
frames, ``bystanders`` finds other agents and panels, and ``building`` makes trials. ``export`` and
``parts`` write scenes.
"""

from hbtom.observe.mcs.building import read

__all__ = ["read"]
