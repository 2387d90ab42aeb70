"""Observation: files become episodes of trials, in pixels, with the events that happen in them."""

from hbtom.observe.episode import Body, Episode, Identity, Other, Trial, names, same_trial
from hbtom.observe.events import Event
from hbtom.observe.formats import load, read

__all__ = [
    "Body",
    "Episode",
    "Event",
    "Identity",
    "Other",
    "Trial",
    "load",
    "names",
    "read",
    "same_trial",
]
