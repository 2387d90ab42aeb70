"""What users of hbtom hold on to, and whether a later version still has it.

    python benchmarks/contract.py print [FILE] [--only KIND]
    python benchmarks/contract.py record FILE
    python benchmarks/contract.py compare benchmarks/contract-0.3.json.gz [--only KIND]

``print`` lists verbs, options, public names, keys of models, extras, keys of JSON, columns of
tables and file formats, as they are now or as they were recorded. ``record`` keeps these, a corpus
of generated inputs, and what the commands in contract-corpus.toml make of it. ``compare`` runs the
recorded commands on the recorded inputs again and prints each difference in one line. It ends with
status 1 if contract-accepted.toml does not accept one of them. A difference is of one of six kinds:

    gone, new  an option, a field, a key, a row or a file
    number     by more than 1e-9, both absolute and relative
    missing    a number is now missing, or is no longer missing
    name       a word that stands for something, such as a goal
    words      a sentence, a message or a type

Only the command line and names of ``import hbtom`` are used, so a version whose insides are
entirely different can be compared, too.
"""

from __future__ import annotations

import argparse
import base64
import csv
import gzip
import io
import json
import math
import os
import re
import shlex
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import repeat
from pathlib import Path
from typing import Any

from contract_corpus import content, make_inputs
from contract_surface import STATIC, hbtom, models

import hbtom as package

HERE = Path(__file__).resolve().parent
CORPUS, ACCEPTED = HERE / "contract-corpus.toml", HERE / "contract-accepted.toml"
TOLERANCE = 1e-9
LOOSE = {"networks": 1e-4, "fits": 1e-4}  # single precision; the end of a search
CHANGING = {"seconds", "stamp"}  # keys and columns that differ from run to run
MISSING = {"", "–", "—", "-", "nan", "null", "none"}
NUMBER = r"(?<![\w.])[-−+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w)"

Difference = tuple[str, str, str]  # its kind, where it is, and what it was and is


# The corpus


def command(line: str, folder: Path) -> dict[str, Any]:
    """Return what a command of the corpus prints, and the files it writes."""
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}
    if line.startswith("python:"):
        script = str(HERE / "contract_corpus.py")
        found = hbtom([line.removeprefix("python:")], folder, [script])
    else:
        found = hbtom(shlex.split(line), folder)
    files = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        kept = path.relative_to(folder)
        if kept.parts[0] != "cache" and before.get(path) != path.stat().st_mtime_ns:
            files[kept.as_posix()] = content(path)
    return found | {"files": files}


def unpack(inputs: Mapping[str, str], folder: Path) -> None:
    """Write the recorded inputs into a folder."""
    for name, text in inputs.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.decompress(base64.b64decode(text)))
        os.utime(path, (1.6e9, 1.6e9))


def run(
    inputs: Mapping[str, str], lines: Mapping[str, Sequence[str]], names: Mapping[str, str]
) -> dict[str, Any]:
    """Return the outputs of the commands of each kind; those of a kind share a folder."""
    presets = {one["fingerprint"]: f"<{name}>" for name, one in models().items()}

    def outputs(kind: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            unpack(inputs, folder)
            (folder / "out").mkdir()
            unsteady = {str(folder): "FOLDER", package.__version__: "VERSION"} | presets
            done = ((line, command(renamed(line, names), folder)) for line in lines[kind])
            return {line: clean(found, unsteady) for line, found in done}

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(lines, pool.map(outputs, lines), strict=True))


def clean(found: Any, unsteady: Mapping[str, str]) -> Any:
    """Replace what depends on the run, and fingerprints, which are compared only once."""
    if isinstance(found, dict):
        return {key: clean(value, unsteady) for key, value in found.items()}
    if not isinstance(found, str):
        return found
    for text, placeholder in unsteady.items():
        found = found.replace(text, placeholder)
    found = re.sub(r"\b\d+-\d{19}\b", "STAMP", found)
    return re.sub(r"\b\d+(\.\d+)? (s|ms|seconds)\b", "TIME", found)


# Comparing


def parsed(text: str, name: str = "") -> Any:
    """Return the values in a text: of JSON, JSON lines, CSV or TOML, otherwise its lines."""
    suffix = Path(name).suffix
    with suppress(ValueError, csv.Error):
        if suffix == ".toml":
            return tomllib.loads(text)
        if suffix == ".csv":
            rows = csv.DictReader(io.StringIO(text))
            return [{name: cell(one) for name, one in row.items()} for row in rows]
        if suffix in (".jsonl", ".parquet"):
            return [json.loads(line) for line in text.splitlines()]
        if suffix in (".json", ".gz", ".zst") or text[:1] in tuple("[{"):
            return json.loads(text)
    return Lines(text.splitlines())


class Lines(list[str]):
    """Lines for people."""


def cell(text: Any) -> Any:
    """Return the number, truth value or text in a cell of a table."""
    with suppress(ValueError, TypeError):
        return json.loads(text.lower() if text in ("True", "False") else text)
    return text or None


def renamed(line: str, names: Mapping[str, str]) -> str:
    """Put the present names into a recorded command."""
    if line.startswith("python:") or not names:
        return line
    return shlex.join(names.get(word, word) for word in shlex.split(line))


def with_keys(old: Any, names: Mapping[str, str]) -> Any:
    """Put the present names for the keys of recorded values."""
    if isinstance(old, dict):
        return {names.get(key, key): with_keys(one, names) for key, one in old.items()}
    if isinstance(old, list) and not isinstance(old, Lines):
        return [with_keys(one, names) for one in old]
    return old


def differences(
    old: Any, new: Any, where: str, tolerance: float = TOLERANCE
) -> Iterator[Difference]:
    """Yield all differences between two values."""
    if isinstance(old, Lines) and isinstance(new, Lines):
        yield from line_differences(old, new, where, tolerance)
    elif isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new} - CHANGING):
            place = f"{where} {key}" if where else key
            if key not in new:
                yield "gone", place, short(old[key])
            elif key not in old:
                yield "new", place, short(new[key])
            else:
                yield from differences(old[key], new[key], place, tolerance)
    elif isinstance(old, list) and isinstance(new, list):
        if any(isinstance(one, str) and " " in one for one in old + new):  # warnings
            yield from line_differences(old, new, f"{where} sentences", tolerance)
        else:
            yield from row_differences(old, new, where, tolerance)
    elif isinstance(old, str) and isinstance(new, str) and " " in old and " " in new:
        yield from token_differences(old, new, where, tolerance)
    elif not same(old, new, tolerance):
        yield kind_of(old, new, where), where, f"{short(old)} → {short(new)}"


def row_differences(
    old: list[Any], new: list[Any], where: str, tolerance: float
) -> Iterator[Difference]:
    """Yield the differences between two lists; a column that is gone or new is only one."""
    ours, theirs = ([row for row in rows if isinstance(row, dict)] for rows in (old, new))
    had, has = ({key for row in rows for key in row} for rows in (ours, theirs))
    columns = (had ^ has) - CHANGING if ours and theirs else set()
    for key in sorted(columns):
        values = [row[key] for row in ours + theirs if key in row]
        kind = "gone" if key in had else "new"
        yield kind, f"{where} [] {key}", f"in {len(values)} rows, such as {short(values[0])}"
    for at, pair in enumerate(zip(old, new, strict=False)):
        was, now = (without(row, columns) for row in pair)
        yield from differences(was, now, f"{where} [{at}]", tolerance)
    for kind, longer, start in (("gone", old, len(new)), ("new", new, len(old))):
        for at in range(start, len(longer)):
            yield kind, f"{where} [{at}]", short(longer[at])


def without(row: Any, columns: set[str]) -> Any:
    if not isinstance(row, dict):
        return row
    return {key: one for key, one in row.items() if key not in columns}


def same(old: Any, new: Any, tolerance: float) -> bool:
    """Whether two numbers are close, or two other values equal."""
    if isinstance(old, int | float) and isinstance(new, int | float):
        both_missing = math.isnan(old) and math.isnan(new)
        return both_missing or math.isclose(old, new, rel_tol=tolerance, abs_tol=tolerance)
    return type(old) is type(new) and old == new


def kind_of(old: Any, new: Any, where: str) -> str:
    """Return the kind of a difference between two values."""
    numbers = [isinstance(one, int | float) for one in (old, new)]
    if any(numbers):
        lacks = any(one is None or str(one).lower() in MISSING for one in (old, new))
        return "missing" if lacks else "number"
    return "words" if " " in f"{old}{new}" or where.endswith(" type") else "name"


def line_differences(
    old: Sequence[str], new: Sequence[str], where: str, tolerance: float
) -> Iterator[Difference]:
    """Yield the differences between two texts for people, numbers apart from words."""
    blank = [
        [re.sub(NUMBER, "#", " ".join(str(line).split())) for line in text] for text in (old, new)
    ]
    for _, i, j, k, m in SequenceMatcher(None, *blank, autojunk=False).get_opcodes():
        for was, now in zip(old[i:j], new[k:m], strict=False):
            yield from token_differences(was, now, where, tolerance)
        spoken = where.endswith(("stderr", "sentences"))
        for line in old[i + m - k : j]:
            yield "words" if spoken else "gone", where, f"{short(line)} → no such line"
        for line in new[k + j - i : m]:
            yield "words" if spoken else "new", where, f"no such line → {short(line)}"


def token_differences(old: str, new: str, where: str, tolerance: float) -> Iterator[Difference]:
    """Yield the differences between two lines."""
    was, now = old.split(), new.split()
    told = f"{short(old)} → {short(new)}"
    if re.sub(NUMBER, "#", " ".join(was)) != re.sub(NUMBER, "#", " ".join(now)):
        changed = [(a, b) for a, b in zip(was, now, strict=False) if a != b]
        lost = all(re.fullmatch(NUMBER, a) and b.lower() in MISSING for a, b in changed)
        yield "missing" if lost and len(was) == len(now) else "words", where, told
    places = [[bool(re.search(NUMBER, word)) for word in text] for text in (was, now)]
    before, after = ([number(one) for one in re.findall(NUMBER, text)] for text in (old, new))
    alike = places[0] == places[1] and len(before) == len(after)
    if alike and not all(map(same, before, after, repeat(tolerance))):
        yield "number", where, told


def number(text: str) -> float:
    return float(text.replace("−", "-"))


def short(thing: Any) -> str:
    """Return a value in at most 150 characters of one line."""
    text = " ".join((thing if isinstance(thing, str) else json.dumps(thing)).split())
    return text if len(text) <= 150 else f"{text[:147]}..."


def compared(
    old: Mapping[str, Any], new: Mapping[str, Any], names: Mapping[str, str]
) -> Iterator[Difference]:
    """Yield the differences between two recordings, in the kinds that the second one has."""
    for kind in new["static"]:
        yield from differences(with_keys(old["static"][kind], names), new["static"][kind], kind)
    for kind, commands in new["outputs"].items():
        for line, now in commands.items():
            was, where = old["outputs"][kind][line], f"{kind}: {short(line)}:"
            if was["status"] != now["status"]:
                said = short(now["stderr"].strip())
                yield "number", f"{where} status", f"{was['status']} → {now['status']}: {said}"
                continue
            values = with_keys(all_parsed(was), names)
            yield from differences(values, all_parsed(now), where, LOOSE.get(kind, TOLERANCE))


def all_parsed(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values in everything that a command printed and wrote."""
    printed = {name: parsed(found[name]) for name in ("stdout", "stderr")}
    return printed | {name: parsed(text, name) for name, text in found["files"].items()}


# The commands


def recording(
    only: Sequence[str],
    of: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return what there is now, with the inputs and commands ``of`` an earlier recording."""
    corpus = tomllib.loads(CORPUS.read_text(encoding="utf-8"))
    commands = corpus["commands"] if of is None else of["outputs"]
    if unknown := {*only} - {*STATIC, *commands}:
        known = ", ".join([*STATIC, *commands])
        raise SystemExit(f"no such kind: {', '.join(unknown)}; there are {known}")
    chosen = {kind: list(commands[kind]) for kind in commands if not only or kind in only}
    inputs = of["inputs"] if of else packed_inputs(corpus) if chosen else {}
    return {
        "version": package.__version__,
        "inputs": inputs,
        "static": {kind: make() for kind, make in STATIC.items() if not only or kind in only},
        "outputs": run(inputs, chosen, names or {}) if chosen else {},
    }


def packed_inputs(corpus: Mapping[str, Any]) -> dict[str, str]:
    """Return the bytes of the inputs of the corpus, which are generated."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_inputs(folder, corpus, hbtom)
        paths = sorted(path for path in (folder / "in").rglob("*") if path.is_file())
        return {
            path.relative_to(folder).as_posix(): base64.b64encode(
                gzip.compress(path.read_bytes(), mtime=0)
            ).decode()
            for path in paths
        }


def listed(kept: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each thing that users hold on to."""
    for kind, things in kept["static"].items():
        yield from (f"{kind} {where}: {what}" for where, what in leaves(things))
    for kind, commands in kept["outputs"].items():
        lines = (line for command, found in commands.items() for line in forms(command, found))
        yield from (f"{kind} {line}" for line in dict.fromkeys(lines))


def forms(command: str, found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the kinds of files that a command reads and writes, and all keys and columns."""
    verb = command.split()[0]
    if found["status"] == 0:
        for name in re.findall(r"in/[\w./-]+", command):
            yield f"{verb} reads {suffix(name) or 'a folder'}"
    for name, values in all_parsed(found).items():
        if name in found["files"]:
            yield f"{verb} writes {suffix(name)}"
        for where, _ in leaves(values) if not isinstance(values, Lines) else ():
            key = re.sub(r"\[\d+\] ?", "[] ", where)
            yield f"{verb} {suffix(name) or 'JSON'}: {key}"


def suffix(name: str) -> str:
    return "".join(Path(name).suffixes[-2:])


def leaves(thing: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the values in dictionaries and lists, and where they are."""
    if isinstance(thing, dict | list) and thing:
        inside = thing.items() if isinstance(thing, dict) else enumerate(thing)
        for key, one in inside:
            name = key if isinstance(thing, dict) else f"[{key}]"
            yield from leaves(one, f"{where} {name}".strip())
    else:
        yield where, thing


def main() -> int:
    """Run a command and return its status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=("print", "record", "compare"))
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--only", action="append", default=[], metavar="KIND")
    asked = parser.parse_args()
    if asked.file is None and asked.command != "print":
        parser.error("name a FILE")
    if asked.command == "record":
        data = json.dumps(recording(asked.only), ensure_ascii=False).encode()
        asked.file.write_bytes(gzip.compress(data, mtime=0))
        return 0
    kept = read(asked.file) if asked.file else None
    if asked.command == "print":
        print(*listed(kept or recording(asked.only)), sep="\n")
        return 0
    known = tomllib.loads(ACCEPTED.read_text(encoding="utf-8"))
    names = {one["old"]: one["new"] for one in known.get("renamed", ())}
    now = recording(asked.only, kept, names)
    return tell(compared(kept, now, names), known.get("accepted", ()))


def read(file: Path) -> dict[str, Any]:
    return json.loads(gzip.decompress(file.read_bytes()))


def tell(found: Iterable[Difference], accepted: Sequence[Mapping[str, str]]) -> int:
    """Print differences and return 1 if one of them is not accepted."""
    reasons: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for kind, where, what in found:
        line = f"{kind}: {where}: {what}"
        why = next((one["why"] for one in accepted if re.search(one["match"], line)), None)
        if why is None:
            print(line)
            left[kind] += 1
        else:
            reasons[why] += 1
    for why, count in reasons.items():
        print(f"accepted {count}: {why}")
    counts = ", ".join(f"{count} {kind}" for kind, count in left.items())
    print(f"differences that nobody accepted: {counts or 'none'}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
