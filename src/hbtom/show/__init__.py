"""What a person sees: sentences, tables for the terminal, and pages to watch episodes on.

Reports are made by :mod:`hbtom.show.report`.
"""

from hbtom.show.page import page
from hbtom.show.terminal import judgement_row, judgement_table, trace_table
from hbtom.show.words import explain, plain

__all__ = ["explain", "judgement_row", "judgement_table", "page", "plain", "trace_table"]
