"""People and models: figures compared with scipy, simulated looking times, and coverage."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import hbtom
from hbtom.bench.correlation import correlate
from hbtom.bench.measures import Item, MeasureOptions, read_measures
from hbtom.bench.model_values import read_model
from hbtom.bench.resampling import (
    Sampled,
    agreement,
    correlation,
    estimate,
    ranks,
    resample,
    split_half,
    student,
)
from hbtom.bench.scenarios import find_scenarios, judge_scenarios


def looking(random, scenarios=24, infants=20, spread=0.2):
    """Return a model's surprise, and how long infants look if they are equally surprised."""
    x = random.uniform(0, 1, scenarios)
    slope = 0.6 + random.normal(0, spread, (infants, 1))
    odd = random.normal(0, 0.15, scenarios)  # something else about each scenario
    noise = random.normal(0, 0.5, (infants, scenarios))
    return x, random.normal(2, 0.3, (infants, 1)) + slope * x + odd + noise


def rows(logs):
    return [
        {"participant": f"p{who}", "scenario": f"s{what}", "looking": math.exp(value)}
        for who, line in enumerate(logs)
        for what, value in enumerate(line)
    ]


def results(values, column="surprise"):
    return [{"scenario": f"s{what}", column: value} for what, value in enumerate(values)]


def test_figures_match_scipy():
    random = np.random.default_rng(0)
    x, y = random.integers(0, 6, (2, 30)).astype(float)  # with ties
    weights = random.integers(0, 4, 30)
    found = agreement(x, y[None], weights[None].astype(float), line=True)[0]
    often = np.repeat(x, weights), np.repeat(y, weights)
    line = stats.linregress(*often)
    off = often[1] - (line.intercept + line.slope * often[0])
    wanted = line.rvalue, stats.spearmanr(*often).statistic, np.sqrt((off**2).mean())
    assert found == pytest.approx(wanted, abs=1e-12)
    plain = agreement(x, y[None], weights[None].astype(float), line=False)[0, 2]
    assert plain == pytest.approx(np.sqrt(((often[0] - often[1]) ** 2).mean()))
    assert student(7) == pytest.approx(stats.t.ppf(0.975, 7), rel=2e-3)
    assert student(2) == pytest.approx(stats.t.ppf(0.975, 2), rel=1e-5)


def test_ranks_of_samples():
    values, weights = (
        np.array([[3.0, 1.0, 3.0], [1.0, 2.0, 3.0]]),
        np.array([[1.0, 1, 1], [2, 0, 1]]),
    )
    assert ranks(values, weights).tolist() == [[2, 0.5, 2], [1, 2, 2.5]]
    assert np.isnan(correlation(np.ones((1, 3)), values[:1], weights[:1]))


def test_intervals_cover_at_the_nominal_rate():
    """The intervals are for r with the mean of the infants, over new infants and scenarios."""
    true = 0.68  # r in 4,000 simulated experiments of 200 scenarios each, by Fisher's z
    random, covered = np.random.default_rng(5), 0
    for seed in range(150):
        x, y = looking(random)
        people = Sampled(y, np.arange(len(x)), True)
        drawn = [agreement(x, *one, line=True)[:, 0] for one in resample(people, 100, seed)]
        r = float(np.corrcoef(x, y.mean(axis=0))[0, 1])
        found = estimate(r, drawn, len(y) - 1, bounded=True)
        covered += found.low <= true <= found.high
    assert 134 <= covered <= 149  # 142.5 on average, if 95 % are covered


def test_the_model_that_people_follow_is_found():
    random = np.random.default_rng(3)
    x, y = looking(random, scenarios=40)
    other = 0.3 * x + 0.7 * random.uniform(0, 1, 40)
    models = {"other": results(other), "true": results(x)}
    found = correlate(rows(y), models, samples=400)
    by_name = {one.model: one.r for one in found.agreements}
    assert by_name["true"].value == pytest.approx(np.corrcoef(x, y.mean(axis=0))[0, 1])
    (gap,) = found.gaps
    assert (gap.first, gap.second) == ("other", "true")
    assert gap.r.high < 0
    again = correlate(rows(y), models, samples=400)
    assert again.to_dict() == found.to_dict()
    assert correlate(rows(y), models, samples=400, seed=1).to_dict() != found.to_dict()


def test_split_halves_show_how_reliable_means_are():
    random = np.random.default_rng(1)
    true, noise = random.normal(0, 1, 500), random.normal(0, 2, (16, 500))
    people = Sampled(true + noise, np.arange(500), True)
    assert split_half(people, 50, 0) == pytest.approx(1 / (1 + 4 / 16), abs=0.04)
    assert math.isnan(split_half(Sampled(true[None], np.arange(500), False), 50, 0))
    opposed = Sampled(np.array([true, -true]), np.arange(500), True)
    assert split_half(opposed, 5, 0) == pytest.approx(-1)


def test_looking_times_in_pairs():
    seconds = {"a": (4, 8), "b": (5, 5), "c": (2, 8)}
    given = [
        {"participant": who, "task": "t", "pair": pair, "member": member, "looking": time}
        for who, times in seconds.items()
        for pair in ("1", "2")
        for member, time in zip(("expected", "u"), times, strict=True)
    ]
    said = [
        {"file": f"data/t/{pair}{member}.json", "plausibility": value}
        for pair in ("1", "2")
        for member, value in (("e", 0.9), ("u", 0.2))
    ]
    (effect,) = correlate(given, said, samples=20).effects
    logs = np.log([2, 1, 4])
    assert (effect.task, effect.pairs, effect.participants) == ("t", 2, 3)
    assert effect.difference.value == pytest.approx(logs.mean())
    assert effect.d == pytest.approx(logs.mean() / logs.std(ddof=1))
    low, high = stats.t.interval(0.95, 2, logs.mean(), stats.sem(logs))
    assert (effect.difference.low, effect.difference.high) == pytest.approx((low, high))
    assert effect.share == pytest.approx(2.5 / 3)


def test_the_models_answers_are_flipped_to_match_peoples_answers():
    told = [{"scenario": f"s{n}", "looking": n + 1} for n in range(4)]
    plausible = results([0.9, 0.7, 0.4, 0.1], "plausibility")
    assert correlate(told, plausible, samples=20).models["model"] == pytest.approx(
        [0.1, 0.3, 0.6, 0.9]
    )
    rated = [{"scenario": f"s{n}", "rating": n + 1} for n in range(4)]
    found = correlate(rated, results([1, 2, 3, 7], "rating"), scale=(1, 7), samples=20)
    assert found.measures.means == pytest.approx(np.arange(4) / 6)
    assert found.models["model"] == pytest.approx([0, 1 / 6, 2 / 6, 1])
    assert found.warnings == ()
    ends = np.arange(12) / 12
    turned = correlate(results(ends, "rating"), results(1 - ends**2, "rating"), samples=50)
    assert turned.warnings[0].startswith("it looks reversed")


GOALS = [
    {"scenario": "a", "time": time, "goal": goal, "probability": chance}
    for time, chances in enumerate([(0.5, 0.5), (0.9, 0.1)])
    for goal, chance in zip("xy", chances, strict=True)
]


def test_choices_are_shares():
    chosen = [
        {"participant": who, "scenario": "a", "time": time, "choice": goal}
        for who, goals in {"1": "xx", "2": "yx", "3": "xy"}.items()
        for time, goal in enumerate(goals)
    ]
    numbered = [{"": n, **row} for n, row in enumerate(chosen)]  # as pandas writes tables
    found = correlate(numbered, GOALS, samples=20, scale=(1, 7))
    assert found.measures.items == tuple(Item("a", t, g) for t in (0.0, 1.0) for g in "xy")
    assert found.measures.means == pytest.approx([2 / 3, 1 / 3, 2 / 3, 1 / 3])
    with pytest.raises(hbtom.BadInput, match=r"row 1 below the heading: the choice is 'z'"):
        correlate([{"scenario": "a", "choice": "z"}], GOALS)


def test_missing_times_mean_the_end_or_every_time():
    model = read_model(GOALS)
    assert model.find(("a",), Item("a", None, "x")) == 0.9
    assert read_model(results([0.3])).find(("s0",), Item("s0", 7.0)) == 0.3


def test_files_are_found_by_the_names_in_peoples_data():
    model = read_model([{"file": f"data/{task}/1e.json.zst", "rating": 1} for task in "ab"])
    people = read_measures([{"file": "b/1e.json", "rating": 1}])
    assert model.find(people.names["b/1e.json"], people.items[0]) == 1
    with pytest.raises(hbtom.BadInput, match="several scenario '1e'"):
        model.find(("1e",), Item("1e"))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"scenario": "b"}, "has no scenario 'b'"),
        ({"goal": "z"}, "has no goal 'z' in scenario 'a'. Hint: its goals are x, y"),
        ({"time": 9}, "has no time 9 in scenario 'a'. Hint: its times are 0 to 1"),
        ({"rating": 1.5}, "the rating is 1.5. Hint: ratings are from 0 to 1"),
        ({"rating": "much"}, "the rating is 'much'"),
        ({"rating": ""}, "the rating is missing"),
        ({"rating": -1e308}, "the rating is -1e+308. Hint: at most 1e+50 is possible"),
        ({"participant": ""}, "the participant is missing"),
        ({"rating": 0.4}, "the ratings of x, y add up to 0.9"),
        ({"scenario": ""}, "it does not say which scenario"),
        ({"goal": "y"}, "this is the second answer of participant 'p' to a 0 y"),
    ],
)
def test_bad_measures_are_refused_with_their_row(row, told):
    given = [
        {"participant": "p", "scenario": "a", "time": t, "goal": g, "rating": 0.5}
        for t in (0, 1)
        for g in "xy"
    ]
    given[0] |= row
    total = 1 if row == {"rating": 0.4} else None
    with pytest.raises(hbtom.BadInput) as caught:
        correlate(given, GOALS, total=total)
    assert told in str(caught.value)
    assert "below the heading" in str(caught.value)


@pytest.mark.parametrize("large", [1e51, -1e308])
def test_predictions_that_are_too_large_to_compare_are_refused(large: float) -> None:
    people = [
        {"scenario": one, "rating": rating} for one, rating in zip("abc", (0, 0.5, 1), strict=True)
    ]
    said = [{"scenario": one, "probability": large} for one in "abc"]
    with pytest.raises(
        hbtom.BadInput, match=r"the probability is .*e\+.*at most 1e\+50 is possible"
    ):
        correlate(people, said, samples=20)
    said = [{"scenario": one, "probability": 1e50 * at} for at, one in enumerate("abc", -1)]
    (found,) = correlate(people, said, samples=20).agreements
    assert found.r.value == pytest.approx(1)


def test_looking_times_are_positive_and_there_is_one_kind_of_answer():
    with pytest.raises(hbtom.BadInput, match="the looking time is 0"):
        read_measures([{"scenario": "a", "looking": 0}])
    with pytest.raises(hbtom.BadInput, match="there are columns 'looking' and 'rating'"):
        read_measures([{"scenario": "a", "looking": 1, "rating": 1}])
    raw = read_measures([{"scenario": "a", "looking": 3}], MeasureOptions(log=False))
    assert raw.values.tolist() == [[3]]


def test_a_table_for_mixed_models():
    _, logs = looking(np.random.default_rng(0), scenarios=4, infants=3)
    table = hbtom.correlate(rows(logs), {"m": results([1, 2, 3, 5])}, samples=20).to_pandas()
    assert list(table) == ["participant", "scenario", "looking", "log_looking", "model_m"]
    assert table.log_looking.to_numpy().reshape(3, 4) == pytest.approx(logs)
    assert table.groupby("scenario").model_m.unique().str[0].tolist() == [1, 2, 3, 5]
    again = hbtom.correlate(table, {"m": results([1, 2, 3, 5])}, samples=20)  # a data frame
    assert again.measures.values == pytest.approx(logs)


def test_a_table_for_mixed_models_keeps_other_columns():
    _, logs = looking(np.random.default_rng(0), scenarios=4, infants=3)
    given = [{**row, "age": 200 + at, "=sex": "f"} for at, row in enumerate(rows(logs))]
    found = correlate(given[::-1], results([1, 2, 3, 5]), samples=20)
    ages = {(row["participant"], row["scenario"]): row["age"] for row in given}
    records = found.to_records()
    assert {(row["participant"], row["scenario"]): row["age"] for row in records} == ages
    assert {row["=sex"] for row in records} == {"f"}
    given[0]["age"] = ""  # unknown: text in all rows
    assert correlate(given, results([1, 2, 3, 5]), samples=20).to_records()[1]["age"] == "201"


def test_a_figure_is_no_wider_than_its_panels():
    pytest.importorskip("matplotlib")
    x, logs = looking(np.random.default_rng(0), scenarios=4, infants=3)
    one = correlate(rows(logs), results(x), samples=20).plot()
    two = correlate(rows(logs), {"a": results(x), "b": results(x)}, samples=20).plot()
    assert one.get_figwidth() < 0.6 * two.get_figwidth()
    kinds = [{**row, "category": row["scenario"]} for row in rows(logs)]  # as a legend names
    named = correlate(kinds, results(x), samples=20).plot()
    assert named.get_figwidth() == pytest.approx(two.get_figwidth(), rel=0.05)


def test_missing_answers_are_reported():
    given = [
        {"participant": who, "scenario": "a", "time": t, "goal": g, "rating": 0.5 + 0.1 * t}
        for who in "pq"
        for t in (0, 1)
        for g in "xy"
    ][:-1]
    assert correlate(given, GOALS, samples=20).warnings[0].startswith("1 answer is missing")


def test_desires_and_beliefs_are_told_apart():
    said = [
        {"scenario": f"s{n}", "variable": variable, "goal": "x", "rating": value}
        for n in range(4)
        for variable, value in (("desire", n / 3), ("belief", (n % 2) / 2))
    ]
    people = [{**row, "rating": row["rating"] ** 2} for row in said]
    found = correlate(people, said, samples=20)
    assert [one.category for one in found.agreements] == ["all", "desire", "belief"]
    assert found.agreements[2].r.value == pytest.approx(1)
    with pytest.raises(hbtom.BadInput, match=r"no goal 'x' in scenario 's0'. Hint: .* desire x"):
        correlate([{"scenario": "s0", "goal": "x", "rating": 1}], said)


def test_tables_of_beliefs_are_results():
    world = Path(__file__).parents[2] / "worlds" / "block-words"
    (one,) = (one for one in find_scenarios([str(world)]) if one.name == "crow")
    ((judged,),) = judge_scenarios([one], [hbtom.Model.preset("paper")])
    model = read_model(judged)
    assert read_model(judged.to_pandas()) == model
    assert model.find(("crow",), Item("crow", 0.0, "core")) == pytest.approx(0.2)


def test_plans_in_a_world_that_is_too_large_are_judged_the_same():
    """Planning then starts only from the visited states, for each plan separately."""
    world = Path(__file__).parents[2] / "worlds" / "doors-keys-gems"
    scenarios, models = find_scenarios([str(world)])[:2], [hbtom.Model.preset("people")]
    whole, parts = (list(judge_scenarios(scenarios, models, most)) for most in (10_000, 400))
    for (one,), (other,) in zip(whole, parts, strict=True):
        assert len(one.costs[0].graph) > 400 > len(other.costs[0].graph)
        assert np.array_equal(one.test.goal, other.test.goal)
    assert whole[0][0].costs[0].graph is whole[1][0].costs[0].graph
