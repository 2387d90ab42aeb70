"""Training: it helps, it can be interrupted, and the same seed gives the same weights."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from hbtom.cli import main, train
from hbtom.errors import BadInput
from hbtom.files import replacing
from hbtom.neural import Generated
from hbtom.neural.album import draw_album, drawn, flat_frames, flat_pictures
from hbtom.neural.drawing_anywhere import draw_anywhere
from hbtom.neural.inputs import BOXES
from hbtom.neural.recipes import PLANS, QUICK, Recipe, TrainingPlan
from hbtom.neural.running import TrainingRun, load_checkpoint, run_training
from hbtom.neural.trained import read_trained
from hbtom.neural.training import TrainingJob
from hbtom.neural.training_data import collect, things_data

pytestmark = pytest.mark.usefixtures("compiled_once")

PLAN = TrainingPlan(7, Recipe(24, 8, 5e-3), Recipe(2, 4, 1e-3, follow=0.01), shown=2)


@pytest.fixture(scope="module")
def episodes():
    return collect(Generated(PLAN.episodes), seed=0, workers=1)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    out = tmp_path_factory.mktemp("trained") / "one.safetensors"
    return TrainingRun(TrainingJob("bc-mlp", PLAN), out, "a few episodes")


@pytest.fixture(scope="module")
def losses():
    """Return the losses reported during training."""
    return []


@pytest.fixture(scope="module")
def card(run, episodes, losses):
    return run_training(run, episodes, lambda moment: losses.append((moment.stage, moment.loss)))


def weights(path):
    return read_trained(path).weights


def same(one, other):
    return one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)


def test_training_helps_and_the_card_says_so(run, card, losses):
    lately = [loss for stage, loss in losses if stage == "network"][1:]
    assert np.mean(lately[-5:]) < 0.7 * lately[0]
    assert card["validation_loss"] < card["validation_loss_before"]
    known = read_trained(run.out).card
    assert known == card
    assert (known["network"], known["steps"]) == ("bc-mlp", 24)
    assert (known["episodes"], known["held_out"]) == (7, 1)
    assert {"data", "seed", "command", "date", "hardware"} <= known.keys()
    assert not run.checkpoint.exists()


def test_interrupted_runs_resume_to_the_same_weights(run, card, episodes, tmp_path):
    again = replace(run, out=tmp_path / "again.safetensors")
    for stage, step in ("encoder", 1), ("network", 12):

        def interrupt(moment, at=(stage, step)):
            if (moment.stage, moment.step) == at:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run_training(again, episodes, interrupt, load_checkpoint(again, episodes))
        assert not again.out.exists()
        moment = load_checkpoint(again, episodes)
        assert (moment.stage, moment.step) == (stage, step)
    with pytest.raises(BadInput, match="begun with other options"):
        load_checkpoint(replace(again, job=replace(again.job, seed=1)), episodes)
    with pytest.raises(BadInput, match="begun with other episodes"):
        load_checkpoint(again, episodes.first(episodes.count - 1))
    run_training(again, episodes, lambda moment: None, moment)
    assert same(weights(again.out), weights(run.out))
    assert list(tmp_path.iterdir()) == [again.out]


def test_weights_written_meanwhile_are_kept_and_the_run_is_finished_later(
    run, card, episodes, tmp_path
):
    again = replace(run, out=tmp_path / "again.safetensors")
    with (
        replacing(again.out, overwrite=False, kinds=(".safetensors",)) as check,
        pytest.raises(BadInput, match="something else has written this file"),
    ):
        run_training(again, episodes, lambda moment: again.out.write_text("mine"), check=check)
    assert again.out.read_text() == "mine"
    assert sorted(tmp_path.iterdir()) == [again.out, again.checkpoint]
    moment = load_checkpoint(again, episodes)
    run_training(again, episodes, lambda moment: None, moment)
    assert same(weights(again.out), weights(run.out))


def test_the_command_trains_and_replaces_no_file_by_default(run, card, tmp_path, monkeypatch):
    monkeypatch.setenv("XLA_FLAGS", "")  # the command changes it
    monkeypatch.setitem(QUICK, "bc-mlp", PLAN)
    out = tmp_path / "quick.safetensors"
    words = ["train", "bc-mlp", "--quick", "--workers", "1", "--device", "cpu", "--out", str(out)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert "7 episodes" in result.output
    assert same(weights(out), weights(run.out))
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert "exists already" in result.output
    out.rename(tmp_path / "quick.safetensors.unfinished")
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert "--resume" in result.output
    monkeypatch.setattr(train, "collect", None)  # so that no episodes can be made
    result = CliRunner().invoke(main, [*words, "--resume"])
    assert result.exit_code == 1
    assert "begun with other options" in result.output


def test_mutually_exclusive_options_are_refused(tmp_path):
    result = CliRunner().invoke(main, ["train", "bc-mlp", "--data", "x", "--episodes", "3"])
    assert result.exit_code == 2
    result = CliRunner().invoke(main, ["train", "bc-mlp", "--out", str(tmp_path / "one.pt")])
    assert result.exit_code == 1
    assert "safetensors" in result.output


def test_a_damaged_checkpoint_is_refused(run, episodes, tmp_path):
    broken = replace(run, out=tmp_path / "broken.safetensors")
    broken.checkpoint.write_bytes(b"\x08" + bytes(7) + b"{}      ")
    with pytest.raises(BadInput, match="not weights"):
        load_checkpoint(broken, episodes)


def test_an_album_holds_each_picture_once(episodes):
    some = episodes.first(3)
    assert some.count == 3
    album = draw_album(some.parts)
    steps = some.parts[0].steps
    assert album.frames.max() + 1 == (steps + 1).sum() <= len(album.pictures)
    assert (album.frames[..., -1] - album.frames[..., 0] == steps).all()
    assert len(album.followed()) == steps.sum()


def test_a_gpu_would_draw_the_same_pictures_in_the_same_order(episodes):
    part = episodes.first(2).parts[0]
    things, places = flat_frames(part, slots=part.things.shape[2] + 3)
    one, other = flat_pictures(part), draw_anywhere(np, things, places)[:, 0]
    assert np.abs(one.astype(int) - other).max() <= 2
    first = next(drawn([part]))
    assert np.array_equal(first[: len(one)], one[: len(first)])


def test_a_limit_does_not_change_the_validation_episodes(episodes):
    few = replace(episodes, limit=3)
    assert (few.count, few.shown, few.known, few.held_out) == (7, 3, 2, 1)
    assert (episodes.known, replace(episodes, limit=100).known) == (6, 6)


def test_the_set_transformer_sees_all_things_and_inner_boxes(episodes):
    seen = things_data(episodes)
    part = episodes.parts[0]
    kinds = part.things[..., 0]
    assert ((seen["looks"] > 0).sum(axis=-1) == ((kinds > 1) & (kinds < 6)).sum(axis=-1)).all()
    standing = seen["standing"].any(axis=2)
    assert 0 < standing.sum(axis=-1).max() == standing.shape[-1] < BOXES  # none was left out
    middle, size = seen["boxes"][..., :2], seen["boxes"][..., 2:4]
    assert (abs(middle[standing] - 0.5) + size[standing] / 2 <= 0.5).all()


def test_exactly_the_given_number_of_steps_is_done():
    for steps in (1, 24, 45, 61, 40_000):
        recipe = Recipe(steps, 8, 1e-3)
        assert steps % recipe.stride == 0
        assert recipe.stride <= max(1, steps / 20)
    assert recipe.stride == 200


def test_unusable_episodes_are_named_and_counted(tmp_path):
    (tmp_path / "one").mkdir()
    for name in ("a", "b"):
        (tmp_path / "one" / f"{name}e.json").write_text("[]")
    words = ["train", "bc-mlp", "--data", str(tmp_path / "one"), "--workers", "1"]
    result = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "two.safetensors")])
    assert result.exit_code == 1
    assert "too few episodes" in result.output
    assert "2 were left out" in result.output


def test_a_file_in_place_of_a_folder_is_refused_with_a_hint(tmp_path):
    (tmp_path / "1e.json").write_text("[]")
    words = ["train", "bc-mlp", "--data", str(tmp_path / "1e.json")]
    result = CliRunner().invoke(main, [*words, "--out", str(tmp_path / "one.safetensors")])
    assert result.exit_code == 1
    assert "neither a folder nor an archive. Hint: name the folder of the episodes" in result.output


def test_all_networks_have_plans():
    assert PLANS.keys() == QUICK.keys()
    for name in PLANS:
        assert TrainingJob(name, PLANS[name]).network.name == name
        assert QUICK[name].episodes < PLANS[name].episodes
        assert (PLANS[name].encoder is None) == (QUICK[name].encoder is None)
