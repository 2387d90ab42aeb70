"""Figures: they hold the exact numbers, have no side effects, and are complete files."""

from __future__ import annotations

import struct
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import hbtom
from episodes import (
    ACORN,
    CLOVE,
    HEART,
    SPOON,
    Thing,
    episode,
    key_trial,
    read,
    shorten,
    simple_episode,
    to_thing,
    trial,
    write,
)
from hbtom.bench.calibration import Bin, Calibration, calibrate
from hbtom.bench.evaluation import Evaluation
from hbtom.bench.published import published
from hbtom.bench.score import wilson
from hbtom.bench.synth import generate
from hbtom.judgement import Judgement
from hbtom.show.plots import html, plot
from hbtom.show.plots.cost_map import draw_cost_map
from hbtom.show.plots.maps import walked
from hbtom.show.plots.posteriors import scales
from hbtom.show.plots.sheet import figure_bytes, text_width, wrapped
from hbtom.show.plots.signs import ITEMS, KEY_COLOUR, LONGEST_DRAWN, called, signs

INCH = 2.54
HEART_HERE, SPOON_HERE = HEART.at(120, 60), SPOON.at(120, 140)


def goes_to(thing: Thing, who: Thing = CLOVE) -> Any:
    other = HEART_HERE if thing == SPOON_HERE else SPOON_HERE
    return to_thing(thing, others=[other], who=who)


@pytest.fixture(scope="module")
def judgement() -> Judgement:
    trials = [goes_to(HEART_HERE)] * 4 + [goes_to(SPOON_HERE)]
    return hbtom.judge(read(episode(*trials)))


@pytest.fixture(scope="module")
def with_key() -> Judgement:
    return hbtom.judge(read(episode(key_trial(), key_trial(), key_trial())))


@pytest.fixture(scope="module")
def evaluation(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    folder = tmp_path_factory.mktemp("dataset")
    tasks = ("preference", "multi_agent", "efficiency_path")
    shorten(generate(folder, pairs=2, seed=3, tasks=tasks, compress="gz", workers=1))
    return hbtom.evaluate(folder, workers=1)


@cache
def drawn(judgement: Judgement, width: float = 17) -> Figure:
    """Return the figure of a judgement, which no test may change."""
    return judgement.plot(width=width)


def panel(figure: Figure, name: str) -> Axes:
    """Return the panel of a figure that has this title."""
    found = [axes for axes in figure.axes if name in [text.get_text() for text in axes.texts]]
    assert len(found) == 1
    return found[0]


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.findobj(matplotlib.text.Text)]


# Figures show the beliefs


@pytest.mark.parametrize("width", [8.5, 17])
def test_the_lines_are_the_goal_posterior(judgement: Judgement, width: float) -> None:
    axes = panel(drawn(judgement, width), "goal")
    test, known = judgement.test, signs([judgement.episode])
    lines = {line.get_label(): line for line in axes.lines}
    for goal, belief in zip(test.goals, test.goal.T, strict=True):
        line = lines[known.items[goal].name]
        assert line.get_xdata().tolist() == (test.frame + 1).tolist()
        assert line.get_ydata().tolist() == belief.tolist()
        assert line.get_drawstyle() == "steps-post"
        assert line.get_color() == known.items[goal].colour


def test_the_shades_are_the_efficiency_posterior(judgement: Judgement) -> None:
    axes = panel(drawn(judgement), "efficiency")
    (mesh,) = axes.collections
    order = np.argsort(judgement.test.efficiencies)
    assert np.array_equal(mesh.get_array(), judgement.test.efficiency[:, order].T)
    assert mesh.get_clim() == (0, scales([judgement.test]).efficiency)
    edges = mesh.get_coordinates()[0, :-1, 0]
    assert edges.tolist() == (judgement.test.frame + 1).tolist()
    named = [float(text.get_text()) for text in axes.get_yticklabels()]
    rows = [int(tick - 0.5) for tick in axes.get_yticks()]
    assert named == pytest.approx(judgement.test.efficiencies[order][rows], rel=0.05)


def test_the_bars_are_the_surprise_of_each_step(judgement: Judgement) -> None:
    axes = panel(drawn(judgement), "observation")
    bars = axes.patches
    assert [bar.get_height() for bar in bars] == (-judgement.test.log_likelihood).tolist()
    starts = np.array([bar.get_x() for bar in bars])
    ends = starts + [bar.get_width() for bar in bars]
    assert (starts[1:] >= ends[:-1] - 1e-9).all()  # none hides another
    dark = [index for index, bar in enumerate(bars) if to_hex(bar.get_facecolor()) == "#1c1d20"]
    assert dark == [int(judgement.test.log_likelihood.argmin())]


def test_the_preference_is_shown_at_the_end_of_each_trial(judgement: Judgement) -> None:
    axes = panel(drawn(judgement), "preference")
    known = signs([judgement.episode])
    ends = np.array([posterior.preference[-1] for posterior in judgement.posteriors])
    for index, look in enumerate(judgement.test.preferred):
        (line,) = (line for line in axes.lines if line.get_label() == known.items[look].name)
        assert line.get_xdata().tolist() == list(range(len(ends) + 1))
        shares = [judgement.posteriors[0].preference[0, index], *ends[:, index]]
        assert line.get_ydata().tolist() == shares


def test_preference_restarts_with_another_agent() -> None:
    trials = [goes_to(HEART_HERE)] * 3 + [goes_to(HEART_HERE, who=ACORN)] * 2
    judged = hbtom.judge(read(episode(*trials)))
    figure = judged.plot()
    axes = panel(figure, "preference")
    hearts = [line for line in axes.lines if line.get_label() == "heart"]
    assert [line.get_xdata().tolist() for line in hearts] == [[0, 1, 2, 3], [3, 4, 5]]
    assert hearts[1].get_ydata()[0] == judged.posteriors[3].preference[0, 0]
    assert hearts[1].get_ydata()[0] == pytest.approx(0.5)
    assert any("acorn from trial 4" in text for text in texts(figure))
    assert {"clove (agent)", "acorn (agent)"} <= set(texts(figure))


def test_each_trial_has_a_map_with_the_path(with_key: Judgement) -> None:
    figure = drawn(with_key)
    paths = [line for axes in figure.axes for line in axes.lines if line.get_gid() == "path"]
    assert len(paths) == len(with_key.episode)
    for line, one in zip(paths, with_key.episode, strict=True):
        assert np.array_equal(line.get_xydata(), walked(one.path), equal_nan=True)
        axes = line.axes
        assert axes.get_xlim() == (0, one.size[0])
        assert axes.get_ylim() == (one.size[1], 0)  # y points down, as in movies
    assert {"1", "2", "test trial", "key", "lock", "barrier", "heart", "start"} <= set(
        texts(figure)
    )
    sides = [line.axes.get_position().width for line in paths]
    assert sides[-1] > 1.9 * max(sides[:-1])


def test_a_path_has_a_gap_where_the_agent_jumps() -> None:
    path = np.array([(10.0, 10), (12, 10), (30, 10), (32, 10)])
    gap = walked(path)
    assert np.isnan(gap[2]).all()
    assert np.array_equal(np.delete(gap, 2, axis=0), path)
    assert np.array_equal(walked(path[:2]), path[:2])


@pytest.mark.parametrize("width", [8.5, 17])
def test_the_heading_has_plausibility_parts_and_sentence(judgement: Judgement, width) -> None:
    said = " ".join(texts(drawn(judgement, width)))
    assert f"plausibility {judgement.plausibility:.3f}" in said
    for kind, part in judgement.parts.to_dict().items():
        assert f"{kind} {part:.3f}" in said
    assert "expected heart, chosen 4 of 4 times; went to spoon" in said
    assert ".png" not in said
    assert f"shifts by at most {judgement.surprise.goal:.2f}" in said
    most = f"{judgement.surprise.observation:.2f}".replace("-", "−")
    assert f"surprise of each step, at most {most}" in said


# Signs


def test_items_have_colours_by_order_of_appearance_and_the_key_its_own(with_key) -> None:
    known = signs([read(simple_episode()), with_key.episode])
    colours = {sign.name: sign.colour for sign in known.items.values()}
    assert colours == {"heart": ITEMS[0], "spoon": ITEMS[1], "key": KEY_COLOUR}
    assert known.agents[CLOVE_LOOK].colour == "#000080"


CLOVE_LOOK = hbtom.observe.Identity(CLOVE.image, CLOVE.colour)


def test_names_are_short_and_differ() -> None:
    look = hbtom.observe.Identity
    looks = [look("a/big_red.png"), look("b.PNG"), look("c.d"), look(".png"), look("x" * 50)]
    short = [*called(looks, LONGEST_DRAWN).values()]
    assert short[:4] == ["big red", "b", "c.d", "thing"]
    assert len(short[4]) == 24
    assert [*called([look("a.png"), look("a.jpg")]).values()] == ["a", "a (2)"]
    twins = called([look("a.png", (255, 0, 0)), look("a.png", (0, 0, 255))])
    assert [*twins.values()] == ["red a", "blue a"]


# Sizes


@pytest.mark.parametrize("width", [8.5, 17])
def test_a_figure_has_the_requested_width(judgement: Judgement, width: float) -> None:
    assert drawn(judgement, width).get_size_inches()[0] * INCH == pytest.approx(width)


def test_a_pair_is_side_by_side_if_there_is_room(judgement, with_key) -> None:
    one, beside, above = (
        drawn(judgement),
        plot(judgement, with_key),
        plot(judgement, with_key, width=8.5),
    )
    heights = [figure.get_size_inches()[1] for figure in (drawn(judgement, 8.5), above)]
    assert heights[1] > 1.8 * heights[0]
    assert beside.get_size_inches()[1] < above.get_size_inches()[1]
    assert len(one.axes) < len(beside.axes) == len(above.axes)
    for figure in (beside, above):
        goals = [axes for axes in figure.axes if "goal" in [t.get_text() for t in axes.texts]]
        first, second = (axes.get_position() for axes in goals)
        assert bool(first.y0 == pytest.approx(second.y0)) is (figure is beside)
        observed = [a for a in figure.axes if "observation" in [t.get_text() for t in a.texts]]
        assert observed[0].get_ylim() == observed[1].get_ylim()


@pytest.mark.parametrize("width", [1, 1000, float("nan")])
def test_an_impossible_width_is_refused(judgement: Judgement, width: float) -> None:
    with pytest.raises(hbtom.BadInput, match="wide"):
        judgement.plot(width=width)


@pytest.mark.parametrize("width", [6, 8.5, 17])
def test_nothing_extends_beyond_the_figure(with_key: Judgement, width: float) -> None:
    figure = with_key.plot(width=width)
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    box = figure.get_tightbbox(renderer)
    across, down = figure.get_size_inches()
    assert box.x0 >= 0
    assert box.y0 >= 0
    assert box.x1 <= across + 1e-6
    assert box.y1 <= down + 1e-6


def test_wide_text_is_wrapped_between_words() -> None:
    told = "a sentence of some words that is too wide for one line"
    lines = wrapped(told, 3)
    assert len(lines) > 1
    assert " ".join(lines) == told
    assert all(text_width(line) <= 3.1 for line in lines)
    assert wrapped("Incomprehensibility", 0.5) == ["Incomprehensibility"]


# Episodes unlike the benchmark's


@pytest.mark.parametrize(
    ("model", "width", "trials"),
    [("default", 8.5, 1), ("paper", 17, 2), ("default", 17, 1), ("paper", 8.5, 12)],
)
def test_any_number_of_trials_can_be_drawn(model: str, width: float, trials: int) -> None:
    figure = hbtom.judge(read(simple_episode(times=trials - 1)), model).plot(width=width)
    assert figure_bytes(figure, "png", dpi=40)
    paths = [line for axes in figure.axes for line in axes.lines if line.get_gid() == "path"]
    assert len(paths) == trials


def test_an_agent_that_does_not_move_can_be_drawn() -> None:
    still = trial([(40, 100)], [HEART.at(120, 100)])
    judged = hbtom.judge(read(episode(still, still)))
    assert figure_bytes(judged.plot(), "png", dpi=40)
    assert figure_bytes(judged.test.plot(), "png", dpi=40)
    assert judged._repr_html_()


def test_a_key_that_is_not_a_goal_can_be_drawn(tmp_path: Path) -> None:
    file = tmp_path / "model.toml"
    file.write_text('base = "default"\n[preference]\nkeys = false')
    judged = hbtom.judge(read(episode(key_trial(), key_trial())), file)
    figure = judged.plot()
    assert figure_bytes(figure, "png", dpi=40)
    assert "key" not in [line.get_label() for line in panel(figure, "goal").lines]


# Other results


def test_a_posterior_is_drawn_without_its_trial(with_key: Judgement) -> None:
    figure = with_key.posteriors[1].plot()
    lines = {line.get_label(): line for line in panel(figure, "goal").lines}
    assert lines["key"].get_ydata().tolist() == with_key.posteriors[1].goal[:, 1].tolist()
    assert {"heart", "key"} <= set(texts(figure))


def test_the_dots_are_accuracies_with_intervals_and_published_figures(evaluation) -> None:
    figure = evaluation.plot()
    (axes,) = figure.axes
    (ours,) = axes.containers
    scores = {score.task: score for score in evaluation.tasks}
    expected = ["efficiency_path", "efficiency_path", "preference", "multi_agent"]
    dots, _, (bars,) = ours.lines
    accuracies = [100 * scores[task].accuracy for task in expected]
    assert dots.get_xdata()[:-1].tolist() == accuracies
    assert dots.get_xdata()[-1] == 100 * evaluation.overall.accuracy
    spans = np.array([segment[:, 0] for segment in bars.get_segments()])
    intervals = [100 * np.array(scores[task].interval) for task in expected]
    assert spans[:-1] == pytest.approx(np.array(intervals))
    assert spans[-1] == pytest.approx(100 * np.array(evaluation.overall.interval))
    rows = ["part of a group", *expected[1:], "overall"]
    for name in published("preference"):
        (theirs,) = (line for line in axes.lines if line.get_label() == name)
        figures = [100 * published(row).get(name, np.nan) for row in rows]
        assert theirs.get_xdata() == pytest.approx(figures, nan_ok=True)
    assert {"Efficiency, 1 of 3", "Path Control", "Preference", "Multi-Agent", "all"} <= set(
        texts(figure)
    )


def test_the_reliability_of_plausibilities_is_drawn(evaluation: Evaluation) -> None:
    pytest.importorskip("scipy")
    calibration = calibrate(evaluation)
    bins = (Bin(0.0, 0.2, 30, 0.05, 0.1), Bin(0.8, 1.0, 10, 0.95, 0.9))
    figure = replace(calibration, bins=bins).plot()
    (axes,) = figure.axes
    dots, _, (bars,) = axes.containers[0].lines
    assert dots.get_xydata().tolist() == [[0.05, 0.1], [0.95, 0.9]]
    spans = [segment[:, 1] for segment in bars.get_segments()]
    assert spans == [pytest.approx(wilson(3, 30)), pytest.approx(wilson(9, 10))]
    assert {"30", "10"} <= set(texts(figure))
    assert isinstance(calibration, Calibration)
    assert figure_bytes(calibration.plot(), "png", dpi=40)


def test_values_without_a_figure_are_refused(judgement: Judgement) -> None:
    with pytest.raises(TypeError, match="no figure for int"):
        plot(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pairs"):
        plot(judgement.test, judgement)


# Files


def test_figures_are_reproducible_files() -> None:
    short, forms = hbtom.judge(read(simple_episode(times=1)), "paper"), ("pdf", "svg", "png")
    one = short.plot()
    first = [figure_bytes(one, form, dpi=40) for form in forms]
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "svg.hashsalt": "x"}):
        other = short.plot()
        second = [figure_bytes(other, form, dpi=40) for form in forms]
    assert first == second


def text_in_svg(data: bytes) -> list[str]:
    root = ElementTree.fromstring(data)
    return ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]


def test_text_in_svg_and_pdf_stays_text(judgement: Judgement) -> None:
    found = text_in_svg(figure_bytes(drawn(judgement), "svg"))
    assert {"heart", "spoon", "goal", "probability", "trials seen", "test trial"} <= set(found)
    data = figure_bytes(drawn(judgement), "pdf")
    assert b"/Type /Font" in data
    assert b"/Subtype /Type3" not in data
    assert b"CreationDate" not in data


NASTY = ["<b>&amp;\"'.png", "$\\frac{1}{$.png", "]]><script>alert(1)</script>.png", "日本 \x1b.png"]


def test_names_are_text_everywhere() -> None:
    places = [(120, 60), (120, 140), (60, 50), (60, 150)]
    things = [replace(HEART, image=name).at(*at) for name, at in zip(NASTY, places, strict=True)]
    judged = hbtom.judge(read(episode(*[to_thing(things[0], others=things[1:])] * 2)))
    names = [sign.name for sign in signs([judged.episode]).items.values()]
    assert len(names) == len(NASTY)
    figure = judged.plot()
    assert set(names) <= set(text_in_svg(figure_bytes(figure, "svg")))
    assert figure_bytes(figure, "pdf")
    page = parsed(judged._repr_html_() or "")
    assert "script" not in page.tags
    assert all(name in " ".join(page.text) for name in names)


def test_matplotlib_settings_are_not_changed(judgement: Judgement, evaluation: Evaluation) -> None:
    import matplotlib.pyplot as plt

    before, shown = dict(matplotlib.rcParams), plt.get_fignums()
    for result in (judgement, judgement.test, evaluation):
        figure = result.plot()
        assert isinstance(figure, Figure)
        figure_bytes(figure, "svg")
    assert dict(matplotlib.rcParams) == before
    assert plt.get_fignums() == shown


def test_notebooks_show_figures_by_themselves(judgement: Judgement) -> None:
    assert drawn(judgement)._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


# The command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "good.json", simple_episode())


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run ``hbtom`` in this process; return its status and output."""
    from hbtom.cli import main

    def ran(*words: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as caught:
            main([str(word) for word in words], prog_name="hbtom")
        said = capsys.readouterr()
        return int(caught.value.code or 0), said.out, said.err

    return ran


@pytest.mark.parametrize(("kind", "start"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89")])
def test_the_command_writes_a_figure(run, file: Path, kind: str, start: bytes) -> None:
    out = file.with_name(f"figure.{kind}")
    status, said, complaints = run("plot", file, "-o", out)
    assert (status, complaints) == (0, "")
    assert str(out) in said
    assert out.read_bytes().startswith(start)
    assert sorted(path.name for path in file.parent.iterdir()) == [out.name, file.name]


def test_the_command_knows_sizes_models_and_pairs(run, file: Path) -> None:
    out = file.with_name("figure.png")
    assert (
        run("plot", file, file, "-o", out, "--width", "4in", "--dpi", 100, "--model", "paper")[0]
        == 0
    )
    width, _ = struct.unpack(">II", out.read_bytes()[16:24])
    assert width == 400
    assert run("plot", file, "-o", out, "--width", "8.5cm", "--dpi", 100, "--overwrite")[0] == 0
    assert struct.unpack(">II", out.read_bytes()[16:24])[0] == int(100 * 8.5 / INCH)


@pytest.mark.parametrize(
    ("words", "status", "complaint"),
    [
        (("good.json", "-o", "figure.bmp"), 1, "end the name in .pdf or .svg or .png"),
        (("good.json", "-o", "old.pdf"), 1, "--overwrite"),
        (("good.json", "-o", "nowhere/figure.pdf"), 1, "no such folder"),
        (("nowhere.json", "-o", "figure.pdf"), 1, "nowhere.json: there is no such file"),
        (("old.pdf", "-o", "figure.pdf"), 1, "old.pdf"),
        (("good.json", "nowhere.json", "-o", "figure.pdf"), 1, "nowhere.json"),
        (("good.json", "-o", "figure.pdf", "--model", "guess"), 1, "there is no model 'guess'"),
        (("good.json", "-o", "figure.pdf", "--width", "2"), 1, "8.5"),
        (("good.json", "-o", "figure.pdf", "--width", "wide"), 2, "3.5in"),
        (("good.json", "-o", "figure.pdf", "--dpi", "0"), 2, "--dpi"),
        (("good.json", "good.json", "good.json", "-o", "figure.pdf"), 2, "two"),
        (("good.json",), 2, "--out"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_files_that_cannot_be_drawn_are_reported_and_leave_nothing(
    run, file: Path, monkeypatch, words: tuple[str, ...], status: int, complaint: str
) -> None:
    monkeypatch.chdir(file.parent)
    Path("old.pdf").write_text("[precious]")
    got, said, complaints = run("plot", *words)
    assert (got, said) == (status, "")
    assert complaint in complaints
    assert "Traceback" not in complaints
    assert sorted(path.name for path in file.parent.iterdir()) == ["good.json", "old.pdf"]
    assert Path("old.pdf").read_text() == "[precious]"


def test_without_matplotlib_the_extra_is_named(run, file: Path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, _, complaints = run("plot", file, "-o", file.with_name("figure.pdf"))
    assert status == 1
    assert "'.[plots]'" in complaints
    with pytest.raises(hbtom.BadInput, match="matplotlib"):
        hbtom.judge(file).plot()


# Notebooks


class Parsed(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(page: str) -> Parsed:
    found = Parsed()
    found.feed(page)
    found.close()
    return found


def test_notebooks_show_a_short_judgement(judgement: Judgement, with_key: Judgement) -> None:
    page = parsed(judgement._repr_html_() or "")
    said = " ".join(page.text)
    assert f"{judgement.plausibility:.3f}" in said
    assert "expected heart, chosen 4 of 4 times; went to spoon" in said
    for kind, part in judgement.parts.to_dict().items():
        assert kind in said
        assert f"{part:.3f}" in said
    assert page.tags.count("svg") == 1
    assert page.tags.count("rect") == 1 + len(judgement.episode.test.walls)
    assert "key" in parsed(with_key._repr_html_() or "").text  # as the title of its glyph


def test_notebooks_show_the_table_of_an_evaluation(evaluation: Evaluation) -> None:
    page = parsed(evaluation._repr_html_() or "")
    assert {"accuracy", "Path Control", "Preference", "all"} <= set(page.text)
    assert page.tags.count("tr") == 1 + 5
    assert f"{100 * evaluation.overall.accuracy:.1f}" in page.text


def test_other_results_are_shown_as_text(judgement: Judgement) -> None:
    assert html(judgement.test) is None
    assert judgement.test._repr_html_() is None


def test_notebooks_need_no_matplotlib(file: Path) -> None:
    code = (
        "import sys, hbtom\n"
        f"assert hbtom.judge({str(file)!r})._repr_html_()\n"
        "assert not {'matplotlib', 'PIL', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_cost_map_holds_the_costs_and_the_trajectory() -> None:
    cost = np.hypot(*np.mgrid[:3, :4].astype(float))
    cost[2, 3] = np.inf
    blocked = np.zeros((3, 4), dtype=bool)
    blocked[1, 1] = True
    path = np.array([(35.0, 5.0), (15.0, 5.0), (5.0, 5.0)])
    figure = draw_cost_map(cost, blocked, 10.0, path, name="heart")
    axes, bar = figure.axes
    costs, walls = (image.get_array() for image in axes.images)
    assert np.ma.getmaskarray(costs).tolist() == (blocked | np.isinf(cost)).tolist()
    assert np.array_equal(costs[~costs.mask], cost[~costs.mask])
    assert (~np.ma.getmaskarray(walls)).tolist() == blocked.tolist()
    assert tuple(axes.images[0].get_extent()) == (0, 40, 30, 0)  # in pixels; y points down
    (line,) = (one for one in axes.lines if one.get_gid() == "path")
    assert np.array_equal(line.get_xydata(), path)
    assert bar.get_ylim() == (0.0, float(costs.max()))
    assert figure_bytes(figure, "svg").startswith(b"<?xml")
