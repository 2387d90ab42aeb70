"""``hbtom infer``: what it prints and writes, and its error messages."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from domains import EXAMPLES, LAMPS, NAMES, SWITCHES
from hbtom.cli.verbs.plan_verbs import _named_plans

GEMS = EXAMPLES / "doors-keys-gems"


@pytest.fixture
def infer(run) -> Callable[..., object]:
    """Run ``hbtom infer`` on an example."""

    def inferred(*plans: str, folder: Path = GEMS, more: tuple[str | Path, ...] = ()):
        given = [word for plan in plans for word in ("--plan", plan)]
        files = ("--domain", folder / "domain.pddl", "--problem", folder / "problem.pddl")
        return run("infer", *files, "--goals", folder / "goals.txt", *given, *more)

    return inferred


def plan(name: str, folder: Path = GEMS) -> str:
    return str(folder / "plans" / f"{name}.plan")


def test_a_table_of_beliefs_after_every_action(infer) -> None:
    ran = infer(plan("gem-a"))
    assert (ran.status, ran.err) == (0, "")
    heading, columns, *rows = ran.out.splitlines()
    assert heading == "gem-a.plan, by agent"
    beliefs = ["P(gem-a)", "P(gem-b)", "P(gem-c)", "efficiency", "surprise"]
    assert columns.split() == ["step", "action", *beliefs]
    assert len(rows) == 12
    assert rows[0].split() == ["0", "0.333", "0.333", "0.333", "3.07"]
    assert "(pick-up gem-a c00)" in rows[-1]
    assert "plausibility" not in ran.out


def test_json_for_programs(infer) -> None:
    ran = infer(f"ann={plan('gem-a')}", f"bob={plan('gem-c')}", more=("--format", "json"))
    values = json.loads(ran.out)
    assert list(values) == ["model", "plans", "warnings"]
    assert [one["agent"] for one in values["plans"]] == ["ann", "bob"]
    assert values["plans"][1]["steps"][-1]["goal"]["gem-c"] > 0.99
    assert sum(values["plans"][1]["steps"][3]["efficiency"].values()) == pytest.approx(1)


def test_the_last_plan_is_judged_on_request(infer) -> None:
    plans = [plan("gem-a")] * 3
    table = infer(*plans, plan("gem-b"), more=("--judge",)).out
    assert "plausibility" in table
    assert table.splitlines()[-1] == "    expected gem-a, wanted 3 of 3 times; wanted gem-b"
    usual, odd = (
        json.loads(infer(*plans, plan(last), more=("--judge", "--format", "json")).out)
        for last in ("gem-a", "gem-b")
    )
    assert usual["plausibility"] > odd["plausibility"]
    assert set(odd["surprise"]) == set(odd["parts"]) == {"goal", "efficiency", "observation"}


@pytest.mark.parametrize(
    ("plans", "sentence"),
    [
        (["gem-a"], "had no clear preference so far, and wanted gem-a"),
        (["gem-a", "gem-a", "gem-a"], "wanted gem-a, wanted 2 of 2 times; nothing surprising"),
        (  # no part is below a half here, and yet this is unexpected
            ["wanders", "wanders", "wanders"],
            "had no clear preference so far, and wanted gem-c, as it seemed, and then gem-a",
        ),
        (
            ["turns-back", "turns-back", "turns-back"],
            "expected gem-b, wanted 2 of 2 times; wanted gem-c, as it seemed, and then gem-b",
        ),
    ],
)
def test_judgements_in_words(infer, plans: list[str], sentence: str) -> None:
    assert infer(*map(plan, plans), more=("--judge",)).out.splitlines()[-1] == f"    {sentence}"


def test_a_single_plan_is_judged_with_a_warning_and_inferred_without(infer) -> None:
    told = "there is only one plan: it is judged without familiarization"
    assert told in infer(plan("gem-a"), more=("--judge",)).err
    assert infer(plan("gem-a")).err == ""
    assert infer(plan("gem-a"), plan("gem-a"), more=("--judge",)).err == ""
    for judged, warnings in ((("--judge",), [told]), ((), [])):
        ran = infer(plan("gem-a"), more=("--format", "json", *judged))
        assert json.loads(ran.out)["warnings"] == warnings


def test_something_else(infer) -> None:
    ran = infer(plan("wanders"), more=("--something-else", "0.5"))
    assert "P(something else)" in ran.out
    assert infer(plan("wanders"), more=("--something-else", "-1")).status == 2


def test_another_model(infer) -> None:
    default = infer(plan("gem-a"), more=("--model", "default", "--format", "json"))
    assert json.loads(default.out)["model"]["name"] == "default"
    assert infer(plan("gem-a"), more=("--model", "none")).status == 1


@pytest.mark.parametrize("name", NAMES)
def test_every_example_runs(infer, name: str) -> None:
    folder = EXAMPLES / name
    for file in sorted(folder.glob("plans/*.plan")):
        assert infer(str(file), folder=folder).status == 0


def test_large_problems_are_searched_and_too_small_a_bound_is_reported(infer) -> None:
    folder = EXAMPLES / "logistics"
    whole = infer(plan("school", folder), folder=folder)
    assert infer(plan("school", folder), folder=folder, more=("--states", "200")).out == whole.out
    ran = infer(plan("school", folder), folder=folder, more=("--states", "5"))
    assert (ran.status, ran.out) == (1, "")
    assert f"{folder}/problem.pddl: planning to the goal 'school' takes more than 5" in ran.err
    assert "--states" in ran.err


GRIPPER = EXAMPLES / "unreliable-gripper"


def test_with_chance_and_too_many_states_planning_is_by_trials(infer) -> None:
    whole = infer(plan("cup", GRIPPER), folder=GRIPPER)
    assert (whole.status, whole.err) == (0, "")
    assert infer(plan("cup", GRIPPER), folder=GRIPPER, more=("--states", "50")).out == whole.out
    ran = infer(plan("cup", GRIPPER), folder=GRIPPER, more=("--states", "10"))
    assert (ran.status, ran.out) == (1, "")
    assert "takes more than 10 states" in ran.err


def test_a_plan_without_outcomes_gets_a_hint_what_to_add(infer, tmp_path: Path) -> None:
    lines = ["(move table shelf)", "(grasp cup shelf)", "(move shelf bin)", "(move bin table)"]
    file = tmp_path / "unclear.plan"
    file.write_text("\n".join(lines))
    ran = infer(str(file), folder=GRIPPER)
    assert (ran.status, ran.out) == (1, "")
    told = "line 2: the outcome of step 2, (grasp cup shelf), is unclear: is (busy) true after it?"
    assert ran.err.startswith(f"hbtom: {file}: {told} Hint: ")
    assert "'(grasp cup shelf) => (not (busy))'" in ran.err
    file.write_text("\n".join(lines).replace("(grasp cup shelf)", "(grasp cup shelf) => (busy)"))
    assert infer(str(file), folder=GRIPPER).status == 0


# Figures


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_figure_is_drawn(infer, tmp_path: Path, kind: str) -> None:
    target = tmp_path / f"beliefs.{kind}"
    ran = infer(plan("turns-back"), f"ann={plan('gem-a')}", more=("--plot", target))
    assert ran.status == 0
    assert target.stat().st_size > 1000
    if kind == "svg":
        text = target.read_text(encoding="utf-8")
        for word in ("gem-b", "turns-back.plan", "by ann", "unlock key-1 c15 c16", "efficiency"):
            assert word in text


def test_a_figure_of_many_steps_numbers_them(infer, tmp_path: Path) -> None:
    there, back = "(move c44 c34)\n", "(move c34 c44)\n"
    (tmp_path / "long.plan").write_text((there + back) * 30)
    target = tmp_path / "long.svg"
    assert infer(str(tmp_path / "long.plan"), more=("--plot", target)).status == 0
    assert "move c44 c34" not in target.read_text(encoding="utf-8")


def test_a_figure_replaces_nothing_by_default(infer, tmp_path: Path) -> None:
    target = tmp_path / "beliefs.png"
    target.write_text("mine")
    ran = infer(plan("gem-a"), more=("--plot", target))
    assert (ran.status, ran.out) == (1, "")
    assert "exists already" in ran.err
    assert target.read_text() == "mine"
    assert infer(plan("gem-a"), more=("--plot", target, "--overwrite")).status == 0
    assert infer(plan("gem-a"), more=("--plot", tmp_path / "beliefs.txt")).status == 1


# Errors


def written(folder: Path, **changed: str) -> Path:
    """Write a small world, with some of its files changed."""
    texts = {
        "domain": SWITCHES,
        "problem": LAMPS,
        "goals": "dark: (not (on hall))\nbright: (on stairs)",
        "plan": "(turn-on stairs)",
        **changed,
    }
    for name, text in texts.items():
        ending = "pddl" if name in ("domain", "problem") else "txt"
        (folder / f"{name}.{ending}").write_text(text)
    return folder


BAD = {
    "a domain that is not closed": ({"domain": SWITCHES[:-4]}, "domain.pddl: line 13: "),
    "an action that is not closed": (
        {"domain": SWITCHES.replace(":effect (on ?l))", ":effect (on ?l)")},
        "domain.pddl: line 2: this opening parenthesis is never closed. "
        "Hint: (:action on line 10 is inside (:action turn-on of line 6; is a ) missing there?",
    ),
    "a misspelt section": (
        {"problem": LAMPS.replace(":init", ":inti")},
        "problem.pddl: line 5: ':inti' in a problem is not supported. "
        "Hint: the sections of a problem are :domain, ",
    ),
    "a goal without parentheses": (
        {"goals": "roses: watered roses"},
        "goals.txt: line 1: the goal 'roses' has no condition in parentheses. "
        "Hint: write 'roses: (watered roses)'",
    ),
    "no actions": ({"plan": "; none"}, "plan.txt: the plan has no actions"),
    "a feature": (
        {"domain": SWITCHES.replace(":effect (on ?l)", ":effect (oneof (on ?l) (broken ?l))")},
        "domain.pddl: line 9: 'oneof' in an effect is not supported",
    ),
    "another domain's problem": (
        {"problem": LAMPS.replace("switches", "blocks")},
        "problem.pddl: line 3: the problem belongs to the domain 'blocks', not to 'switches'",
    ),
    "an unknown object": (
        {"problem": LAMPS.replace("(on hall)", "(on attic)")},
        "problem.pddl: line 5: there is no object 'attic'",
    ),
    "a goal in another language": (
        {"goals": "dark: (not (on hall))\nwarm: (heated hall)"},
        "goals.txt: line 2: there is no predicate 'heated'",
    ),
    "a goal twice": (
        {"goals": "a: (on hall)\na: (on stairs)"},
        "goals.txt: line 2: two goals are named",
    ),
    "no goals": ({"goals": "; none"}, "goals.txt: there are no goals"),
    "a goal about a variable": ({"goals": "a: (on ?l)"}, "goals.txt: line 1: there is no variable"),
    "an action that cannot be done": (
        {"plan": "; first\n(turn-on stairs)\n(turn-on hall)"},
        "plan.txt: line 3: step 2, (turn-on hall), is impossible there: (on hall) holds",
    ),
    "an action that can never be done": (
        {
            "domain": SWITCHES.replace(
                ":precondition (on ?l)", ":precondition (and (on ?l) (broken ?l))"
            ),
            "plan": "(turn-off hall)",
        },
        "plan.txt: line 1: step 1, (turn-off hall), is impossible there: (broken hall) does not",
    ),
    "an unknown action": ({"plan": "(kick hall)"}, "plan.txt: line 1: there is no action 'kick'"),
    "an action on nothing": ({"plan": "(turn-on)"}, "plan.txt: line 1: (turn-on) has 0 objects"),
    "an action on nothing known": (
        {"plan": "(turn-on moon)"},
        "plan.txt: line 1: the problem has no object 'moon'",
    ),
    "no action at all": ({"plan": "turn on"}, "plan.txt: line 1: 'turn on' is not an action"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_reported_with_file_line_and_status_1(run, tmp_path: Path, case: str) -> None:
    changed, problem = BAD[case]
    folder = written(tmp_path, **changed)
    files = [f"--{name}={folder / name}.pddl" for name in ("domain", "problem")]
    files += [f"--{name}={folder / name}.txt" for name in ("goals", "plan")]
    ran = run("infer", *files)
    assert (ran.status, ran.out) == (1, "")
    assert f"{folder}/{problem}" in ran.err
    assert len(ran.complaints) == 1


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("a.plan", "this is a file, not a folder"),
        ("nowhere", "there is no such folder"),
        ("empty", "there are no worlds with plans in it"),
    ],
)
def test_files_without_worlds_are_refused(run, tmp_path: Path, name: str, problem: str) -> None:
    (tmp_path / "a.plan").touch()
    (tmp_path / "empty").mkdir()
    ran = run("infer", tmp_path / name)
    assert (ran.status, ran.out) == (1, "")
    assert f"{name}: {problem}. Hint:" in ran.err


def test_nothing_in_a_file_controls_the_terminal(run, tmp_path: Path) -> None:
    sly = {"domain": SWITCHES.replace("turn-on", "turn\x1b[31m"), "plan": "(turn\x1b[31m stairs)"}
    folder = written(tmp_path, **sly)
    files = [f"--{name}={folder / name}.pddl" for name in ("domain", "problem")]
    files += [f"--{name}={folder / name}.txt" for name in ("goals", "plan")]
    ran = run("infer", *files, "--judge")
    assert ran.status == 0
    assert "\x1b" not in ran.out + ran.err


def test_plans_as_planners_write_them(run, tmp_path: Path) -> None:
    folder = written(
        tmp_path, plan="; cost = 2\n0: (turn-on STAIRS) [1]\n1.000: (turn-off hall)  [1.0]\n"
    )
    files = [f"--{name}={folder / name}.pddl" for name in ("domain", "problem")]
    files += [f"--{name}={folder / name}.txt" for name in ("goals", "plan")]
    ran = run("infer", *files)
    assert ran.status == 0
    assert "(turn-on stairs)" in ran.out
    assert "(turn-off hall)" in ran.out


def test_ignored_costs_give_a_warning(run, tmp_path: Path) -> None:
    costly = SWITCHES.replace("(:types lamp)", "(:types lamp) (:functions (total-cost))").replace(
        ":effect (on ?l)", ":effect (and (on ?l) (increase (total-cost) 5))"
    )
    folder = written(tmp_path, domain=costly)
    files = [f"--{name}={folder / name}.pddl" for name in ("domain", "problem")]
    files += [f"--{name}={folder / name}.txt" for name in ("goals", "plan")]
    ran = run("infer", *files)
    assert ran.status == 0
    assert "warning: without (:metric minimize (total-cost)) every action costs 1" in ran.err


@pytest.mark.parametrize(
    ("given", "agent", "file"),
    [
        ("a.plan", "agent", "a.plan"),
        ("ann=a.plan", "ann", "a.plan"),
        ("ann=b=c.plan", "ann", "b=c.plan"),
        ("folder/b=c.plan", "agent", "folder/b=c.plan"),
        ("=a.plan", "agent", "=a.plan"),
        ("ann=", "agent", "ann="),
    ],
)
def test_agents_are_named_before_their_plans(given: str, agent: str, file: str) -> None:
    assert _named_plans((given,)) == ((agent, file),)


@pytest.mark.parametrize("missing", ["--domain", "--problem", "--goals", "--plan"])
def test_missing_arguments_are_wrong_usage(run, missing: str) -> None:
    words = ["--domain", "d", "--problem", "p", "--goals", "g", "--plan", "o"]
    at = words.index(missing)
    assert run("infer", *words[:at], *words[at + 2 :]).status == 2
