"""What a person sees: sentences, tables for the terminal, and pages to watch episodes on.

Pages are made by :mod:`hbtom.show.page`, reports by :mod:`hbtom.show.report`.
"""

from hbtom.show.terminal import judgement_row, judgement_table, trace_table
from hbtom.show.words import explain, plain

__all__ = ["explain", "judgement_row", "judgement_table", "plain", "trace_table"]
