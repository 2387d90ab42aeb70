"""What an agent knows along its path, and the regret of its steps given that knowledge.

An agent that does not know where a thing lies plans to look for it
(:mod:`hbtom.plan.knowledge_planning`). What it knows when it sets off on a step is a stage of its
world: the places where each thing may still be. The regret of a step is computed in its stage, once
for each belief with which the agent may have begun.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np

from hbtom.arrays import Bools, Floats, Ints
from hbtom.assumptions import Grid
from hbtom.errors import BadInput
from hbtom.mind.motion_regret import find_regret
from hbtom.mind.regret import BeliefRegret
from hbtom.model import Model
from hbtom.observe import Trial
from hbtom.plan import CostToGo
from hbtom.plan.knowledge_planning import Known, Lookout, at_hand, knowledge_costs, lookout
from hbtom.plan.planning import plan_in
from hbtom.world import PlaceWorld
from hbtom.world.seeing import Seen, expected_opening, see, world_of
from hbtom.world.sight_map import cells_along, seen_along, sight_map, view
from hbtom.world.stages import at_frame, joined, renumbered, step_onsets
from hbtom.world.whereabouts import Whereabouts, lying_at, noticing, whereabouts_of

Costs = Annotated[Floats, "goal mode row column"]


class Informed(NamedTuple):
    """What is known about a trial whose agent may not know where things are."""

    seen: Seen  # with a stage of the world for each state of the agent's knowledge
    costs: CostToGo  # under the first belief
    believed: tuple[BeliefRegret, ...]


class _Case(NamedTuple):
    """A trial, and the things whose places its agent may not know."""

    model: Model
    trial: Trial
    seen: Seen
    things: tuple[int, ...]
    places: Annotated[Floats, "place 2"]
    lies: Annotated[Ints, "frame object"]  # at which place each object lies, or -1
    opening: float  # what the agent expects opening a lock to cost


class _Layer(NamedTuple):
    """The world when the agent sets off on a step, and what the agent knows about it."""

    stage: int  # of the world
    frame: int  # the first frame in which everything that hides things is where it is now
    known: tuple[Known, ...]  # where each thing may still be


def find_informed(
    model: Model,
    trial: Trial,
    openings: tuple[float, ...] = (),
    earlier: tuple[Trial, ...] = (),
    whereabouts: Whereabouts | None = None,
) -> Informed | None:
    """Return the regret of a trial's steps under all beliefs about where things are.

    Return None if the agent knows all along where everything is: then its beliefs do not matter.
    See :func:`hbtom.mind.plan_one`.
    """
    _check(model)
    trial = noticing(trial)
    where = whereabouts_of(trial, earlier) if whereabouts is None else whereabouts
    if where is None:
        return None
    where.check(trial)
    seen = see(model, trial, openings)
    things, lies = where.hidden(trial), lying_at(trial, where.centres)
    opening = expected_opening(model.acts, openings)
    case = _Case(model, trial, seen, things, where.centres, lies, opening)
    layers = _layers(case)
    if all(len(known) == 1 for layer in layers for known in layer.known):
        return None
    informed, chances = _layered(case, layers), where.chances(model.knowledge.certain)
    by_belief = _costs(case, list(dict.fromkeys(layers)), [one for _, one in chances.values()])
    costs = [CostToGo(informed.world, one) for one in by_belief]
    regrets = (find_regret(model, trial, informed, one) for one in costs)
    believed = (
        BeliefRegret(name, prior, regret)
        for (name, (prior, _)), regret in zip(chances.items(), regrets, strict=True)
    )
    return Informed(informed, costs[0], tuple(believed))


def _check(model: Model) -> None:
    """Refuse models that do not plan over knowledge, or cannot."""
    if not model.knowledge.plan:
        hint = "set knowledge.plan to true, or give no places"
        raise BadInput("agents of this model always know where things are", hint=hint)
    slips = isinstance(model.motion, Grid) and model.motion.slip > 0
    if slips or model.observation.noise > 0:
        hint = "set motion.slip and observation.noise to 0, or knowledge.plan to false"
        raise BadInput("planning over knowledge needs moves that are certain and seen", hint=hint)


# What the agent knows


def _layers(case: _Case) -> list[_Layer]:
    """Return what the agent knows at first, and when it sets off on each step."""
    begin = [0, *step_onsets(case.seen.trajectory, case.seen.steady.whole_path)]
    hide, steps, world = case.model.knowledge.walls_hide, case.seen.trajectory, case.seen.stages[0]
    column, row = cells_along(case.trial.whole_path, world).T
    sees = seen_along(case.trial, world, case.places, hide)
    known = {}
    for thing in case.things:
        near = at_hand(_worlds(case, thing, 0, 0), thing)[:, row, column]
        known[thing] = known_along(sees | near.T, case.lies[:, thing])
    stage = [0, *(steps.mode // len(world.blocked)).tolist()]
    touched = [-1, *np.where(steps.thing < 0, -1, steps.thing % max(len(world.reach), 1)).tolist()]
    layers, views = list[_Layer](), dict[tuple[int, bytes], int]()
    for number, frame, item in zip(stage, begin, touched, strict=True):
        now = {thing: along[frame] for thing, along in known.items()}
        if item in now and case.lies[frame, item] >= 0:  # what is touched has been found
            now[item] = frozenset([int(case.lies[frame, item])])
        same = views.setdefault((number, view(case.trial, frame, hide)), frame)
        layers.append(_Layer(number, same, tuple(now.values())))
    return layers


def _layered(case: _Case, layers: list[_Layer]) -> Seen:
    """Return a trial's world and trajectory, with a stage for each layer."""
    numbers = {layer: number for number, layer in enumerate(dict.fromkeys(layers))}
    worlds = tuple(_world(case, layer) for layer in numbers)
    stage = np.array([numbers[layer] for layer in layers[1:]], dtype=np.int64)
    steps = renumbered(case.seen.trajectory, worlds[0], stage)
    return case.seen._replace(world=joined(worlds), trajectory=steps, stages=worlds)


def _world(case: _Case, layer: _Layer) -> PlaceWorld:
    """Return the world as the agent knows it: things that it has yet to find are out of reach."""
    world = case.seen.stages[layer.stage]
    reach = world.reach.copy()
    for thing, known in zip(case.things, layer.known, strict=True):
        if len(known) > 1:
            reach[thing] = np.inf
    return world._replace(reach=reach)


def known_along(
    tells: Annotated[Bools, "frame place"], lies: Annotated[Ints, "frame"]
) -> list[Known]:
    """Return where a thing may still be, given what the agent has seen, in each frame.

    ``tells`` says which places the agent sees. ``lies`` says at which of them the thing lies; -1
    while it is carried elsewhere. When it is moved, the agent's knowledge of its place is reset.
    """
    every = known = frozenset(range(tells.shape[1]))
    along, before = list[Known](), -1
    for seen, at in zip(tells, lies.tolist(), strict=True):
        known, before = known if at == before else every, at
        if at >= 0:
            known = frozenset([at]) if seen[at] else known.difference(np.flatnonzero(seen).tolist())
        along.append(known)
    return along


# What the agent plans


def _worlds(case: _Case, thing: int, stage: int, frame: int) -> tuple[PlaceWorld, ...]:
    """Return the world of a stage, as it is in a frame, with a thing at each of the places.

    A thing that really lies at such a place is assumed to lie elsewhere, where it blocks no path.
    """
    still, world, worlds = at_frame(case.trial, frame), case.seen.stages[stage], []
    for index, (x, y) in enumerate(case.places.tolist()):
        if case.lies[frame, thing] == index:
            worlds.append(world)
            continue
        objects = list(still.objects)
        objects[thing] = replace(objects[thing], centre=(x, y))
        made = world_of(case.model, replace(still, objects=tuple(objects)), case.opening)
        there = [one for one in case.things if case.lies[frame, one] == index]
        boxes = made.boxes.copy()
        boxes[there if len(boxes) else []] = False
        worlds.append(made._replace(boxes=boxes))
    return tuple(worlds)


def _lookouts(case: _Case, stage: int, frame: int) -> list[Lookout]:
    """Return what planning over knowledge of each thing needs, in a stage and a frame."""
    world, (column, row) = case.seen.stages[stage], case.seen.trajectory.first.tolist()
    sight = sight_map(case.trial, frame, world, case.places, case.model.knowledge.walls_hide)
    if not world.space.in_cells:
        column, row = world.cell_of(column, row)
    looks = []
    for thing in case.things:
        worlds, start = _worlds(case, thing, stage, frame), (int(row), int(column))
        looks.append(lookout(thing, worlds, sight, partial(_plan, case), start))
    return looks


def _plan(case: _Case, world: PlaceWorld) -> Costs:
    return plan_in(case.model.motion, world, case.seen.trajectory, True).cost


def _costs(
    case: _Case, layers: list[_Layer], beliefs: list[Annotated[Floats, "place"]]
) -> list[Costs]:
    """Return the cost-to-go of all goals through all layers, under each belief."""
    plain = [_plan(case, one) for one in case.seen.stages]
    looks = {at: _lookouts(case, *at) for at in {(one.stage, one.frame) for one in layers}}
    found = {at: [knowledge_costs(one, np.array(beliefs)) for one in looks[at]] for at in looks}
    costs = []
    for belief in range(len(beliefs)):
        layered = []
        for stage, frame, knowns in layers:
            layered.append(plain[stage].copy())
            for thing, known, sets in zip(case.things, knowns, found[stage, frame], strict=True):
                layered[-1][thing] = sets[belief][known]
        costs.append(np.concatenate(layered, axis=1))
    return costs
