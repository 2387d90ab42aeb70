"""Gridworlds drawn as text."""

from __future__ import annotations

import numpy as np
import pytest

import hbtom as hb


@pytest.mark.parametrize("diagonal", [False, True])
def test_slips_go_to_either_side_at_right_angles(diagonal: bool) -> None:
    world = hb.maze("...\n.@.\n...", slip=0.4, diagonal=diagonal)
    phase = world.phases[0]
    middle = np.array([world["row"][world.start], world["column"][world.start]])
    for action in range(len(phase.actions)):
        after, P = phase.step.after(world.start, action)
        ways = np.stack([world["row"][after], world["column"][after]], axis=1) - middle
        assert pytest.approx([0.6, 0.2, 0.2]) == P
        assert (ways[1:] @ ways[0] == 0).all()
        assert (ways[1] == -ways[2]).all()
