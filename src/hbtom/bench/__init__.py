"""The benchmark: tasks, generator, evaluation."""
