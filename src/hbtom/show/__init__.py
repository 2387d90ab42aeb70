"""What a person sees: sentences, tables for the terminal, and a page to watch an episode on."""

from hbtom.show.page import page
from hbtom.show.terminal import judgement_table, trace_table
from hbtom.show.words import explain, plain

__all__ = ["explain", "judgement_table", "page", "plain", "trace_table"]
