"""What agents want and believe, from what they do: graded wants, and what they expect to find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

from hbtom.errors import BadInput, located, needed
from hbtom.mind.desires import DesirePosterior, Minds, infer_desires, minds_of
from hbtom.model import Model, find_model
from hbtom.plan.wanting import Valued, value
from hbtom.plottable import Plottable
from hbtom.world.pddl import Goal, SeenPlan, World, check_goals, check_plans
from hbtom.world.pddl.possible_problems import possible_problems, walk_of_plan
from hbtom.world.possible import MOST_SITUATIONS, Uncertain, Walk, follow, situations, start_of
from hbtom.world.text_gridworld import Gridworld
from hbtom.world.text_worlds import alike, possible_worlds, walk_of

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

MODEL = "paper"
NOTHING = "nothing"  # what an agent likes best that would rather have none of the things


@dataclass(frozen=True, eq=False)
class Attribution(Plottable):
    """What is believed about the wants and beliefs of agents, path by path."""

    model: Model
    posteriors: tuple[DesirePosterior, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return what is believed after every step of every path, as plain values."""
        model = {"name": self.model.name, "fingerprint": self.model.fingerprint}
        return {"model": model, "paths": [_plain(one) for one in self.posteriors]}

    def records(self) -> list[dict[str, Any]]:
        """Return one record for each path, time, and thing or world.

        ``value`` is E[u] of a thing, or E[b] of a world. ``rating`` is the same from 0 to 1.
        """
        return [
            {"scenario": one.walk.name, "agent": one.walk.agent, "time": time, "action": action}
            | {"variable": variable, "goal": name, "value": value, "rating": rating}
            for one in self.posteriors
            for time, action in enumerate(("", *one.walk.words))
            for variable, names, values, ratings in (
                ("desire", one.things, one.desire, (one.rating - 1.0) / 6.0),
                ("belief", one.worlds, one.belief, one.belief),
            )
            for name, value, rating in zip(
                names, values[time].tolist(), ratings[time].tolist(), strict=True
            )
        ]

    def to_pandas(self) -> pd.DataFrame:
        """Return the records as a tidy table (needs the extra ``tables``)."""
        from hbtom.judgement.tables import frame

        return frame(self.records())

    def to_xarray(self, path: int = -1) -> xr.Dataset:
        """Return all margins of a path, and the joint posterior at its end, with labelled axes."""
        with needed("xarray", "tables"):
            import xarray as xr
        one = self.posteriors[path]
        return xr.Dataset(
            {
                "desire": (("step", "thing"), one.desire),
                "rating": (("step", "thing"), one.rating),
                "utility": (("step", "thing", "level"), one.utility),
                "best": (("step", "best_thing"), one.best),
                "belief": (("step", "world"), one.belief),
                "efficiency": (("step", "beta"), one.efficiency),
                "random": (("step",), one.random),
                "posterior": (("utilities", "beliefs", "beta"), one.joint),
                "utilities_of": (("utilities", "thing"), one.minds.utilities),
                "beliefs_in": (("beliefs", "world"), one.minds.beliefs),
            },
            coords={
                "step": range(1 + len(one)),
                "action": ("step", ["", *one.walk.words]),
                "thing": list(one.things),
                "best_thing": [*one.things, NOTHING],
                "level": one.minds.levels,
                "world": list(one.worlds),
                "beta": one.efficiencies,
            },
            attrs={"path": one.walk.name, "agent": one.walk.agent},
        )

    def __repr__(self) -> str:
        return f"<Attribution of {len(self.posteriors)} paths>"


def _plain(one: DesirePosterior) -> dict[str, Any]:
    def by(names: Sequence[str], row: Any) -> dict[str, float]:
        return dict(zip(names, row.tolist(), strict=True))

    steps = [
        {
            "action": action,
            "desire": by(one.things, one.desire[step]),
            "rating": by(one.things, one.rating[step]),
            "best": by((*one.things, NOTHING), one.best[step]),
            "belief": by(one.worlds, one.belief[step]),
            "efficiency": by([f"{beta:.9g}" for beta in one.efficiencies], one.efficiency[step]),
            "random": float(one.random[step]),
            "possible": [name for name, can in zip(one.worlds, possible, strict=True) if can],
        }
        for step, (action, possible) in enumerate(
            zip((None, *one.walk.words), one.possible.tolist(), strict=True)
        )
    ]
    true = one.worlds[one.walk.truth]
    return {"path": one.walk.name, "agent": one.walk.agent, "world": true, "steps": steps}


@dataclass(frozen=True, eq=False)
class _Planned:
    """A world that is planned for: all that its paths have in common."""

    uncertain: Uncertain
    minds: Minds
    valued: Valued


def attribute(
    paths: Gridworld | Sequence[Gridworld] | Mapping[str, Gridworld],
    model: Model | str | PathLike[str] = MODEL,
) -> Attribution:
    """Infer what agents want and what they believe, from paths through gridworlds.

    Worlds that differ only in where the agent begins and in where hidden things lie are planned
    once. Paths of agents with the same name tell together what that agent wants; without a name,
    each path is of another agent.
    """
    named = _named(paths)
    model, planned, walks = find_model(model), dict[Any, _Planned](), list[tuple[Any, Walk]]()
    for name, world in named.items():
        with located(file=name):
            walks.append((alike(world), walk_of(world, name)._replace(agent=world.agent)))
    for (like, _), world in zip(walks, named.values(), strict=True):
        if like not in planned:
            some = [walk for other, walk in walks if other == like]
            planned[like] = _plan(model, possible_worlds(world), some)
    return _attributed(model, [(planned[like], walk) for like, walk in walks])


def attribute_plans(
    goals: Sequence[Goal],
    plans: Sequence[SeenPlan],
    model: Model | str | PathLike[str] = MODEL,
    *,
    possible: Sequence[World] = (),
    sees: Sequence[Goal] = (),
    stopped: bool = False,
    most: int = MOST_SITUATIONS,
) -> Attribution:
    """Infer what goals are worth to agents, and what they believe, from plans in one problem.

    An agent may stop wherever a goal holds, and has what that goal is worth to it. ``possible``
    are problems that may be the case for all it knows, beside that of the plans. ``sees`` are
    conditions whose truth it sees in every state. ``stopped`` says that agents stopped after the
    last action. ``most`` is the number of situations that they may get into.
    """
    model, goals, plans = find_model(model), check_goals(goals), check_plans(plans)
    if any(plan.world is not plans[0].world for plan in plans):
        raise BadInput("the plans are of several problems", hint="give plans of one problem only")
    worlds = [plans[0].world, *(one for one in possible if one is not plans[0].world)]
    uncertain, codes = possible_problems(worlds, goals, sees, most=most)
    walks = [walk_of_plan(plan, codes, goals, stopped=stopped) for plan in plans]
    planned = _plan(model, uncertain, walks, most)
    return _attributed(model, [(planned, walk) for walk in walks])


def _named(
    paths: Gridworld | Sequence[Gridworld] | Mapping[str, Gridworld],
) -> Mapping[str, Gridworld]:
    some = [paths] if isinstance(paths, Gridworld) else paths
    if not isinstance(some, Mapping):
        some = {f"path {number}": one for number, one in enumerate(some, start=1)}
    if not some:
        raise BadInput("there are no paths", hint="give one gridworld or more")
    return some


def _plan(
    model: Model, uncertain: Uncertain, walks: Sequence[Walk], most: int = MOST_SITUATIONS
) -> _Planned:
    minds = minds_of(model.desires, uncertain)
    starts = [start_of(uncertain.worlds, walk) for walk in walks]
    some = situations(uncertain.worlds, starts, most)
    return _Planned(uncertain, minds, value(some, minds.utilities, minds.beliefs))


def _attributed(model: Model, walks: Sequence[tuple[_Planned, Walk]]) -> Attribution:
    """Return what is believed about all walks; what an agent wants carries over to its next."""
    wants, posteriors = dict[str, DesirePosterior](), []
    for planned, walk in walks:
        before, uncertain = wants.get(walk.agent), planned.uncertain
        if before is not None and before.things != uncertain.things:
            hint = "an agent that is watched several times must have the same things to choose from"
            raise BadInput(f"{walk.name}: '{walk.agent}' had other things before", hint=hint)
        prior = None if before is None else before.joint.sum(axis=1)
        course = follow(uncertain.worlds, planned.valued.situations, walk)
        named = uncertain, walk
        one = infer_desires(model, planned.minds, planned.valued, named, course, prior)
        posteriors.append(one)
        if walk.agent:
            wants[walk.agent] = one
    return Attribution(model, tuple(posteriors))
