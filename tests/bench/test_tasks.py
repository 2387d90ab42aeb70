import pytest

from hbtom.bench.tasks import (
    BACKGROUND_TASKS,
    EVALUATION_TASKS,
    GROUPS,
    PAIRED_TASKS,
    SOCIAL_TASKS,
    TASKS,
    task,
)
from hbtom.errors import BadInput


def test_nine_evaluation_and_four_background_tasks() -> None:
    assert len(EVALUATION_TASKS) == 9
    assert len(BACKGROUND_TASKS) == 4
    assert all(t.background for t in BACKGROUND_TASKS)
    assert not any(t.background for t in EVALUATION_TASKS)


def test_names_are_unique() -> None:
    for field in ("folder", "letters", "archives"):
        values = [value for t in TASKS if (value := getattr(t, field))]
        assert len(set(values)) == len(values), field


def test_five_social_tasks_come_in_pairs_and_are_not_published() -> None:
    assert len(SOCIAL_TASKS) == 5
    assert not any(t.background or t.archives for t in SOCIAL_TASKS)
    assert PAIRED_TASKS == EVALUATION_TASKS + SOCIAL_TASKS


def test_groups_are_the_papers_rows_in_order() -> None:
    groups = list(dict.fromkeys(t.group for t in EVALUATION_TASKS))
    assert tuple(groups) == GROUPS


def test_a_task_is_found_by_folder_and_by_archive() -> None:
    for one in TASKS:
        assert task(one.folder) is one
        for archive in one.archives:
            assert task(archive) is one
            assert task(archive.removesuffix(".zip")) is one


def test_an_unknown_task_is_refused_with_the_known_names() -> None:
    with pytest.raises(BadInput, match="preference"):
        task("prefrence")
