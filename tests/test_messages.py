"""Messages of errors stay short, however long the names in them are."""

from __future__ import annotations

import pytest

from hbtom.errors import BadInput, Place

LONG = "x" * 5000


@pytest.mark.parametrize("file", [None, "a.csv", "problem.tar.bz2: template.pddl"])
@pytest.mark.parametrize(
    ("problem", "hint"), [(LONG, ""), (LONG, "ask"), ("odd", LONG), (LONG, LONG)]
)
@pytest.mark.parametrize("field", [None, LONG])
def test_messages_stay_short(file: str | None, problem: str, hint: str, field: str | None) -> None:
    said = str(BadInput(problem, hint=hint, place=Place(file=file, line=3, field=field)))
    assert len(f"hbtom: {said}") <= 300
    assert said.startswith(file or "line 3")


def test_messages_of_a_usual_length_are_whole() -> None:
    problem, hint = "p" * 120, "h" * 80
    error = BadInput(problem, hint=hint, file="/a/folder" * 50)
    assert str(error) == f"{'/a/folder' * 50}: {problem}. Hint: {hint}"
