"""What an agent could know about where a thing is, and where the agent went, in words."""

from __future__ import annotations

from hbtom.judgement.moved_things import Transfer


def knows_better(known: Transfer) -> bool:
    """Return whether the agent knows where a thing is or, with memory alone, where it was."""
    return known.sight != "seen" or known.saw in ("move", "place")


def knowledge(known: Transfer, goal: str, mover: str) -> str:
    """Return, in words, what the agent could know about where a thing is."""
    if known.sight == "all":
        return f"it knows where {goal} is"
    if known.sight == "memory":
        return f"it only remembers where {goal} used to be"
    if known.saw == "place":
        return f"it saw where {goal} is"
    if not known.moved:
        return f"it cannot have seen where {goal} is"
    if known.saw == "move":
        event = f"{mover} move {goal}" if mover else f"{goal} move"
        return f"it saw {event}{_and_back(known, 'put it back' if mover else 'return')}"
    if known.saw == "before" and known.back:
        event = f"{mover} put {goal} back" if mover else f"{goal} was put back"
        return f"it cannot have seen that {event}"
    event = f"{mover} moved {goal}" if mover else f"{goal} was moved"
    back = _and_back(known, "put it back" if mover else "put back")
    return f"it cannot have seen that {event}{back}"


def _and_back(known: Transfer, words: str) -> str:
    return f" and {words}" if known.back else ""


def place(known: Transfer, goal: str, *, there: bool) -> str:
    """Return, in words, where the agent went: where a thing is, or where it was before."""
    if known.sight == "seen" and known.saw == "move" and not known.back:
        return f"to the {'new' if there else 'old'} place"
    named = known.saw == "place" if known.sight == "seen" else known.sight == "all"
    if there == named and not known.back and knows_better(known):
        return "there"  # the place was mentioned before
    if there:
        return f"where {goal} is"
    return f"where {goal} {'had been in between' if known.back else 'used to be'}"
