"""Worlds of places, as in the benchmark: agents who walk in a room, seen from above."""
