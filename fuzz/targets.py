"""The fourteen kinds of input: how to make strange ones, and the commands that read them."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import seeds
from mutations import (
    GIF_HEADS,
    MP4_HEADS,
    changed_bytes,
    changed_heads,
    changed_table,
    changed_tar,
    changed_text,
    changed_zip,
    widened,
)
from trees import changed_lists, changed_value, json_bytes

Files = dict[str, bytes]  # by name, relative to the folder of the case
Command = list[str]


@dataclass(frozen=True)
class Target:
    """A kind of input."""

    strange: Callable[[Random], Files]  # different in each case
    commands: Callable[[Sequence[str]], list[Command]]  # given the names of these files
    beside: Callable[[], Files] = dict  # good files that the commands also need


def _json(rng: Random, good: Any) -> bytes:
    """Return JSON with a value or some bytes changed, perhaps compressed, and perhaps damaged."""
    data = json_bytes(changed_value(rng, good, alike=rng.random() < 0.6))
    if rng.random() < 0.1:
        data = changed_bytes(rng, data)
    if rng.random() < 0.15:
        data = rng.choice((_gzip, _zstd))(data)
        if rng.random() < 0.7:
            data = changed_bytes(rng, data)
        elif rng.random() < 0.5:
            data = data * 2
    return data


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def _zstd(data: bytes) -> bytes:
    import zstandard

    return zstandard.compress(data)


def _judged(names: Sequence[str]) -> list[Command]:
    (name,) = names
    return [
        ["judge", name, "--format", "json", "--trace"],
        ["judge", name, "--model", "paper"],
        ["show", name, "--out", "out.html"],
        ["convert", name, "out.json", "--to", "bib" if name == "scene.json" else "mcs"],
    ]


def _bib(rng: Random) -> Files:
    return {"episode.json": _json(rng, rng.choice(seeds.bib()))}


def _mcs(rng: Random) -> Files:
    return {"scene.json": _json(rng, rng.choice(seeds.mcs()))}


def _video(rng: Random) -> Files:
    name, data = rng.choice(seeds.videos())
    if rng.random() < 0.5:
        return {name: seeds.film(_painted(rng), name)}
    if rng.random() < 0.6:
        return {name: changed_heads(rng, data, GIF_HEADS if name.endswith("gif") else MP4_HEADS)}
    return {name: changed_bytes(rng, data)}


def _painted(rng: Random) -> list[Any]:
    """Return the pictures of a film with boxes painted on them, or in another order."""
    pictures = [picture.copy() for picture in seeds.pictures()]
    for _ in range(rng.choice((1, 1, 2, 5))):
        first = rng.randrange(len(pictures))
        last = rng.choice((first + 1, first + 5, len(pictures)))
        x, y, w, h = (rng.choice((rng.randrange(200), rng.randrange(1, 40))) for _ in range(4))
        colour = rng.choice([(0, 0, 0), (255, 255, 255), tuple(rng.randbytes(3))])
        for picture in pictures[first:last]:
            picture[y : y + h, x : x + w] = colour
        if rng.random() < 0.3:
            pictures[first:last] = pictures[first:last][::-1] * rng.choice((1, 2))
    return pictures


def _track(rng: Random) -> Files:
    name, good = rng.choice(seeds.tracks())
    scene = seeds.SCENE.encode()
    if rng.random() < 0.3:
        scene = changed_text(rng, seeds.SCENE).encode(errors="replace")
    elif name.endswith(".csv") and rng.random() < 0.05:
        good = widened(good.decode()).encode()
    elif name.endswith(".csv") and rng.random() < 0.7:
        good = changed_text(rng, good.decode()).encode(errors="replace")
    else:
        good = changed_bytes(rng, good)
    if rng.random() < 0.05:
        scene += b"[[trials]]\nframes = [0, 19]\n" * rng.choice((100, 2000))
    return {name: good, "scene.toml": scene}


def _hdf5(rng: Random) -> Files:
    """Return a file that refers to others or unpacks to gigabytes, perhaps damaged as well."""
    data = seeds.hdf5(rng.choice(tuple(seeds.bombs.HOSTILE)))
    damaged = changed_bytes(rng, data) if rng.random() < 0.8 else data
    return {"track.h5": damaged, "scene.toml": seeds.SCENE.encode()}


def _tracked(names: Sequence[str]) -> list[Command]:
    track = next(name for name in names if name != "scene.toml")
    return [
        ["judge", track, "--format", "json"],
        ["judge", ".", "--out", "out.csv", "--scene", "scene.toml"],
        ["scene", "new", track, "--out", "new.toml"],
    ]


def _archive(rng: Random) -> Files:
    data = changed_table(rng, seeds.archive())
    return {"data.parquet": changed_bytes(rng, data) if rng.random() < 0.3 else data}


def _zip(rng: Random) -> Files:
    return {"data.zip": changed_zip(rng, seeds.pairs())}


def _evaluated(names: Sequence[str]) -> list[Command]:
    (name,) = names
    evaluate = ["evaluate", name, "--workers", "1", "--format", "json"]
    return [[*evaluate, "--out", "out.csv"], *([["judge", name]] if "parquet" in name else [])]


def _labels(rng: Random) -> Files:
    rows = changed_value(rng, list(seeds.LABELS), alike=rng.random() < 0.6)
    by_file = isinstance(rows, list) and all(isinstance(row, dict) for row in rows)
    if by_file and rng.random() < 0.4:
        data = _csv(rng, rows)
        return {"labels.csv": changed_bytes(rng, data) if rng.random() < 0.3 else data}
    if by_file and rng.random() < 0.5:
        rows = {str(row.pop("file", "x")): row for row in rows}
    data = json_bytes(rows)
    return {"labels.json": changed_bytes(rng, data) if rng.random() < 0.3 else data}


def _csv(rng: Random, rows: Sequence[dict[str, Any]]) -> bytes:
    """Return rows as CSV, with various separators and encodings."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=rng.choice(",,,;\t"), lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([row.get(name, "") for name in names])
    written = widened(text.getvalue()) if rng.random() < 0.03 else text.getvalue()
    return written.encode(rng.choice(("utf-8",) * 6 + ("utf-8-sig", "utf-16")), "replace")


def _labelled(names: Sequence[str]) -> list[Command]:
    (name,) = names
    return [
        ["score", "ratings.csv", "--labels", name, "--format", "json"],
        ["evaluate", "data", "--labels", name, "--workers", "1"],
    ]


def _data() -> Files:
    """Return a dataset of a pair."""
    return {f"data/{name}": data for name, data in seeds.pair().items()}


def _data_and_ratings() -> Files:
    from hbtom.bench.results import encode

    return {**_data(), "ratings.csv": encode(seeds.results(), ".csv")}


def _ratings(rng: Random) -> Files:
    good = [row.to_dict() for row in seeds.results()]
    kind = rng.choice((".csv", ".jsonl", ".parquet"))
    if kind == ".parquet":
        import pyarrow

        data = changed_table(rng, pyarrow.Table.from_pylist(good))
    else:
        rows = changed_value(rng, good, alike=rng.random() < 0.6)
        if not isinstance(rows, list):
            rows = [rows]
        if kind == ".csv":
            data = _csv(rng, [row for row in rows if isinstance(row, dict)])
        else:
            data = b"".join(json_bytes(row) + b"\n" for row in rows)
    if rng.random() < 0.3:
        data = changed_bytes(rng, data)
    return {f"ratings{kind}": data}


def _scored(names: Sequence[str]) -> list[Command]:
    (name,) = names
    return [
        ["score", name, "--dataset", "data", "--format", "json"],
        ["compare", name, name],
        ["report", name, "-o", "out.html", "--dataset", "data", "--pages", "1"],
        ["evaluate", "data", "--workers", "1", "--out", name, "--resume"],
    ]


def _measures(rng: Random) -> Files:
    """Return answers of people and results of a model, one of them changed."""
    tables = {"measures": list(seeds.MEASURES), "results": list(seeds.BELIEFS)}
    name = rng.choice(("measures", "measures", "results"))
    rows = changed_value(rng, tables[name], alike=rng.random() < 0.6)
    tables[name] = rows if isinstance(rows, list) else [rows]
    files = {
        f"{name}.csv": _csv(rng, [row for row in rows if isinstance(row, dict)])
        for name, rows in tables.items()
    }
    if rng.random() < 0.3:
        files[f"{name}.csv"] = changed_bytes(rng, files[f"{name}.csv"])
    return files


def _compared(names: Sequence[str]) -> list[Command]:
    compare = ["correlate", "measures.csv", "results.csv", "--samples", "20"]
    return [
        [*compare, "--format", "json"],
        [*compare, "--sum", "1", "--direction", "looking", "--out", "out.csv"],
    ]


def _model(rng: Random) -> Files:
    text = changed_text(rng, rng.choice(seeds.models()))
    data = text.encode(errors="replace")
    return {"model.toml": changed_bytes(rng, data) if rng.random() < 0.1 else data}


def _assumed(names: Sequence[str]) -> list[Command]:
    (name,) = names
    episode = "data/preference/000001u.json"
    return [["model", "show", name], ["judge", episode, "--model", name, "--format", "json"]]


def _pddl(rng: Random) -> Files:
    files = dict(rng.choice(seeds.PDDL))
    for name in rng.sample(list(files), rng.choice((1, 1, 1, 2, 4))):
        files[name] = rng.choice((changed_text, changed_lists, changed_lists))(rng, files[name])
    if rng.random() < 0.05:
        chain = "".join(f" t{at} - t{at + 1}" for at in range(rng.choice((100, 20_000))))
        files["domain.pddl"] = files["domain.pddl"].replace("(:types", f"(:types {chain}")
    data = {name: text.encode(errors="replace") for name, text in files.items()}
    if rng.random() < 0.1:
        name = rng.choice(list(data))
        data[name] = changed_bytes(rng, data[name])
    return data


def _inferred(names: Sequence[str]) -> list[Command]:
    world = ["--domain", "domain.pddl", "--problem", "problem.pddl", "--goals", "goals.txt"]
    infer = ["infer", *world, "--plan", "seen.plan", "--states", "5000"]
    recognise = ["recognise", *world, "--observations", "seen.plan", "--states", "2000"]
    return [
        [*infer, "--judge", "--format", "json"],
        [*infer, "--something-else", "0.5", "--page", "page.html"],
        [*infer, "--model", "people", "--format", "json"],
        [*recognise, "--format", "json"],
        [*recognise, "--engine", "counting", "--trace"],
    ]


def _problem(rng: Random) -> Files:
    """Return an archive of a problem of goal recognition, changed before or after compression."""
    plain = io.BytesIO()
    form = rng.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    with tarfile.open(fileobj=plain, mode="w", format=form) as archive:
        for name, text in seeds.FILES.items():
            if rng.random() < 0.1:
                text = changed_text(rng, text)
            data = text.encode(errors="replace")
            member = tarfile.TarInfo(rng.choice(("", "a/", "\xe4" * 200 + "/")) + name)
            member.size, member.mtime = len(data), rng.choice((0, 0.5))
            member.type = rng.choice(tarfile.SUPPORTED_TYPES) if rng.random() < 0.1 else b"0"
            archive.addfile(member, io.BytesIO(data))
    data = plain.getvalue()
    if rng.random() < 0.3:
        data = changed_tar(rng, data)
    if rng.random() < 0.1:
        member = tarfile.TarInfo("x")
        member.type, member.size = rng.choice((b"0", b"x", b"g", b"L", b"K", b"S")), 1 << 33
        data = member.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 26) + data
    data = rng.choice((bz2.compress, _gzip, lzma.compress))(data)
    return {"problem.tar.bz2": changed_bytes(rng, data) if rng.random() < 0.2 else data}


def _recognised(names: Sequence[str]) -> list[Command]:
    (name,) = names
    return [["recognise", name, "--states", "500", "--engine", "exact", "--format", "json"]]


def _gridworld(rng: Random) -> Files:
    text = changed_text(rng, rng.choice(seeds.gridworlds()))
    data = text.encode(errors="replace")
    return {"world.toml": changed_bytes(rng, data) if rng.random() < 0.1 else data}


def _attributed(names: Sequence[str]) -> list[Command]:
    (name,) = names
    return [["attribute", name, "--format", "json"], ["attribute", name, "--out", "out.csv"]]


TARGETS = {
    "bib": Target(_bib, _judged),
    "mcs": Target(_mcs, _judged),
    "video": Target(_video, lambda names: _judged(names)[:1]),
    "track": Target(_track, _tracked),
    "hdf5": Target(_hdf5, _tracked),
    "archive": Target(_archive, _evaluated),
    "zip": Target(_zip, _evaluated),
    "labels": Target(_labels, _labelled, _data_and_ratings),
    "ratings": Target(_ratings, _scored, _data),
    "measures": Target(_measures, _compared),
    "model": Target(_model, _assumed, _data),
    "pddl": Target(_pddl, _inferred),
    "problem": Target(_problem, _recognised),
    "gridworld": Target(_gridworld, _attributed),
}


def case(kind: str, seed: int, number: int) -> Files:
    """Return the files of a case, always the same for the same arguments."""
    return TARGETS[kind].strange(Random(f"{kind} {seed} {number}"))


def finite(text: str) -> None:
    """Raise ValueError if a text is not JSON, or contains NaN or Infinity."""

    def refuse(name: str) -> None:
        raise ValueError(f"JSON has no {name}")

    json.loads(text, parse_constant=refuse)
