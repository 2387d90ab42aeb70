"""The benchmark's tasks as plain values: names, labels, archives, and what differs in a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hbtom.errors import BadInput

TRIALS = 9  # eight familiarization trials and a test trial


@dataclass(frozen=True, slots=True)
class Task:
    """One task of the benchmark."""

    folder: str  # folder name in the evaluation set; "background/..." for background tasks
    row: str  # the paper's row label
    group: str  # the paper's group of rows, one of GROUPS; "Background" for background tasks
    archives: tuple[str, ...]  # public archives of it, newest first; none for social tasks
    letters: str  # between the number and e or u in generated file names
    difference: str  # one sentence: how the two episodes of a pair differ, or what is shown

    @property
    def background(self) -> bool:
        """Whether this is a background (training) task: expected outcomes only."""
        return self.group == "Background"


# By group: folder, label, letters, and the ending of archives' names.
_Table = dict[str, tuple[tuple[str, ...], ...]]
_EVALUATION: _Table = {
    "Efficiency": (
        ("efficiency_path", "Path Control", "ep", "efficient_action_path"),
        ("efficiency_time", "Time Control", "et", "efficient_action_time"),
        ("efficiency_irrational", "Irrational", "ei", "efficient_action_irrational"),
    ),
    "Preference": (
        ("preference", "Preference", "lo", "object_preference_eval_4", "object_preference"),
    ),
    "Multi-Agent": (("multi_agent", "Multi-Agent", "ma", "multiple_agents"),),
    "Inaccessible Goals": (("inaccessible_goal", "Inaccessible Goals", "ig", "inaccessible_goal"),),
    "Instrumental Actions": (
        ("instrumental_no_barrier", "No Barrier", "in", "instrumental_action_no_barriers"),
        (
            "instrumental_inconsequential_barrier",
            "Inconsequential",
            "ii",
            "instrumental_action_inconsequential_barriers",
        ),
        (
            "instrumental_blocking_barrier",
            "Blocking Barrier",
            "ib",
            "instrumental_action_blocking_barriers",
        ),
    ),
}
_BACKGROUND: _Table = {
    "Background": (
        ("background/single_object", "Single Object", "bs", "single_object_v2"),
        ("background/preference", "Preference", "bp", "object_preference_v2"),
        ("background/multi_agent", "Multi-Agent", "bm", "multiple_agents"),
        ("background/instrumental_action", "Instrumental Action", "bi", "instrumental_action"),
    )
}
_SOCIAL: _Table = {
    "Social": (
        ("agent_non_agent", "Agent or Not", "an"),
        ("social_approach", "Approach", "sa"),
        ("social_imitation", "Imitation", "si"),
        ("helper_hinderer", "Helper, Hinderer", "hh"),
        ("true_false_belief", "True, False Belief", "tb"),
    )
}
_DIFFERENCES = {  # by letters
    "ep": "A familiar layout with the obstacle removed or moved; "
    "e: the efficient path; u: the familiar path, now a detour.",
    "et": "As path control, but u's detour takes as long as e's efficient path, "
    "because its object is nearer.",
    "ei": "The same inefficient test trial; e: the agent was inefficient all along; "
    "u: it had been efficient.",
    "lo": "e: the agent goes to the object it always went to, now elsewhere; "
    "u: to the other object, in the old place.",
    "ma": "The preferred object is reached by the same agent (e) or by a new one (u); "
    "or the other object by a new agent (e) or by the same one (u).",
    "ig": "The agent goes to the non-preferred object; e: the preferred one is walled in; "
    "u: it is reachable.",
    "in": "No barrier at test; e: straight to the object; u: to the key.",
    "ii": "The barrier is there but not in the way; e: straight to the object; u: to the key.",
    "ib": "The agent goes to the key; e: the barrier blocks the object; u: it does not.",
    "bs": "An agent walks to the only object.",
    "bp": "Two objects close by and nothing to go around; the agent always takes the same one.",
    "bm": "One object; the agent is replaced by another at some trial and stays replaced.",
    "bi": "The agent is enclosed by the barrier, fetches the key, opens the lock, "
    "and walks to the object.",
    "an": "What starts by itself goes to the object that it always went to, or to the other one; "
    "what starts only when it is hit wants neither.",
    "sa": "The agent copies the one that it likes, or another one, or reaches an object.",
    "si": "The agent approaches the one that it copied, or another one; "
    "or it never copied anybody, but reached an object.",
    "hh": "The agent approaches the one that opened its way, or the one that closed it.",
    "tb": "The agent goes where it must think the object is, or elsewhere.",
}


def _tasks(table: _Table, archive: str) -> tuple[Task, ...]:
    return tuple(
        Task(
            folder,
            row,
            group,
            tuple(f"agents_{archive}_{name}.zip" for name in archives),
            letters,
            _DIFFERENCES[letters],
        )
        for group, rows in table.items()
        for folder, row, letters, *archives in rows
    )


GROUPS = tuple(_EVALUATION)
EVALUATION_TASKS = _tasks(_EVALUATION, "evaluation")
BACKGROUND_TASKS = _tasks(_BACKGROUND, "background")
SOCIAL_TASKS = _tasks(_SOCIAL, "social")
PAIRED_TASKS = EVALUATION_TASKS + SOCIAL_TASKS
TASKS: tuple[Task, ...] = EVALUATION_TASKS + BACKGROUND_TASKS + SOCIAL_TASKS
SUITES = {"bib": EVALUATION_TASKS, "social": SOCIAL_TASKS}


def chosen_tasks(suite: str, named: Sequence[str]) -> list[str]:
    """Return the names of the chosen tasks, or of all tasks of a suite.

    If the suite is 'bib', the default, tasks of any suite can be chosen.
    """
    folders = [one.folder for one in SUITES[suite]]
    for name in named:
        if suite != "bib" and task(name).folder not in folders:
            hint = f"choose from {', '.join(folders)}"
            raise BadInput(f"'{name}' is not a task of the suite '{suite}'", hint=hint)
    return [*named] or folders


def task(name: str) -> Task:
    """The task with this folder name or public archive name (with or without ".zip")."""
    for one in TASKS:
        if name.lower() == one.row.lower() and not one.background:
            return one
        archives = {a.removesuffix(".zip") for a in one.archives}
        if name == one.folder or name.removesuffix(".zip") in archives:
            return one
    known = ", ".join(t.folder for t in TASKS)
    raise BadInput(f"there is no task called '{name}'", hint=f"choose from {known}")
