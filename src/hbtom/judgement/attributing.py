"""What agents want and believe, from what they do: graded wants, and what they expect to find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hbtom.errors import BadInput, located, needed
from hbtom.mind.desires import DesirePosterior, infer_desires
from hbtom.model import AnyModel, Model, find_model
from hbtom.plan.situation_values import PlannedWorlds, plan_walks
from hbtom.plottable import Plottable
from hbtom.world.pddl import Goal, SeenPlan, World, check_goals, check_plans
from hbtom.world.pddl.possible_problems import possible_problems, walk_of_plan
from hbtom.world.possible_worlds import MOST_SITUATIONS, Walk, follow
from hbtom.world.text_gridworld import Gridworld
from hbtom.world.text_worlds import alike, named_paths, possible_worlds, walk_of

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

MODEL = "paper"
NOTHING = "nothing"  # the favourite of an agent that would rather have none of the things


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
        """Return one record for each path, time, and thing or expectation.

        ``value`` is what a thing is worth, E[u], or how probable something was to the agent at
        first. ``rating`` is the same from 0 to 1.
        """
        return [
            {"scenario": one.walk.name, "agent": one.walk.agent, "time": time, "action": action}
            | {"variable": variable, "goal": name, "value": value, "rating": rating}
            for one in self.posteriors
            for time, action in enumerate(("", *one.walk.words))
            for variable, name, value, rating in _told(one, time)
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


def _told(one: DesirePosterior, time: int) -> Iterator[tuple[str, str, float, float]]:
    rated = zip(one.things, one.desire[time].tolist(), one.rating[time].tolist(), strict=True)
    for name, desire, rating in rated:
        yield "desire", name, desire, (rating - 1.0) / 6.0
    for name, chance in one.expected.items():
        yield "belief", name, float(chance[time]), float(chance[time])


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
            "expected": {name: float(chance[step]) for name, chance in one.expected.items()},
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


def attribute(
    paths: Gridworld | Sequence[Gridworld] | Mapping[str, Gridworld],
    model: AnyModel = MODEL,
) -> Attribution:
    """Infer what agents want and what they believe, from paths through gridworlds.

    Worlds that differ only in where the agent begins and in where hidden things lie are planned
    once. All paths of agents with the same name are evidence about what that agent wants; without
    names, each path is that of another agent.
    """
    named = named_paths(paths)
    model, planned, walks = (
        find_model(model, MODEL),
        dict[Any, PlannedWorlds](),
        list[tuple[Any, Walk]](),
    )
    for name, world in named.items():
        with located(file=name):
            walks.append((alike(world), walk_of(world, name)._replace(agent=world.agent)))
    for (like, _), world in zip(walks, named.values(), strict=True):
        if like not in planned:
            some = [walk for other, walk in walks if other == like]
            planned[like] = plan_walks(model.desires, possible_worlds(world), some)
    return _attributed(model, [(planned[like], walk) for like, walk in walks])


def attribute_plans(
    goals: Sequence[Goal],
    plans: Sequence[SeenPlan],
    model: AnyModel = MODEL,
    *,
    possible: Sequence[World] = (),
    sees: Sequence[Goal] = (),
    stopped: bool = False,
    most: int = MOST_SITUATIONS,
) -> Attribution:
    """Infer what goals are worth to agents, and what they believe, from plans in one problem.

    An agent may stop wherever a goal holds, and then gains what that goal is worth to it.
    ``possible`` are other problems that the agent may believe it is in, besides that of the plans.
    ``sees`` are conditions whose truth it sees in every state. ``stopped`` says that agents stopped
    after the last action. ``most`` is the largest number of situations that they may get into.
    """
    model, goals, plans = find_model(model, MODEL), check_goals(goals), check_plans(plans)
    if any(plan.world is not plans[0].world for plan in plans):
        raise BadInput("the plans are for several problems", hint="give plans for one problem only")
    worlds = [plans[0].world, *(one for one in possible if one is not plans[0].world)]
    uncertain, codes = possible_problems(worlds, goals, sees, most=most)
    walks = [walk_of_plan(plan, codes, goals, stopped=stopped) for plan in plans]
    planned = plan_walks(model.desires, uncertain, walks, most)
    return _attributed(model, [(planned, walk) for walk in walks])


def _attributed(model: Model, walks: Sequence[tuple[PlannedWorlds, Walk]]) -> Attribution:
    """Return what is believed about all walks; what an agent wants carries over to its next one."""
    courses = [follow(one.uncertain.worlds, one.valued.situations, walk) for one, walk in walks]
    before, posteriors = dict[str, DesirePosterior](), []
    for (planned, walk), course in zip(walks, courses, strict=True):
        earlier = before.get(walk.agent)
        if earlier is not None and earlier.things != planned.uncertain.things:
            hint = "an agent that is watched several times must have the same things to choose from"
            raise BadInput(f"{walk.name}: '{walk.agent}' had different things before", hint=hint)
        wants = None if earlier is None else earlier.joint.sum(axis=1)
        posteriors.append(infer_desires(model, planned, walk, course, wants))
        if walk.agent:
            before[walk.agent] = posteriors[-1]
    return Attribution(model, tuple(posteriors))
