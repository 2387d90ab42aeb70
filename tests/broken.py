"""A catalogue of input that cannot be judged, and what each error message must name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import scenes
from episodes import HEART, Json, every_frame, simple_episode, to_bytes

FIELDS = ("size", "walls", "objects")  # every frame must have these
ENTITY_FIELDS = ("agent", "objects", "pin", "key")
HUGE = ("1e308", "-1e308", "1e309", "1" + "0" * 400, "-1" + "0" * 400)


@dataclass(frozen=True)
class Broken:
    """The bytes of a file that is not an episode, and words that its error message must contain."""

    name: str
    data: bytes
    words: tuple[str, ...] = ()


PLACE = ("trial 2", "frame 5")


@cache
def catalogue() -> tuple[Broken, ...]:
    """Return the whole catalogue."""
    return (
        *_not_episodes(),
        *_wrong_shapes(),
        *_wrong_values(),
        *_impossible_worlds(),
        *_broken_scenes(),
    )


def _not_episodes() -> Iterator[Broken]:
    data = to_bytes(simple_episode())
    yield Broken("empty", b"", ("empty",))
    yield Broken("white space", b" \n\t\r\n", ("empty",))
    yield Broken("words", b"once upon a time", ("not JSON",))
    yield Broken("zeros", bytes(100), ("not JSON",))
    yield Broken("an object", b'{"trials": []}', ("object",))
    yield Broken("no trials", b"[]", ("no trials",))
    yield Broken("an empty trial", b"[[]]", ("trial 1", "no frames"))
    yield Broken("two documents", data + data, ("not JSON",))
    yield Broken("another coding", data.decode().encode("utf-16"), ("not JSON",))
    yield Broken("broken coding", data.replace(b"heart", b"\xff\xfe"))
    for share in (0.0001, 0.1, 0.35, 0.6, 0.85, 0.9999):
        yield Broken(f"cut off at {share:.2%}", data[: int(share * len(data)) or 1], ("cut off",))
    yield Broken("deep lists", b"[" * 100_000 + b"]" * 100_000)
    yield Broken("deep lists without an end", b"[" * 100_000)
    yield Broken("deep objects", b'[[{"size":' * 30_000)
    for field in ("agent", "blocking"):
        deep = "[" * 100_000 + "]" * 100_000
        yield Broken(f"deep '{field}'", _with_text(field, deep), ("nested too deeply",))


def _wrong_shapes() -> Iterator[Broken]:
    for value in (None, True, 7, "episode"):
        yield Broken(f"only {value!r}", json.dumps(value).encode())
        yield Broken(f"a trial {value!r}", json.dumps([value]).encode(), ("trial 1",))
        yield Broken(f"a frame {value!r}", json.dumps([[value]]).encode(), ("trial 1", "frame 1"))
    yield Broken("a frame that is a list", b"[[[1, 2]]]", ("trial 1", "frame 1"))
    yield Broken("an empty frame", b"[[{}]]", ("trial 1", "frame 1", "field 'size'"))
    for field in FIELDS:
        yield Broken(f"no '{field}'", _without(field), (*PLACE, f"field '{field}'"))
    for field in (*FIELDS, "agent", "fuse_walls", "pin", "key"):
        for value in (None, True, 3, "text", {}, [[]], [None], [[[[[]]]]]):
            if field != "agent" or value is not None:  # the agent may be out of sight
                yield _broken(f"{field} {value!r}", field, value)
    for value in ([200], [200, 200, 200], ["200", "200"], [None, 200], [True, True]):
        yield _broken(f"size {value!r}", "size", value)
    for value in ([[0, 0]], [[[0, 0], [20]]], [[[0, 0], [20, 20], []]], [[[0, "0"], [20, 20]]]):
        yield _broken(f"walls {value!r}", "walls", value)
        yield _broken(f"fuse_walls {value!r}", "fuse_walls", value)
    for entity in (
        [[50, 50], 6, "agent.png"],
        [[50, 50], 6, "agent.png", [0, 0, 0], 1],
        [[50], 6, "agent.png", [0, 0, 0]],
        [[50, 50], 6, "agent.png", "black"],
        [[50, 50], 6, "agent.png", ["black"]],
        [[50, 50], 6, 3, [0, 0, 0]],
        [[50, 50], 6, None, [0, 0, 0]],
        [[50, 50], "6", "agent.png", [0, 0, 0]],
        [[50, None], 6, "agent.png", [0, 0, 0]],
        [[[[50, 50], 6, "agent.png", [0, 0, 0]]]],
    ):
        for field in ENTITY_FIELDS:
            value = entity if field == "agent" else [entity]
            yield _broken(f"{field} {value!r}", field, value)


def _wrong_values() -> Iterator[Broken]:
    for number in ("NaN", "Infinity", "-Infinity", *HUGE):
        short = number[:9]
        for field, text in (
            ("size", f"[200, {number}]"),
            ("walls", f"[[[0, {number}], [20, 20]]]"),
            ("walls", f"[[[0, 0], [20, {number}]]]"),
            ("fuse_walls", f"[[[{number}, 0], [20, 20]]]"),
            ("agent", f'[[{number}, 50], 6, "a.png", [0, 0, 0]]'),
            ("agent", f'[[50, 50], {number}, "a.png", [0, 0, 0]]'),
            ("objects", f'[[[50, {number}], 9, "o.png", [0, 0, 0]]]'),
            ("pin", f'[[[50, {number}], 8, "k.png", [0, 0, 0]]]'),
            ("key", f'[[[{number}, 50], 8, "k.png", [0, 0, 0]]]'),
        ):
            yield Broken(
                f"{field} {short} in {text[:20]}",
                _with_text(field, text),
                (*PLACE, f"field '{field}'"),
            )
    for radius in (0, -6, -1e-9):
        for field in ENTITY_FIELDS:
            entity = [[50, 50], radius, "thing.png", [0, 0, 0]]
            value = entity if field == "agent" else [entity]
            yield _broken(f"{field} with radius {radius}", field, value)
    for extent in ([-20, 20], [20, -1]):
        yield _broken(f"walls of {extent}", "walls", [[[40, 40], extent]])


def _impossible_worlds() -> Iterator[Broken]:
    for size in ([0, 0], [0, 200], [200, 0], [-200, 200], [1e9, 1e9], [200, 100_000]):
        yield _everywhere(f"a world of {size}", {"size": size}, "trial 1, frame 1, field 'size'")
    yield _everywhere("no objects", {"objects": []}, "trial 1, frame 1, field 'objects'")
    for x in (-7, 250):
        outside = [[x, 50], 6, "a.png", [0, 0, 0]]
        yield _broken(f"agent at x = {x}", "agent", outside, "outside")
    far = HEART.at(100, 300).entity()
    for field in ("objects", "pin", "key"):
        where = f"trial 1, frame 1, field '{field}'"
        yield _everywhere(f"{field} outside the world", {field: [far]}, where, "outside")
    whole = [[[0, 0], [200, 200]]]
    yield _everywhere("the agent inside a wall", {"walls": whole}, "trial 1, frame 1", "inside")


def _broken(name: str, field: str, value: Json, *words: str) -> Broken:
    return Broken(name, _with_text(field, json.dumps(value)), (*PLACE, f"field '{field}'", *words))


def _everywhere(name: str, values: dict[str, Json], *words: str) -> Broken:
    changed = every_frame(simple_episode(), lambda frame: frame.update(values))
    return Broken(name, to_bytes(changed), words)


def _at_place(change: Callable[[dict[str, Json]], object]) -> bytes:
    episode = simple_episode()
    change(episode[1][4])
    return to_bytes(episode)


def _without(field: str) -> bytes:
    return _at_place(lambda frame: frame.pop(field))


def _with_text(field: str, text: str) -> bytes:
    """Return the episode with any text, JSON or not, as the value of one field of one frame."""
    return _with_gap(field).replace(b'"put it here"', text.encode())


@cache
def _with_gap(field: str) -> bytes:
    return _at_place(lambda frame: frame.update({field: "put it here"}))


# Scenes of Machine Common Sense

SHAPE = "a scene has"


def _broken_scenes() -> Iterator[Broken]:
    data = to_bytes(scenes.preference())
    yield Broken("an object that is no scene", b'{"goal": {}, "objects": []}', ("not a", SHAPE))
    yield Broken("a scene without objects", b'{"goal": {"action_list": []}}', ("not a", SHAPE))
    yield Broken("a scene without steps", b'{"goal": {"action_list": []}, "objects": []}', ("no ",))
    for share in (0.01, 0.5, 0.999):
        yield Broken(
            f"a scene cut off at {share:.1%}", data[: int(share * len(data))], ("cut off",)
        )
    yield Broken("a deep scene", data.replace(b'"name"', b'"deep": ' + b"[" * 100_000))
    yield Broken("two scenes", data + data, ("not JSON",))
    for word in (b"NaN", b"-Infinity"):
        text = data.replace(b'"x": ', b'"x": ' + word + b', "was": ', 1)
        place = ("not a number", "object 'agent_", "step 0", "field 'position.x'")
        yield Broken(f"a scene with {word.decode()}", text, place)
    text = data.replace(b'"name"', b'"NaN": NaN, "name"', 1)
    yield Broken("a scene with NaN in a field that means nothing", text, ("not a number",))
    for value in (7, None, {}, [7], ["Pass"], [[7]]):
        yield _scene(f"actions {value!r}", _set("goal", "action_list", value), "goal.action_list")
    for value in (-1, "9", 1.5, 1 << 50):
        yield _scene(f"last step {value!r}", _set("goal", "last_step", value), "goal.last_step")
    for value in (7, None, {}):
        yield _scene(f"objects {value!r}", lambda s, v=value: s.update(objects=v), "objects")
    yield _scene("an object that is a list", lambda s: s["objects"].append([]), "object 'number 9'")
    yield _scene("an object without id", lambda s: s["objects"].append({"type": "cube"}), "'id'")
    agent = "object 'agent_"
    yield _thing("no type", lambda agent: agent.pop("type"), agent, "'type'")
    for value in (7, None, "now", [7], [None]):
        yield _thing(f"shows {value!r}", lambda a, v=value: a.update(shows=v), agent, "'shows")
        yield _thing(f"hides {value!r}", lambda a, v=value: a.update(hides=v), agent, "'hides")
    for value in (7, "red", [7], {}):
        yield _thing(f"materials {value!r}", lambda a, v=value: a.update(materials=v), agent)
    for value in (None, [], {"x": 1}, {"x": "1", "z": 2}, {"x": 1e9, "z": 2}, {"x": 0, "z": -26}):
        words = agent, "step 3", "field 'position"
        yield _show(f"position {value!r}", lambda s, v=value: s.update(position=v), *words)
    for value in (7, {"y": "left"}, {"y": 1e300}):
        words = agent, "step 3", "field 'rotation"
        yield _show(f"rotation {value!r}", lambda s, v=value: s.update(rotation=v), *words)
    for value in (-1, "2", None, 0.5):
        yield _show(f"step {value!r}", lambda s, v=value: s.update(stepBegin=v), agent, "stepBegin")
    for value in ("1" + "0" * 400, "1" + "0" * 5000):  # too long for Python to print
        text = _show("", lambda s: s.update(stepBegin="HUGE")).data.replace(
            b'"HUGE"', value.encode()
        )
        yield Broken(f"scene: step of {len(value)} digits", text, (agent, "stepBegin"))
    for more in (b'"shows": 7', b'"mass": 1e999', b'"mass": 1' + b"0" * 5000, b'"mass": "\xff"'):
        text = _show("", lambda s: s.update(stepBegin=-1)).data
        text = text.replace(b'"kinematic": true', more, 1)
        yield Broken(f"scene: a wrong step, and {more[:16]!r}", text, (agent, "stepBegin"))
    yield _thing("an id that says too much", lambda a: a.update(id="agent_" + "x\n" * 900, type=7))
    yield _thing(
        "nobody", lambda a: a.update(id="somebody"), "trial 1", "step 0", "no agent is seen"
    )
    yield _thing("off the stage", _outside, "trial 1", agent, "step 0", "never inside the world")
    yield _scene("an id twice", _twice, "object 'object_", "two things have this id")
    yield _scene("no goal", lambda s: _drop(s, "object_"), "trial 1", "there are no objects")
    yield _scene(
        "a goal off the stage", _goal_outside, "trial 1", "object 'object_", "step 0", "outside"
    )
    yield _scene("far too many things", _many, "goal.action_list", "6003 things")
    yield _scene("walls everywhere", _walled, "trial 1", "inside a wall")


def _scene(name: str, change: Callable[[Json], object], *words: str) -> Broken:
    made = scenes.preference()
    change(made)
    return Broken(f"scene: {name}", to_bytes(made), words)


def _set(part: str, field: str, value: Json) -> Callable[[Json], object]:
    return lambda scene: scene[part].update({field: value})


def _thing(name: str, change: Callable[[Json], object], *words: str) -> Broken:
    return _scene(name, lambda scene: change(scenes.things(scene, "agent")[0]), *words)


def _show(name: str, change: Callable[[Json], object], *words: str) -> Broken:
    """Change the agent's second appearance, at step 3, before which it stands still."""
    return _thing(name, lambda agent: change(agent["shows"][1]), *words)


def _outside(agent: Json) -> None:
    for show in agent["shows"]:
        show["position"]["x"] = 7


def _goal_outside(scene: Json) -> None:
    scenes.things(scene, "object_")[0]["shows"][0]["position"]["z"] = -3


def _drop(scene: Json, prefix: str) -> None:
    for thing in scenes.things(scene, prefix):
        scene["objects"].remove(thing)


def _twice(scene: Json) -> None:
    scene["objects"].append(scenes.things(scene, "object_")[0])


def _many(scene: Json) -> None:
    """Show things at so many steps that their positions would fill the memory."""
    scene["goal"] = {"action_list": [["Pass"]] * 1000}
    scene["objects"] += [{"id": f"other_agents_{n}", "type": "blob_02"} for n in range(6000)]


def _walled(scene: Json) -> None:
    for side in scenes.things(scene, "wall_grid"):
        side["shows"][0]["scale"] = {"x": 5, "y": 1, "z": 5}
