"""Trained networks as raters; here, with the weights at the start of training."""

import json
import os
import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from safetensors.numpy import save

import hbtom
from hbtom.bench.checked_rater import CheckedRater
from hbtom.bench.dataset import find_pairs
from hbtom.bench.evaluation import evaluate
from hbtom.bench.pairs import load_pairs
from hbtom.cli import main
from hbtom.errors import BadInput
from hbtom.neural import raters
from hbtom.neural.nets import NETWORKS
from hbtom.neural.raters import NetworkRater, chosen_rater
from hbtom.neural.tensors import step_frames
from hbtom.neural.trained import react, read_trained
from hbtom.neural.weights_file import CARD, write_weights
from hbtom.show.server.session import choice_of_models
from hbtom.show.server.work import draw

EXAMPLES = Path(__file__).parents[2] / "examples"
ACTING = [name for name in NETWORKS if name != "video-rnn"]  # it expects no change at the start


def write(path, name, weights=None, **card):
    network = NETWORKS[name]
    known = {"network": name, "version": network.version} | card
    write_weights(path, network.init(1) if weights is None else weights, known)
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A file of weights for each network."""
    folder = tmp_path_factory.mktemp("weights")
    return {name: write(folder / f"{name}.safetensors", name) for name in NETWORKS}


def shorter(episode):
    """Return two trials and the test trial of an episode."""
    return replace(episode, trials=(*episode.trials[:2], episode.trials[-1]))


@pytest.fixture(scope="module")
def episode():
    return shorter(hbtom.load(EXAMPLES / "preference_u.json.zst"))


def hbtom_command(*arguments):
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.mark.parametrize("name", NETWORKS)
def test_the_rating_is_minus_the_largest_error(name, files, episode):
    rater = NetworkRater(files[name])
    rated, steps = rater.rate_one(episode), rater.trace(episode)
    errors = [step["error"] for step in steps]
    assert rated.value == -max(errors)
    worst = steps[int(np.argmax(errors))]
    assert rated.own["frame"] == worst["frame"]
    assert rated.own["mean_error"] == pytest.approx(np.mean(errors), rel=1e-5)
    frames = step_frames(len(episode.test.path))
    assert [step["frame"] for step in steps] == (frames[:-1] + 1).tolist()


@pytest.mark.parametrize("name", ["bc-mlp", "bc-rnn"])
def test_the_error_is_relative_to_the_expected_action(name, files, episode):
    for step in NetworkRater(files[name]).trace(episode):
        off = [step[f"expected_{axis}"] - step[f"taken_{axis}"] for axis in "xy"]
        assert step["error"] == pytest.approx(np.mean(np.square(off)), rel=1e-3)


def test_the_error_of_a_picture_is_computed_over_its_pixels(files, episode):
    found = react(read_trained(files["video-rnn"]), episode)
    after = found.pictures()[1] / 255
    missed = np.mean((found.expected[found.worst] - after) ** 2)
    assert found.errors[found.worst] == pytest.approx(missed, rel=1e-3)


@pytest.mark.parametrize("name", ACTING)
def test_earlier_trials_change_what_is_expected(name, files, episode):
    rater = NetworkRater(files[name])
    less = replace(episode, trials=episode.trials[1:])
    assert rater.rate_one(less).value != rater.rate_one(episode).value


@pytest.mark.parametrize("name", NETWORKS)
def test_a_pair_is_rated_like_its_episodes_alone(name, files):
    rater, (pair,) = NetworkRater(files[name]), find_pairs(EXAMPLES).pairs
    both = [shorter(one) for one in next(load_pairs([pair]))[1:]]
    assert both[0][0] is both[1][0]
    assert list(rater.rate(*both)) == [rater.rate_one(one) for one in both]


def test_a_rater_in_another_process_is_the_same(files, episode):
    rater = NetworkRater(files["bc-mlp"])
    again = pickle.loads(pickle.dumps(CheckedRater(rater)))
    assert again.fingerprint == rater.fingerprint
    assert again.rate_one(episode).value == rater.rate_one(episode).value
    assert len(pickle.dumps(rater)) < 1000  # the file is read again


def test_fingerprints_change_with_weights(files, tmp_path):
    same = write(tmp_path / "same.safetensors", "bc-mlp", seconds=3)
    other = write(tmp_path / "other.safetensors", "bc-mlp", NETWORKS["bc-mlp"].init(2))
    prints = [NetworkRater(one).fingerprint for one in (files["bc-mlp"], same, other)]
    assert prints[0] == prints[1] != prints[2]


def test_evaluating_by_a_network_needs_only_its_file(files, tmp_path):
    out = tmp_path / "ratings.csv"
    ran = hbtom_command("evaluate", EXAMPLES, "--rater", files["bc-mlp"], "--out", out)
    assert ran.exit_code == 0, ran.output
    assert "rater bc-mlp (" in ran.output
    header, first, _ = out.read_text().splitlines()
    assert header.count("expected_x") == first.count(",bc-mlp,") == 1
    assert "below .05" not in ran.output  # the ratings are not probabilities
    told = dict(zip(header.split(","), first.split(","), strict=True))
    assert told["frame"].isdigit()
    assert hbtom_command("compare", out, out).exit_code == 0


def test_a_report_has_pages_that_show_expectations(files, tmp_path, monkeypatch):
    name = "bc-mlp"
    out, page = tmp_path / "ratings.csv", Path("report-pages") / "examples-preference_.html"
    monkeypatch.chdir(tmp_path)
    words = "evaluate", EXAMPLES, "--rater", files[name], "--out", out, "--report", "report.html"
    ran = hbtom_command(*words)
    assert (ran.exit_code, ran.stderr) == (0, "")
    whole = page.read_text()
    assert whole.count("<figure>") == whole.count("<image") == 2
    assert f"What {name} expected" in whole
    assert "most unexpected from frame" in Path("report.html").read_text()

    again = "report", out, "--out", "report.html", "--overwrite"
    other = hbtom_command(*again)  # with the other weights that come with hbtom
    assert other.exit_code == 0
    assert "are not those that rated" in other.stderr
    assert not page.exists()
    monkeypatch.setattr("hbtom.neural.trained.SHIPPED", files[name].parent)
    ran = hbtom_command(*again)
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert page.read_text() == whole
    out.write_text(out.read_text().replace(".json.zst,-", ".json.zst,-9"))
    told = hbtom_command(*again, "--model", files[name]).stderr
    assert "member e is now judged differently" in told


def test_networks_are_found_by_their_names(files, monkeypatch):
    monkeypatch.setattr("hbtom.neural.trained.SHIPPED", files["bc-mlp"].parent)
    for name in NETWORKS:
        found = chosen_rater(name)
        assert found.name == name
        maker = getattr(raters, found.origin.partition(":")[2])
        assert maker().fingerprint == found.fingerprint


def test_judging_by_a_network_traces_its_errors(files):
    command = "judge", EXAMPLES / "preference_u.json.zst", "--rater", files["bc-rnn"], "--trace"
    ran = hbtom_command(*command, "--format", "json")
    (told,) = json.loads(ran.stdout)
    assert told["rating"] == -max(step["error"] for step in told["steps"])
    table = hbtom_command(*command).stdout.splitlines()
    assert table[0].split()[:3] == ["file", "rating", "frame"]
    assert len(table) == 5 + len(told["steps"])


OWN = """
class Pairs:
    name, fingerprint = "pairs", "1"

    def rate(self, expected, unexpected):
        return 1.0, 0.0


class Alone(Pairs):
    def rate_one(self, episode):
        return float(len(episode))


class Steps(Alone):
    def trace(self, episode):
        return [{"number": 1.0, "why": "first"}, {"number": 2.0, "why": "last"}]
"""


@pytest.mark.parametrize(
    ("options", "status", "told"),
    [
        (("own_rater:Pairs",), 1, "rates only pairs of episodes"),
        (("own_rater:Alone",), 0, "preference_u.json.zst       9"),
        (("own_rater:Alone", "--trace"), 1, "says nothing about single steps"),
        (("own_rater:Steps", "--trace"), 0, "     2  last"),
        (("own_rater:Steps", "--model", "paper"), 2, "--model is for models"),
        (("no-such-network",), 1, "or a network: bc-mlp, bc-rnn, video-rnn or set-transformer"),
    ],
)
def test_a_users_rater_may_judge_and_trace(options, status, told, tmp_path, monkeypatch):
    (tmp_path / "own_rater.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "own_rater", raising=False)
    ran = hbtom_command("judge", EXAMPLES / "preference_u.json.zst", "--rater", *options)
    assert ran.exit_code == status, ran.output
    assert told in ran.output


@pytest.mark.parametrize("name", ["bc-mlp", "video-rnn"])
def test_the_viewer_shows_what_was_expected(name, files):
    (rater, *_) = choice_of_models("default", str(files[name])).values()
    (pair,) = find_pairs(EXAMPLES).pairs
    drawn = draw(rater, pair, "both", compiled=False)
    assert drawn.outcome.verdict in ("right", "wrong", "tie")
    assert "shows what it expected" in drawn.problems[0]
    assert drawn.figure.count("<figure>") == 2
    assert drawn.figure.count("<image") == (2 if name == "bc-mlp" else 6)
    assert drawn.figure.count("<polygon") == (4 if name == "bc-mlp" else 0)
    if name == "bc-mlp":
        alone = draw(rater, pair, "e", compiled=False)
        assert alone.figure in drawn.figure


# Bad input


def break_(path, good):
    data = good.read_bytes()
    length = int.from_bytes(data[:8], "little")
    return {
        "truncated": lambda: path.write_bytes(data[: len(data) // 2]),
        "header": lambda: path.write_bytes(data[: length // 2]),
        "empty": lambda: path.write_bytes(b""),
        "text": lambda: path.write_text("weights"),
        "code": lambda: path.write_bytes(pickle.dumps({"encoder/0/weight": print})),
        "no card": lambda: path.write_bytes(data.replace(b'"hbtom"', b'"other"')),
        "version": lambda: write(path, "bc-mlp", version=99),
        "another": lambda: write(path, "bc-mlp", NETWORKS["bc-rnn"].init(1)),
        "unknown": lambda: write(path, "bc-mlp", network="gpt"),
        "list": lambda: write(path, "bc-mlp", network=["bc-mlp"]),
        "nested": lambda: path.write_bytes(save({"x": np.zeros(1)}, {CARD: "[" * 100_000})),
        "nowhere": lambda: None,
        "enormous": lambda: write(
            path, "bc-mlp", {n: w * 0 + 3e38 for n, w in NETWORKS["bc-mlp"].init(1).items()}
        ),
        "infinite": lambda: write(
            path, "bc-mlp", {n: w + np.inf for n, w in NETWORKS["bc-mlp"].init(1).items()}
        ),
    }


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ("truncated", "not weights of a network"),
        ("header", "not weights of a network"),
        ("empty", "weights"),
        ("nowhere", "there is no such file"),
        ("text", "not weights of a network"),
        ("code", "not weights of a network"),
        ("no card", "not weights of a network"),
        ("version", "these weights are for version 99 of bc-mlp"),
        ("another", "do not fit the network bc-mlp"),
        ("unknown", "there is no network 'gpt'"),
        ("list", "there is no network ['bc-mlp']"),
        ("nested", "not weights of a network"),
        ("infinite", "not finite"),
        ("enormous", "not finite numbers of at most 1e+06"),
    ],
)
def test_unusable_weights_are_refused_with_one_sentence(how, problem, files, tmp_path):
    path = tmp_path / "broken.safetensors"
    break_(path, files["bc-mlp"])[how]()
    ran = hbtom_command("evaluate", EXAMPLES, "--rater", path)
    assert ran.exit_code == 1
    (line,) = ran.stderr.splitlines()
    assert problem in line
    assert "broken.safetensors" in line


@pytest.mark.filterwarnings("error")
def test_weights_that_overflow_are_refused_with_one_sentence(files, episode, tmp_path):
    """Each of them is possible, but not all together."""
    large = {name: w * 0 + 9e5 for name, w in NETWORKS["video-rnn"].init(1).items()}
    path = tmp_path / "large.safetensors"
    write(path, "video-rnn", large)
    with pytest.raises(BadInput, match="so large that its numbers overflow"):
        NetworkRater(path).rate_one(episode)


def test_a_file_with_code_is_never_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return Path.touch, (tmp_path / "sprung",)

    (tmp_path / "weights.pt").write_bytes(pickle.dumps(Trap()))
    with pytest.raises(BadInput, match="not weights of a network"):
        chosen_rater(str(tmp_path / "weights.pt"))
    assert not (tmp_path / "sprung").exists()


def test_a_missing_extra_is_named(files):
    code = (
        "import sys; sys.modules['safetensors'] = None\n"
        "from hbtom.cli import main\nmain(sys.argv[1:])"
    )
    command = [sys.executable, "-c", code, "evaluate", EXAMPLES, "--rater", files["bc-mlp"]]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    assert "extra 'neural'" in line


def test_a_name_without_weights_says_how_to_get_them(monkeypatch, tmp_path):
    monkeypatch.setattr("hbtom.neural.trained.SHIPPED", tmp_path)
    with pytest.raises(BadInput, match="no weights of bc-mlp come with hbtom"):
        chosen_rater("bc-mlp")


def test_a_single_trial_is_left_out_and_reported(files, episode, tmp_path):
    rater = NetworkRater(files["set-transformer"])
    alone = replace(episode, trials=episode.trials[-1:])
    with pytest.raises(BadInput, match="a single trial"):
        rater.rate_one(alone)
    from hbtom.observe import writing

    folder = tmp_path / "data" / "preference"
    folder.mkdir(parents=True)
    for name, one in {"1e": alone, "1u": alone, "2e": episode, "2u": episode}.items():
        (folder / f"{name}.json").write_bytes(writing.write(one))
    found = evaluate(folder.parent, rater, workers=1)
    assert len(found.rows) == 2
    assert len(found.unreadable) == 2


def test_rating_imports_nothing_heavy(files):
    code = (
        "import sys, hbtom\nfrom hbtom.neural.raters import NetworkRater\n"
        "NetworkRater(sys.argv[1]).rate_one(hbtom.load(sys.argv[2]))\n"
        "assert not {'jax', 'torch', 'scipy', 'pandas'} & set(sys.modules)"
    )
    command = [sys.executable, "-c", code, files["bc-mlp"], EXAMPLES / "preference_u.json.zst"]
    subprocess.run(command, check=True)


@pytest.mark.parametrize(("rater", "threads"), [("bc-mlp", "1"), ("mine:Own", None)])
def test_networks_use_one_thread_and_other_raters_as_many_as_they_like(
    rater, threads, monkeypatch, tmp_path
):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")  # so that it is restored at the end
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    hbtom_command("judge", tmp_path / "none.json", "--rater", rater)
    assert os.environ.get("OPENBLAS_NUM_THREADS") == threads
