"""The benchmark: tasks, generator, evaluation, and every published figure."""

from hbtom.bench.dataset import Dataset, Member, Pair, find_pairs
from hbtom.bench.evaluation import Evaluation, Row, evaluate
from hbtom.bench.score import Score, scores, wilson

__all__ = [
    "Dataset",
    "Evaluation",
    "Member",
    "Pair",
    "Row",
    "Score",
    "evaluate",
    "find_pairs",
    "scores",
    "wilson",
]
