"""Watching agents: trial by trial, what is believed about them at every step.

    prior      P(x)         = W(c, lasting) P(goals | V, c, traits) P(rest of x)
    posterior  P(x | o_1:t) ~ P(x) product over steps and cues so far of P(o | x)

x are the goals and traits of all agents that are watched; W is what was learnt (see ``bayes``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hbtom.arrays import Floats
from hbtom.core.agent import Agent, belief_axis
from hbtom.core.axes import GOAL, Axis, aligned, brief, call, listed, names, over, unknown
from hbtom.core.bayes import Learnt, Update
from hbtom.core.goals import Counts
from hbtom.core.policy import stacked
from hbtom.core.posterior import Posterior
from hbtom.core.worlds import Cue, Walk, World
from hbtom.errors import BadInput

Agents = Agent | Mapping[str, Agent]
MOST_COUNTS = 1 << 18  # entries in the tables of counts; nine trials with nine goals come close


def watch(
    agents: Agents,
    trials: Any,
    before: Posterior | None = None,
    space: Callable[[Any, Posterior | None], Any] | None = None,
) -> Posterior:
    """Watch trials in order, and return what is believed during the last one.

    ``agents`` is one agent, or {who: agent}. Goals are drawn for each trial, traits last.
    ``trials`` is one trial or several. ``before`` is the posterior of earlier trials of the same
    agents.
    ``space(trial, before)`` returns the world of trials that bring none.
    """
    if not isinstance(agents, Agent | Mapping):
        raise BadInput(f"{brief(agents)} is no agent", hint="give hb.Agent(...), or {who: agent}")
    minds = {"": agents} if isinstance(agents, Agent) else dict(agents)
    for who, agent in minds.items():
        if not isinstance(agent, Agent):
            raise BadInput(
                f"'{who}' is not an agent, but {brief(agent)}", hint="give {who: hb.Agent(...)}"
            )
    one = isinstance(trials, Walk | str) or not isinstance(trials, Iterable)
    seen = [trials] if one else [*trials]
    if not seen:
        raise BadInput("there is no trial to watch", hint="give one trial, or a list of them")
    for trial in seen:
        before = _watched(minds, trial, before, space)
    assert before is not None
    return before


@dataclass(frozen=True, eq=False)
class _Mind:
    """One agent in one trial: its axes, its choices under each belief, log P(its goal)."""

    agent: Agent
    axes: tuple[Axis, ...]
    own: dict[str, str]  # its names of the axes, and what they are called among several agents
    choices: Any
    log_steps: Floats  # [*axes, step]


def _watched(
    minds: Mapping[str, Agent], trial: Any, before: Posterior | None, space: Any
) -> Posterior:
    world = _world_of(minds, trial, before, space)
    if len(minds) > 1 and any(phase.who == "" for phase in getattr(world, "phases", ())):
        hint = "hb.explore makes worlds of several agents"
        raise BadInput(f"this is a world of one agent, and {len(minds)} are watched", hint=hint)
    steps = world.replay(trial)
    earlier = [] if before is None else [p.world for p in before.series]
    beliefs = {who: _believed(mind, world, trial, earlier) for who, mind in minds.items()}
    axes_of = {
        who: mind.axes(world.goals, belief_axis(beliefs[who]) if mind.knows is not None else None)
        for who, mind in minds.items()
    }
    own, axes = _together(minds, axes_of)
    every = [axis.name for axis in axes]
    learnt = (Learnt() if before is None else before.after).with_axes(axes)
    log, fresh = np.zeros((1 + len(steps), *map(len, axes))), {}
    counts, counted, choices, caveats, choosers = dict(learnt.counts), {}, {}, [], {}
    new = Counts(table=np.zeros((len(learnt.log_weight), 0), int))  # of who was not watched before
    for who, mind in minds.items():
        mine, some = [own[who][axis.name] for axis in axes_of[who]], axes_of[who]
        choices[who] = _choices(mind, who, steps, some, beliefs[who])
        if isinstance(world, World) and not choices[who].reachable.any():
            hint = "is the goal behind something? give a discount, a horizon, or another goal"
            if mind.end is None:
                hint = "say where it ends, as in end=lambda world, goal: world[goal]"
            told = f"no end can be reached{f' by {who!r}' if who else ''} from the first state"
            raise BadInput(told, hint=hint)
        log_steps = choices[who].log_likelihood(mind.policy, some)
        _check_possible(mind, who, trial, choices[who], log_steps)
        log[1:] += aligned(np.moveaxis(log_steps, -1, 0), mine, every, lead=1)
        known = counts.get(who, new).knowing(some[-1])
        if known.table.size > MOST_COUNTS:
            hint = "inference is exact; leave out objects or trials"
            raise BadInput("too many goals and trials to keep all histories", hint=hint)
        log_goal, offer = mind.log_goal(choices[who].value, choices[who].reachable, known, some)
        fresh[own[who][GOAL]] = aligned(log_goal, mine, every, lead=1)
        if "counts" in names(mind.choose):
            counts[who], choosers[who] = known, own[who][GOAL]
            rule = getattr(mind.choose, "counted", None)
            counted[who] = (
                frozenset(offer.goals if len(offer.goals) > 1 else ())
                if rule is None
                else rule(offer)
            )
            caveat = getattr(mind.choose, "caveat", lambda offer: "")(offer)
            caveats += [caveat] if caveat else []
    for axis in axes:
        if not axis.lasting and axis.name not in fresh:
            fresh[axis.name] = aligned(axis.log_prior, [*axis.given, axis.name], every)[None]
    _add_cues(log, trial, minds, axes_of, own, every, world, before)
    learnt = Learnt(learnt.axes, learnt.log_weight, counts)
    rows = {len(one.table) for one in counts.values()}
    assert rows <= {len(learnt.log_weight)}
    update = Update(axes, learnt, fresh, log, choosers, counted)
    p = Posterior(
        dict(minds),
        own,
        axes,
        axes_of,
        world,
        trial,
        steps,
        update,
        choices,
        before,
        tuple(caveats),
    )
    lost = np.flatnonzero(p.log_evidence == -np.inf)
    if len(lost):
        hint = "do the goals, traits or cues rule each other out? do all policies have lapses?"
        raise BadInput(
            f"after {lost[0]} steps, no goal and traits are left under which all is possible",
            hint=hint,
        )
    return p


def _world_of(minds: Mapping[str, Agent], trial: Any, before: Posterior | None, space: Any) -> Any:
    """Return the world that a trial brings, that space makes of it, or the agent's own."""
    world = getattr(trial, "world", None)
    if world is None and space is not None:
        world = space(trial, before)
    homes = [mind.home for mind in minds.values() if mind.step is not None] if world is None else []
    if world is None and not homes and isinstance(trial, str | list | tuple):
        hint = "give hb.Walk(actions, states, world), or a list of walks"
        raise BadInput(f"{brief(trial)} is not a trial", hint=hint)
    if world is None and not homes:
        raise BadInput("in which world?", hint="give the agent a 'step', or the trial a 'world'")
    world = homes[0] if world is None else world
    if isinstance(world, type) or not hasattr(world, "replay"):
        hint = "hb.maze, hb.World.of, hb.explore and hb.adopt make worlds; see also hb.check_world"
        raise BadInput(f"{brief(world)} is no world", hint=hint)
    for mind in minds.values():
        if mind.horizon not in (None, getattr(world, "horizon", None)):
            hint = "give it to the world; that of an agent is for its own, made of its 'step'"
            raise BadInput(f"an agent has the horizon {mind.horizon}, its world not", hint=hint)
    return world


def _believed(
    mind: Agent, world: Any, trial: Any, earlier: Sequence[Any]
) -> dict[Any, tuple[float, Any]]:
    """Return the worlds in which an agent may believe it is {label: (weight, world)}."""
    if mind.knows is None:
        return {"": (1.0, world)}
    asked = names(mind.knows)
    unknown("'knows' asks for", asked, ["world", "trial", "earlier"])
    believed = call(mind.knows, {"world": world, "trial": trial, "earlier": tuple(earlier)})
    try:
        return {label: (float(weight), one) for label, (weight, one) in believed.items()}
    except (AttributeError, TypeError, ValueError):
        raise BadInput(
            f"'knows' returns {brief(believed)}", hint="return {label: (weight, world)}"
        ) from None


def _choices(
    mind: Agent, who: str, steps: Any, axes: Sequence[Axis], believed: Mapping[Any, Any]
) -> Any:
    """Return what the steps were chosen from, under each belief along its axis."""
    parts = [w.choices(who, steps, w.plan(mind, who, steps, axes)) for _, w in believed.values()]
    if mind.knows is None:
        return parts[0]
    return stacked(parts, [axis.name for axis in axes].index("belief"))


def _together(
    minds: Mapping[str, Agent], axes_of: Mapping[str, Sequence[Axis]]
) -> tuple[dict[str, dict[str, str]], tuple[Axis, ...]]:
    """Return what each agent's axes are called among several agents, and the axes of all.

    What one agent knows of another is one axis for both.
    """
    own = {
        who: {a.name: f"{who}.{a.name}" if who else a.name for a in some}
        for who, some in axes_of.items()
    }
    full = {own[who][axis.name]: axis for who, some in axes_of.items() for axis in some}
    first = {name: who for who, names_ in own.items() for name in names_.values()}
    same = {name: {name} for name in full}  # what is one axis, whoever knows it of whom
    knowing = set[str]()
    for who, mind in minds.items():
        for other, seen in mind.others.items():
            for its, mine in seen.knows.items() if other in own else ():
                knowing.add(own[who][mine])
                both = same[own[who][mine]] | same[own[other][its]]
                same |= dict.fromkeys(both, both)
    for who, some in axes_of.items():
        for axis in some:
            one = same[own[who][axis.name]]
            name = next((name for name in full if name in one - knowing), min(one))
            own[who][axis.name] = name
            if axis.labels != full[name].labels:
                hint = (
                    f"its values are {listed(axis.labels)}, and {listed(full[name].labels)} there"
                )
                raise BadInput(f"'{axis.name}' of '{who}' is the same as '{name}'", hint=hint)
    found = {}
    for name in dict.fromkeys(name for names_ in own.values() for name in names_.values()):
        given = tuple(own[first[name]][one] for one in full[name].given)
        found[name] = replace(full[name], name=name, given=given)
    for axis in found.values():
        for other in (one for one in axis.given if axis.lasting and not found[one].lasting):
            told = f"'{axis.name}' lasts, and its weight depends on '{other}', which does not"
            raise BadInput(told, hint=f"give '{axis.name}' anew=0 to draw it for each trial")
    return own, tuple(found.values())


def _add_cues(
    log: Floats, trial: Any, minds: Mapping[str, Agent], axes_of: Any, own: Any, every: list[str],
    world: Any, before: Posterior | None,
) -> None:  # fmt: skip
    """Add log P(cue | axes) to the evidence after so many steps."""
    cues = getattr(trial, "cues", ())
    for number, cue in enumerate([cues] if isinstance(cues, Cue) else cues, 1):
        if not isinstance(cue, Cue):
            raise BadInput(f"cue {number} is {brief(cue)}", hint="give hb.Cue(at, log)")
        unknown(f"cue {number} is of nobody watched,", [cue.of], minds)
        if cue.at not in range(len(log)):
            hint = f"give a number from 0 to {len(log) - 1}"
            raise BadInput(f"cue {number} is after {brief(cue.at)} steps", hint=hint)
        axes = axes_of[cue.of]
        known = {"world": world, "trial": trial, "before": before}
        unknown(f"cue {number} asks for", names(cue.log), [*known, *(axis.name for axis in axes)])
        said = over(f"cue {number}", cue.log, axes, **known)
        if (said == np.inf).any():
            raise BadInput(f"cue {number} has a log-probability of +inf", hint="return log P(cue)")
        log[cue.at] += aligned(said, [own[cue.of][axis.name] for axis in axes], every)


def _check_possible(mind: Agent, who: str, trial: Any, choices: Any, log: Floats) -> None:
    """Refuse steps that no goal and traits explain."""
    flat = log.reshape(-1, log.shape[-1]) if log.size else log
    if not log.size or flat.max(axis=0).min() > -np.inf:
        return
    at = int((flat.max(axis=0) == -np.inf).argmax())
    what = choices.told(at) if hasattr(choices, "told") else "that"
    told = f"'{who}'" if who else "no agent of this theory"
    told += " would never do " if who else " would do "
    hint = "is it legal there, does it fit the next state, has the policy lapses?"
    raise BadInput(
        f"step {at + 1} has probability 0 for every goal and trait: {told}{what}", hint=hint
    )
