"""The studio: drawing episodes on a page, and watching how their judgement changes."""

from __future__ import annotations
