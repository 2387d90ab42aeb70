"""Observation: files become episodes of trials, in pixels, with the events that happen in them."""

from hbtom.observe.bodies import Actor, Body, Identity, Look, Other, OtherKind, names
from hbtom.observe.episode import Episode, same_trial
from hbtom.observe.events import Event
from hbtom.observe.formats import load, read
from hbtom.observe.trial import Trial

__all__ = [
    "Actor",
    "Body",
    "Episode",
    "Event",
    "Identity",
    "Look",
    "Other",
    "OtherKind",
    "Trial",
    "load",
    "names",
    "read",
    "same_trial",
]
