"""The benchmark: tasks, generator, evaluation, and every published figure."""

from hbtom.bench.dataset import Dataset, Member, Pair, find_pairs
from hbtom.bench.evaluation import Evaluation, Interrupted, evaluate
from hbtom.bench.results import Row
from hbtom.bench.score import Score, scores, wilson

__all__ = [
    "Dataset",
    "Evaluation",
    "Interrupted",
    "Member",
    "Pair",
    "Row",
    "Score",
    "evaluate",
    "find_pairs",
    "scores",
    "wilson",
]
