"""A corridor in which an agent can lock itself out for good."""

from __future__ import annotations

from domains import EXAMPLES
from hbtom.world.pddl import Goal, World, ground, make_goal, read_domain, read_problem

# Key 1 lies where the agent starts, keys 2 and 3 behind the side door. Gem a is behind two doors,
# gem c behind none. An agent that first opens a door on the path to gem a can no longer get it.
CORRIDOR = """
(define (problem corridor)
  (:domain doors-keys-gems)
  (:objects far west start side room east door end - cell
            key-1 key-2 key-3 - key gem-a gem-c - gem)
  (:init (at start) (lies key-1 start) (lies key-2 room) (lies key-3 room)
         (lies gem-a end) (lies gem-c far) (locked side) (locked east) (locked door)
         (next-to start west) (next-to west start) (next-to west far) (next-to far west)
         (next-to start side) (next-to side start) (next-to side room) (next-to room side)
         (next-to start east) (next-to east start) (next-to east door) (next-to door east)
         (next-to door end) (next-to end door))
  (:goal (has gem-a)))
"""
LOCKED_OUT = "(pick-up key-1 start)\n(unlock key-1 start east)\n(move start east)\n"


def corridor() -> World:
    domain = (EXAMPLES / "doors-keys-gems" / "domain.pddl").read_text(encoding="utf-8")
    return ground(read_problem(CORRIDOR, read_domain(domain)))


def gems(world: World) -> tuple[Goal, Goal]:
    return make_goal(world, "a", "(has gem-a)"), make_goal(world, "c", "(has gem-c)")
