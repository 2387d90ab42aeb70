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


def traced(posteriors: Sequence[Posterior]) -> list[dict[str, Any]]:
    """Return one entry a trial; steps count from 0, before the first; frames count from 1."""
    return [_traced(number, posterior) for number, posterior in enumerate(posteriors, start=1)]


def _traced(number: int, posterior: Posterior) -> dict[str, Any]:
    goals = names(posterior.goals)
    preferred = names(posterior.preferred)
    efficiencies = [f"{value:.9g}" for value in posterior.efficiencies]
    surprise = [0.0, *(-posterior.log_likelihood).tolist()]
    steps = [
        {
            "frame": int(frame) + 1,
            "goal": dict(zip(goals, goal, strict=True)),
            "efficiency": dict(zip(efficiencies, efficiency, strict=True)),
            "preference": dict(zip(preferred, preference, strict=True)),
            "observation_surprise": unlikely,
        }
        for frame, goal, efficiency, preference, unlikely in zip(
            posterior.frame.tolist(),
            posterior.goal.tolist(),
            posterior.efficiency.tolist(),
            posterior.preference.tolist(),
            surprise,
            strict=True,
        )
    ]
    reachable = [goal for goal, can in zip(goals, posterior.reachable, strict=True) if can]
    agent = str(posterior.agent)
    return {"trial": number, "agent": agent, "reachable": reachable, "steps": steps}


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
        for variable in ("goal", "efficiency", "preference")
        for value, probability in step[variable].items()
    ]
    columns = ["trial", "agent", "step", "frame", "variable", "value", "probability"]
    return pd.DataFrame(rows, columns=columns)


def to_xarray(posterior: Posterior) -> xr.Dataset:
    """Return P(goal, efficiency) and E[preference] over steps, with labelled axes."""
    try:
        import xarray as xr
    except ImportError:
        raise missing("xarray", "tables") from None
    return xr.Dataset(
        {
            "posterior": (("step", "goal", "efficiency"), posterior.joint),
            "preference": (("step", "item"), posterior.preference),
        },
        coords={
            "step": range(len(posterior.joint)),
            "frame": ("step", posterior.frame + 1),
            "goal": names(posterior.goals),
            "efficiency": posterior.efficiencies,
            "item": names(posterior.preferred),
        },
        attrs={"agent": str(posterior.agent)},
    )
