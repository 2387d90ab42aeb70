import json
import math
import random
from fractions import Fraction

import pytest

from hbtom.bench.comparison import holm, sign_test
from hbtom.bench.published import published
from hbtom.bench.score import (
    Score,
    in_groups,
    margin,
    pair_score,
    scores,
    scores_of,
    total,
    wilson,
)
from hbtom.show.score_text import score_lines, score_table


def test_a_tie_counts_one_half_and_is_reported():
    assert (pair_score(0.6, 0.5), pair_score(0.5, 0.5), pair_score(0.4, 0.5)) == (1.0, 0.5, 0.0)
    rated = [(0.6, 0.5), (0.5, 0.5), (0.4, 0.5), (1.0, 0.0)]
    (score,) = scores({("preference", str(place)): both for place, both in enumerate(rated)})
    assert (score.task, score.pairs, score.correct, score.ties) == ("preference", 4, 2, 1)
    assert score.accuracy == pytest.approx(2.5 / 4)
    assert score.to_dict()["ties"] == 1


def test_wilson_interval_at_the_ends():
    z2 = 1.959963984540054**2
    assert wilson(0, 10) == pytest.approx((0.0, z2 / (10 + z2)))
    assert wilson(200, 200) == pytest.approx((200 / (200 + z2), 1.0))
    assert wilson(0, 0) == (0.0, 1.0)


def test_wilson_solves_its_own_equation():
    z = 1.959963984540054
    for bound in wilson(37, 40):
        assert abs(37 / 40 - bound) == pytest.approx(z * math.sqrt(bound * (1 - bound) / 40))


def test_no_pairs_no_accuracy():
    empty = Score("preference", ())
    names = ("accuracy", "margin_5", "margin_least", "margin_below")
    assert all(math.isnan(getattr(empty, name)) for name in names)
    assert {empty.to_dict()[name] for name in names} == {None}


# Margins


def independent(margins):
    """Return the 5 % quantile, least margin and share below .05 by their definitions, slowly."""
    quantile = min(
        one for one in margins if Fraction(sum(m <= one for m in margins), len(margins)) >= FIVE
    )
    least = next(one for one in margins if not any(other < one for other in margins))
    return quantile, least, 1 - sum(m >= 0.05 for m in margins) / len(margins)


FIVE = Fraction(5, 100)


@pytest.mark.parametrize("pairs", [1, 2, 19, 20, 21, 40, 41, 139, 140, 141, 400])
def test_margins_match_their_definitions(pairs):
    chance = random.Random(pairs)
    ratings = [(round(chance.random(), 1), round(chance.random(), 1)) for _ in range(pairs)]
    (score,) = scores({("preference", str(place)): both for place, both in enumerate(ratings)})
    quantile, least, below = independent([e - u for e, u in ratings])
    assert (score.margin_5, score.margin_least) == pytest.approx((quantile, least))
    assert score.margin_below == pytest.approx(below)


def test_margins_of_a_single_pair():
    score = Score("preference", (0.25,))
    assert (score.margin_5, score.margin_least, score.margin_below) == (0.25, 0.25, 0.0)


def test_ties_and_wrong_pairs_have_small_margins():
    score = Score("preference", (0.0, -0.3, 0.04999, 0.05, 0.9))
    assert (score.correct, score.ties) == (3, 1)
    assert score.margin_below == 3 / 5
    assert score.margin_least == score.margin_5 == -0.3


def test_one_pair_in_twenty_is_five_per_cent():
    assert Score("preference", (-1.0, *[0.5] * 19)).margin_5 == -1.0
    assert Score("preference", (-1.0, *[0.5] * 20)).margin_5 == 0.5


def test_all_pairs_together_have_margins_of_their_own():
    """Quantiles of parts do not combine: they are taken over pairs, not tasks."""
    rated = scores_of({"preference": [0.9] * 39, "multi_agent": [0.01]})
    overall = total("overall", rated)
    assert (overall.margin_5, overall.margin_least) == (0.9, 0.01)
    assert overall.margin_below == 1 / 40


def test_a_margin_agrees_with_the_score_of_a_pair():
    tiny = 5e-324
    for e, u in [(1.0, 1 - 1e-16), (tiny, 0.0), (1e308, -1e308), (math.inf, 3.0), (math.inf,) * 2]:
        assert pair_score(margin(e, u), 0.0) == pair_score(e, u)
        assert pair_score(margin(u, e), 0.0) == pair_score(u, e)


def test_infinite_margins_in_json():
    told = json.loads(json.dumps(Score("mine", (math.inf, -math.inf)).to_dict(), allow_nan=False))
    assert (told["margin_5"], told["margin_least"], told["margin_below"]) == (
        *("-Infinity",) * 2,
        0.5,
    )


def test_the_table_has_margins_of_tasks_groups_and_all():
    rated = scores_of({"efficiency_path": [0.25, -0.5], "efficiency_time": [0.00001], "x": [4e6]})
    heading, *lines = score_table(rated).splitlines()
    assert "  margin 5 %   least  below .05  " in heading
    end = heading.index("below .05") + len("below .05")
    shown = {line[: heading.index("pairs")].strip(): line[:end].split()[-4:-1] for line in lines}
    assert shown == {
        "Efficiency, 2 of 3": ["-0.500", "-0.500", "66.7"],
        "Path Control": ["-0.500", "-0.500", "50.0"],
        "Time Control": ["1e-05", "1e-05", "100.0"],
        "x": ["4e+06", "4e+06", "0.0"],
        "all": ["-0.500", "-0.500", "50.0"],
    }


def test_the_share_of_small_margins_is_for_ratings_between_0_and_1():
    for rating, told in ((0.99, True), (-0.01, False)):
        heading, line, _ = score_table(scores({("x", "1"): (rating, rating - 0.5)})).splitlines()
        assert ("below .05" in heading, "%" in line) == (told, told)
        assert heading.split()[-1] == "published"


def test_the_repr_of_a_score_is_short():
    assert repr(Score("preference", (0.5,) * 999)) == (
        "<Score of 'preference': 999 pairs, 999 correct, 0 ties, least margin 0.5>"
    )


def test_tasks_come_in_the_papers_order_and_groups():
    rated = scores_of({"my_task": [1.0], "preference": [0.5], "efficiency_time": [-1.0]})
    assert [score.task for score in rated] == ["efficiency_time", "preference", "my_task"]
    assert [name for name, _ in in_groups(rated)] == ["Efficiency, 1 of 3", "Preference", "my_task"]
    assert total("overall", rated) == Score("overall", (-1.0, 0.5, 1.0))


def test_part_of_a_group_is_not_compared_with_published_figures():
    some = scores_of({"efficiency_time": [1.0], "efficiency_path": [1.0]})
    whole = scores_of({f"efficiency_{one}": [1.0] for one in ("path", "time", "irrational")})
    part, *_ = score_lines(some)
    group, *_ = score_lines(whole)
    assert (part.label, published(part.score.task)) == ("Efficiency, 2 of 3", {})
    assert (group.label, published(group.score.task)["HBToM"]) == ("Efficiency", 0.96)


def test_published_figures():
    assert published("efficiency_irrational")["HBToM"] == 0.966
    assert max(published("efficiency_time").items(), key=lambda one: one[1]) == ("IRENE", 1.0)
    assert published("my_task") == {}


def test_sign_test_against_the_binomial():
    assert sign_test(0, 0) == 1.0
    assert sign_test(5, 0) == pytest.approx(2 / 32)
    assert sign_test(2, 8) == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert sign_test(3, 3) == 1.0


def test_holm():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []
