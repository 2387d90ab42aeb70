"""Networks: episodes as arrays and pictures, trained baselines, and their use as raters."""

from hbtom.neural.batching import Generated, batches, find_episodes
from hbtom.neural.drawing import draw
from hbtom.neural.tensors import Tensors, stacked, to_tensors

__all__ = ["Generated", "Tensors", "batches", "draw", "find_episodes", "stacked", "to_tensors"]
