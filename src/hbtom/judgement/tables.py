"""Labelled exits: the beliefs of every step as plain values, tidy table, or labelled arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hbtom.errors import missing
from hbtom.mind import Posterior
from hbtom.observe import names

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

_VARIABLES = ("goal", "belief", "process", "efficiency", "preference")


def traced(posteriors: Sequence[Posterior]) -> list[dict[str, Any]]:
    """Return one entry a trial; steps count from 0, before the first; frames count from 1."""
    return [_traced(number, posterior) for number, posterior in enumerate(posteriors, start=1)]


def _traced(number: int, posterior: Posterior) -> dict[str, Any]:
    goals = names(posterior.goals)
    efficiencies = [f"{value:.9g}" for value in posterior.efficiencies]
    variables = {
        "goal": (goals, posterior.goal.tolist()),
        **{axis: (named, posterior.margin(axis).tolist()) for axis, named in _axes(posterior)},
        "efficiency": (efficiencies, posterior.efficiency.tolist()),
        "preference": (names(posterior.preferred), posterior.preference.tolist()),
    }
    joint = _joint(posterior, goals)
    surprise = [0.0, *(-posterior.log_likelihood).tolist()]
    steps = [
        {
            "frame": frame + 1,
            **{
                name: dict(zip(labels, rows[step], strict=True))
                for name, (labels, rows) in variables.items()
            },
            **({"goal_and_belief": joint[step]} if joint else {}),
            "observation_surprise": surprise[step],
        }
        for step, frame in enumerate(posterior.frame.tolist())
    ]
    reachable = [goal for goal, can in zip(goals, posterior.reachable, strict=True) if can]
    agent = str(posterior.agent)
    return {"trial": number, "agent": agent, "reachable": reachable, "steps": steps}


def _joint(posterior: Posterior, goals: Sequence[str]) -> list[dict[str, dict[str, float]]]:
    """Return P(goal, belief) at every step, by goal; nothing if there is only one belief."""
    beliefs = posterior.hypotheses.beliefs
    rows = posterior.margin("goal", "belief").tolist() if len(beliefs) > 1 else []
    return [
        {goal: dict(zip(beliefs, one, strict=True)) for goal, one in zip(goals, row, strict=True)}
        for row in rows
    ]


def _axes(posterior: Posterior) -> list[tuple[str, tuple[str, ...]]]:
    """Return those of the axes belief and process that have more than one label."""
    kinds = posterior.hypotheses
    axes = (("belief", kinds.beliefs), ("process", kinds.processes))
    return [(axis, labels) for axis, labels in axes if len(labels) > 1]


def to_pandas(posteriors: Sequence[Posterior]) -> pd.DataFrame:
    """Return one row a belief: trial, agent, step, frame, variable, value, probability."""
    try:
        import pandas as pd
    except ImportError:
        raise missing("pandas", "tables") from None
    rows = [
        (entry["trial"], entry["agent"], number, step["frame"], variable, value, probability)
        for entry in traced(posteriors)
        for number, step in enumerate(entry["steps"])
        for variable in _VARIABLES
        for value, probability in step.get(variable, {}).items()
    ]
    columns = ["trial", "agent", "step", "frame", "variable", "value", "probability"]
    return pd.DataFrame(rows, columns=columns)


def to_xarray(posterior: Posterior) -> xr.Dataset:
    """Return P(goal, efficiency) and E[preference] over steps, with labelled axes.

    Beliefs and processes have axes of their own where there are several.
    """
    try:
        import xarray as xr
    except ImportError:
        raise missing("xarray", "tables") from None
    more = dict(_axes(posterior))
    single = tuple(axis for axis, name in ((2, "belief"), (3, "process")) if name not in more)
    return xr.Dataset(
        {
            "posterior": (("step", "goal", *more, "efficiency"), posterior.full.squeeze(single)),
            "preference": (("step", "item"), posterior.preference),
        },
        coords={
            "step": range(1 + len(posterior)),
            "frame": ("step", posterior.frame + 1),
            "goal": names(posterior.goals),
            **{name: list(labels) for name, labels in more.items()},
            "efficiency": posterior.efficiencies,
            "item": names(posterior.preferred),
        },
        attrs={"agent": str(posterior.agent)},
    )
