"""Scenes of Machine Common Sense become the episodes that they were made from."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import episodes
import hbtom
from episodes import Json, key_trial, walk
from hbtom import observe
from hbtom.model import with_settings
from hbtom.observe import Identity, Trial, same_trial
from hbtom.observe.mcs.scene import Hide, Point, SceneThing, Show
from hbtom.observe.mcs.space import changes, seen, stands
from hbtom.world.seeing import waits
from scenes import (
    BLOB,
    BOARD,
    CROWDED,
    CUBE,
    DOOR,
    END,
    FRIEND,
    PASS,
    SPHERE,
    STAR,
    STRANGER,
    Take,
    filmed,
    key_scene,
    preference,
    read,
    scene,
    still,
    things,
    to_bytes,
    to_prop,
    wall,
)

PURPLE, LIME = ("Custom/Materials/Purple", (128, 0, 128)), ("Custom/Materials/Lime", (0, 255, 0))


def assert_same(one: hbtom.Episode, other: hbtom.Episode) -> None:
    assert len(one) == len(other)
    assert all(map(same_trial, one, other))


# Real scenes


@pytest.mark.parametrize("model", ["default"])
def test_all_labelled_pairs_are_judged_right(real_scenes: Path, model: str) -> None:
    labels = json.loads((real_scenes.parent / "mcs-labels.json").read_text())
    pairs: dict[str, dict[bool, float]] = {}
    for name, label in labels.items():
        judgement = hbtom.judge(real_scenes / name, model)
        assert not judgement.warnings
        pairs.setdefault(label["pair"], {})[label["more_plausible"]] = judgement.plausibility
    assert len(pairs) == 4
    assert all(pair[True] > pair[False] for pair in pairs.values())


@pytest.mark.parametrize(("member", "original"), [("expected", "e"), ("unexpected", "u")])
def test_a_scene_matches_its_original_episode(
    real_scenes: Path, real_files: list[Path], member: str, original: str
) -> None:
    film = hbtom.load(real_scenes / f"agents_preference_{member}.json")
    (file,) = (path for path in real_files if path.stem == f"000011lo{original}")
    origin = hbtom.load(file)
    assert len(film) == len(origin) == 9
    for one, other in zip(film, origin, strict=True):
        np.testing.assert_array_equal(one.walls, other.walls)
        assert {body.centre for body in one.objects} == {body.centre for body in other.objects}
        assert {body.radius for body in one.objects} == {9.0}
        assert (one.agent.centre, one.agent.radius) == (other.agent.centre, other.agent.radius)
        assert _touched(one) == _touched(other)
        seen = {(x, y) for x, y in other.path.tolist()}
        places = [(x, y) for x, y in one.path[::2].tolist()]
        strange = [place for place in dict.fromkeys(places) if place not in seen]
        assert strange in ([], [places[-1]])  # except where it touches the object
    judged = [hbtom.judge(episode).plausibility for episode in (film, origin)]
    assert judged[0] == pytest.approx(judged[1], abs=0.02)


def _touched(trial: Trial) -> tuple[float, float]:
    touch = trial.event("touch")
    assert touch is not None
    assert touch.item is not None
    return trial.items[touch.item].centre


# What is read


def test_the_agents_and_things_that_are_seen() -> None:
    first, *_, test = read(preference())
    assert first.size == (200, 200)
    assert first.agent.look == Identity(f"{PURPLE[0]}/blob_12", PURPLE[1])
    assert str(first.agent.look) == "blob_12"
    assert [str(body.look) for body in first.objects] == ["sphere", "cube"]
    assert first.objects[0].look == Identity(f"{LIME[0]}/sphere", LIME[1])
    assert [body.radius for body in (first.agent, *first.objects)] == [6, 9, 9]
    assert [body.centre for body in first.objects] == [(130, 60), (130, 140)]
    assert [body.centre for body in test.objects] == [(130, 140), (130, 60)]
    assert first.agent.centre == (40, 100)
    assert first.warnings == ()


def test_a_step_is_two_frames_with_motion_interpolated() -> None:
    take: Take = {BLOB: [*still((40, 100)), (44, 100), (44, 103)], SPHERE: [(150, 100)]}
    (trial,) = read(scene(take))
    places = [(40, 100)] * 3 + [(42, 100), (44, 100), (44, 101.5), (44, 103)]
    assert trial.path.tolist() == [list(place) for place in places]


def test_a_thing_that_is_teleported_is_not_interpolated() -> None:
    take: Take = {BLOB: [(40, 100), (60, 100), (62, 100)], SPHERE: [(150, 100)]}
    (trial,) = read(scene(take))
    assert trial.path[:, 0].tolist() == [40, 40, 60, 61, 62]


def test_the_border_is_tiled_as_in_the_benchmark() -> None:
    border = episodes.read(episodes.simple_episode(0))[0].walls
    for made in (preference(), scene(*CROWDED[:1], border=False)):
        np.testing.assert_array_equal(read(made)[0].walls, border)


def test_an_opening_in_the_border_stays_open() -> None:
    made = preference()
    (right,) = things(made, "wall_grid_right")
    made["objects"].remove(right)
    walls = read(made)[0].walls
    assert not ((walls[:, 0] == 180) & (walls[:, 1] > 0) & (walls[:, 1] < 180)).any()
    assert len(walls) == 36 - 8


def test_walls_are_replaced_between_trials() -> None:
    base = to_prop(SPHERE, (130, 60))
    episode = read(scene({**base, wall(1): [(90, 150)]}, {**base, wall(2): [(110, 150)]}, base))
    inner = [[row for row in trial.walls.tolist() if row[1] == 140] for trial in episode]
    sides = [[0, 140, 20, 20], [180, 140, 20, 20]]
    inner = [[row for row in rows if row not in sides] for rows in inner]
    assert inner == [[[80, 140, 20, 20]], [[100, 140, 20, 20]], []]
    assert all(trial.warnings == () for trial in episode)


def test_walls_that_change_within_a_trial_give_a_warning() -> None:
    base = to_prop(SPHERE, (130, 60))
    episode = read(scene({**base, wall(1): [*still((90, 150), 5), None]}))
    told = "trial 1: 'walls' changes at frame 11; its first state is used"
    assert told in hbtom.judge(episode, "paper").warnings


def test_each_trial_has_the_agent_that_is_present() -> None:
    way = walk((40, 100), (80, 100), step=4)
    mine: Take = {BLOB: way, STAR: [None], SPHERE: [(95, 100)]}
    its: Take = {BLOB: [None], STAR: way, SPHERE: [(95, 100)]}
    episode = read(scene(mine, mine, its))
    assert [str(trial.agent.look) for trial in episode] == ["blob_12", "blob_12", "blob_03"]
    assert not any(trial.others or trial.warnings for trial in episode)


def test_with_two_agents_one_is_judged() -> None:
    both = {**to_prop(SPHERE, (130, 60)), STAR: [(150, 150)]}
    (trial,) = read(scene(both))
    assert str(trial.agent.look) == "blob_03"  # by look: Blue comes before Purple
    assert [(one.kind, str(one.look)) for one in trial.others] == [("agent", "blob_12")]
    assert "2 agents" in trial.warnings[0]


def test_an_absent_agent_stands_where_it_enters() -> None:
    way: list = [None, None, (230, 100), (190, 100), (186, 100), (150, 100), None]
    (trial,) = read(scene({BLOB: way, SPHERE: [(40, 100)]}))
    assert trial.agent.centre == (190, 100)
    assert trial.path[:8, 0].tolist() == [190] * 7 + [188]
    assert trial.path[-3:, 0].tolist() == [150, 150, 150]
    (told,) = (
        one for one in hbtom.judge(hbtom.Episode((trial,)), "paper").warnings if "away" in one
    )
    assert told.startswith("trial 1: the agent is away at frame 1;")


def test_old_scenes() -> None:
    """Version 2 has ids without roles, no border, no rotations, and meaningless sizes."""
    made = preference()
    made["version"] = "2"
    made["objects"] = [one for one in made["objects"] if not one["id"].startswith("wall_grid")]
    for thing in made["objects"]:
        thing["id"] = {"sphere": "sphere", "cube": "cube", "blob_12": "agent"}[thing["type"]]
        if thing["materials"] == ["Wood"]:
            thing.update(id="stand", structure=True)
        for show in thing["shows"]:
            show.pop("rotation", None)
        thing["shows"][0]["scale"] = {"x": 0.25, "y": 0.25, "z": 0.25}
    assert_same(read(made), read(preference()))


# Trials


def test_a_trial_ends_at_end_habituation_and_the_last_at_the_last_step() -> None:
    made = preference(times=2)
    goal = made["goal"]
    ends = [at for at, action in enumerate(goal["action_list"]) if action == END]
    lengths = [len(trial.path) for trial in read(made)]
    assert len(ends) == 2
    assert lengths[0] == 2 * ends[0] - 1
    whole = read(made)
    goal["action_list"] += [PASS, PASS, END, PASS]  # these were never run
    assert_same(read(made), whole)
    goal["action_list"] = goal["action_list"][: goal["last_step"]]
    del goal["last_step"]
    assert_same(read(made), whole)


def test_trials_without_steps_are_left_out() -> None:
    made = preference(times=1)
    whole = read(made)
    made["goal"]["action_list"] += [END, END]
    made["goal"]["last_step"] += 2
    assert_same(read(made), whole)


# What must not matter


def shuffled(made: Json, seed: int) -> None:
    random.Random(seed).shuffle(made["objects"])


def renamed(made: Json, seed: int) -> None:
    for number, thing in enumerate(made["objects"]):
        if not thing["id"].startswith("wall_grid"):
            thing["id"] = thing["id"].rsplit("_", 1)[0] + f"_{seed}-{number}"


def highlighted(made: Json, seed: int) -> None:
    red = {"stepBegin": seed % 20, "materials": ["Custom/Materials/Red"]}
    for thing in made["objects"]:
        thing["changeMaterials"] = [red]


def embellished(made: Json, seed: int) -> None:
    made |= {"debug": {"answer": seed}, "lava": [seed], "name": f"scene_{seed}"}
    made["goal"]["answer"] = {"choice": "expected"}
    for thing in made["objects"]:
        thing |= {"mass": seed, "physics": None, "shows": thing["shows"][::-1]}
    made["objects"].append({"id": "sofa_1", "shows": "anything"})


CHANGES = (shuffled, renamed, highlighted, embellished)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 99)), min_size=1, max_size=4))
def test_cues_that_leak_the_answer_do_not_matter(
    changes: list[tuple[Callable[[Json, int], None], int]],
) -> None:
    for original in (preference(CUBE, times=1), scene(*CROWDED), key_scene()):
        made = copy.deepcopy(original)
        for change, seed in changes:
            change(made, seed)
        assert_same(read(made), read(original))


def with_pause(made: Json, step: int, longer: int) -> Json:
    """Return a scene in which nothing moves for a number of steps, from the given step on."""
    changed = copy.deepcopy(made)
    goal = changed["goal"]
    goal["action_list"][step:step] = [PASS] * longer
    goal["last_step"] += longer
    for thing in changed["objects"]:
        for each in (*thing["shows"], *thing.get("hides", ())):
            each["stepBegin"] += longer * (each["stepBegin"] >= step)
    return changed


PAUSED = [preference(times=1), preference(CUBE, times=1), key_scene(2)]


@settings(max_examples=12)
@given(st.sampled_from(PAUSED), st.data())
def test_pauses_change_no_judgement(made: Json, data: st.DataObject) -> None:
    paused = made
    for _ in range(data.draw(st.integers(1, 4))):
        actions = paused["goal"]["action_list"]
        starts = [0, *(at + 1 for at, action in enumerate(actions) if action == END)]
        within = [step for step in range(len(actions)) if step not in starts]
        step, longer = data.draw(st.sampled_from(within)), data.draw(st.integers(1, 9))
        paused = with_pause(paused, step, longer)
    one, other = hbtom.judge(read(made)), hbtom.judge(read(paused))
    assert one.plausibility == other.plausibility
    assert one.surprise == other.surprise


# How a trial ends


def overlapping(start: tuple[float, float], place: tuple[float, float]) -> list:
    """Return a path of four pixels per step that ends seven pixels from a place."""
    far = math.dist(start, place)
    stops = [*np.arange(0, far - 7, 4), far - 7]
    way = [tuple(np.array(start) + (np.array(place) - start) * (d / far)) for d in stops]
    return [*still(start), *way, *still(way[-1], 3)]


def snapped(way: list, place: tuple[float, float], aside: float) -> list:
    """Return the path as filmed: steps do not overlap, and the first that would is moved."""
    near = next(index for index, here in enumerate(way) if math.dist(here, place) < 15)
    heading = math.atan2(way[near][1] - place[1], way[near][0] - place[0]) + aside
    contact = (place[0] + 15 * math.cos(heading), place[1] + 15 * math.sin(heading))
    return [*way[:near], *still(contact, 4)]


@pytest.mark.parametrize("aside", [-0.4, 0.0, 0.4])
def test_the_last_step_before_a_touch_says_nothing(aside: float) -> None:
    places = {SPHERE: (130, 60), CUBE: (130, 140)}
    judged = []
    for film in (lambda way, _: way, lambda way, place: snapped(way, place, aside)):
        takes = [
            {BLOB: film(overlapping((40, 100), places[goal]), places[goal])}
            | {prop: [place] for prop, place in places.items()}
            for goal in (SPHERE, SPHERE, CUBE)
        ]
        episode = read(scene(*takes))
        assert [trial.event("touch") is not None for trial in episode] == [True] * 3
        judged.append(hbtom.judge(episode))
    assert judged[0].plausibility == pytest.approx(judged[1].plausibility, abs=1e-6)


def test_a_touch_survives_the_rounding_of_places() -> None:
    for gap in (-3, -0.001, 0, 0.001, 1.4, 2.9):
        take: Take = {BLOB: [(40, 100), (70, 100), (85 - gap, 100)], SPHERE: [(100, 100)]}
        (trial,) = read(scene(take))
        assert [event.kind for event in trial.events if event.item == 0] == ["touch"]
        assert trial.path[-1].tolist() == pytest.approx([85.01, 100])


def test_an_agent_that_stops_early_stays_where_it_stops() -> None:
    take: Take = {BLOB: [(40, 100), (44, 100), (80, 100)], SPHERE: [(100, 100)]}
    (trial,) = read(scene(take))
    assert trial.path[-1].tolist() == [80, 100]
    assert trial.event("touch") is None


# Key, lock and barrier


def test_key_lock_and_barrier() -> None:
    origin = episodes.read([key_trial()])[0]
    (trial,) = read(key_scene())
    for name in ("walls", "barrier"):
        np.testing.assert_array_equal(getattr(trial, name), getattr(origin, name))
    assert trial.key is not None
    assert origin.key is not None
    assert (trial.key.centre, trial.key.radius) == (origin.key.centre, origin.key.radius)
    assert str(trial.key.look) == "triangle0.png"
    assert trial.lock is not None
    assert trial.lock.centre == episodes.LOCK_PLACE
    kinds = [event.kind for event in trial.events]
    assert kinds == [event.kind for event in origin.events]
    assert trial.key_path is not None
    assert np.isnan(trial.key_path[-1]).all()
    assert trial.barrier_left[[0, -1]].tolist() == [1, 0]
    assert waits(trial) == pytest.approx(waits(origin), rel=0.1)


def test_the_cost_of_a_barrier_does_not_depend_on_how_it_vanishes() -> None:
    """Pieces vanish one by one; every fifth frame is filmed, with the pieces left by then."""
    for every in (1, 2, 5, 9):
        plain = key_trial(wait=0)
        whole = plain[0]["fuse_walls"]
        burning = [
            at for at, (a, b) in enumerate(pairwise(plain)) if a["fuse_walls"] != b["fuse_walls"]
        ]
        slow = [
            frame for at, frame in enumerate(plain) for _ in range(every if at in burning else 1)
        ]
        origin = episodes.read([slow])[0]
        (trial,) = read(scene(filmed(slow)))
        assert len(whole) == 3
        assert waits(trial) == pytest.approx(waits(origin), rel=0.1)


def test_instrumental_scenes_are_judged_like_their_originals() -> None:
    straight = episodes.trial(
        walk((50, 40), (150, 100)), [episodes.BEHIND], walls=episodes.border()
    )
    for last in (key_trial(), straight):
        trials = [key_trial(), key_trial(), last]
        judged = hbtom.judge(read(scene(*map(filmed, trials))))
        origin = hbtom.judge(episodes.read(trials))
        assert judged.plausibility == pytest.approx(origin.plausibility, abs=0.1)
        assert judged.surprise.goal == pytest.approx(origin.surprise.goal, abs=1e-6)


# Other things that are seen


def test_other_things_are_read() -> None:
    first, second = read(scene(*CROWDED))
    kinds = [(one.kind, str(one.look), one.size) for one in first.others]
    assert kinds == [
        ("agent", "blob_07", (12, 12)),
        ("agent", "blob_05", (12, 12)),
        ("occluder", "cube", (10, 42)),
        ("paddle", "cube", (10, 40)),
    ]
    paddle = first.others[3]
    assert paddle.angle[:6].tolist() == [0, 2, 4, 6, 8, 10]
    assert paddle.angle[-1] == 76
    board = first.others[2]
    assert board.path[[8, 9, 10]].tolist() == [[-20, 100], [-20, 100], [60, 140]]
    friend, door = second.others
    assert np.isnan(friend.path[:4]).all()
    assert friend.path[4:8].tolist() == [[140, 140], [138, 139], [136, 138], [134, 137]]
    assert np.isnan(friend.angle[[0, -1]]).all()
    assert (door.kind, door.size, door.path[-1].tolist()) == ("door", (20, 40), [90, 130])
    assert first.objects == ()
    assert all(len(one.path) == len(one.angle) == len(first.path) for one in first.others)


ALONE = with_settings(hbtom.Model.preset("default"), {"social": False})  # it ignores company


def test_things_that_are_not_modelled_give_one_warning() -> None:
    judgement = hbtom.judge(read(scene(*CROWDED, *CROWDED)), ALONE)
    told = [warning for warning in judgement.warnings if "not modelled" in warning]
    assert told == [
        "other agents, doors, occluders, paddles: seen, but not modelled; they have no effect"
    ]
    assert not hbtom.judge(read(preference())).warnings


@pytest.mark.parametrize(
    ("preset", "settings", "needs"),
    [
        ("paper", {"social": {}}, 'motion.kind = "continuous"'),
        ("default", {"observation.noise": 1.0}, "observation.noise = 0"),
        ("default", {"goals.switching": 0.25}, "agents that foresee everything, make no mistakes"),
        ("default", {"acts.lapse": 0.1}, "agents that foresee everything, make no mistakes"),
    ],
)
def test_a_model_that_cannot_use_company_says_why(preset, settings, needs) -> None:
    model = with_settings(hbtom.Model.preset(preset), settings)
    [told] = [one for one in hbtom.judge(read(scene(*CROWDED)), model).warnings if "social" in one]
    reason = f"not modelled; [social] has no effect in this model because it needs {needs}"
    assert reason in told


def test_an_agent_beside_the_end_changes_no_judgement() -> None:
    usual = {**to_prop(SPHERE, (130, 60)), CUBE: [(150, 130)]}
    x, y = usual[BLOB][-1]
    beside = {**usual, FRIEND: [(x + 3, y + 11)]}  # nearer than the sphere
    alone, watched = (
        hbtom.judge(read(scene(usual, usual, last)), ALONE) for last in (usual, beside)
    )
    assert np.array_equal(watched.episode.test.path, alone.episode.test.path)
    assert watched.surprise == alone.surprise


def test_a_trial_without_objects_says_nothing() -> None:
    crowd, usual = CROWDED
    without, among = (
        hbtom.judge(read(scene(*takes)), ALONE) for takes in ((usual, usual), (usual, crowd, usual))
    )
    assert among.plausibility == without.plausibility
    assert any("there are no goals" in warning for warning in among.warnings)
    idle = among.posteriors[1]
    assert (len(idle), [str(goal) for goal in idle.goals]) == (0, ["nothing"])
    assert idle.preferred == without.posteriors[0].preferred
    assert idle.preference[-1] == pytest.approx(without.posteriors[1].preference[0])
    np.testing.assert_allclose(idle.efficiency[0], without.posteriors[0].efficiency[-1])
    last = hbtom.judge(read(scene(usual, crowd)), ALONE)
    assert last.missing == "there are no goals"
    assert np.isnan([last.plausibility, *last.surprise.to_dict().values()]).all()
    assert hbtom.judge(read(scene(crowd, usual)), ALONE).plausibility > 0.5


def test_a_pair_shares_its_first_trials(tmp_path: Path) -> None:
    data = to_bytes(preference()), to_bytes(preference(CUBE))
    one, other = observe.formats.read_pair(data, ("one", "other"))
    assert isinstance(one, hbtom.Episode)
    assert isinstance(other, hbtom.Episode)
    assert all(a is b for a, b in zip(one.familiarization, other.familiarization, strict=True))
    assert one.test is not other.test
    mixed = observe.formats.read_pair(
        (data[0], episodes.to_bytes(episodes.simple_episode())), ("a", "b")
    )
    assert all(isinstance(each, hbtom.Episode) for each in mixed)


def test_white_space_before_a_scene_does_not_matter() -> None:
    data = to_bytes(preference())
    assert_same(observe.read(b"\xef\xbb\xbf" + b" \n" * 100 + data), observe.read(data))


@pytest.mark.parametrize("shape", ["", "{}", "{0.x} {}", "a/b"])
def test_any_type_is_a_look(shape: str) -> None:
    made = preference()
    things(made, "agent")[0]["type"] = shape
    assert read(made).test.agent.look.image == f"Custom/Materials/Purple/{shape}"


def test_a_carried_door_and_a_parked_board_do_not_matter() -> None:
    base = to_prop(SPHERE, (130, 60))
    boards: Take = {
        BOARD: [(-20, 100)],
        DOOR: walk((90, 150), (90, 110), step=4),
        FRIEND: [(150, 150)],
    }
    one, other = (
        hbtom.judge(read(scene(take, take)), ALONE) for take in (base, {**base, **boards})
    )
    assert one.plausibility == other.plausibility
    assert {x.look for x in read(scene({**base, STRANGER: [(60, 60)]}))[0].others}


# Where things are at each step

steps = st.integers(0, 6)
shows = st.builds(lambda step, x: Show(step, Point(x=x / 40, z=0.0)), steps, st.integers(-100, 100))


@given(st.lists(shows, max_size=5), st.lists(st.builds(Hide, steps), max_size=4))
def test_a_shown_thing_stays_until_it_is_shown_again_or_hidden(shows: list, hides: list) -> None:
    thing = SceneThing("wall_1", "cube", (), tuple(shows), tuple(hides))
    here: float | None = None
    places = []
    for step in range(8):  # step by step
        if any(hide.step == step for hide in hides):
            here = None
        for show in shows:
            here = show.position.x * 40 + 100 if show.step == step else here
        places.append(here)
    found = seen(thing, range(8))
    assert [
        x if is_there else None for (x, _), is_there in zip(found.place, found.there, strict=True)
    ] == [pytest.approx(place) if place is not None else None for place in places]
    for step, place in enumerate(places):
        at = stands(thing, step)
        assert (at is None) == (place is None)
        assert at is None or at == tuple(found.place[step])
    moved = next((step for step in range(2, 7) if places[step] != places[1]), None)
    assert changes(thing, range(1, 7)) == moved
