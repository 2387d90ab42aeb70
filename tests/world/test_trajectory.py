"""What counts as a step: moves, touches and the opening of a lock; and what does not."""

from __future__ import annotations

import copy
import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from episodes import HEART, SPOON, Json, Point, block, border, key_trial, read, trial, walk
from floors import Floor, grid_floor, grid_steps, pixel_steps
from hbtom import Trial
from hbtom.observe import Body, Identity
from hbtom.world import Act, Mode, Trajectory
from hbtom.world.trajectory import touched_last
from worlds import odd_trial

FAR = HEART.at(160, 160)  # never touched


def seen(path: list[Point], *things, **more) -> Trial:
    return read([trial(path, things or [FAR], **more)])[0]


def fine(trial: Trial, *, stride: float = 10.0, final: bool = True) -> Trajectory:
    return pixel_steps(trial, stride=stride, final=final)


def coarse(trial: Trial, *, final: bool = True) -> Trajectory:
    return grid_steps(trial, 10.0, final=final)


kinds = pytest.mark.parametrize("make", [fine, coarse])


def steps(trajectory: Trajectory) -> list[tuple]:
    """Return the trajectory without its frames."""
    kinds = np.stack([trajectory.act, trajectory.thing, trajectory.mode], axis=1)
    return [tuple(row) for row in np.hstack([kinds, trajectory.start, trajectory.stop]).tolist()]


def acts(trajectory: Trajectory) -> list[tuple[Act, int, Mode]]:
    """Return all steps that are not moves."""
    rows = zip(trajectory.act, trajectory.thing, trajectory.mode, strict=True)
    return [(Act(a), int(i), Mode(p)) for a, i, p in rows if a != Act.MOVE]


def moves(trajectory: Trajectory) -> np.ndarray:
    """Return start and stop of every move: x, y, x, y."""
    return np.hstack([trajectory.start, trajectory.stop])[trajectory.act == Act.MOVE]


# Still frames


@kinds
def test_still_frames_are_not_steps(make) -> None:
    path = walk((40, 100), (70, 100), (86, 130))
    slow = [place for place in path for _ in range(3)]
    assert steps(make(seen(slow, before=9, after=20))) == steps(make(seen(path)))


@kinds
@pytest.mark.parametrize("final", [False, True])
def test_an_agent_that_does_not_move_takes_no_steps(make, final: bool) -> None:
    """This holds even if it touches a thing all the time."""
    assert len(make(seen([(50, 50)] * 4, HEART.at(55, 50)), final=final).act) == 0
    assert len(make(seen([(50, 50)], before=0, after=0), final=final).act) == 0


@kinds
def test_steps_are_complete_at_the_frame_where_they_end(make) -> None:
    trial = seen(walk((42, 103), (97, 61), (130, 75)))
    trajectory = make(trial)
    assert (np.diff(trajectory.frame) > 0).all()
    for frame, stop in zip(trajectory.frame, trajectory.stop, strict=True):
        place = trial.path[frame]
        assert tuple(stop) == tuple(place if make is fine else place // 10)


# Moves in pixels


def test_moves_are_strides_and_a_rest() -> None:
    trajectory = fine(seen(walk((40, 100), (85, 100), step=2)), stride=10)
    lengths = np.hypot(*(trajectory.stop - trajectory.start).T)
    assert lengths.sum() == 45
    assert (lengths[:-1] >= 10).all()
    assert (lengths < 12).all()  # a stride plus less than one frame's move
    assert 0 < lengths[-1] < 10


@settings(max_examples=30)
@given(
    corners=st.lists(st.tuples(st.integers(30, 120), st.integers(30, 120)), min_size=2, max_size=5),
    stride=st.sampled_from([0.0, 5.0, 10.0, 23.0]),
)
def test_moves_follow_one_another_along_the_path(corners: list[Point], stride: float) -> None:
    trial = seen(walk(*corners))
    trajectory = fine(trial, stride=stride)
    np.testing.assert_array_equal(trajectory.start[1:], trajectory.stop[:-1])
    along = np.r_[0, np.cumsum(np.hypot(*np.diff(trial.path, axis=0).T))]
    if len(trajectory.act):
        assert tuple(trajectory.start[0]) == corners[0]
        assert tuple(trajectory.stop[-1]) == corners[-1]
        assert (np.diff(along[trajectory.frame])[:-1] >= stride - 1e-9).all()
    else:
        assert along[-1] == 0


def test_stride_zero_makes_every_frame_a_move() -> None:
    trajectory = fine(seen(walk((40, 100), (60, 100))), stride=0)
    np.testing.assert_array_equal(trajectory.stop - trajectory.start, [[2, 0]] * 10)


def test_a_stride_is_measured_along_the_path() -> None:
    """An agent that walks ten pixels there and back has walked a stride, but is where it was."""
    trajectory = fine(seen(walk((40, 100), (46, 100), (40, 100), (46, 100))), stride=12)
    np.testing.assert_array_equal(moves(trajectory)[0], [40, 100, 40, 100])


# The touch at the end


@kinds
@pytest.mark.parametrize("final", [False, True])
def test_the_touch_at_the_end_is_an_act_if_the_model_says_so(make, final: bool) -> None:
    trial = seen(walk((40, 100), (86, 100)), SPOON.at(99, 100), HEART.at(99, 60))
    spoon = [str(item.look) for item in trial.items].index("spoon.png")
    assert acts(make(trial, final=final)) == [(Act.TOUCH, spoon, Mode.START)] * final


@kinds
def test_an_agent_that_stops_in_the_open_touches_nothing(make) -> None:
    assert acts(make(seen(walk((40, 100), (86, 100)), HEART.at(105, 100)))) == []


def test_motion_after_contact_is_left_out_only_with_the_touch() -> None:
    trial = seen(walk((40, 100), (94, 100)), HEART.at(99, 100))  # contact begins at x = 84
    assert moves(fine(trial))[-1, 2] == 84
    assert moves(fine(trial, final=False))[-1, 2] == 94
    touch = fine(trial)
    assert touch.act[-1] == Act.TOUCH
    assert trial.path[touch.frame[-1], 0] == 84


def test_contact_in_passing_does_not_end_the_trajectory() -> None:
    """An agent that brushes past one object on its way to another touches the other one."""
    trial = seen(walk((40, 100), (126, 100)), SPOON.at(80, 112), HEART.at(140, 100))
    trajectory = fine(trial)
    heart = [str(item.look) for item in trial.items].index("heart.png")
    assert acts(trajectory) == [(Act.TOUCH, heart, Mode.START)]
    np.testing.assert_array_equal(trajectory.start[1:], trajectory.stop[:-1])


def test_contact_that_ends_does_not_count() -> None:
    """Only the last run of contact is the touch: motion before it is evidence."""
    trial = seen(walk((40, 100), (90, 100), (60, 100), (86, 100)), HEART.at(99, 100))
    assert np.hypot(*(moves(fine(trial))[:, 2:] - moves(fine(trial))[:, :2]).T).sum() >= 90


def test_the_nearer_of_two_things_relative_to_size_is_touched() -> None:
    trial = seen(walk((40, 100), (86, 100)), SPOON.at(92, 112), HEART.at(94, 92))
    heart = [str(item.look) for item in trial.items].index("heart.png")
    assert acts(fine(trial)) == [(Act.TOUCH, heart, Mode.START)]


# Key and lock

KEY_ITEM, LOCK_THING = 1, 2  # the heart is item 0


@kinds
def test_an_instrumental_trial_is_three_legs(make) -> None:
    trajectory = make(read([key_trial()])[0])
    assert acts(trajectory) == [
        (Act.TOUCH, KEY_ITEM, Mode.START),
        (Act.OPEN, LOCK_THING, Mode.HELD),
        (Act.TOUCH, 0, Mode.OPEN),
    ]
    assert (np.diff(trajectory.mode) >= 0).all()
    assert set(trajectory.mode[trajectory.act == Act.MOVE]) == set(Mode)


@kinds
def test_key_and_lock_are_acts_even_without_the_touch_at_the_end(make) -> None:
    trajectory = make(read([key_trial()])[0], final=False)
    assert [act for act, _, _ in acts(trajectory)] == [Act.TOUCH, Act.OPEN]


@kinds
@pytest.mark.parametrize("jitter", [1, 3])
def test_a_carried_key_that_trembles_changes_nothing(make, jitter: int) -> None:
    steady, trembling = (read([key_trial(jitter=j)])[0] for j in (0, jitter))
    assert steps(make(trembling)) == steps(make(steady))


def test_a_key_that_trembles_while_the_agent_is_still_is_not_motion() -> None:
    still = key_trial(wait=2, jitter=2)
    longer = key_trial(wait=20, jitter=2)
    assert steps(fine(read([longer])[0])) == steps(fine(read([still])[0]))


@kinds
def test_the_jump_to_the_lock_is_not_a_move(make) -> None:
    trajectory = make(read([key_trial(jump=True)])[0])
    lengths = np.hypot(*(trajectory.stop - trajectory.start).T)
    assert lengths.max() < (13 if make is fine else 1.5)
    after = trajectory.start[trajectory.mode == Mode.OPEN][0]
    assert tuple(after) == ((110, 110) if make is fine else (11, 11))


@kinds
@pytest.mark.parametrize("repeats", [1, 4])
def test_still_frames_before_the_jump_do_not_make_it_a_move(make, repeats: int) -> None:
    frames = key_trial()
    gone = next(n for n, each in enumerate(frames) if not each["fuse_walls"])
    later = frames[:gone] + [copy.deepcopy(frames[gone]) for _ in range(repeats)] + frames[gone:]
    assert steps(make(read([later])[0])) == steps(make(read([frames])[0]))


def test_motion_while_the_barrier_vanishes_is_left_out() -> None:
    """An agent that steps aside while it waits does not make a choice."""
    frames = key_trial(wait=2)
    aside = copy.deepcopy(frames)
    start = next(n for n, each in enumerate(frames) if len(each["fuse_walls"]) < 3)
    for each in aside[start + 1 :]:
        if each["fuse_walls"]:
            each["agent"][0][1] += 3
    assert steps(fine(read([aside])[0])) == steps(fine(read([frames])[0]))


def test_a_barrier_that_vanishes_by_itself_is_not_opened_by_the_agent() -> None:
    frames = key_trial()
    for each in frames:
        each["pin"] = []
    trajectory = fine(read([frames])[0])
    assert Act.OPEN not in trajectory.act
    assert set(trajectory.mode) == {Mode.START, Mode.OPEN}


def test_if_the_barrier_never_vanishes_nothing_follows_the_opening() -> None:
    frames: list[Json] = key_trial()
    last = next(n for n, each in enumerate(frames) if not each["fuse_walls"])
    trajectory = fine(read([frames[:last]])[0])
    assert acts(trajectory)[-1] == (Act.OPEN, LOCK_THING, Mode.HELD)
    assert trajectory.act[-1] == Act.OPEN


def test_picking_up_ends_where_contact_began() -> None:
    """The moves towards a key end where it is touched, not where it begins to move."""
    frames = key_trial()
    picked = read([frames])[0].event("pick up key")
    assert picked is not None
    trajectory = fine(read([frames])[0])
    touch = int(np.flatnonzero(trajectory.act == Act.TOUCH)[0])
    assert trajectory.frame[touch] < picked.frame
    assert tuple(trajectory.stop[touch]) == (50, 76)


def test_legs_never_share_a_frame_if_the_barrier_vanishes_before_the_key_is_touched() -> None:
    """So there are never more moves than frames, however short a stride is."""
    frames = 60
    path = np.column_stack([np.linspace(30, 170, frames), np.full(frames, 50.0)])
    key = Body(Identity("key"), (160.0, 50.0), 8.0)
    late = np.arange(frames)[:, None] < 50
    trial = Trial(
        size=(200.0, 200.0),
        walls=np.empty((0, 4)),
        barrier=np.array([[100.0, 100.0, 20.0, 20.0]]),
        objects=(Body(Identity("cup"), (100.0, 150.0), 9.0),),
        agent=Body(Identity("agent"), (30.0, 50.0), 6.0),
        path=path,
        barrier_left=np.clip((8 - np.arange(frames)) / 4, 0, 1),
        key=key,
        key_path=np.where(late, key.centre, path),
    )
    trajectory = fine(trial, stride=0)
    assert (np.diff(trajectory.frame) >= 0).all()
    assert (np.diff(trajectory.frame[trajectory.act == Act.MOVE]) > 0).all()
    assert acts(trajectory)[0] == (Act.TOUCH, 1, Mode.START)


# Odd trials, described step by step

Told = list[tuple[int, Act, int, Mode, tuple, tuple]]  # frame, act, item, mode, start, stop


class Tale:
    """A trial described with lists and loops, from the definitions alone."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.path = [tuple(place) for place in trial.path.tolist()]
        self.end = len(self.path) - 1
        self.moved = [n for n in range(1, self.end + 1) if self.path[n] != self.path[n - 1]]

    def away(self, frame: int, body: Body) -> float:
        across, down = (a - b for a, b in zip(self.path[frame], body.centre, strict=True))
        return math.sqrt(across * across + down * down)

    def touches(self, frame: int, body: Body) -> bool:
        return self.away(frame, body) <= self.trial.agent.radius + body.radius

    def contact_began(self, frame: int, body: Body) -> int:
        apart = [n for n in range(frame + 1) if not self.touches(n, body)]
        return frame if frame in apart else max(apart, default=-1) + 1

    def picked(self) -> int | None:
        if self.trial.key_path is None:
            return None
        places = [tuple(place) for place in self.trial.key_path.tolist()]
        return next((n for n, place in enumerate(places) if place != places[0]), None)

    def opens(self) -> int | None:
        left, there = self.trial.barrier_left, self.trial.lock_there
        for n in range(self.end + 1):
            if left[n] < left[0] or (there is not None and not there[n]):
                return n
        return None

    def after_opening(self, opens: int) -> int:
        """Return the first frame after the barrier has gone and the agent has jumped."""
        gone = [n for n in range(opens, self.end + 1) if self.trial.barrier_left[n] == 0]
        later = [n for n in self.moved if gone and n > gone[0]]
        return later[0] if later else self.end

    def touched_last(self, mode: Mode) -> int | None:
        lying = self.trial.items if mode is Mode.START else self.trial.objects
        radius = self.trial.agent.radius
        near = [(self.away(self.end, b) / (radius + b.radius), n) for n, b in enumerate(lying)]
        return min(near)[1] if self.moved and min(near)[0] <= 1 else None

    def legs(self, final: bool) -> list[tuple[int, int, Mode, Act | None, int]]:
        """Return the first and last frame, mode, final act and its thing for each leg."""
        legs, here, mode = [], 0, Mode.START
        picked, opens, objects = self.picked(), self.opens(), len(self.trial.objects)
        lock = len(self.trial.items)
        if picked is not None:
            touch = self.contact_began(picked, self.trial.items[objects])
            legs.append((here, touch, mode, Act.TOUCH, objects))
            here, mode = picked, Mode.HELD
        if opens is not None:
            arrived = max([n for n in self.moved if n <= opens], default=0)
            act = Act.OPEN if mode is Mode.HELD else None
            legs.append((here, max(here, arrived), mode, act, lock if act else -1))
            here, mode = max(here, self.after_opening(opens)), Mode.OPEN
        item = self.touched_last(mode) if final else None
        if item is None:
            return [*legs, (here, self.end, mode, None, -1)]
        touch = self.contact_began(self.end, self.trial.items[item])
        return [*legs, (here, max(here, touch), mode, Act.TOUCH, item)]

    def strides(self, final: bool, stride: float) -> Told:
        told: Told = []
        for first, last, mode, act, item in self.legs(final):
            here, walked = first, 0.0
            on_foot = [n for n in self.moved if first < n <= last]
            for n in on_foot:
                across, down = (b - a for a, b in zip(self.path[n - 1], self.path[n], strict=True))
                walked += math.sqrt(across * across + down * down)
                if walked >= stride or n == on_foot[-1]:
                    told.append((n, Act.MOVE, -1, mode, self.path[here], self.path[n]))
                    here, walked = n, 0.0
            if act is not None:
                told.append((last, act, item, mode, self.path[last], self.path[last]))
        return told

    def cells(self, final: bool, floor: Floor) -> Told:
        told: Told = []
        for first, last, mode, act, item in self.legs(final):
            visits = self._smooth(self._visits(first, last, floor), floor.blocked(mode))
            for (_, a), (n, b) in pairwise(visits):
                told.append((n, Act.MOVE, -1, mode, a, b))
            if act is not None:
                here = floor.cell_of(*self.path[last])
                told.append((last, act, item, mode, here, here))
        return told

    def _visits(self, first: int, last: int, floor: Floor) -> list[tuple[int, tuple[int, int]]]:
        """Return the cells along the path, sampled at least four times per cell."""
        visits = [(first, floor.cell_of(*self.path[first]))]
        for n in range(first + 1, last + 1):
            (x, y), (u, v) = self.path[n - 1], self.path[n]
            looks = max(
                1, math.ceil(math.sqrt((u - x) * (u - x) + (v - y) * (v - y)) / (floor.cell / 4))
            )
            for k in range(1, looks + 1):
                cell = floor.cell_of(x + (u - x) * k / looks, y + (v - y) * k / looks)
                if cell != visits[-1][1]:
                    visits.append((n, cell))
        return visits

    def _smooth(self, visits: list, blocked: np.ndarray) -> list:
        """Leave out the middle of two straight moves at a right angle around a free corner."""
        smooth: list = []
        for n, (c, r) in visits:
            if len(smooth) >= 2:
                (_, (a, b)), (_, (i, j)) = smooth[-2:]
                straight = math.dist((a, b), (i, j)) == math.dist((i, j), (c, r)) == 1
                corner = abs(c - a) == abs(r - b) == 1
                if straight and corner and not blocked[b, c] and not blocked[r, a]:
                    smooth.pop()
            smooth.append((n, (c, r)))
        return smooth


def told(trajectory: Trajectory) -> Told:
    return [
        (int(n), Act(act), int(item), Mode(mode), tuple(start), tuple(stop))
        for n, act, item, mode, start, stop in zip(
            trajectory.frame.tolist(),
            trajectory.act.tolist(),
            trajectory.thing.tolist(),
            trajectory.mode.tolist(),
            trajectory.start.tolist(),
            trajectory.stop.tolist(),
            strict=True,
        )
    ]


odd = settings(max_examples=50)
some_seeds = st.integers(0, 10_000)


@odd
@given(seed=some_seeds, stride=st.sampled_from([0.0, 9.3, 15.0, 500.0]), final=st.booleans())
def test_a_trajectory_in_pixels_matches_its_definition(
    seed: int, stride: float, final: bool
) -> None:
    trial = odd_trial(seed)
    assert told(fine(trial, stride=stride, final=final)) == Tale(trial).strides(final, stride)


@odd
@given(seed=some_seeds, cell=st.sampled_from([4.5, 10.0, 13.0, 100.0]), final=st.booleans())
def test_a_trajectory_in_cells_matches_its_definition(seed: int, cell: float, final: bool) -> None:
    trial = odd_trial(seed)
    floor = grid_floor(trial, cell)
    assert told(grid_steps(trial, cell, final=final)) == Tale(trial).cells(final, floor)


@odd
@given(
    radius=st.integers(1, 9),
    bodies=st.lists(st.tuples(*[st.integers(-12, 12)] * 2, st.integers(1, 9)), max_size=5),
)
def test_the_nearest_thing_relative_to_size_is_touched_last(
    radius: int, bodies: list[tuple]
) -> None:
    """Numbers are whole, so that exact contacts and ties occur; the first of equals is touched."""
    lying = np.array(bodies, dtype=float).reshape(-1, 3)
    touched = touched_last(np.array([[3.0, 3.0], [0.0, 0.0]]), lying, float(radius))
    near = [math.sqrt(x * x + y * y) / (radius + r) for x, y, r in bodies]
    assert touched == (near.index(min(near)) if near and min(near) <= 1 else -1)


# Moves between cells


def cells(trajectory: Trajectory) -> list[tuple[int, int]]:
    """Return the cells of a trajectory without acts."""
    assert (trajectory.act == Act.MOVE).all()
    places = [trajectory.start[0], *trajectory.stop] if len(trajectory.act) else []
    return [(int(x), int(y)) for x, y in places]


def test_cells_are_found_by_rounding_down() -> None:
    """At 55 and 59 an agent is in the sixth cell; rounding to nearest would give the seventh."""
    assert cells(coarse(seen(walk((51, 105), (69, 105))))) == [(5, 10), (6, 10)]
    assert len(coarse(seen(walk((51, 109), (59, 101)))).act) == 0


def test_zigzags_become_diagonals() -> None:
    stairs = [(45 + 10 * ((k + 1) // 2), 45 + 10 * (k // 2)) for k in range(9)]
    assert cells(coarse(seen(stairs))) == [(4 + k, 4 + k) for k in range(5)]


def test_a_corner_of_a_wall_is_not_cut() -> None:
    """Around a wall's corner there stay two moves at a right angle; past it, they are smoothed."""
    wall = [*border(), block(60, 60)]
    path = [(55, 85), (55, 75), (55, 65), (55, 55), (65, 55), (65, 45)]
    smooth = cells(coarse(seen(path, walls=wall)))
    assert smooth == [(5, 8), (5, 7), (5, 6), (5, 5), (6, 4)]
    other_side = [(75, 55), (85, 55), (85, 65)]  # (7, 5), (8, 5), (8, 6): the inner cell is wall
    assert cells(coarse(seen(other_side, walls=wall))) == [(7, 5), (8, 5), (8, 6)]


def test_moves_at_an_acute_angle_stay() -> None:
    there_and_back = [(45, 45), (55, 45), (45, 45), (45, 55)]
    assert cells(coarse(seen(there_and_back))) == [(4, 4), (5, 4), (4, 5)]


places = st.tuples(st.integers(21, 140), st.integers(21, 140))


@settings(max_examples=60)
@given(path=st.lists(places, min_size=1, max_size=8))
def test_no_cell_is_skipped(path: list[Point]) -> None:
    """However far an agent moves in one frame, its steps are moves between neighbours."""
    trial = seen(path)
    trajectory = coarse(trial)
    way = cells(trajectory) or [(path[0][0] // 10, path[0][1] // 10)]
    assert way[0] == (path[0][0] // 10, path[0][1] // 10)
    assert way[-1] == (path[-1][0] // 10, path[-1][1] // 10)
    assert all(max(abs(a - c), abs(b - d)) == 1 for (a, b), (c, d) in pairwise(way))
    for (a, b), (c, d), (e, f) in zip(way, way[1:], way[2:], strict=False):
        turn = math.dist((a, b), (c, d)) == math.dist((c, d), (e, f)) == 1
        assert not (turn and abs(a - e) == abs(b - f) == 1), "a zig-zag is left"
