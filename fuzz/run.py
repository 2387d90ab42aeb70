"""Give hbtom strange inputs, and report what it does wrong: python fuzz/run.py --help."""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import seeds
from runner import MEGABYTES, SECONDS, Runner, essence, reproduced
from targets import TARGETS, Files, case

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Run cases and print findings; return 1 if there are any."""
    given = _arguments()
    found: Counter[str] = Counter()
    ran: Counter[str] = Counter()
    end = time.monotonic() + 60 * given.minutes
    with Runner(given.seconds, given.megabytes) as runner:
        for kind, name, files in _cases(given):
            if time.monotonic() > end:
                break
            ran[kind] += 1
            for finding in runner.findings(kind, files):
                found[essence(finding)] += 1
                if found[essence(finding)] == 1:
                    _report(name, finding, given.save / name, files)
    print(f"{ran.total()} cases: {', '.join(f'{n} {kind}' for kind, n in ran.items())}")
    for cause, times in found.items():
        print(f"{times} times: {cause}")
    return 1 if found else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("folders", nargs="*", type=Path, help="saved cases to run again")
    add("--kind", action="append", choices=TARGETS, help="only this kind; can be repeated")
    add("--seed", type=int, default=0, help="a different seed gives different cases (default: 0)")
    add("--first", type=int, default=0, metavar="N", help="start with case N (default: 0)")
    add("--cases", type=int, metavar="N", help="number of cases of each kind (default: no limit)")
    add("--minutes", type=float, default=1.0, help="stop after this time (default: 1)")
    add("--seconds", type=float, default=SECONDS, help="limit on processor time for a case")
    add("--megabytes", type=int, default=MEGABYTES, help="limit on memory for a case")
    add("--save", type=Path, default=HERE / "found", help="where to save (default: fuzz/found)")
    return parser.parse_args()


def _cases(given: argparse.Namespace) -> Iterator[tuple[str, str, Files]]:
    """Yield the kind, a name and the files of each case, taking all kinds in turn."""
    if given.folders:
        for folder in given.folders:
            kind, files = reproduced(folder)
            yield kind, folder.name, files
        return
    numbers = itertools.count(given.first)
    for number in itertools.islice(numbers, given.cases):
        for kind in given.kind or TARGETS:
            yield kind, f"{kind}-{given.seed}-{number}", case(kind, given.seed, number)


def _report(name: str, finding: str, folder: Path, files: Files) -> None:
    seeds.write(files, folder)
    print(f"\n== {name}\n{finding.rstrip()}\nagain: python fuzz/run.py {folder}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
