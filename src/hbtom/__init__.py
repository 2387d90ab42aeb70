"""hbtom: a hierarchically Bayesian theory of mind.

It watches an agent move, infers what the agent wants and how well it plans, and says whether
what the agent does next is plausible.

>>> import hbtom
>>> hbtom.judge("episode.json").plausibility  # doctest: +SKIP
0.97

The public names are few and are imported on first use, so that ``import hbtom`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.3.0"

TYPE_CHECKING = False  # type checkers take it as true; typing need not be imported
if TYPE_CHECKING:
    from typing import Any

    from hbtom.bench import Evaluation as Evaluation
    from hbtom.bench import evaluate as evaluate
    from hbtom.bench.agreements import Correlation as Correlation
    from hbtom.bench.correlation import correlate as correlate
    from hbtom.bench.recognition_problems import load_posed as load_posed
    from hbtom.bench.theories import Theory as Theory
    from hbtom.core.agent import Agent as Agent
    from hbtom.core.axes import Trait as Trait
    from hbtom.core.check import check_world as check_world
    from hbtom.core.goals import dirichlet as dirichlet
    from hbtom.core.goals import inverse_gamma as inverse_gamma
    from hbtom.core.plan import as_it_acts as as_it_acts
    from hbtom.core.plan import best as best
    from hbtom.core.policy import Options as Options
    from hbtom.core.policy import boltzmann as boltzmann
    from hbtom.core.policy import greedy as greedy
    from hbtom.core.policy import mix as mix
    from hbtom.core.policy import only as only
    from hbtom.core.policy import uniform as uniform
    from hbtom.core.watch import watch as watch
    from hbtom.core.worlds import Cue as Cue
    from hbtom.core.worlds import Dense as Dense
    from hbtom.core.worlds import Sparse as Sparse
    from hbtom.core.worlds import Walk as Walk
    from hbtom.core.worlds import World as World
    from hbtom.core.worlds import explore as explore
    from hbtom.errors import BadInput as BadInput
    from hbtom.judgement import Judgement as Judgement
    from hbtom.judgement import judge as judge
    from hbtom.judgement.attributing import Attribution as Attribution
    from hbtom.judgement.attributing import attribute as attribute
    from hbtom.judgement.attributing import attribute_plans as attribute_plans
    from hbtom.judgement.observer import Observer as Observer
    from hbtom.judgement.plan_judging import PlanJudgement as PlanJudgement
    from hbtom.judgement.plan_judging import infer_plans as infer_plans
    from hbtom.judgement.recognising import Recognition as Recognition
    from hbtom.judgement.recognising import recognise as recognise
    from hbtom.mind import Beliefs as Beliefs
    from hbtom.mind import Posterior as Posterior
    from hbtom.mind import infer as infer
    from hbtom.mind.desires import DesirePosterior as DesirePosterior
    from hbtom.mind.simulate import simulate as simulate
    from hbtom.model import Model as Model
    from hbtom.modelling.adopt import adopt as adopt
    from hbtom.modelling.fit import fit as fit
    from hbtom.modelling.fit import log_evidence as log_evidence
    from hbtom.modelling.fit import recover as recover
    from hbtom.modelling.fit import separate as separate
    from hbtom.modelling.maze import maze as maze
    from hbtom.observe import Body as Body
    from hbtom.observe import Episode as Episode
    from hbtom.observe import Look as Look
    from hbtom.observe import Trial as Trial
    from hbtom.observe import load as load
    from hbtom.observe import read as read
    from hbtom.observe.stream import Frame as Frame
    from hbtom.places.grid import Grid as Grid
    from hbtom.places.plane import Plane as Plane
    from hbtom.world.gridworld_file import load_gridworlds as load_gridworlds
    from hbtom.world.pddl import load_goals as load_goals
    from hbtom.world.pddl import load_plan as load_plan
    from hbtom.world.pddl import load_world as load_world
    from hbtom.world.text_gridworld import Gridworld as Gridworld
    from hbtom.world.whereabouts import Whereabouts as Whereabouts

_HOME = {
    "Agent": "hbtom.core.agent",
    "Trait": "hbtom.core.axes",
    "Cue": "hbtom.core.worlds",
    "Walk": "hbtom.core.worlds",
    "World": "hbtom.core.worlds",
    "Dense": "hbtom.core.worlds",
    "Sparse": "hbtom.core.worlds",
    "explore": "hbtom.core.worlds",
    "watch": "hbtom.core.watch",
    "Grid": "hbtom.places.grid",
    "Plane": "hbtom.places.plane",
    "Theory": "hbtom.bench.theories",
    "check_world": "hbtom.core.check",
    "maze": "hbtom.modelling.maze",
    "adopt": "hbtom.modelling.adopt",
    "fit": "hbtom.modelling.fit",
    "recover": "hbtom.modelling.fit",
    "separate": "hbtom.modelling.fit",
    "log_evidence": "hbtom.modelling.fit",
    "boltzmann": "hbtom.core.policy",
    "Options": "hbtom.core.policy",
    "greedy": "hbtom.core.policy",
    "uniform": "hbtom.core.policy",
    "only": "hbtom.core.policy",
    "mix": "hbtom.core.policy",
    "best": "hbtom.core.plan",
    "as_it_acts": "hbtom.core.plan",
    "dirichlet": "hbtom.core.goals",
    "inverse_gamma": "hbtom.core.goals",
    "Attribution": "hbtom.judgement.attributing",
    "attribute": "hbtom.judgement.attributing",
    "attribute_plans": "hbtom.judgement.attributing",
    "BadInput": "hbtom.errors",
    "Beliefs": "hbtom.mind",
    "Body": "hbtom.observe",
    "Correlation": "hbtom.bench.agreements",
    "DesirePosterior": "hbtom.mind.desires",
    "Episode": "hbtom.observe",
    "Frame": "hbtom.observe.stream",
    "Judgement": "hbtom.judgement",
    "Look": "hbtom.observe",
    "Model": "hbtom.model",
    "Observer": "hbtom.judgement.observer",
    "PlanJudgement": "hbtom.judgement.plan_judging",
    "Posterior": "hbtom.mind",
    "Trial": "hbtom.observe",
    "infer": "hbtom.mind",
    "judge": "hbtom.judgement",
    "infer_plans": "hbtom.judgement.plan_judging",
    "load": "hbtom.observe",
    "load_goals": "hbtom.world.pddl",
    "load_gridworlds": "hbtom.world.gridworld_file",
    "load_plan": "hbtom.world.pddl",
    "load_world": "hbtom.world.pddl",
    "load_posed": "hbtom.bench.recognition_problems",
    "read": "hbtom.observe",
    "Recognition": "hbtom.judgement.recognising",
    "recognise": "hbtom.judgement.recognising",
    "simulate": "hbtom.mind.simulate",
    "Evaluation": "hbtom.bench",
    "correlate": "hbtom.bench.correlation",
    "evaluate": "hbtom.bench",
    "Gridworld": "hbtom.world.text_gridworld",
    "Whereabouts": "hbtom.world.whereabouts",
}

_FORMERLY = {"judge_plans": "infer_plans"}  # names that still work, with a warning

__all__ = ["__version__", *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _FORMERLY:
        from warnings import warn

        now = _FORMERLY[name]
        warn(f"hbtom.{name} is now hbtom.{now}", DeprecationWarning, stacklevel=2)
        name = now
    if name == "show":  # a module that can be called
        return import_module("hbtom.show")
    if name not in _HOME:
        raise AttributeError(f"module 'hbtom' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "show"])  # a module that can be called
