"""The benchmark's tasks as plain values: names, labels, archives, and what differs in a pair."""

from __future__ import annotations

from dataclasses import dataclass

from hbtom.errors import BadInput

TRIALS = 9  # eight familiarization trials and a test trial


@dataclass(frozen=True, slots=True)
class Task:
    """One task of the benchmark."""

    folder: str  # folder name in the evaluation set; "background/..." for background tasks
    row: str  # the paper's row label
    group: str  # the paper's group of rows, one of GROUPS; "Background" for background tasks
    archives: tuple[str, ...]  # public archives that hold it, newest first
    letters: str  # what stands between the running number and e or u in generated file names
    difference: str  # one sentence: what differs within a pair, or what is shown

    @property
    def background(self) -> bool:
        """Whether this is a background (training) task: expected outcomes only."""
        return self.group == "Background"


GROUPS = ("Efficiency", "Preference", "Multi-Agent", "Inaccessible Goals", "Instrumental Actions")

EVALUATION_TASKS: tuple[Task, ...] = (
    Task(
        "efficiency_path",
        "Path Control",
        "Efficiency",
        ("agents_evaluation_efficient_action_path.zip",),
        "ep",
        "A familiar layout with the obstacle removed or moved; "
        "e: the efficient path; u: the familiar path, now a detour.",
    ),
    Task(
        "efficiency_time",
        "Time Control",
        "Efficiency",
        ("agents_evaluation_efficient_action_time.zip",),
        "et",
        "As path control, but u's detour takes as long as e's efficient path, "
        "because its object is nearer.",
    ),
    Task(
        "efficiency_irrational",
        "Irrational",
        "Efficiency",
        ("agents_evaluation_efficient_action_irrational.zip",),
        "ei",
        "The same inefficient test trial; e: the agent was inefficient all along; "
        "u: it had been efficient.",
    ),
    Task(
        "preference",
        "Preference",
        "Preference",
        (
            "agents_evaluation_object_preference_eval_4.zip",
            "agents_evaluation_object_preference.zip",
        ),
        "lo",
        "e: the agent goes to the object it always went to, now elsewhere; "
        "u: to the other object, in the old place.",
    ),
    Task(
        "multi_agent",
        "Multi-Agent",
        "Multi-Agent",
        ("agents_evaluation_multiple_agents.zip",),
        "ma",
        "The preferred object is reached by the same agent (e) or by a new one (u); "
        "or the other object by a new agent (e) or by the same one (u).",
    ),
    Task(
        "inaccessible_goal",
        "Inaccessible Goals",
        "Inaccessible Goals",
        ("agents_evaluation_inaccessible_goal.zip",),
        "ig",
        "The agent goes to the non-preferred object; e: the preferred one is walled in; "
        "u: it is reachable.",
    ),
    Task(
        "instrumental_no_barrier",
        "No Barrier",
        "Instrumental Actions",
        ("agents_evaluation_instrumental_action_no_barriers.zip",),
        "in",
        "No barrier at test; e: straight to the object; u: to the key.",
    ),
    Task(
        "instrumental_inconsequential_barrier",
        "Inconsequential",
        "Instrumental Actions",
        ("agents_evaluation_instrumental_action_inconsequential_barriers.zip",),
        "ii",
        "The barrier is there but not in the way; e: straight to the object; u: to the key.",
    ),
    Task(
        "instrumental_blocking_barrier",
        "Blocking Barrier",
        "Instrumental Actions",
        ("agents_evaluation_instrumental_action_blocking_barriers.zip",),
        "ib",
        "The agent goes to the key; e: the barrier blocks the object; u: it does not.",
    ),
)

BACKGROUND_TASKS: tuple[Task, ...] = (
    Task(
        "background/single_object",
        "Single Object",
        "Background",
        ("agents_background_single_object_v2.zip",),
        "bs",
        "An agent walks to the only object.",
    ),
    Task(
        "background/preference",
        "Preference",
        "Background",
        ("agents_background_object_preference_v2.zip",),
        "bp",
        "Two objects close by and nothing to go around; the agent always takes the same one.",
    ),
    Task(
        "background/multi_agent",
        "Multi-Agent",
        "Background",
        ("agents_background_multiple_agents.zip",),
        "bm",
        "One object; the agent is replaced by another at some trial and stays replaced.",
    ),
    Task(
        "background/instrumental_action",
        "Instrumental Action",
        "Background",
        ("agents_background_instrumental_action.zip",),
        "bi",
        "The agent is enclosed by the barrier, fetches the key, opens the lock, "
        "and walks to the object.",
    ),
)

TASKS: tuple[Task, ...] = EVALUATION_TASKS + BACKGROUND_TASKS


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
