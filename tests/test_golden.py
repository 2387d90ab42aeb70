"""Judgements of the real files, as they were when somebody last looked at them.

They are kept in ``golden.json`` beside this file. A change of the model changes them on purpose;
look at the difference, and if it is what you meant, write them anew with

    python tests/test_golden.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hbtom import Judgement, judge

GOLDEN = Path(__file__).with_name("golden.json")
REAL = Path(__file__).parents[2] / "shared" / "data" / "bib"
PRESETS = ("default", "default-0.1", "paper")
DIGITS = 6


def summary(judgement: Judgement) -> dict[str, Any]:
    """Return the numbers of a judgement, rounded."""

    def rounded(values: dict[str, float]) -> dict[str, float]:
        return {name: round(value, DIGITS) for name, value in values.items()}

    return {
        "plausibility": round(judgement.plausibility, DIGITS),
        "parts": rounded(judgement.parts.to_dict()),
        "surprise": rounded(judgement.surprise.to_dict()),
    }


def name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"


def write(files: list[Path]) -> None:
    """Judge all files with all presets and keep the results."""
    judged = {
        preset: {name(path): summary(judge(path, preset)) for path in files} for preset in PRESETS
    }
    GOLDEN.write_text(json.dumps(judged, indent=2) + "\n", encoding="utf-8")


@pytest.mark.parametrize("preset", PRESETS)
def test_real_files_are_judged_as_before(preset: str, real_files: list[Path]) -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))[preset]
    known = [path for path in real_files if name(path) in golden]
    assert known, "golden.json holds none of the real files; see above how to write it"
    for path in known:
        judged = summary(judge(path, preset))
        for key, wanted in golden[name(path)].items():
            assert judged[key] == pytest.approx(wanted, rel=0, abs=2e-6), (path.name, key)


def test_the_expected_member_of_each_real_pair_is_far_more_plausible(
    real_pairs: list[tuple[Path, Path]],
) -> None:
    for expected, unexpected in real_pairs:
        assert judge(expected).plausibility > judge(unexpected).plausibility + 0.5, expected.name


if __name__ == "__main__":
    write(sorted(REAL.glob("*/*.json")))
