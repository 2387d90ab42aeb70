"""A small town for running errands, and problems of goal recognition in it."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

ERRANDS = """
(define (domain errands)
  (:constants home)
  (:predicates (at ?p) (road ?a ?b) (have ?t) (sold ?t ?p) (asleep))
  (:action go :parameters (?a ?b) :precondition (and (at ?a) (road ?a ?b) (not (asleep)))
    :effect (and (at ?b) (not (at ?a))))
  (:action buy :parameters (?t ?p) :precondition (and (at ?p) (sold ?t ?p)) :effect (have ?t))
  (:action sleep :parameters () :precondition (at home) :effect (asleep))
  (:action wake :parameters () :precondition (asleep) :effect (not (asleep))))
"""
TOWN = """
(define (problem town) (:domain errands) (:objects bakery mill shop bread flour soap)
  (:init (at home) (road home bakery) (road bakery home) (road home mill) (road mill home)
    (road mill shop) (road shop mill) (sold bread bakery) (sold flour mill) (sold soap shop)))
"""

FILES: Mapping[str, str] = {
    "domain.pddl": ERRANDS,
    "template.pddl": TOWN.rstrip().removesuffix(")") + "(:goal (and <HYPOTHESIS>)))",
    "hyps.dat": "(HAVE bread)\n(have soap),(have flour)\n(have flour)\n\n",
    "obs.dat": "(GO home mill)\n(go mill shop)\n",
    "real_hyp.dat": "(have flour), (have soap)\n",
}


def pack(path: Path, changes: Mapping[str, str | None] | None = None) -> Path:
    """Write a problem as an archive with the public layout; None leaves a file out."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:bz2") as archive:
        for name, text in {**FILES, **(changes or {})}.items():
            if text is not None:
                member = tarfile.TarInfo(f"./{name}")
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
    return path


def unpack(folder: Path, changes: Mapping[str, str] | None = None) -> Path:
    """Write a problem as files in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**FILES, **(changes or {})}.items():
        (folder / name).write_text(text)
    return folder
