"""Small worlds in PDDL for tests, and the examples that come with hbtom."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hbtom.world.pddl import World, ground, load_world, read_domain, read_problem

EXAMPLES = Path(__file__).parents[1] / "worlds"
NAMES = sorted(path.name for path in EXAMPLES.iterdir() if path.is_dir())
CHANCE = ["unreliable-gripper"]  # examples in which actions may have several outcomes
CERTAIN = [name for name in NAMES if name not in CHANCE]

SWITCHES = """
(define (domain switches)
  (:requirements :strips :typing)
  (:types lamp)
  (:predicates (on ?l - lamp) (broken ?l - lamp))
  (:action turn-on
    :parameters (?l - lamp)
    :precondition (not (on ?l))
    :effect (on ?l))
  (:action turn-off
    :parameters (?l - lamp)
    :precondition (on ?l)
    :effect (not (on ?l))))
"""

LAMPS = """
(define (problem lamps)
  (:domain switches)
  (:objects hall stairs - lamp)
  (:init (on hall))
  (:goal (on stairs)))
"""


def world_of(domain: str = SWITCHES, problem: str = LAMPS) -> World:
    """Return the world of a domain and a problem that are given as text."""
    return ground(read_problem(problem, read_domain(domain)))


@cache
def example(name: str) -> World:
    """Return the world of an example."""
    return load_world(EXAMPLES / name / "domain.pddl", EXAMPLES / name / "problem.pddl")


def domain_with(*actions: str, more: str = "") -> str:
    """Return a domain with three places, a few predicates and the given actions."""
    return f"""
(define (domain places)
  (:types place thing - object box - thing)
  (:constants home shop - place ball - thing)
  (:predicates (at ?p - place) (road ?a ?b - place) (in ?t - thing ?p - place) (open ?b - box))
  (:functions (total-cost) - number (far ?a ?b - place))
  {more}
  {" ".join(actions)})
"""


def problem_with(*facts: str, objects: str = "park - place crate - box") -> str:
    """Return a problem in that domain."""
    return f"""
(define (problem errand)
  (:domain places)
  (:objects {objects})
  (:init {" ".join(facts)})
  (:goal (and)))
"""
