"""The benchmark: tasks, generator, evaluation, and every published figure."""

from hbtom.bench.checked_rater import as_rater, find_rater
from hbtom.bench.dataset import find_pairs
from hbtom.bench.evaluation import Evaluation, Interrupted, evaluate
from hbtom.bench.pairs import Dataset, Member, Pair
from hbtom.bench.rater import ModelRater, Rater, Rating
from hbtom.bench.results import Row
from hbtom.bench.score import Score, scores, wilson

__all__ = [
    "Dataset",
    "Evaluation",
    "Interrupted",
    "Member",
    "ModelRater",
    "Pair",
    "Rater",
    "Rating",
    "Row",
    "Score",
    "as_rater",
    "evaluate",
    "find_pairs",
    "find_rater",
    "scores",
    "wilson",
]
