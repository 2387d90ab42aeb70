"""Events between agents and things, in synthetic scenes and in real ones."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hbtom
import scenes
from hbtom.observe.social_events import (
    bouts,
    contacts,
    doors_moved,
    gestures,
    is_out_and_back,
    objects_moved,
    onset,
    passages,
    touches_in_passing,
)
from hbtom.world.sight_lines import in_view, sees_objects
from scenes import BLOB, BOARD, DOOR, FRIEND, PADDLE, SPHERE, STRANGER, still, walk


def one(take, **more):
    return scenes.read(scenes.scene(take, **more))[0]


def out_and_back(*corners, step=2):
    way = walk(*corners, step=step)
    return [*way, *way[::-1][1:]]


L_SHAPE = (100, 60), (100, 80), (140, 80)


# Pushes


@pytest.mark.parametrize(("back", "pushed"), [(11.0, True), (12.9, True), (14.0, False)])
def test_a_thing_that_touches_the_agent_at_its_first_motion_pushes_it(back, pushed):
    start = (100 + back, 100)  # the paddle's face is at 105, the agent has a radius of 6
    way = [*still(start, 4), *walk(start, (start[0] + 40, 100), step=2)]
    trial = one({BLOB: way, SPHERE: [(180, 60)], PADDLE: [(100, 100)]})
    began = onset(trial)
    assert began.pushed_by == ((("panel", 0),) if pushed else ())
    assert began.gap == pytest.approx(back - 11)
    assert trial.path[began.frame, 0] > trial.path[began.frame - 1, 0]


def test_boards_and_objects_do_not_push():
    start = (111, 100)
    way = [*still(start, 4), *walk(start, (151, 100), step=2)]
    trial = one({BLOB: way, SPHERE: [(111, 115)], BOARD: [(100, 100)]})
    assert onset(trial).pushed_by == ()
    assert onset(one({BLOB: still(start, 4), SPHERE: [(60, 60)]})) is None


# Gestures


def test_a_gesture_goes_out_and_back_along_the_same_path():
    gesture = [*still((100, 60), 4), *out_and_back(*L_SHAPE), *still((100, 60), 4)]
    trial = one({BLOB: [(150, 150)], FRIEND: gesture, SPHERE: [(40, 40)]})
    (found,) = gestures(trial)
    assert found.actor == 1
    assert found.way[[0, -1]].tolist() == [[0, 0], [0, 0]]
    assert found.way[len(found.way) // 2] == pytest.approx([40, 20], abs=2)
    assert (found.first, found.last) == bouts(trial.actors[1].path)[0]


def test_walking_away_or_back_along_another_path_is_not_a_gesture():
    round_about = walk((100, 60), (100, 100), (140, 100), (140, 60), (100, 60), step=2)
    there = walk((100, 60), (140, 60), step=2)
    assert not is_out_and_back(np.array(round_about, dtype=float))
    assert not is_out_and_back(np.array(there, dtype=float))
    assert is_out_and_back(np.array(out_and_back((100, 60), (140, 60)), dtype=float))


def test_a_step_off_the_path_in_contact_does_not_matter():
    gesture = out_and_back(*L_SHAPE)
    middle = len(gesture) // 2 + 8
    gesture[middle] = (gesture[middle][0], gesture[middle][1] + 7)
    near = (gesture[middle][0], gesture[middle][1] + 11.9)
    trial = one({BLOB: [*still((100, 60)), *gesture], FRIEND: [near], SPHERE: [(40, 40)]})
    assert [found.actor for found in gestures(trial)] == [0]
    (touched,) = touches_in_passing(trial)
    assert (touched.target, touched.index) == ("actor", 1)
    away = one({BLOB: [*still((100, 60)), *gesture], FRIEND: [(40, 160)], SPHERE: [(40, 40)]})
    assert gestures(away) == ()


# Doors and objects


PUSHES = {
    BLOB: [(150, 150)],
    SPHERE: [(40, 40)],
    FRIEND: [*still((90, 74), 4), *walk((90, 74), (90, 114), step=4), (90, 114)],
    STRANGER: [(40, 100)],
    DOOR: [*still((90, 100), 4), *walk((90, 100), (90, 140), step=4), (90, 140)],
}


def test_a_door_is_moved_by_the_agent_that_moves_along():
    trial = one(PUSHES)
    (moved,) = doors_moved(trial)
    assert trial.actors[moved.actor].look.image.endswith("blob_05")
    assert (moved.start, moved.stop) == ((90, 100), (90, 140))
    assert gestures(trial) == ()
    alone = one({**PUSHES, FRIEND: [(90, 50)]})
    assert doors_moved(alone)[0].actor is None
    beside = one({**PUSHES, FRIEND: [(73, 100)]})  # stands there, but does not move
    assert doors_moved(beside)[0].actor is None


CARRIES = {
    BLOB: [(150, 100)],
    FRIEND: [*walk((60, 150), (60, 114), step=4), *walk((60, 100), (60, 60), step=4), (60, 40)],
    SPHERE: [*still((60, 100), 10), *walk((60, 100), (60, 60), step=4)],
}


def test_an_object_is_lifted_and_put_down():
    trial = one(CARRIES)
    (moved,) = objects_moved(trial)
    assert (moved.target, moved.index, moved.actor) == ("object", 0, 1)
    assert (moved.start, moved.stop) == ((60, 100), (60, 60))
    assert trial.objects[0].centre == (60, 100)
    assert not trial.changes
    assert objects_moved(one({**CARRIES, FRIEND: [(150, 160)]}))[0].actor is None
    assert objects_moved(one({**CARRIES, SPHERE: [(60, 100)]})) == ()


# Coming and going


def test_coming_in_and_leaving():
    trial = one({**CARRIES, FRIEND: [None, None, *still((60, 150), 3), None]})
    assert [(p.actor, p.frame, p.comes) for p in passages(trial)] == [(1, 4, True), (1, 10, False)]
    away = one({**CARRIES, BLOB: [*still((150, 100), 3), None, None, (150, 100)]})
    assert [(p.actor, p.frame, p.comes) for p in passages(away)] == [(0, 6, False), (0, 10, True)]
    assert not away.there(0)[6:10].any()
    assert not np.isnan(away.path).any()


def test_a_corridor_outside_the_walls_is_not_the_room():
    walls = [[x, y, 20.0, 20.0] for x in range(0, 180, 20) for y in (0, 180)]
    walls += [[x, y, 20.0, 20.0] for x in (0, 160) for y in (20, 40, 60, 120, 140, 160)]
    trial = replace(one(CARRIES), walls=np.array(walls))
    assert trial.room == (0, 0, 180, 200)
    assert replace(trial, walls=np.array(walls[:1])).room == (0, 0, 200, 200)
    assert replace(trial, walls=np.empty((0, 4))).room == (0, 0, 200, 200)
    mirrored = np.array(walls) * [-1, 1, 1, 1] + [180, 0, 0, 0]
    assert replace(trial, walls=mirrored).room == (20, 0, 200, 200)


# What must not matter


@pytest.mark.parametrize("take", [PUSHES, CARRIES])
def test_order_names_and_mirror_do_not_matter(take):
    given = scenes.scene(take)
    shuffled = json.loads(json.dumps(given))
    shuffled["objects"].reverse()
    for number, thing in enumerate(shuffled["objects"]):
        role = thing["id"].rsplit("_", 1)[0]
        thing["id"] = thing["id"] if role.startswith("wall") else f"{role}_{number:03}"
    mirrored = json.loads(json.dumps(given))
    for thing in mirrored["objects"]:
        for show in thing["shows"]:
            show["position"]["x"] *= -1
    told = [tell(scenes.read(each)[0]) for each in (given, shuffled, mirrored)]
    assert told[0] == told[1] == told[2]
    assert told[0]


def tell(trial):
    happened = (*doors_moved(trial), *objects_moved(trial))
    who = [str(actor.look) for actor in trial.actors]
    return [(m.target, m.first, m.last, m.actor and who[m.actor]) for m in happened]


# Real scenes


@pytest.fixture(scope="session")
def social(real_scenes: Path) -> Path:
    folder = real_scenes.with_name("mcs-social")
    if not any(folder.glob("*.json")):
        pytest.skip("no real social scenes beside the repository, in ../shared/data/mcs-social")
    return folder


def read_all(folder: Path, name: str) -> list[hbtom.Episode]:
    return [hbtom.load(file) for file in sorted(folder.glob(f"*{name}*.json"))]


def test_real_pushes(social):
    """An agent starts at least 23 pixels from the paddle; a pushed thing starts touching it."""
    pushed = []
    for episode in read_all(social, "non_agent"):
        began = [onset(trial) for trial in episode]
        touched = [bool(each.pushed_by) for each in began[:-1]]
        assert len(set(touched)) == 1
        pushed.append(touched[0])
        for trial, each in zip(episode.familiarization, began, strict=False):
            assert -2 <= each.gap <= 2 if touched[0] else 22.5 <= each.gap <= 26
            assert 15 - 15 * touched[0] <= each.frame / 2 <= 41
            assert in_view(trial, trial.path).all()
        assert 17 <= began[-1].gap <= 18.7  # the test trial: not touching, but not visible either
        assert not in_view(episode.test, episode.test.path)[began[-1].frame]
    assert sorted(pushed) == [False, False, False, True]


def test_real_approaches(social):
    for episode in read_all(social, "approach"):
        for trial in episode.familiarization:
            assert gestures(trial) == ()
            assert [touched.target for touched in contacts(trial)] == ["actor"]
        shown = gestures(episode.test)
        assert {each.actor for each in shown[:2]} == {1, 2}
        assert [each.actor for each in shown[2:]] == [0]
        ways = [each.way[len(each.way) // 2] for each in shown]
        likeness = sorted(float(np.hypot(*(ways[2] - way))) for way in ways[:2])
        assert likeness[0] <= 15 < likeness[1]  # the agent repeats one of the two, perhaps in part


def test_real_imitations(social):
    for episode in read_all(social, "imitation"):
        demonstrators = []
        for trial in episode.familiarization:
            shown = gestures(trial)
            assert [each.actor == 0 for each in shown] == [False, True]
            demonstrators.append(shown[0].actor)
        assert set(demonstrators) == {1, 2}
        assert gestures(episode.test) == ()
        assert contacts(episode.test)[-1].target == "actor"


def test_real_doors(social):
    for episode in read_all(social, "helper_hinderer"):
        movers = []
        for trial in episode:
            movers += [each.actor for each in doors_moved(trial)]
            opened = [doors_moved(trial)[0].stop] if doors_moved(trial) else []
            reached = [each.target for each in contacts(trial)]
            barred = [abs(y - trial.objects[0].centre[1]) < 20 for _, y in opened]
            assert reached == ([] if barred == [True] else ["object" if trial.objects else "actor"])
        assert len(movers) == 4
        assert movers[0] == movers[2] != movers[1] == movers[3]


def test_real_beliefs(social):
    for episode in read_all(social, "belief"):
        hidden = [not sees_objects(trial, 0)[0, 0] for trial in episode.familiarization]
        assert [number for number, each in enumerate(hidden, start=1) if each] == [2, 3, 4, 6]
        (carried,) = objects_moved(episode.test)
        assert carried.actor == 1
        assert carried.start[1] > 100 > carried.stop[1]
        when = [(each.actor, each.comes) for each in passages(episode.test)]
        seen = sees_objects(episode.test, 0)[:, 0]
        assert when == [(0, True), (1, True), (1, False)]
        while_carried = seen[carried.first : carried.last]
        assert 0.4 < while_carried.mean() < 0.6
        assert not seen[: carried.first].any()
        assert not seen[carried.last]
