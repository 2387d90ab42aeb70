"""Scores as text: the paper's Table 1, with intervals, margins and every published figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from hbtom.bench.labels import ORDER
from hbtom.bench.published import published
from hbtom.bench.score import Score, in_groups, total
from hbtom.bench.tasks import PAIRED_TASKS, SOCIAL_TASKS
from hbtom.errors import count
from hbtom.show.terminal import columns, three
from hbtom.show.words import plain

if TYPE_CHECKING:
    from hbtom.bench.ablation import Ablation
    from hbtom.bench.calibration import Calibration
    from hbtom.bench.comparison import Difference
    from hbtom.bench.designing import Design, Finding
    from hbtom.bench.sweep import Sweep, Swept

_MARGINS = ("margin 5 %", "least", "below .05")
_HEADING = (
    *("task", "pairs", "accuracy", "95 % interval", "ties", "missing", *_MARGINS),
    *("HBToM", "best published"),
)
_SIDE = {"task": ".", "best published": "."}  # other columns are aligned on the right
_ROW = {one.folder: one.row for one in PAIRED_TASKS}


class ScoreLine(NamedTuple):
    """A line of the paper's table: a group of tasks, a task of a group, or all pairs."""

    label: str
    kind: Literal["group", "task", "all"]
    score: Score


def score_lines(tasks: Sequence[Score]) -> Iterator[ScoreLine]:
    """Yield groups of tasks, each followed by its tasks unless it is one task, and the total."""
    for group, parts in in_groups(tasks):
        alone = len(parts) == 1 and _ROW.get(parts[0].task, parts[0].task) == group
        yield ScoreLine(plain(group), "group", parts[0] if alone else total(group, parts))
        for part in () if alone else parts:
            yield ScoreLine(plain(_ROW.get(part.task, part.task)), "task", part)
    yield ScoreLine("all", "all", total("overall", tasks))


def score_table(tasks: Sequence[Score]) -> str:
    """Return the paper's table."""
    if not tasks:
        return "there is no pair to score"
    rows = score_rows(tasks)
    return "\n".join(columns(rows, right="".join(_SIDE.get(name, "R") for name in rows[0])))


def level_table(means: Mapping[str, Mapping[str, float]]) -> str:
    """Return one row per task: the mean rating of episodes of each level."""
    rows: list[tuple[str, ...]] = [("task", *reversed(ORDER))]
    for task, by_level in means.items():
        cells = (f"{by_level[one]:.3f}" if one in by_level else "" for one in rows[0][1:])
        rows.append((plain(_ROW.get(task, task)), *cells))
    return "\n".join(columns(rows, right=".RRR"))


def score_rows(tasks: Sequence[Score]) -> list[tuple[str, ...]]:
    """Return the rows of the table, starting with the heading; tasks of a group are indented.

    For social tasks, the last two columns are left out, because nothing is published about them.
    The one before them is left out unless ratings are between 0 and 1, and "missing" unless a
    rating is.
    """
    rows = [_HEADING, *map(_row, score_lines(tasks))]
    social = {one.folder for one in SOCIAL_TASKS} >= {score.task for score in tasks}
    bounded = all(score.bounded for score in tasks)
    left_out = (
        *(_HEADING[-2:] if social else ()),
        *(() if bounded else _MARGINS[-1:]),
        *(() if any(score.missing for score in tasks) else ("missing",)),
    )
    kept = [at for at, name in enumerate(_HEADING) if name not in left_out]
    return [tuple(row[at] for at in kept) for row in rows]


def _row(line: ScoreLine) -> tuple[str, ...]:
    score, figures = line.score, published(line.score.task)
    best = max(figures, key=figures.__getitem__, default=None)
    return (
        f"  {line.label}" if line.kind == "task" else line.label,
        str(score.pairs),
        _per_cent(score.accuracy),
        "{} – {}".format(*(_per_cent(bound) for bound in score.interval)),
        str(score.ties),
        str(score.missing),
        *_margins(score),
        _per_cent(figures["HBToM"]) if figures else "",
        f"{_per_cent(figures[best])} {best}" if best else "",
    )


def _margins(score: Score) -> tuple[str, str, str]:
    """Return the cells of the three columns about margins; the last is a share of pairs."""
    if not score.known:
        return "", "", ""
    near = f"{_per_cent(score.margin_below)} %"
    return _margin(score.margin_5), _margin(score.margin_least), near


def _margin(value: float) -> str:
    """Return a margin with three decimals, unless it is too small or too large for them."""
    return f"{value:.3f}" if value == 0 or 0.0005 <= abs(value) < 1000 else f"{value:.3g}"


def difference_table(differences: Sequence[Difference]) -> str:
    """Return one row per task: both accuracies, the pairs that each wins, and the paired test."""
    gone = ["missing"] if any(one.missing for one in differences) else []
    better = "first better", "second better", *gone
    rows = [("task", "pairs", "first", "second", *better, "p", "p (Holm)")]
    for one in differences:
        accuracies = _per_cent(one.first), _per_cent(one.second)
        better = (str(one.first_better), str(one.second_better), *(str(one.missing) for _ in gone))
        chances = f"{one.p:.3g}", f"{one.p_adjusted:.3g}"
        rows.append((plain(one.task), str(one.pairs), *accuracies, *better, *chances))
    return "\n".join(columns(rows, right="." + "R" * (len(rows[0]) - 1)))


def calibration_table(fitted: Calibration) -> str:
    """Return the fitted weights, the cross-validated accuracy and the calibration."""
    curves = msgspec.to_builtins(fitted.fit.classifier)
    weights: list[tuple[str, ...]] = [("surprise", "weight", "bias")]
    for kind, curve in curves.items():
        if curve is not None:  # the model uses this surprise
            weights.append((kind, f"{curve['weight']:.3f}", f"{curve['bias']:.3f}"))
    bins: list[tuple[str, ...]] = [("plausibility", "episodes", "mean", "expected, %")]
    for one in fitted.bins:
        mean, share = f"{one.mean_plausibility:.3f}", _per_cent(one.expected)
        bins.append((f"{one.low:.1f} – {one.high:.1f}", str(one.episodes), mean, share))
    score = fitted.cross_validated
    low, high = (_per_cent(bound) for bound in score.interval)
    return "\n".join(
        [
            *columns(weights, right=".RR"),
            f"loss {fitted.fit.loss:.4f} after {fitted.fit.iterations} iterations, converged",
            f"cross-validated accuracy {_per_cent(score.accuracy)} % ({low} – {high}), "
            f"{count(score.pairs, 'pair')}, {count(score.ties, 'tie')}"
            + (f", {score.missing} missing" if score.missing else ""),
            "margins: 5 % quantile {}, least {}, below .05 {}".format(*_margins(score)),
            *columns(bins, right=".RRR"),
            f"calibration error {fitted.calibration_error:.3f}",
        ]
    )


def ablation_table(ablation: Ablation) -> str:
    """Return one row per variation: accuracy by task in per cent, and the share of low margins.

    The last column is left out unless ratings are between 0 and 1.
    """
    tasks = [score.task for score in next(iter(ablation.tasks.values()))]
    rows: list[tuple[str, ...]] = [("", "", *(_short(task) for task in tasks), "all", _MARGINS[-1])]
    for name, rated in ablation.tasks.items():
        overall = total("overall", rated)
        by_task = {score.task: score for score in (*rated, overall)}
        figures = (
            _per_cent(by_task[task].accuracy) if task in by_task and by_task[task].pairs else ""
            for task in (*tasks, "overall")
        )
        near = _margins(overall)[-1] if overall.pairs else ""
        rows.append((ablation.groups[name], name, *figures, near))
    kept = len(rows[0]) if ablation.bounded else -1
    return "\n".join(columns([row[:kept] for row in rows], right=".." + "R" * len(rows[0][2:kept])))


def _short(task: str) -> str:
    """Return a short heading for a task."""
    return plain(_ROW.get(task, task)).lower().removesuffix(" control").removesuffix(" goals")


def _per_cent(fraction: float) -> str:
    return f"{100 * fraction:.1f}"


def sweep_table(swept: Sweep) -> str:
    """Return one row per model: its settings, overall accuracy and margins, and the worst task."""
    names = list(swept.models[0].settings)
    gone = ["missing"] if any(one.overall.missing for one in swept.models) else []
    heading = ("accuracy", "95 % interval", *gone, "margin", "margin 5 %", "worst task", "")
    rows = [(*names, *heading), *(_swept(one, bool(gone)) for one in swept.models)]
    return "\n".join(columns(rows, right="R" * (len(names) + len(heading) - 1)))


def _swept(one: Swept, missing: bool) -> tuple[str, ...]:
    worst = min(one.tasks, key=lambda score: (score.accuracy, score.margin_5), default=one.overall)
    return (
        *(plain(_setting(value)) for value in one.settings.values()),
        _per_cent(one.overall.accuracy),
        "{} – {}".format(*(_per_cent(bound) for bound in one.overall.interval)),
        *([str(one.overall.missing)] if missing else []),
        f"{one.margin('overall'):.3f}" if one.overall.known else "",
        _margins(one.overall)[0],
        _per_cent(worst.accuracy),
        plain(worst.task),
    )


def _setting(value: object) -> str:
    return " ".join(f"{one:g}" for one in value) if isinstance(value, list) else str(value)


def design_table(found: Design) -> str:
    """Return one row per episode: its plausibilities, and those with fewer trials."""
    heading = (
        "episode",
        "first",
        "second",
        "difference",
        "trials",
        "first",
        "second",
        "difference",
    )
    return "\n".join(columns([heading, *map(_designed, found.findings)], right=".RRRRRRR"))


def _designed(one: Finding) -> tuple[str, ...]:
    from hbtom.bench.designing import difference

    whole, short = ((*map(three, two), _signed(difference(two))) for two in (one.values, one.short))
    return one.name, *whole, f"{one.enough} of {one.trials}", *short


def _signed(value: float) -> str:
    """Return a number with its sign and three decimals; no sign if it rounds to zero."""
    return f"{value:+.3f}" if round(value, 3) else "0.000"
