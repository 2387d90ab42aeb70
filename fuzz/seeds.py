"""Small good inputs of every kind, made by code, to be turned into strange ones."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))  # where small episodes, scenes and worlds are made

import bombs  # noqa: E402
import domains  # noqa: E402
import episodes  # noqa: E402
import scenes  # noqa: E402
import tracked  # noqa: E402
from errands import FILES as FILES  # noqa: E402
from hbtom.observe import Episode, Trial, writing  # noqa: E402

LETTERS = """
(define (domain letters)
  (:requirements :typing :negative-preconditions :action-costs)
  (:types place - object house - place)
  (:constants office - place)
  (:predicates (at ?p - place) (road ?a ?b - place) (given ?h - house) (tired))
  (:functions (total-cost) - number (far ?a ?b - place) - number)
  (:action go :parameters (?a ?b - place)
    :precondition (and (at ?a) (or (road ?a ?b) (road ?b ?a)))
    :effect (and (not (at ?a)) (at ?b) (not (tired))
      (increase (total-cost) (far ?a ?b))))
  (:action give :parameters (?h - house)
    :precondition (and (at ?h) (not (given ?h)) (forall (?o - place) (or (at ?h) (at ?o))))
    :effect (and (given ?h) (increase (total-cost) 1))))
"""
STREET = """
(define (problem street) (:domain letters)
  (:objects one two - house)
  (:init (at office) (tired) (road office one) (road one two)
    (= (far office one) 2) (= (far one office) 2) (= (far one two) 1) (= (far two one) 1)
    (= (total-cost) 0))
  (:goal (given two)) (:metric minimize (total-cost)))
"""
GOALS = "first: (given one)\nboth: (and (given one) (given two))\n"
PLAN = "(go office one)\n(give one)\n(go one two)\n"

WALK = """
(define (domain walk)
  (:predicates (open) (lies ?k) (has ?k) (free))
  (:functions (x) (width) (door))
  (:derived (stuck) (and (not (open)) (= (x) (door))))
  (:action step :precondition (and (< (x) (width)) (not (stuck))) :effect (increase (x) 1))
  (:action back :precondition (> (x) 0) :effect (and (decrease (x) 1) (when (open) (free))))
  (:action take :parameters (?k) :precondition (and (lies ?k) (= (x) 1))
    :effect (and (not (lies ?k)) (has ?k)))
  (:action use :parameters (?k) :precondition (and (has ?k) (stuck))
    :effect (forall (?o) (when (has ?o) (open)))))
"""
HALL = """
(define (problem hall) (:domain walk) (:objects k l)
  (:init (= (x) 0) (= (width) 4) (= (door) 2) (lies k)))
"""

PDDL: tuple[dict[str, str], ...] = (
    {
        "domain.pddl": WALK,
        "problem.pddl": HALL,
        "goals.txt": "far: (>= (x) 4)\nkey: (has k)\n",
        "seen.plan": "(step)\n...\n(step) => (stuck)\n... => (open)\n",
    },
    {"domain.pddl": LETTERS, "problem.pddl": STREET, "goals.txt": GOALS, "seen.plan": PLAN},
    {
        "domain.pddl": domains.SWITCHES,
        "problem.pddl": domains.LAMPS,
        "goals.txt": "dark: (and (not (on hall)) (not (on stairs)))\nlight: (on stairs)\n",
        "seen.plan": "(turn-off hall)\n?\n(turn-on stairs)\n",
    },
    {
        name: text.read_text(encoding="utf-8")
        for name, text in (
            ("domain.pddl", domains.EXAMPLES / "unreliable-gripper" / "domain.pddl"),
            ("problem.pddl", domains.EXAMPLES / "unreliable-gripper" / "problem.pddl"),
            ("goals.txt", domains.EXAMPLES / "unreliable-gripper" / "goals.txt"),
            (
                "seen.plan",
                min((domains.EXAMPLES / "unreliable-gripper" / "plans").glob("*.plan")),
            ),
        )
    },
)


@cache
def bib() -> tuple[Any, ...]:
    """Return episodes as plain values: one with objects, one with key and lock, one with others."""
    plain = episodes.every_frame(episodes.simple_episode(1), _fewer_walls)
    crowded = json.loads(writing.write(scenes.read(scenes.scene(*scenes.CROWDED, scenes.CARRIED))))
    others = episodes.every_frame(crowded, _fewer_walls)
    return plain, episodes.episode(episodes.key_trial(wait=1)), others


SCENE = """\
size = [200, 200]
units = "px"
walls = [[90, 0, 20, 80]]
objects = [{name = "food", at = [150, 40]}, {name = "nest", at = [150, 160], radius = 8}]
[agent]
name = "mouse"
[track]
likelihood = 0.6
noise = 0
[[trials]]
frames = [0, 9]
[[trials]]
frames = [10, 19]
"""


@cache
def tracks() -> tuple[tuple[str, bytes], ...]:
    """Return tracks by their names: a plain table, a trajectory, DeepLabCut and SLEAP."""
    way = [(at, 30 + 3 * at, 100 + at) for at in range(20)]
    plain = "".join(f"{at},a,{x},{y},0.9\n" for at, x, y in way)
    timed = "".join(f"{at / 25},{x},{y}\n" for at, x, y in way)
    dated = "".join(f"2024-05-01 12:00:{at:02},POINT ({x} {y})\n" for at, x, y in way)
    episode = Episode((Trial.from_arrays([one[1:] for one in way], {"food": (150, 40)}),))
    with tempfile.TemporaryDirectory() as folder:
        table, packed, analysis = (Path(folder) / name for name in ("a.csv", "a.h5", "b.h5"))
        tracked.deeplabcut_csv(episode, table)
        tracked.deeplabcut_h5(episode, packed)
        tracked.sleap(episode, analysis)
        return (
            ("plain.csv", f"frame,id,x,y,likelihood\n{plain}".encode()),
            ("timed.csv", f"time,x,y\n{timed}".encode()),
            ("dated.csv", f"t,geometry\n{dated}".encode()),
            ("table.csv", table.read_bytes()),
            ("table.h5", packed.read_bytes()),
            ("analysis.h5", analysis.read_bytes()),
        )


@cache
def hdf5(name: str) -> bytes:
    """Return one of the files that are refused before they are read."""
    with tempfile.TemporaryDirectory() as folder:
        bombs.write(name, Path(folder) / "a.h5")
        return (Path(folder) / "a.h5").read_bytes()


def _fewer_walls(frame: dict[str, Any]) -> None:
    frame["walls"] = frame["walls"][:4]


@cache
def mcs() -> tuple[Any, ...]:
    """Return scenes as plain values: objects, things that are not modelled, a key."""
    return (
        scenes.preference(times=1),
        scenes.scene(*scenes.CROWDED, scenes.CARRIED),
        scenes.key_scene(),
    )


@cache
def pictures() -> tuple[Any, ...]:
    """Return the pictures of a film, as arrays [row column 3]."""
    from hbtom.observe.video.pictures import pictures as decoded
    from hbtom.show.plots.movie import animate

    shown = episodes.read(episodes.simple_episode(1))
    return tuple(decoded(animate(shown, "gif", scale=1)))


def film(shown: Sequence[Any], name: str) -> bytes:
    """Return pictures as a film, a GIF or an MP4."""
    from PIL import Image

    from films import film as filmed

    if name.endswith(".gif"):
        sink = io.BytesIO()
        first, *rest = map(Image.fromarray, shown)
        first.save(sink, "GIF", save_all=True, append_images=rest, duration=40)
        return sink.getvalue()
    with tempfile.TemporaryDirectory() as made:
        return filmed(Path(made) / name, shown).read_bytes()


@cache
def videos() -> tuple[tuple[str, bytes], ...]:
    """Return videos with their names."""
    return tuple((name, film(pictures(), name)) for name in ("film.gif", "film.mp4"))


@cache
def pair() -> dict[str, bytes]:
    """Return the two files of a pair, by name."""
    one, other = episodes.HEART.at(80, 60), episodes.SPOON.at(80, 140)
    often = episodes.to_thing(one, others=[other])
    last = episodes.to_thing(other, others=[one])
    files = {"000001e": (often, often), "000001u": (often, last)}
    return {
        f"preference/{name}.json": episodes.to_bytes(
            episodes.every_frame(episodes.episode(*trials), _fewer_walls)
        )
        for name, trials in files.items()
    }


def pairs() -> dict[str, bytes]:
    """Return the files of three pairs of two tasks."""
    other = {name.replace("01", "02"): data for name, data in pair().items()}
    third = {name.replace("preference", "multi_agent"): data for name, data in pair().items()}
    return {**pair(), **other, **third}


def write(files: dict[str, bytes], folder: Path) -> None:
    """Write files into a folder, all with the same date."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
        os.utime(folder / name, (0, 0))


@cache
def archive() -> Any:
    """Return an archive of a pair, as a table."""
    from pyarrow import parquet

    from hbtom.bench.dataset_packing import pack

    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write(pair(), folder / "data")
        pack(folder / "data", folder / "data.parquet", workers=1)
        return parquet.read_table(folder / "data.parquet")


@cache
def results() -> Sequence[Any]:
    """Return the rows of a results file."""
    from hbtom.bench.evaluation import evaluate

    with tempfile.TemporaryDirectory() as made:
        write(pair(), Path(made) / "data")
        rows = evaluate(Path(made) / "data", workers=1).rows
        return [replace(row, file=str(Path(row.file).relative_to(made))) for row in rows]


LABELS: tuple[dict[str, Any], ...] = (
    {"file": "preference/000001e.json", "pair": "1", "label": "expected", "task": "preference"},
    {"file": "preference/000001u.json", "pair": "1", "label": "unexpected", "task": "preference"},
)


@cache
def models() -> tuple[str, ...]:
    """Return models as TOML: every preset, and changes to one."""
    from hbtom.model import Model, presets

    changed = 'base = "default"\n[efficiency]\nscale = 2.0\n[observation]\nnoise = 1.0\n'
    return (*(Model.preset(name).to_toml() for name in presets()), changed)


BELIEFS: tuple[dict[str, Any], ...] = tuple(
    {"scenario": scenario, "time": time, "goal": goal, "probability": chance}
    for scenario in "abc"
    for time, chances in enumerate([(0.5, 0.5), (0.75, 0.25)])
    for goal, chance in zip("xy", chances, strict=True)
)
MEASURES: tuple[dict[str, Any], ...] = tuple(
    {**{name: row[name] for name in ("scenario", "time", "goal")}, "participant": person}
    | {"category": "one", "rating": row["probability"]}
    for person in ("p", "q")
    for row in BELIEFS
)


TWO_PLACES = '''
picture = """
1@#2
....
..#3
"""
things = { b = "1", c = "3" }
known = ["b"]
missing = ["a"]
[[paths]]
moves = "S SE wait"
agent = "x"
[[paths]]
start = [3, 2]
moves = "N"
agent = "x"
'''


@cache
def gridworlds() -> tuple[str, ...]:
    """Return gridworlds as TOML: the example, and one with two hidden places."""
    example = Path(__file__).parents[1] / "worlds" / "trucks.toml"
    return example.read_text(encoding="utf-8"), TWO_PLACES
