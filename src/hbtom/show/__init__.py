"""What a person sees: sentences, and tables for the terminal."""

from hbtom.show.terminal import judgement_table, trace_table
from hbtom.show.words import explain, plain

__all__ = ["explain", "judgement_table", "plain", "trace_table"]
