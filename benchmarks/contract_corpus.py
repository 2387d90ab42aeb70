"""The corpus of benchmarks/contract.py: its inputs, what its commands leave, and its snippets.

    python benchmarks/contract_corpus.py CODE

prints what a snippet of Python calls ``result``, as JSON.
"""

from __future__ import annotations

import gzip
import hashlib
import inspect
import json
import math
import shlex
import shutil
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from contract_surface import attributes

import hbtom

HERE = Path(__file__).parent
Run = Callable[[list[str], Path], dict[str, Any]]
LARGE = 25_000  # characters; a digest is kept of larger files


def content(path: Path) -> str:
    """Return the text of a file, its rows as JSON lines, or what identifies its bytes."""
    data = path.read_bytes()
    if path.suffix == ".parquet":
        import pyarrow.parquet

        table = pyarrow.parquet.read_table(path)
        rows = "\n".join(json.dumps(row, default=str) for row in table.to_pylist())
        columns = "\n".join(f"{field.name} {field.type}" for field in table.schema)
        return rows if len(rows) < LARGE else f"{table.num_rows} rows\n{columns}"
    if path.suffix in (".json", ".gz", ".zst"):
        if path.suffix == ".gz":
            data = gzip.decompress(data)
        elif path.suffix == ".zst":
            import zstandard

            data = zstandard.ZstdDecompressor().decompressobj().decompress(data)
        if len(data) >= LARGE:
            data = json.dumps(json.loads(data), sort_keys=True).encode()
            return f'"sha256-{hashlib.sha256(data).hexdigest()}"'
    with suppress(UnicodeDecodeError):
        if b"\0" not in data and path.suffix not in (".pdf", ".html", ".svg"):
            return data.decode()
    start = data[4:8] if path.suffix == ".mp4" else data[:5]
    return f"begins with {start!a}"


def make_inputs(folder: Path, made: Mapping[str, Any], run: Run) -> None:
    """Generate the inputs of the corpus: by commands, from the repository, and by formulas."""
    (folder / "in").mkdir()
    shutil.copytree(HERE.parent / "worlds", folder / "in" / "worlds")
    for name, text in made["files"].items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip("\n"), encoding="utf-8")
    write_tracks(folder / "in")
    for line in made["make"]:
        done = run(shlex.split(line), folder)
        if done["status"] != 0:
            raise SystemExit(f"{line}: {done['stderr']}")
    with zipfile.ZipFile(folder / "in" / "bib.zip", "w") as archive:
        for path in sorted((folder / "in" / "bib").rglob("*.zst")):
            archive.write(path, path.relative_to(folder / "in" / "bib"))
    with tarfile.open(folder / "in" / "posed.tar.bz2", "w:bz2") as archive:
        for path in sorted((folder / "in" / "posed").iterdir()):
            archive.add(path, path.name)
    rows = ["task,pair,member,participant,looking"]
    for path in sorted((folder / "in" / "bib").rglob("*.zst")):
        pair, member = path.name[:-10], path.name[-10]
        for person in range(4):
            took = 5 + 4 * (member == "u") + math.sin(len(rows))
            rows.append(f"{path.parent.name},{pair},{member},p{person},{took:.3f}")
    (folder / "in" / "looking.csv").write_text("\n".join(rows) + "\n")


def write_tracks(folder: Path) -> None:
    """Write tracks of a mouse that goes to the food twice, and then to the nest."""
    import h5py
    import numpy as np

    home, food, nest = (100, 400), (1100, 700), (1100, 100)
    visits = [
        [*[home] * 30, *np.linspace(home, goal, 60), *[goal] * 30] for goal in (food, food, nest)
    ]
    times = np.arange(360)
    path = np.concatenate(visits) + 6 * np.sin(np.outer(times, [12.9898, 78.233]) ** 2)
    sure = np.where(times % 19 == 7, 0.1, 0.99)
    plain = [f"{at},{x:.2f},{y:.2f}" for at, (x, y) in enumerate(path)]
    (folder / "plain.csv").write_text("\n".join(["frame,x,y", *plain]) + "\n")
    (folder / "wide.tsv").write_text(
        "\n".join(["frame,nose_x,nose_y", *plain]).replace(",", "\t") + "\n"
    )
    long = [f"{at},{one},{x:.2f},{y:.2f}" for at, (x, y) in enumerate(path) for one in ("a", "b")]
    (folder / "long.csv").write_text("\n".join(["frame,id,x,y", *long]) + "\n")
    heads = ["scorer,net,net,net", "bodyparts,body,body,body", "coords,x,y,likelihood"]
    rows = [f"{row},{one}" for row, one in zip(plain, sure, strict=True)]
    (folder / "mouse.csv").write_text("\n".join([*heads, *rows]) + "\n")
    with h5py.File(folder / "sleap.h5", "w") as file:
        file["tracks"] = np.where(sure < 0.5, np.nan, path.T)[None, :, None, :]
        file["node_names"], file["track_names"] = np.array([b"body"]), np.array([b"mouse"])


def value(code: str) -> Any:
    """Return what a snippet of Python calls ``result``, as plain values."""
    known: dict[str, Any] = {"hbtom": hbtom}
    exec(code, known)
    return plain_value(known["result"])


def plain_value(thing: Any, depth: int = 3) -> Any:
    """Return numbers, texts, lists and dictionaries; long arrays only in part."""
    if hasattr(thing, "tolist"):
        if getattr(thing, "size", 1) > 300:
            some = thing.ravel()[:: thing.size // 100]
            return {"shape": list(thing.shape), "some": plain_value(some)}
        thing = thing.tolist()
    if isinstance(thing, float):
        return thing if math.isfinite(thing) else None if math.isnan(thing) else str(thing)
    if thing is None or isinstance(thing, bool | int | str):
        return thing
    if isinstance(thing, Mapping):
        return {str(key): plain_value(one, depth) for key, one in thing.items()}
    if isinstance(thing, list | tuple) and not hasattr(thing, "_fields"):
        return [plain_value(one, depth) for one in thing[:20]]
    known = {getattr(hbtom, name): name for name in dir(hbtom) if name[0].isupper()}
    public = next((base for base in type(thing).__mro__ if base in known), None)
    if depth == 0:
        return known[public] if public else "a value"
    fields = attributes(public or type(thing))
    if not public:
        depth, fields = 1, [name for name in fields if name in stored(thing)]
    values = {name: getattr(thing, name) for name in fields}
    return {n: plain_value(one, depth - 1) for n, one in values.items() if not callable(one)}


def stored(thing: Any) -> set[str]:
    """Return the names of the fields of a value, without properties."""
    return {name for base in type(thing).__mro__ for name in inspect.get_annotations(base)}


if __name__ == "__main__":
    print(json.dumps(value(sys.argv[1])))
