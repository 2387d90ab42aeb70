"""Trials with company: a goal has a place and a manner, and others act on the agent's world.

An agent may want an object or another agent. It heads for where it believes an object to be. It
reaches another agent or copies its gesture. It may also reach an object by following a gesture that
leads there. Each combination is a hypothesis with a regret of its own. On the axes of hypotheses,
places are beliefs and manners are processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from hbtom.arrays import Bools, Floats
from hbtom.assumptions import Social
from hbtom.mind.believed_places import Candidate, GesturePath, Memory, last_gestures, place_beliefs
from hbtom.mind.company_hypotheses import (
    COPY,
    REACH,
    CompanyHypothesis,
    hypothesis_table,
    likeliest_regret,
)
from hbtom.mind.deeds import Deed, deeds_of, numbered_twin, object_identities, onset_of, others_at
from hbtom.mind.gesture_regret import gesture_regret, leads_to
from hbtom.mind.hypotheses import Hypotheses
from hbtom.mind.motion_regret import find_regrets
from hbtom.mind.regret import Headings, Regret, name_goals
from hbtom.model import Model
from hbtom.observe import Body, Identity, Trial
from hbtom.observe.social_events import gestures
from hbtom.plan import CostToGo, plan_trial
from hbtom.world.course import (
    course,
    last_onset,
    panel_boxes,
    walled,
    with_onset,
)
from hbtom.world.seeing import Seen, see
from hbtom.world.trajectory import MOVE, Trajectory


class Company(Struct, frozen=True, eq=False):
    """What a trial with company shows about the minds in it."""

    goals: tuple[Identity, ...]  # things and agents
    places: tuple[tuple[Candidate, ...], ...]  # where the agent believes each goal to be
    hypotheses: Hypotheses  # places and manners; their prior depends on the goal
    regret: Regret  # of all hypotheses: goals vary slowest and manners fastest
    touched: bool | None  # whether the agent starts while it is touched; None if that is not seen
    deeds: tuple[Deed, ...] = ()


class _Offer(NamedTuple):
    """Goals of a trial: where the agent believes each to be, and what it is like."""

    names: tuple[Identity, ...]
    places: tuple[tuple[Candidate, ...], ...]
    bodies: tuple[Body, ...]  # one for each goal and place
    at: tuple[tuple[int, int], ...]  # the goal and place of each body
    things: int  # how many goals are objects


def find_company(
    model: Model, social: Social, trial: Trial, openings: tuple[float, ...], memory: Memory
) -> tuple[Seen, CostToGo, Regret, Company | None, Memory]:
    """Return the world, cost-to-go and regret of the agent's course, its company, and its memory.

    The company is None if there are neither things nor agents to want. The memory is that after
    the trial.
    """
    first, made = last_onset(trial), gestures(trial)
    after = memory.after(trial, object_identities(trial), last_gestures(trial, made))
    offer = _offer(model, social, trial, first, memory)
    here = [body for body, (goal, place) in zip(offer.bodies, offer.at, strict=False) if not place]
    way = course(trial, first, here[: offer.things], offer.bodies)
    way = walled(way, panel_boxes(trial, "board", first))
    doors, begun = panel_boxes(trial, "door", first), onset_of(social, trial)
    start = None if begun is None else max(begun[0] - first, 0)
    ghosts = [item for item, (_, place) in enumerate(offer.at) if place]
    seen, costs, regret = _planned(model, walled(way, doors), openings, start, ghosts)
    if not offer.at:
        return _later(seen, first), costs, regret, None, after
    if doors and not regret.reachable.all():  # an agent sets off even if a door bars its path
        regret = _barred(regret, _planned(model, way, openings, start, ghosts)[2])
    known = {**memory.last_gestures, **last_gestures(trial, made, before=first)}
    present = {one.look for one in trial.actors[1:]}
    copied = {look: gesture for look, gesture in known.items() if look in present}
    steps = _Course(seen.trajectory, way.path, way.agent.radius, copied)
    possible = [*_hypotheses_of(social, offer, regret, steps)]
    regret = replace(regret, frame=regret.frame + first)
    hypotheses, every = hypothesis_table(offer.names, possible, regret)
    deeds = tuple(deeds_of(model, trial, openings)) if social.warmth != 1.0 else ()
    touched = None if begun is None else begun[1]
    found = Company(offer.names, offer.places, hypotheses, every, touched, deeds)
    return _later(seen, first), costs, likeliest_regret(offer.names, possible, regret), found, after


def _planned(
    model: Model,
    trial: Trial,
    openings: tuple[float, ...],
    start: int | None,
    ghosts: Sequence[int],
) -> tuple[Seen, CostToGo, Regret]:
    """Plan a course. If its onset is seen, it begins with a step in which the agent stays.

    Ghosts are items where the agent only believes them to be: they block no path.
    """
    seen = see(model, trial, openings)
    if start is not None:
        seen = seen._replace(trajectory=with_onset(seen.trajectory, start))
    if ghosts and len(seen.world.boxes):
        boxes = seen.world.boxes.copy()
        boxes[ghosts] = False
        world = seen.world._replace(boxes=boxes)
        seen = seen._replace(world=world, stages=(world,))
    costs = plan_trial(model, seen)
    return seen, costs, find_regrets(model, trial, seen, costs)[0]


def _later(seen: Seen, first: int) -> Seen:
    """Count frames from the beginning of the trial."""
    steps = seen.trajectory
    return seen._replace(trajectory=steps._replace(frame=steps.frame + first))


# What is on offer


def _offer(model: Model, social: Social, trial: Trial, first: int, memory: Memory) -> _Offer:
    """Return the goals of a trial: objects, then the other agents present, then the key."""
    every, alpha = object_identities(trial), model.preference.concentration
    key = name_goals(trial)[len(every) :] if trial.key is not None else ()
    names: list[Identity] = []
    places: list[tuple[Candidate, ...]] = []
    radii: list[float] = []
    for index, (name, thing) in enumerate(zip(every, trial.objects, strict=True)):
        if some := place_beliefs(
            social, trial, index, first, memory.lay.get((trial.agent.look, name), ()), alpha
        ):
            names.append(name)
            places.append(some)
            radii.append(thing.radius)
    things = len(names)
    for actor in others_at(trial, first) if social.others else ():
        x, y = actor.path[first].tolist()
        names.append(numbered_twin(actor.look, names))
        places.append((Candidate((x, y), 1.0),))
        radii.append(actor.radius)
    at = tuple((goal, place) for goal, some in enumerate(places) for place in range(len(some)))
    bodies = tuple(Body(names[goal], places[goal][place].place, radii[goal]) for goal, place in at)
    if key and model.preference.keys and trial.key is not None:
        names, places = [*names, *key], [*places, (Candidate(trial.key.centre, 1.0),)]
        at = (*at, (len(names) - 1, 0))
    return _Offer(tuple(names), tuple(places), bodies, at, things)


# How each goal may be attained


class _Course(NamedTuple):
    """What the agent does, and which gestures it may copy."""

    steps: Trajectory
    path: Annotated[Floats, "frame 2"]
    radius: float  # of the agent
    gestures: dict[Identity, GesturePath]


def _barred(shut: Regret, open: Regret) -> Regret:
    """Return the regret of goals behind doors as if the doors were open."""
    assert isinstance(shut.choice, Headings)
    assert isinstance(open.choice, Headings)
    regret = np.where(shut.reachable, shut.step_regret, open.step_regret)
    quiet = [np.False_ if one.silent is None else one.silent for one in (shut.choice, open.choice)]
    silent = np.where(shut.reachable, *quiet) & np.ones(regret.shape, dtype=np.bool_)
    choice = replace(shut.choice, step_regret=regret, silent=silent if silent.any() else None)
    reachable = shut.reachable | open.reachable
    return replace(shut, reachable=reachable, step_regret=regret, choice=choice)


def _hypotheses_of(
    social: Social, offer: _Offer, regret: Regret, way: _Course
) -> Iterator[CompanyHypothesis]:
    """Yield a hypothesis for every goal, place and manner, given the regret of reaching each.

    Agents are reached or copied, with equal probability. Things are reached directly or, if a
    gesture leads there, half of the time by following a gesture.
    """
    assert isinstance(regret.choice, Headings)
    quiet = regret.choice.silent
    quiet = np.zeros(regret.step_regret.shape, dtype=np.bool_) if quiet is None else quiet
    for item, (goal, place) in enumerate(offer.at):
        chance = offer.places[goal][place].probability
        direct, can = regret.step_regret[:, item], bool(regret.reachable[item])
        is_thing = item < len(offer.bodies) and goal < offer.things
        ways = _gestures_to(offer.bodies[item], way) if is_thing and social.ways else {}
        copied = item < len(offer.bodies) and not is_thing and social.copying
        share = 0.5 if ways or copied else 1.0
        yield CompanyHypothesis(goal, place, REACH, share * chance * can, direct, quiet[:, item])
        for maker, gesture in ways.items():
            wasted, silent = gesture_regret(way.steps, way.path, gesture)
            acts = way.steps.act != MOVE
            wasted, silent = np.where(acts, direct, wasted), silent & ~acts
            part = (1.0 - share) * chance * can / len(ways)
            yield CompanyHypothesis(goal, place, maker, part, wasted, silent)
        if copied:
            yield CompanyHypothesis(
                goal, place, COPY, share * chance, *_copied(regret, way, offer.names[goal])
            )


def _gestures_to(thing: Body, way: _Course) -> dict[Identity, GesturePath]:
    """Return the gestures that would lead the agent to a thing from where it starts."""
    reach, start = thing.radius + way.radius, way.path[0]
    return {
        maker: gesture
        for maker, gesture in way.gestures.items()
        if leads_to(gesture, start, thing.centre, reach)
    }


def _copied(
    regret: Regret, way: _Course, maker: Identity
) -> tuple[Annotated[Floats, "step"], Annotated[Bools, "step"]]:
    """Return the regret of copying an agent; a gesture that was not seen yet may be anything.

    An agent that copies another gains nothing by touching things.
    """
    assert isinstance(regret.choice, Headings)
    acts = way.steps.act != MOVE
    in_vain = np.where(acts, regret.choice.act, 0.0)
    maker = Identity(maker.image, maker.colour)  # without the number of a twin
    if maker not in way.gestures:
        return in_vain, ~acts
    wasted, silent = gesture_regret(way.steps, way.path, way.gestures[maker])
    return np.where(acts, in_vain, wasted), silent & ~acts
