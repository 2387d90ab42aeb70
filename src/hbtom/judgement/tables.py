"""Export: the beliefs at every step as plain values, a tidy table, or labelled arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hbtom import __version__
from hbtom.assumptions import depth_names
from hbtom.errors import needed
from hbtom.mind import Posterior
from hbtom.mind.hypotheses import FORESIGHT
from hbtom.mind.kinds_of_minds import ATTITUDE_NAMES, CAUSES, CompanyPosterior
from hbtom.observe import names

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from hbtom.judgement.tracing import BaseJudgement

_OF_AGENTS = (
    *("goal", "belief", "process", "place", "manner", "cause"),
    *("foresight", "efficiency", "preference"),
)


def traced(posteriors: Sequence[Posterior]) -> list[dict[str, Any]]:
    """Return an entry for each trial; step 0 is before the first step; frames count from 1."""
    return [_traced(number, posterior) for number, posterior in enumerate(posteriors, start=1)]


def _traced(number: int, posterior: Posterior) -> dict[str, Any]:
    goals = names(posterior.goals)
    efficiencies = [f"{value:.9g}" for value in posterior.efficiencies]
    variables = {
        "goal": (goals, posterior.goal.tolist()),
        **{axis: (named, posterior.margin(axis).tolist()) for axis, named in _axes(posterior)},
        **_kinds(posterior.company),
        **_foresight(posterior),
        "efficiency": (efficiencies, posterior.efficiency.tolist()),
        "preference": (names(posterior.preferred), posterior.preference.tolist()),
    }
    joint = _joint(posterior, goals)
    surprise = [0.0, *(-posterior.log_likelihood).tolist()]
    changed = [] if posterior.changed is None else [0.0, *posterior.changed.tolist()]
    steps = [
        {
            "frame": frame + 1,
            **{
                name: dict(zip(labels, rows[step], strict=True))
                for name, (labels, rows) in variables.items()
            },
            **({"goal_and_belief": joint[step]} if joint else {}),
            **({"goal_changed": changed[step]} if changed else {}),
            "observation_surprise": surprise[step],
        }
        for step, frame in enumerate(posterior.frame.tolist())
    ]
    reachable = [goal for goal, can in zip(goals, posterior.reachable, strict=True) if can]
    agent = str(posterior.agent)
    return {"trial": number, "agent": agent, "reachable": reachable, "steps": steps}


def _joint(posterior: Posterior, goals: Sequence[str]) -> list[dict[str, dict[str, float]]]:
    """Return P(goal, belief) at every step, by goal; empty if there is only one belief."""
    beliefs = posterior.hypotheses.beliefs
    rows = posterior.margin("goal", "belief").tolist() if len(beliefs) > 1 else []
    return [
        {goal: dict(zip(beliefs, one, strict=True)) for goal, one in zip(goals, row, strict=True)}
        for row in rows
    ]


def _axes(posterior: Posterior) -> list[tuple[str, tuple[str, ...]]]:
    """Return the axes belief and process, if they have more than one label.

    In company they are the place where the agent believes its goal to be, and its manner.
    """
    kinds = posterior.hypotheses
    named = ("place", "manner") if kinds.by_goal else ("belief", "process")
    axes = zip(named, (kinds.beliefs, kinds.processes), strict=True)
    return [(axis, labels) for axis, labels in axes if len(labels) > 1]


def _foresight(posterior: Posterior) -> dict[str, tuple[tuple[str, ...], Any]]:
    """Return what is believed about the agent's foresight, if there are several depths."""
    if len(posterior.foresights) == 1:
        return {}
    return {FORESIGHT: (depth_names(posterior.foresights), posterior.foresight.tolist())}


def _kinds(company: CompanyPosterior | None) -> dict[str, tuple[tuple[str, ...], Any]]:
    """Return what is believed about the cause of the agent's motion and others' attitudes."""
    if company is None:
        return {}
    attitudes = {
        f"attitude of {actor}": (ATTITUDE_NAMES, chances.tolist())
        for actor, chances in zip(names(company.actors), company.attitudes.values(), strict=True)
    }
    return {"cause": (CAUSES, company.cause.tolist()), **attitudes}


def to_pandas(posteriors: Sequence[Posterior]) -> pd.DataFrame:
    """Return a row for each belief: trial, agent, step, frame, variable, value, probability."""
    rows = [
        (entry["trial"], entry["agent"], number, step["frame"], variable, value, probability)
        for entry in traced(posteriors)
        for number, step in enumerate(entry["steps"])
        for variable in sorted(step, key=_place)
        if isinstance(step[variable], dict)
        for value, probability in step[variable].items()
        if isinstance(probability, float)  # joint probabilities are in the trace
    ]
    columns = ["trial", "agent", "step", "frame", "variable", "value", "probability"]
    return frame(rows, columns)


def _place(variable: str) -> int:
    """Return the sort key of a variable in the table; attitudes come before efficiency."""
    known = variable in _OF_AGENTS
    return 2 * _OF_AGENTS.index(variable) if known else 2 * _OF_AGENTS.index("cause") + 1


def frame(rows: Sequence[Any], columns: Sequence[str] | None = None) -> pd.DataFrame:
    """Return a table for pandas (needs the extra ``tables``)."""
    with needed("pandas", "tables"):
        import pandas as pd
    return pd.DataFrame(rows, columns=None if columns is None else list(columns))


def to_xarray(posterior: Posterior) -> xr.Dataset:
    """Return P(goal, efficiency) and E[preference] over steps, with labelled axes.

    Depths of foresight, beliefs and processes (in company: places and manners) have axes if there
    are several. In company, so do the cause of the agent's motion and each other agent's attitude.
    """
    with needed("xarray", "tables"):
        import xarray as xr
    more, kinds = dict(_axes(posterior)), _kinds(posterior.company)
    ahead = {FORESIGHT: list(posterior.foresights)} if len(posterior.foresights) > 1 else {}
    full = posterior.full if posterior.company is None else posterior.company.by_attitude
    pair = posterior.hypotheses.beliefs, posterior.hypotheses.processes
    full = full.squeeze(tuple(2 + axis for axis, labels in enumerate(pair) if len(labels) == 1))
    return xr.Dataset(
        {
            "posterior": (("step", "goal", *more, *ahead, "efficiency", *kinds), full),
            "preference": (("step", "item"), posterior.preference),
        },
        coords={
            "step": range(1 + len(posterior)),
            "frame": ("step", posterior.frame + 1),
            "goal": names(posterior.goals),
            **{name: list(labels) for name, labels in more.items()},
            **ahead,
            "efficiency": posterior.efficiencies,
            **{name: list(labels) for name, (labels, _) in kinds.items()},
            "item": names(posterior.preferred),
        },
        attrs={"agent": str(posterior.agent)},
    )


def to_datatree(
    judgement: BaseJudgement, posteriors: Sequence[Posterior], source: str
) -> xr.DataTree:
    """Return the posteriors of all trials, and the judgement, as one tree with its provenance.

    ArviZ only opens groups at the top level, so all groups are there.
    """
    with needed("xarray", "tables"):
        import xarray as xr
    parts, surprises = judgement.parts.to_dict(), judgement.surprise.to_dict()
    verdict = xr.Dataset(
        {
            "plausibility": judgement.plausibility,
            "part": ("kind", list(parts.values())),
            "surprise": ("kind", list(surprises.values())),
        },
        coords={"kind": list(parts)},
        attrs={
            "explanation": judgement.explanation,
            **({"missing": judgement.missing} if judgement.missing else {}),
        },
    )
    trials = {
        f"/trial_{number}": to_xarray(posterior)
        for number, posterior in enumerate(posteriors, start=1)
    }
    made_by = {
        "inference_library": "hbtom",
        "inference_library_version": __version__,
        "model": judgement.model.name,
        "model_fingerprint": judgement.model.fingerprint,
        "model_toml": judgement.model.to_toml(),
        "source": source,
    }
    return xr.DataTree.from_dict(
        {"/": xr.Dataset(attrs=made_by), "/judgement": verdict, **trials}, name="hbtom"
    )
