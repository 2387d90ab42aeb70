"""Changes to trials in the studio: their effects, and that nothing is lost."""

from __future__ import annotations

import asyncio
import csv
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import companions
import hbtom
from episodes import HEART, SPOON, episode, key_trial, to_thing
from hbtom import Episode
from hbtom.errors import BadInput
from hbtom.model import Model
from hbtom.observe import Trial
from hbtom.observe.formats import read
from hbtom.observe.writing import write
from hbtom.show.studio.edits import Cells, Change, Go, Look, Put, Remove, Vary, edited
from hbtom.show.studio.edits import Path as Way
from hbtom.show.studio.raw_trials import Frames, empty_trial, opened
from hbtom.show.studio.studio_state import Desk, Saving
from hbtom.show.studio.views import view

HEART_IMAGE, SPOON_IMAGE = "./shapes/train/objects/heart.png", "./shapes/train/objects/spoon.png"
SCENE: tuple[Change, ...] = (
    Put("object", (150, 60), image=HEART_IMAGE),
    Put("object", (150, 140), image=SPOON_IMAGE),
    Cells("walls", [(80, 80), (80, 100)], True),
)


def drawn(*changes: Change) -> Frames:
    frames = empty_trial()
    for change in changes:
        frames = edited(change, frames)
    return frames


def trial_of(frames: Frames) -> Trial:
    return read(json.dumps([frames]).encode())[0]


def length(trial: Trial) -> float:
    return sum(((a - b) ** 2).sum() ** 0.5 for a, b in pairwise(trial.path))


def unknown(trials: Any) -> Any:
    """Add unknown fields, with numbers that browsers cannot represent."""
    for trial in trials:
        for at, frame in enumerate(trial):
            frame["gaze"] = {"at": at, "id": 12345678901234567890 + at, "share": 0.1}
    return trials


def test_a_file_is_preserved_whatever_it_holds() -> None:
    trials = unknown(episode(key_trial(), key_trial()))
    frames = opened(json.dumps(trials).encode(), "e.json")
    assert json.loads(json.dumps(frames)) == trials
    changed = edited(
        Cells("walls", [(140, 140)], False), edited(Cells("walls", [(140, 140)], True), frames[1])
    )
    assert list(changed) == trials[1]


def test_company_is_drawn_and_kept() -> None:
    busy, hidden = opened(write(Episode((companions.busy(), companions.hidden()))), "social.json")
    kinds = [one["kind"] for one in view(busy)["others"]]
    assert sorted(kinds) == ["agent", "agent", "door", "paddle"]
    shown = view(hidden)
    (ball,) = shown["objects"]
    assert (ball["path"][0], ball["path"][-1][1:]) == ([0, 40, 150], [40, 50])
    ben = next(one for one in shown["others"] if one["kind"] == "agent")
    assert ben["path"][-1] == [26, None, None, None]
    assert shown["there"] == [[0, 0], [30, 1]]
    assert [(at, sum(stand)) for at, *stand in shown["standing"]] == [(0, 2), (30, 1)]
    changed = edited(Cells("walls", [(140, 140)], True), hidden)
    assert view(changed)["others"] == shown["others"]
    emptied = edited(Remove("object", 0), busy)  # it cannot be judged, but is still drawn
    assert view(emptied)["objects"] == []


@pytest.mark.parametrize(
    ("change", "fields"),
    [
        (Cells("walls", [(140, 140)], True), {"walls"}),
        (Put("object", (150, 150), index=0), {"objects"}),
        (Look(HEART_IMAGE, (1, 2, 3), 0), {"objects"}),
        (Look("./shapes/train/agents/drop.png", (1, 2, 3)), {"agent"}),
        (Cells("fuse_walls", [(140, 140)], True), {"fuse_walls"}),
    ],
)
def test_a_change_affects_nothing_else(change: Change, fields: set[str]) -> None:
    (before,) = opened(json.dumps(unknown(episode(to_thing(HEART.at(120, 60))))).encode(), "e")
    after = edited(change, before)
    assert len(after) == len(before)
    for old, new in zip(before, after, strict=True):
        assert {name for name in new if new[name] != old.get(name)} == fields


def test_the_agent_goes_around_walls_and_stops_at_the_object() -> None:
    trial = trial_of(drawn(*SCENE, Go(0)))
    assert trial.event("touch") is not None
    heart = next(body for body in trial.objects if "heart" in body.look.image)
    assert 7 <= ((trial.path[-1] - heart.centre) ** 2).sum() ** 0.5 <= 12.5
    assert not any(((trial.path > 80) & (trial.path < (100, 120))).all(axis=1))


def test_the_agent_goes_around_things_that_it_does_not_want() -> None:
    spoon = Put("object", (100, 100), image=SPOON_IMAGE)
    trial = trial_of(drawn(Put("object", (150, 100), image=HEART_IMAGE), spoon, Go(0)))
    assert trial.event("touch") is not None
    assert ((trial.path - (100, 100)) ** 2).sum(axis=1).min() ** 0.5 > 15


def test_the_other_member_of_a_pair() -> None:
    straight = drawn(*SCENE, Go(0))
    swapped = edited(Vary("swap"), straight)
    assert view(swapped)["points"][-1][1] > 120  # at the spoon
    detour = edited(Vary("detour"), straight)
    assert 1.25 < length(trial_of(detour)) / length(trial_of(straight)) < 2.2
    assert edited(Vary("straighten"), detour) == straight
    data = [json.dumps([straight] * 3 + [last]).encode() for last in (straight, swapped, detour)]
    as_before, other, longer = (hbtom.judge(read(one)).plausibility for one in data)
    assert as_before > 0.9 > 0.2 > max(other, longer)


def test_the_key_is_taken_and_the_lock_opened() -> None:
    vault = [(100, 20), (100, 40), (100, 60), (100, 80), (140, 80), (160, 80)]
    closed = drawn(*SCENE, Cells("fuse_walls", vault, True), Put("lock", (130, 90)))
    with pytest.raises(BadInput, match="there is no way"):
        edited(Go(0), closed)
    trial = trial_of(edited(Go(0), edited(Put("key", (60, 60)), closed)))
    assert trial.key_path is not None
    assert trial.lock_there is not None
    assert trial.barrier_left[0] == 1
    assert trial.barrier_left[-1] == 0
    assert not trial.lock_there[-1]
    assert [one.kind for one in trial.events if "key" in one.kind or "lock" in one.kind]
    assert hbtom.judge(hbtom.Episode((trial, trial))).surprise.observation < 0  # it is not a detour
    only = edited(Remove("object", 1), edited(Put("key", (60, 160)), drawn(*SCENE, Go(0))))
    assert view(edited(Vary("swap"), only))["points"][-1] == pytest.approx((60, 160), abs=14)
    gone = edited(Remove("lock"), edited(Remove("key"), edited(Put("key", (60, 60)), closed)))
    assert trial_of(gone).key is None


def test_impossible_changes_are_reported() -> None:
    one = drawn(SCENE[0])
    for change, told in (
        (Go(3), "there is no object 4"),
        (Vary("swap"), "there is only one object"),
        (Put("key", (300, 10)), "outside the world"),
        (Put("key", (float("nan"), 10)), "outside the world"),
        (Way([]), "a path needs a point"),
    ):
        with pytest.raises(BadInput, match=told):
            edited(change, one)
    with pytest.raises(BadInput, match="no object to go to"):
        edited(Vary("straighten"), empty_trial())


# The desk


class Here:
    """Does in this process what other processes would do."""

    async def do(self, work: Any, *args: Any) -> Any:
        return work(*args)

    async def close(self) -> None: ...


def test_an_empty_room_says_what_to_draw(tmp_path: Path) -> None:
    desk = desk_in(tmp_path)
    (one,) = desk.begin()
    (model,) = desk.models
    for trials, where in (([one["id"]], "This room"), ([one["id"]] * 2, "Trial 1")):
        with pytest.raises(BadInput) as error:
            asyncio.run(desk.judge(trials, model, "x"))
        assert str(error.value).startswith(f"{where} has nothing in it")


def desk_in(folder: Path) -> Desk:
    return Desk(folder, {"default": Model.preset("default")}, Here())  # type: ignore[arg-type]


def test_saving_preserves_the_file_and_replaces_nothing_by_default(tmp_path: Path) -> None:
    desk, trials = desk_in(tmp_path), unknown(episode(to_thing(SPOON.at(120, 60))))
    (one,) = desk.open(json.dumps(trials).encode(), "e.json")
    changed = desk.edit(
        one["id"], {"type": "cells", "field": "walls", "cells": [[20, 20]], "there": True}
    )
    back = desk.edit(
        changed["id"], {"type": "cells", "field": "walls", "cells": [[20, 20]], "there": False}
    )
    path = asyncio.run(desk.save(Saving({"scene": [back["id"]]}, "scene.json")))
    assert json.loads(path.read_bytes()) == trials
    for name in ("scene.json", "../out.json", ".hidden.json", "scene.txt", "a/b.json"):
        with pytest.raises(BadInput):
            asyncio.run(desk.save(Saving({"scene": [changed["id"]]}, name)))
    assert json.loads(path.read_bytes()) == trials
    asyncio.run(desk.save(Saving({"scene": [changed["id"]]}, "scene.json", overwrite=True)))
    assert json.loads(path.read_bytes()) != trials
    assert [file.name for file in tmp_path.iterdir()] == ["scene.json"]


def test_an_experiment_has_a_movie_and_a_row_for_each_trial(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    desk = desk_in(tmp_path)
    (one,) = desk.open(
        json.dumps([empty_trial()[:2]])
        .encode()
        .replace(b'"objects": []', b'"objects": [[[100, 100], 9, "a.png", [1, 2, 3]]]'),
        "e.json",
    )
    what = Saving({"a": [one["id"]] * 2, "b": [one["id"]]}, "pair stimuli", "gif", folder=True)
    folder = asyncio.run(desk.save(what))
    rows = list(csv.DictReader((folder / "psychopy.csv").read_text().splitlines()))
    variables = json.loads((folder / "jspsych.json").read_text())
    assert [row["movie"] for row in rows] == ["a-1.gif", "a-2.gif", "b-1.gif"]
    assert [row["phase"] for row in rows] == ["familiarization", "test", "test"]
    assert [one["stimulus"] for one in variables] == [row["movie"] for row in rows]
    assert all((folder / row["movie"]).read_bytes().startswith(b"GIF8") for row in rows)
    with pytest.raises(BadInput, match="exists already"):
        asyncio.run(desk.save(what))
