"""What a person sees: sentences, tables for the terminal, pages to watch episodes on, reports."""

from hbtom.show.page import page
from hbtom.show.report import report, write_report
from hbtom.show.terminal import judgement_table, trace_table
from hbtom.show.words import explain, plain

__all__ = ["explain", "judgement_table", "page", "plain", "report", "trace_table", "write_report"]
