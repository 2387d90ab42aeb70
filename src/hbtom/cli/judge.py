"""``hbtom judge``."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import click

from hbtom.cli.output import INTERRUPTED, complain, complain_of, to_json, warn
from hbtom.cli.progress import progress
from hbtom.errors import BadInput, count
from hbtom.judgement import Judgement, account, judge
from hbtom.model import Model, find_model
from hbtom.observe.episode import Loaded
from hbtom.observe.formats import load_each
from hbtom.show.terminal import JudgementRow, judgement_row, judgement_table

if TYPE_CHECKING:
    from hbtom.bench.growing_file import Kept


def run(
    files: Sequence[str],
    model: str,
    form: str,
    trace: bool,
    scene: str | None,
    out: str | None,
    resume: bool,
    overwrite: bool,
    workers: int | None,
    rater: str | None,
) -> int:
    """Judge all files that can be judged; return 1 if any could not."""
    if rater is not None:
        from hbtom.cli.rating import judge_by_rater

        return judge_by_rater(_episodes(files, scene), rater, form, trace)
    chosen = find_model(model)
    if out is None:
        return _print(files, chosen, form, trace, scene)
    from hbtom.bench.growing_file import Kept

    return _write(files, chosen, scene, workers, Kept(Path(out), resume, overwrite))


def _write(
    files: Sequence[str], model: Model, scene: str | None, workers: int | None, kept: Kept
) -> int:
    """Judge all episodes that can be judged, and write a row for each; return 1 if any cannot."""
    from hbtom.bench.single_episodes import JudgeSingles, find_episodes, judge_singles

    kept.check()
    found = find_episodes(files, scene)
    _tell_unplaced([one for one in found.unplaced if not _is_same(one, kept)])
    episodes = [one for one in found.episodes if not _is_same(one.path, kept)]
    work = JudgeSingles(model, len(episodes))
    work.warm_up()
    try:
        with progress("judging episodes", "episodes") as tell:
            judged = judge_singles(episodes, work, workers=workers, kept=kept, progress=tell)
    except KeyboardInterrupt:
        complain("interrupted: the same command with --resume continues")
        return INTERRUPTED
    failed = [one.why for one in judged if one.record is None]
    whys = Counter(map(str, (*found.left_out, *failed))).items()
    complain_of([why if many == 1 else f"{why} ({many} episodes)" for why, many in whys])
    if warned := sum(bool(one.record and one.record["warnings"]) for one in judged):
        complain(f"{count(warned, 'episode')} came with warnings; hbtom judge FILE shows them")
    if len(failed) < len(judged):
        click.echo(f"{count(len(judged) - len(failed), 'episode')} in {kept.out}")
    return 1 if failed or found.left_out else 0


def _is_same(path: str, kept: Kept) -> bool:
    """Return whether a file among the episodes is the results file, which may look like a track."""
    out = kept.out
    return out is not None and os.path.exists(path) and out.exists() and out.samefile(path)


def _print(files: Sequence[str], model: Model, form: str, trace: bool, scene: str | None) -> int:
    """Judge one episode after the other, and print the results.

    An archive may hold very many episodes, so only the text of each judgement is kept.
    """
    rows: list[JudgementRow] = []
    objects: list[str] = []
    notes: list[str] = []
    warnings: list[tuple[str, str]] = []
    failed = False
    for judgement in _judgements(files, model, scene):
        if isinstance(judgement, BadInput):
            complain(judgement)
            failed = True
            continue
        notes += [f"{judgement.episode.name}: {note}" for note in judgement.episode.notes]
        warnings += [(judgement.episode.name, warning) for warning in judgement.warnings]
        if form == "json":
            plain = {"file": judgement.episode.name, **judgement.to_dict(trace=trace)}
            objects.append(indent(to_json(plain), "  "))
        else:
            rows.append(judgement_row(judgement, account(judgement), trace=trace))
    for note in notes:
        complain(note)
    for warning in warnings:
        warn(*warning)
    if objects:
        click.echo("[\n" + ",\n".join(objects) + "\n]")
    if rows:
        click.echo(judgement_table(rows))
    return 1 if failed else 0


def _judgements(
    files: Sequence[str], model: Model, scene: str | None
) -> Iterator[Judgement | BadInput]:
    """Judge one episode after the other; yield an error if that is impossible."""
    for episode in _episodes(files, scene):
        try:
            yield episode if isinstance(episode, BadInput) else judge(episode, model)
        except BadInput as error:
            yield error


def _episodes(files: Sequence[str], scene: str | None) -> Iterator[Loaded]:
    """Yield the episode of each file and all episodes of each folder, or errors."""
    for file in files:
        try:
            if os.path.isdir(file):
                yield from _in_folder(file, scene)
            else:
                yield from load_each(file, scene)
        except BadInput as error:
            yield error


def _in_folder(folder: str, scene: str | None) -> Iterator[Loaded]:
    from hbtom.bench.single_episodes import find_episodes

    found = find_episodes([folder], scene)
    for one in found.episodes:
        try:
            yield one.load()
        except BadInput as error:
            yield error
    yield from found.left_out
    _tell_unplaced(found.unplaced)


def _tell_unplaced(files: Sequence[str]) -> None:
    """Say how many files would be tracks if they had a scene; they may be other files."""
    if files:
        hint = "if they are tracks, name their scene with --scene, or put scene.toml next to them"
        skipped = f"{count(len(files), 'CSV or HDF5 file')} without a scene left out"
        complain(f"{skipped}, such as {files[0]}. Hint: {hint}")
