import math

import pytest

from hbtom.bench.published import published
from hbtom.bench.referee import holm, sign_test
from hbtom.bench.score import Score, in_groups, pair_score, scores, total, wilson


def test_a_tie_counts_one_half_and_is_reported():
    assert (pair_score(0.6, 0.5), pair_score(0.5, 0.5), pair_score(0.4, 0.5)) == (1.0, 0.5, 0.0)
    (score,) = scores({"preference": [1.0, 0.5, 0.0, 1.0]})
    assert score == Score("preference", pairs=4, correct=2, ties=1)
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
    empty = Score("preference", 0, 0, 0)
    assert math.isnan(empty.accuracy)
    assert empty.to_dict()["accuracy"] is None


def test_tasks_come_in_the_papers_order_and_groups():
    rated = scores({"my_task": [1.0], "preference": [1.0], "efficiency_time": [0.0]})
    assert [score.task for score in rated] == ["efficiency_time", "preference", "my_task"]
    assert [name for name, _ in in_groups(rated)] == ["Efficiency", "Preference", "my_task"]
    assert total("overall", rated) == Score("overall", 3, 2, 0)


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
