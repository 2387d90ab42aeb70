"""Common mistakes with tracks are reported, not mistaken for the agent's behaviour."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hbtom
from hbtom.errors import BadInput
from hbtom.observe.tracks.points import Individual, Tracks
from hbtom.observe.tracks.scene_template import template

SCENE = """\
size = [200, 100]
objects = [{name = "food", at = [190, 90]}, {name = "nest", at = [190, 10]}]
"""
WALK = [(10.5 + 3 * step, 50 + step) for step in range(31)]


def load(folder: Path, rows: list[str], scene: str = SCENE) -> hbtom.Episode:
    (folder / "scene.toml").write_text(scene)
    (folder / "track.csv").write_text("\n".join(rows))
    return hbtom.load(folder / "track.csv")


@pytest.mark.parametrize(
    ("first", "frames", "said"),
    [
        (1, "[0, 14]", "trial 1, field 'frames': there is no frame 0"),
        (0, "[16, 31]", "trial 1, field 'frames': there is no frame 31"),
    ],
)
def test_trials_numbered_differently_from_the_track_are_refused(
    tmp_path, first, frames, said
) -> None:
    rows = ["frame,x,y", *(f"{at},{x},{y}" for at, (x, y) in enumerate(WALK, start=first))]
    with pytest.raises(BadInput, match=said) as refused:
        load(tmp_path, rows, f"{SCENE}[[trials]]\nframes = {frames}\n")
    assert refused.value.hint == f"the track has frames {first} to {first + 30}"


def test_trials_that_extend_beyond_the_track_are_reported(tmp_path) -> None:
    rows = ["x,y", *(f"{x},{y}" for x, y in WALK)]
    episode = load(tmp_path, rows, f"{SCENE}[[trials]]\nframes = [5, 99]\n")
    assert "trial 1 has frames 5 to 99, but the track has only 1 to 31" in episode.notes
    assert len(episode.test.path) == 27


@pytest.mark.parametrize("by", ["frames", "name", "column"])
def test_an_episode_has_a_limited_number_of_trials(tmp_path, by: str) -> None:
    rows = [f"{at},{10 + at % 9},50,t{at // 2}" for at in range(2002)]
    scene, columns = SCENE, "frame,x,y,cut"
    if by == "frames":
        scene += "".join(f"[[trials]]\nframes = [{2 * at}, {2 * at + 1}]\n" for at in range(1001))
    else:
        scene += '[track.columns]\ntrial = "cut"\n'
        scene += "".join(f'[[trials]]\nname = "t{at}"\n' for at in range(1001)) * (by == "name")
    with pytest.raises(BadInput, match=r"1001 trials\. Hint: an episode may have at most 1000$"):
        load(tmp_path, [columns, *rows], scene)


def test_jumps_give_a_warning_however_the_trial_was_made(tmp_path) -> None:
    slipped = [*WALK[:10], (190, 90), *WALK[11:]]
    told = "the agent jumps far 2 times, first at frame 11"
    track = load(tmp_path, ["x,y", *(f"{x},{y}" for x, y in slipped)])
    made = hbtom.Trial.from_arrays(slipped, {"food": (190, 90)})
    for trial in (track.test, made):
        assert [one.partition(";")[0] for one in trial.warnings] == [told]
    assert hbtom.Trial.from_arrays(WALK, {"food": (190, 90)}).warnings == ()


def test_decimal_commas_are_read_if_semicolons_separate(tmp_path) -> None:
    rows = ["frame;x;y", *(f"{at};{x};{y}".replace(".", ",") for at, (x, y) in enumerate(WALK))]
    assert load(tmp_path, rows).test.path.tolist() == [[x, y] for x, y in WALK]


def test_a_misspelt_field_is_not_mistaken_for_a_unit(tmp_path) -> None:
    with pytest.raises(BadInput, match="per_units") as refused:
        load(tmp_path, ["x,y", "1,2"], f"{SCENE}[track]\nper_units = 3\n")
    assert "scene new" in refused.value.hint


def test_a_new_scene_names_the_body_part_and_frames_to_be_used() -> None:
    parts = dict.fromkeys(("nose", "body"), np.ones((9, 3)))
    text = template(Tracks("SLEAP", {"mouse": Individual(np.arange(1.0, 10.0), parts)}))
    assert 'part = "body"' in text
    assert "# frames = [1, 9]" in text


def test_jitter_and_speed_are_given_in_units_of_the_track(tmp_path) -> None:
    rng = np.random.default_rng(1)
    still = [(10, 50)] * 40 + WALK + [WALK[-1]] * 40
    rows = [f"{10 * x},{10 * y}" for x, y in np.array(still) + rng.normal(0, 1, (len(still), 2))]
    scene = f'{SCENE}units = "cm"\n[track]\nunits = "mm"\n'
    notes = load(tmp_path, ["x,y", *rows], scene).notes
    told = next(note for note in notes if note.startswith("jitter"))
    assert 8 < float(told.split()[1]) < 12
    assert "mm of the track" in told


def test_an_observer_given_an_episode_asks_for_a_trial(tmp_path) -> None:
    episode = load(tmp_path, ["x,y", *(f"{x},{y}" for x, y in WALK)])
    with pytest.raises(BadInput, match="this Episode is not a trial") as refused:
        hbtom.Observer(episode)
    assert refused.value.hint == "name one of its trials: episode[0]"
