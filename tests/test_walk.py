"""The walk through the rooms: a command enters them in order."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PLAIN = ["cli", "observe", "places", "core", "show"]  # what the core judges
OTHER = ["cli", "observe", "world", "plan", "mind", "show"]
PLANS = ["cli", "world", "plan", "mind", "judgement", "show"]  # they need nothing to be observed

FOLLOW = '''
import json, sys
from functools import cached_property
from pathlib import Path

import hbtom.cli

house = Path(hbtom.__file__).parent
codes = []  # held, so that none can have the identity of another
called = {}  # by identity, which is faster to look up than code
returned = {}
shown = []  # functions of "show" that are running
worked = {}  # functions that infer or plan, called while something is shown


def importing(frame):
    """Tell whether a module is being imported: what it runs then is no part of the walk."""
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename != "<string>"


def looking(frame):
    """Tell whether a value is only looked at: reading an attribute is no visit to its room."""
    name, owner = frame.f_code.co_name, type(frame.f_locals.get("self"))
    return name[:2] == "__" or isinstance(getattr(owner, name, None), (property, cached_property))


def watch_showing(frame, event):
    """Note all calls of functions that work things out, not only the first, from within show."""
    code = frame.f_code
    if not code.co_filename.startswith(str(house)) or code.co_name[0] == "<":
        return
    room = Path(code.co_filename).relative_to(house).parts[0]
    if room == "show" and event == "call":
        shown.append(code)
    elif room == "show" and event == "return" and shown:
        shown.pop()
    elif event == "call" and shown and not looking(frame) and not importing(frame):
        if room in ("world", "plan", "mind") or code.co_name in ("judge", "infer_plans", "load"):
            worked.setdefault(f"{room}: {code.co_name}")


def follow(frame, event, _):
    watch_showing(frame, event)
    code = frame.f_code
    if event == "return":
        if id(code) in called:
            returned.setdefault(id(code))
    elif event == "call" and id(code) not in called:
        if code.co_name[0] == "<" or looking(frame) or importing(frame):
            return
        file = Path(code.co_filename)
        codes.append(code)
        called[id(code)] = file.relative_to(house).parts if file.is_relative_to(house) else ()


sys.setprofile(follow)
try:
    hbtom.cli.main(sys.argv[1:], standalone_mode=False)
except SystemExit as end:
    assert not end.code, end.code
finally:
    sys.setprofile(None)
done = [called[code][0] for code in returned if len(called[code]) > 1]
print(json.dumps([done, list(worked)]), file=sys.stderr)
'''


def walk(*command: str, before: str = "") -> tuple[list[str], list[str]]:
    """Return the rooms of all functions that a command calls, by first return.

    The last are functions that infer or plan and were called while something was being shown.
    ``before`` is code to run first.
    """
    run = [sys.executable, "-c", before + FOLLOW, *command]
    finished = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    done, worked = json.loads(finished.stderr.splitlines()[-1])
    return done, worked


def plan_in(world: str, plan: str) -> list[str]:
    files = {"domain": "domain.pddl", "problem": "problem.pddl", "goals": "goals.txt"}
    options = [f"--{option}=worlds/{world}/{file}" for option, file in files.items()]
    return ["infer", *options, f"--plan=worlds/{world}/plans/{plan}.plan"]


COMMANDS = [
    (PLAIN, ["judge", "examples/preference_u.json.zst"]),
    (PLAIN, ["judge", "examples/preference_e.json.zst", "--model=paper"]),
    (PLAIN, ["judge", "examples/preference_e.json.zst", "examples/preference_u.json.zst"]),
    (OTHER, ["judge", "examples/preference_u.json.zst", "--model=outdated.toml"]),
    (PLANS, [*plan_in("doors-keys-gems", "turns-back"), "--judge"]),
    (PLANS[:-2] + PLANS[-1:], plan_in("unreliable-gripper", "cup")),
    (PLANS, ["attribute", "worlds/trucks.toml"]),
]


@pytest.mark.parametrize(("rooms", "command"), COMMANDS, ids=lambda one: " ".join(one[:2]))
def test_rooms_are_entered_in_order(rooms: list[str], command: list[str], tmp_path: Path) -> None:
    """In each room, a function returns only after one has returned in all earlier rooms."""
    model = tmp_path / "outdated.toml"
    model.write_text('base = "default"\n[hypotheses]\noutdated = 0.1\n')
    done, worked = walk(*(one.replace("outdated.toml", str(model)) for one in command))
    assert list(dict.fromkeys(room for room in done if room in rooms)) == rooms
    assert worked == []  # printing does not judge, and a sentence does not infer


JUDGE_AGAIN = """
import hbtom
import hbtom.show.words
from hbtom.show import terminal, words

whole = words.explain


def explain(account):
    hbtom.judge("examples/preference_u.json.zst")
    return whole(account)


explain.__code__ = explain.__code__.replace(co_filename=words.__file__)
words.explain = terminal.explain = explain
"""


def test_judging_while_showing_is_noticed() -> None:
    _, worked = walk("judge", "examples/preference_e.json.zst", before=JUDGE_AGAIN)
    assert "judgement: judge" in worked
