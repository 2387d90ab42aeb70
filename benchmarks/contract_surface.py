"""What users hold on to in hbtom that can be seen without judging anything.

These are the verbs and options, the public names, the models, and the extras.
"""

from __future__ import annotations

import importlib.metadata
import inspect
import os
import re
import subprocess
import sys
import tomllib
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import hbtom as package

FORMER = ("judge_plans",)  # public names that still work, but are not listed
ENVIRON = {"NUMBA_DISABLE_JIT": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "COLUMNS": "80"}


def hbtom(
    words: Sequence[str], folder: Path, program: Sequence[str] = ("-m", "hbtom")
) -> dict[str, Any]:
    """Run a command in a folder and return its status and what it printed."""
    environ = os.environ | ENVIRON | {"HBTOM_CACHE": str(folder / "cache")}
    roots = [os.path.abspath(part) for part in sys.path if Path(part, "hbtom").is_dir()]
    environ["PYTHONPATH"] = os.pathsep.join(roots)
    done = subprocess.run(
        [sys.executable, *program, *words],
        cwd=folder, env=environ, capture_output=True, encoding="utf-8", check=False, timeout=600,
    )  # fmt: skip
    return {"status": done.returncode, "stdout": done.stdout, "stderr": done.stderr}


def verbs(*words: str) -> dict[str, Any]:
    """Return the arguments and options of a verb and of the verbs below it, from its help."""
    text = re.sub(r"-\n\s+", "-", hbtom([*words, "--help"], Path.cwd())["stdout"])
    usage, *sections = re.split(r"\n\n", text)
    found: dict[str, Any] = {}
    options: dict[str, str] = {}
    for section in sections:
        heading, *lines = section.strip("\n").split("\n")
        if not re.fullmatch(r"\S.*:", heading):
            continue  # a paragraph
        entries = re.split(r"\n  (?=\S)", "\n" + "\n".join(lines))[1:]
        for entry in entries:
            name = re.match(r"--?[\w-]+(?:(?:, | / )--?[\w-]+)*", entry)
            if not heading.startswith("Options") or name is None:
                found |= verbs(*words, entry.split()[0])
                continue
            kind = re.split(r"  |\n", entry[name.end() :])[0].strip()  # such as PATH
            limits = re.search(r"\[[^\]]*\]$", " ".join(entry.split()))
            options[name[0]] = f"{kind} {limits[0] if limits else ''}".strip()
    arguments = " ".join(usage.split()).partition("[OPTIONS]")[2].strip()
    return {" ".join(words) or "hbtom": {"arguments": arguments, "options": options}} | found


def names() -> dict[str, Any]:
    """Return the public names with their signatures, and the members of classes."""
    known = {*dir(package), *FORMER} - {"__version__"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        there = [name for name in sorted(known) if hasattr(package, name)]
        return {name: described(getattr(package, name)) for name in there}


def described(thing: Any) -> Any:
    """Return the arguments of a function or class, and the members of a class."""
    if not isinstance(thing, type):
        return {"arguments": arguments(thing)} if callable(thing) else type(thing).__name__
    members = {name: inspect.getattr_static(thing, name, None) for name in attributes(thing)}
    return {
        "arguments": arguments(thing),
        "members": {
            name: arguments(getattr(thing, name))
            if isinstance(member, classmethod | staticmethod) or inspect.isfunction(member)
            else "value"
            for name, member in members.items()
        },
        "is a": [one.__name__ for one in thing.__mro__[1:-1] if one.__module__ == "builtins"],
    }


def arguments(thing: Any) -> dict[str, Any]:
    """Return the default, the type and, if it is not the usual one, the kind of each argument."""
    try:
        signature = inspect.signature(thing)
    except (NameError, TypeError, ValueError):  # annotations that msgspec cannot resolve
        return dict.fromkeys(getattr(thing, "__struct_fields__", ()), "field")
    written = {} if inspect.isroutine(thing) else getattr(thing, "__annotations__", {})
    found = {"return": {"type": str(signature.return_annotation)}}
    for name, one in signature.parameters.items():
        says = {"type": str(written.get(name, one.annotation))}
        if one.default is not one.empty:
            says["default"] = re.sub(" at 0x.*", ">", repr(one.default))
        if one.kind is not one.POSITIONAL_OR_KEYWORD:
            says["kind"] = one.kind.description
        found[name] = says
    untyped = str(inspect.Signature.empty)
    return {
        name: {key: text for key, text in says.items() if text != untyped}
        for name, says in found.items()
        if name != "self" and (name != "return" or says["type"] not in (untyped, "None"))
    }


def models() -> dict[str, Any]:
    """Return fingerprint, keys and values of each preset."""
    listed = hbtom(["model", "list"], Path.cwd())["stdout"].splitlines()
    found = {}
    for preset in (line.split()[0] for line in listed if line.strip()):
        text = hbtom(["model", "show", preset], Path.cwd())["stdout"]
        mark = re.search(r"^# fingerprint (\w+)", text)
        found[preset] = {"fingerprint": mark[1] if mark else "", "keys": tomllib.loads(text)}
    return found


def extras() -> dict[str, Any]:
    """Return what hbtom needs (the extra ``""``), and what each extra for users adds."""
    found: dict[str, Any] = {"": {}}
    for one in importlib.metadata.metadata("hbtom").get_all("Provides-Extra") or ():
        found[one] = {}
    for one in importlib.metadata.requires("hbtom") or ():
        package, _, when = one.partition(";")
        extra = re.search(r"extra == ['\"]([\w-]+)", when)
        name, version = re.fullmatch(r"([\w.\[\],-]+)\s*(.*?)\s*", package).groups()
        found[extra[1] if extra else ""][name] = version
    return {extra: needed for extra, needed in found.items() if extra not in ("dev", "docs")}


def attributes(cls: type) -> list[str]:
    """Return the public attributes of the values of a class."""
    fields: set[str] = set(dir(cls))
    for base in cls.__mro__:
        fields |= {*inspect.get_annotations(base), *getattr(base, "_fields", ())}
    inherited = {*dir(tuple), *dir(Exception)} - {*getattr(cls, "_fields", ())}
    return sorted(name for name in fields - inherited if not name.startswith("_"))


STATIC: dict[str, Callable[[], dict[str, Any]]] = {
    "verbs": verbs,
    "names": names,
    "models": models,
    "extras": extras,
}
