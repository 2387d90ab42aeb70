"""The walk through the rooms: a command enters them in order, and seldom goes back."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ["cli", "observe", "world", "plan", "mind", "judgement", "show"]
MOST_CHANGES = 20  # of room; every function counts once, at its first call

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
entered = [parts[0] for parts in called.values() if len(parts) > 1]
done = [called[code][0] for code in returned if len(called[code]) > 1]
print(json.dumps([entered, done, list(worked)]), file=sys.stderr)
'''


def walk(*command: str, before: str = "") -> tuple[list[str], list[str], list[str]]:
    """Return the rooms of all functions that a command calls, by first call and by first return.

    The last are functions that infer or plan and were called while something was being shown.
    ``before`` is code to run first.
    """
    run = [sys.executable, "-c", before + FOLLOW, *command]
    finished = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, check=True)
    entered, done, worked = json.loads(finished.stderr.splitlines()[-1])
    return entered, done, worked


def plan_in(world: str, plan: str) -> list[str]:
    files = {"domain": "domain.pddl", "problem": "problem.pddl", "goals": "goals.txt"}
    options = [f"--{option}=worlds/{world}/{file}" for option, file in files.items()]
    return ["infer", *options, f"--plan=worlds/{world}/plans/{plan}.plan"]


COMMANDS = [
    ["judge", "examples/preference_u.json.zst"],
    ["judge", "examples/preference_e.json.zst", "--model=paper"],
    ["judge", "examples/preference_e.json.zst", "examples/preference_u.json.zst"],
    [*plan_in("doors-keys-gems", "turns-back"), "--judge"],
    plan_in("unreliable-gripper", "cup"),
    ["attribute", "worlds/trucks.toml"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:2]))
def test_rooms_are_entered_in_order_and_seldom_left(command: list[str]) -> None:
    """In each room, a function returns only after one has returned in all earlier rooms."""
    entered, done, worked = walk(*command)
    rooms = ROOMS if command[0] == "judge" else [room for room in ROOMS if room != "observe"]
    done = [room for room in done if room in rooms]  # plans do not need the room observe
    assert list(dict.fromkeys(done)) == [room for room in rooms if room in done]
    way = [room for room, _ in groupby(entered)]
    assert len(way) - 1 <= MOST_CHANGES, " > ".join(way)
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
    _, _, worked = walk("judge", "examples/preference_e.json.zst", before=JUDGE_AGAIN)
    assert "judgement: judge" in worked
