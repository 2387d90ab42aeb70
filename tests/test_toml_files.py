"""Reading TOML: what would take too long, or is too large a number, is refused in one line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from hbtom import BadInput
from hbtom.cli.sweep import read_settings
from hbtom.toml_files import PARTS, parse_toml

SCENE = """\
size = [200, {}]
objects = [{{name = "food", at = [150, 40]}}]
[[trials]]
frames = [0, 9]
"""
WORLD = """\
picture = "@.1"
things = {{a = "1"}}
[[paths]]
moves = "E"
start = [1, {}]
"""
MODEL = 'base = "default"\n[efficiency]\nscale = {}\n'
READ = {
    "scene": (SCENE, ("judge", "t.csv", "--scene")),
    "world": (WORLD, ("attribute",)),
    "model": (MODEL, ("model", "show")),
}
TOO_MANY = "9" * 5000, "-" + "9" * 30, "0x" + "f" * 5000


def refused(folder: Path, text: str, words: Sequence[str]) -> str:
    """Return the message with which a command refuses a file; it must not take forever."""
    rows = (f"{at},a,{30 + 3 * at},{100 + at}\n" for at in range(20))
    (folder / "t.csv").write_text("frame,id,x,y\n" + "".join(rows))
    (folder / "a.toml").write_text(text)
    command = [sys.executable, "-m", "hbtom", *words, "a.toml"]
    ran = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.count("\n") == 1
    assert len(ran.stderr) < 300
    return ran.stderr


@pytest.mark.parametrize("digits", TOO_MANY, ids=["decimal", "thirty", "hexadecimal"])
@pytest.mark.parametrize("what", READ)
def test_integers_of_many_digits_are_refused(what: str, digits: str, tmp_path: Path) -> None:
    text, words = READ[what]
    assert "a.toml: an integer has too many digits." in refused(
        tmp_path, text.format(digits), words
    )


@pytest.mark.parametrize("what", READ)
def test_keys_of_many_parts_are_refused_at_once(what: str, tmp_path: Path) -> None:
    text, words = READ[what]
    keys = f"{text.format(1)}{'.'.join('a' * 1_000_000)} = 1\n"
    assert f"a.toml: a key has more than {PARTS} parts." in refused(tmp_path, keys, words)


LONG = ".".join("a" * (PARTS + 1))


@pytest.mark.parametrize(
    "text",
    [
        f"{LONG} = 1",
        f"[{LONG}]",
        f"[[{LONG}]]",
        f"x = {{ y = 1, {LONG} = 1 }}",
        " . ".join(['"a"', "'a'", "a"] * PARTS) + " = 1",
        f'x = """a""""\n{LONG} = 1\ny = """"""',
        f"x = '''a''''\n{LONG} = 1\ny = ''''''",
        f'# """\n{LONG} = 1\n# """',
        f'x = "\\"" # """\n{LONG} = 1',
        f'x = "\\\\"\n{LONG} = 1 # "',
    ],
)
def test_no_key_of_many_parts_is_overlooked(text: str) -> None:
    with pytest.raises(BadInput, match="a key has more"):
        parse_toml(text)


@pytest.mark.parametrize(
    "text", [f'x = "{LONG}"', f"x = '''\n{LONG}'''", f'x = """{LONG}"""', f"# {LONG}\nx = 1"]
)
def test_text_is_not_mistaken_for_keys(text: str) -> None:
    assert list(parse_toml(text)) == ["x"]


@pytest.mark.parametrize(
    "unit", ['\\"""\n', '"""\\"', "'''\"\"\"", '",', "a", "a.", '# "\n', "a ", '"\n', "'\""]
)
def test_looking_for_keys_takes_linear_time(unit: str) -> None:
    """Some quadratic search would take hours for this much."""
    with suppress(ValueError):
        parse_toml(unit * (3_000_000 // len(unit)) + "\\")


def test_settings_may_not_have_many_digits_either() -> None:
    with pytest.raises(BadInput, match="does not set a parameter"):
        read_settings(["efficiency.scale=" + "9" * 5000])
