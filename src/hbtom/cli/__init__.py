"""The front door: one verb for each function of the library.

Only click is imported here; everything else when its verb is called, so that help is instant.
"""

from __future__ import annotations

import io
import re
import sys
from typing import Literal

import click

from hbtom import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="hbtom %(version)s")
def main() -> None:
    """Watch an agent, infer what it wants and how well it plans, judge what it does next."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows a mark


_model = click.option(
    "--model", default="default", show_default=True, help="A preset or a TOML file."
)
_format = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="A table for people, or JSON for programs.",
)
_tasks = click.option(
    "--tasks",
    multiple=True,
    metavar="TASK[,TASK]",
    callback=lambda context, option, given: tuple(n for one in given for n in one.split(",") if n),
    help="Only these tasks; may be given again.",
)
_workers = click.option(
    "--workers", type=click.IntRange(min=1), help="Processes to use. Default: all cores."
)
_score = click.option(
    "--score",
    type=click.Choice(["plausibility", "predictive"]),
    default="plausibility",
    show_default=True,
    help="Compare by fitted plausibility, or by predictive probability without fitted weights.",
)


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path())
@_model
@_format
@click.option("--trace", is_flag=True, help="Add what is believed at every step.")
def judge(files: tuple[str, ...], model: str, form: str, trace: bool) -> None:
    """Judge how plausible the last trial of each episode FILE is, given the trials before it."""
    from hbtom.cli.judge import run

    sys.exit(run(files, model, form, trace))


@main.command()
@click.argument("episode", type=click.Path())
@click.argument("other", required=False, metavar="[EPISODE]", type=click.Path())
@click.option("-o", "--out", type=click.Path(), help="The page to write: .html")
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out.")
@_model
@click.option(
    "--open/--no-open",
    "opened",
    default=None,
    help="Show the page in a browser, or do not. Default: show it unless --out is given.",
)
def show(
    episode: str,
    other: str | None,
    out: str | None,
    overwrite: bool,
    model: str,
    opened: bool | None,
) -> None:
    """Make a page on which to watch EPISODE, with what the model believes moving alongside.

    With a second episode, such as the other member of a pair, both are shown in step. The page is
    one HTML file that needs no network: it can be kept, sent, and opened anywhere.

    Without --out the page goes to the cache folder and is shown in a browser. Its path is printed.
    """
    from hbtom.cli.show import run

    sys.exit(run(episode, other, model, out, overwrite, out is None if opened is None else opened))


@main.command()
@click.argument("files", nargs=-1, required=True, metavar="EPISODE [OTHER]", type=click.Path())
@click.option("-o", "--out", required=True, type=click.Path(), help="The figure: .pdf, .svg, .png")
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out.")
@_model
@click.option(
    "--width",
    metavar="WIDTH",
    callback=lambda context, option, given: _centimetres(given),
    help="In centimetres, or inches as in 3.5in; 8.5 is a column. Default: 17, a page.",
)
@click.option(
    "--dpi",
    type=click.IntRange(min=30, max=2400),
    default=300,
    show_default=True,
    help="Dots an inch, for .png.",
)
def plot(
    files: tuple[str, ...], out: str, overwrite: bool, model: str, width: float | None, dpi: int
) -> None:
    """Draw a figure for print: the trials of EPISODE, what is believed, how plausible it is.

    With OTHER, as the other one of a pair, both are drawn side by side, or one above the other.
    """
    if len(files) > 2:
        raise click.UsageError("one episode is drawn, or two")
    from hbtom.cli.plot import run

    sys.exit(run(files, out, model, overwrite, width, dpi))


def _centimetres(given: str | None) -> float | None:
    """Return a width in centimetres that is given as 8.5, 8.5cm or 3.5in."""
    if given is None:
        return None
    unit = 2.54 if given.endswith("in") else 1.0
    try:
        return float(given.removesuffix("in").removesuffix("cm")) * unit
    except ValueError:
        raise click.BadParameter(f"'{given}' is no width; say 8.5, 8.5cm or 3.5in") from None


@main.command()
@click.argument("episode", type=click.Path())
@click.option("-o", "--out", required=True, type=click.Path(), help="The movie: .gif, .mp4")
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out.")
@click.option(
    "--trials",
    metavar="N[-M][,N[-M]]",
    callback=lambda context, option, given: _numbers(given),
    help="Only these trials, counted from 1, as in 1-3,9.",
)
@click.option("--beliefs", is_flag=True, help="Show the probability of each goal beside it.")
@_model
@click.option(
    "--fps",
    type=click.FloatRange(min=1, max=120),
    default=25,
    show_default=True,
    help="Pictures a second.",
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0.05, max=100),
    default=1,
    show_default=True,
    help="How many times faster than life; frames are left out where needed.",
)
@click.option(
    "--size",
    type=click.IntRange(min=1, max=10),
    default=4,
    show_default=True,
    help="Pixels of the picture along one pixel of the world, which has 200.",
)
def animate(
    episode: str,
    out: str,
    overwrite: bool,
    trials: tuple[int, ...] | None,
    beliefs: bool,
    model: str,
    fps: float,
    speed: float,
    size: int,
) -> None:
    """Make a movie of EPISODE as the benchmark shows it, frame by frame."""
    from hbtom.cli.animate import run

    sys.exit(run(episode, out, model, overwrite, beliefs, trials, fps, speed, size))


def _numbers(given: str | None) -> tuple[int, ...] | None:
    """Return the numbers that are meant by 1-3,9."""
    if given is None:
        return None
    numbers: list[int] = []
    for part in given.split(","):
        first, dash, last = part.strip().partition("-")
        ends = (first, last if dash else first)
        if not all(end.isdecimal() and len(end) < 5 for end in ends) or int(ends[0]) > int(ends[1]):
            raise click.BadParameter(f"'{given}' names no trials; say 9, or 1-3,9")
        numbers += range(int(ends[0]), int(ends[1]) + 1)
    return tuple(numbers)


@main.command()
@click.argument("dataset", required=False, type=click.Path())
@_model
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="The port to listen at; 0 is any that is free.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen at. Only this machine can reach the default.",
)
@click.option("--no-open", is_flag=True, help="Do not show the list in a browser.")
@_workers
def view(
    dataset: str | None, model: str, port: int, host: str, no_open: bool, workers: int | None
) -> None:
    """Browse DATASET in a web browser: its tasks, pairs and episodes, and what comes of them.

    A small server is started on this machine, and its address is printed. Pairs are judged when
    they are looked at, or all of them at the press of a button. Ctrl-C ends it.

    DATASET is what 'hbtom evaluate' takes. Needs the extra 'viewer'.
    """
    from hbtom.cli.view import run

    sys.exit(run(dataset, model, host, port, workers, not no_open))


@main.command()
@click.argument("dataset", required=False, type=click.Path())
@_model
@_tasks
@click.option(
    "--out",
    type=click.Path(),
    help="Write a row an episode, as it is judged: .csv, .jsonl, .parquet.",
)
@click.option("--resume", is_flag=True, help="Go on with what an earlier run has left.")
@click.option("--report", type=click.Path(), help="Also write a report on it: .html")
@click.option("--overwrite", is_flag=True, help="Replace the files given to --out and --report.")
@_score
@click.option("--wrong", is_flag=True, help="List the pairs that are judged wrong.")
@_format
@_workers
@click.option(
    "--cluster", metavar="ADDRESS", help="Use a Dask scheduler: its address, or its file (.json)."
)
def evaluate(
    dataset: str | None,
    model: str,
    tasks: tuple[str, ...],
    out: str | None,
    resume: bool,
    report: str | None,
    overwrite: bool,
    score: Literal["plausibility", "predictive"],
    wrong: bool,
    form: str,
    workers: int | None,
    cluster: str | None,
) -> None:
    """Judge all pairs of DATASET and print the benchmark's table.

    DATASET is a folder of task folders, or one of the public zip archives, or a .parquet archive
    that 'hbtom pack' made, or a folder of them.
    Without it, a synthetic benchmark is made once and kept in the cache folder.
    """
    if resume and out is None:
        raise click.UsageError("--resume goes on with a file: name it with --out.")
    if cluster is not None and workers is not None:
        raise click.UsageError("--workers are processes on this machine: not with --cluster.")
    from hbtom.cli.evaluate import run

    sys.exit(
        run(
            dataset,
            model,
            tasks,
            out,
            overwrite,
            resume,
            score,
            form,
            workers,
            cluster,
            wrong,
            report,
        )
    )


@main.command()
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option(
    "--to",
    type=click.Path(file_okay=False),
    help="Folder for the archives. Default: the cache folder.",
)
@click.option(
    "--from",
    "base",
    metavar="URL",
    help="Another place that has the archives: http, https or file.",
)
@click.option("--background", is_flag=True, help="The four background (training) tasks as well.")
@click.option("--again", is_flag=True, help="Fetch even what is there.")
def download(
    tasks: tuple[str, ...], to: str | None, base: str | None, background: bool, again: bool
) -> None:
    """Fetch the public archives of the benchmark: of each TASK, or of all nine."""
    from hbtom.cli.download import run

    sys.exit(run(tasks, to, base, background, again))


@main.command()
@click.argument("out", type=click.Path())
@click.option(
    "--pairs", type=click.IntRange(min=1), default=20, show_default=True, help="Pairs of each task."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="The same seed gives the same files.",
)
@_tasks
@click.option("--background", is_flag=True, help="Also make the four background tasks.")
@click.option("--compress", type=click.Choice(["gz", "zst"]), help="Pack every file.")
@_workers
def generate(
    out: str,
    pairs: int,
    seed: int,
    tasks: tuple[str, ...],
    background: bool,
    compress: Literal["gz", "zst"] | None,
    workers: int | None,
) -> None:
    """Write a synthetic benchmark into the folder OUT, the same for the same seed."""
    from hbtom.cli.generate import run

    sys.exit(run(out, pairs, seed, tasks, background, compress, workers))


@main.command()
@click.argument("dataset", type=click.Path())
@click.argument("out", metavar="OUT.parquet", type=click.Path())
@_tasks
@click.option("--overwrite", is_flag=True, help="Replace the file OUT.")
@_workers
def pack(
    dataset: str, out: str, tasks: tuple[str, ...], overwrite: bool, workers: int | None
) -> None:
    """Pack all pairs of DATASET into one compact archive, a Parquet file.

    The archive is a dataset too: evaluate, sweep, fit and ablate take it, and judge takes it or an
    episode of it, as in OUT.parquet/preference/000001loe.
    """
    from hbtom.cli.pack import run

    sys.exit(run(dataset, out, tasks, overwrite, workers))


@main.command()
@click.argument("dataset", required=False, type=click.Path())
@click.option("-o", "--out", required=True, type=click.Path(), help="The model to write: .toml")
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out.")
@_model
@_tasks
@click.option(
    "--penalty", type=click.FloatRange(min=0), default=1e-4, show_default=True, help="L2 penalty."
)
@_format
@_workers
def fit(
    dataset: str | None,
    out: str,
    overwrite: bool,
    model: str,
    tasks: tuple[str, ...],
    penalty: float,
    form: str,
    workers: int | None,
) -> None:
    """Fit the classifier of a model to DATASET and write the model to a file.

    Without DATASET, 220 synthetic episodes are made, with a seed that is not used for reporting.
    """
    from hbtom.cli.fit import run

    sys.exit(run(dataset, model, tasks, out, overwrite, penalty, form, workers))


@main.command()
@click.argument("dataset", required=False, type=click.Path())
@_model
@_tasks
@click.option(
    "--out", type=click.Path(), help="A row a variation and task: .csv, .jsonl, .parquet."
)
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out.")
@_format
@_workers
def ablate(
    dataset: str | None,
    model: str,
    tasks: tuple[str, ...],
    out: str | None,
    overwrite: bool,
    form: str,
    workers: int | None,
) -> None:
    """Switch off surprises and assumptions one at a time, and evaluate each time."""
    from hbtom.cli.ablate import run

    sys.exit(run(dataset, model, tasks, out, overwrite, form, workers))


@main.command()
@click.argument("dataset", required=False, type=click.Path())
@click.option(
    "--set",
    "given",
    multiple=True,
    required=True,
    metavar="NAME=VALUE[,VALUE]",
    help="Values of a parameter, as in 'hbtom model show'; may be given again.",
)
@_model
@_tasks
@click.option("--out", type=click.Path(), help="A row a model and task: .csv, .jsonl, .parquet.")
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out.")
@_score
@_format
@_workers
def sweep(
    dataset: str | None,
    given: tuple[str, ...],
    model: str,
    tasks: tuple[str, ...],
    out: str | None,
    overwrite: bool,
    score: Literal["plausibility", "predictive"],
    form: str,
    workers: int | None,
) -> None:
    """Evaluate a model on DATASET with every combination of some parameters."""
    from hbtom.cli.sweep import run

    sys.exit(run(dataset, model, given, tasks, out, overwrite, score, form, workers))


@main.command()
@click.argument("ratings", type=click.Path())
@click.option("--dataset", type=click.Path(), help="Also say which of its pairs are not rated.")
@_format
def score(ratings: str, dataset: str | None, form: str) -> None:
    """Print the benchmark's table for the RATINGS of any model, one row an episode.

    A row names its episode by 'file', or by 'task', 'pair' and 'member', and has a 'rating'.
    """
    from hbtom.cli.referee import score as run

    sys.exit(run(ratings, dataset, form))


@main.command()
@click.argument("results", type=click.Path())
@click.option("-o", "--out", required=True, type=click.Path(), help="The report to write: .html")
@click.option("--overwrite", is_flag=True, help="Replace the file given to --out, and its pages.")
@click.option(
    "--dataset", type=click.Path(), help="Where the episodes are. Default: where they were judged."
)
@click.option("--model", help="The preset or TOML file that judged. Default: the preset it was.")
@click.option(
    "--pages",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="Pages on which to watch pairs, beside the report.",
)
def report(
    results: str, out: str, overwrite: bool, dataset: str | None, model: str | None, pages: int
) -> None:
    """Make a report of RESULTS, a file that 'evaluate --out' wrote, or of anybody's ratings.

    The report is one HTML file that needs no network: accuracy against all published figures, what
    separates expected from unexpected episodes, calibration, and every pair. Pairs that went wrong,
    and the closest calls, can be watched: their pages are in a folder beside the report.
    """
    from hbtom.cli.report import run

    sys.exit(run(results, out, overwrite, dataset, model, pages))


@main.command()
@click.argument("first", type=click.Path())
@click.argument("second", type=click.Path())
@_format
def compare(first: str, second: str, form: str) -> None:
    """Tell, with a paired test, in which tasks two sets of ratings differ."""
    from hbtom.cli.referee import compare_ratings

    sys.exit(compare_ratings(first, second, form))


def _named_plans(
    context: click.Context, option: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Return the agent and the file of each plan; without a name it is "agent"."""
    named = [re.fullmatch(r"([\w.-]+)=(.+)", plan, re.DOTALL) for plan in given]
    plans = zip(named, given, strict=True)
    return tuple((match[1], match[2]) if match else ("agent", file) for match, file in plans)


@main.command()
@click.option("--domain", required=True, type=click.Path(), help="The domain: PDDL.")
@click.option("--problem", required=True, type=click.Path(), help="The problem: PDDL.")
@click.option(
    "--goals", required=True, type=click.Path(), help="Goals, one a line: NAME: (CONDITION)"
)
@click.option(
    "--plan",
    "plans",
    required=True,
    multiple=True,
    metavar="[AGENT=]FILE",
    callback=_named_plans,
    help="What was seen, an action a line; may be given again.",
)
@click.option(
    "--model", default="paper", show_default=True, help="A preset or a TOML file; not its motion."
)
@click.option(
    "--something-else",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    metavar="WEIGHT",
    help="Prior weight, against 1 for each goal, of acting at random for another one.",
)
@click.option(
    "--judge",
    "judged",
    is_flag=True,
    help="Judge how plausible the last plan is, given those before; show only that one.",
)
@click.option(
    "--states",
    type=click.IntRange(min=1),
    default=200_000,
    show_default=True,
    help="Keep at most so many states in memory.",
)
@_format
@click.option("--plot", "figure", type=click.Path(), help="Draw it, too: .pdf, .svg or .png")
@click.option("--overwrite", is_flag=True, help="Replace the file given to --plot.")
def infer(
    domain: str,
    problem: str,
    goals: str,
    plans: tuple[tuple[str, str], ...],
    model: str,
    something_else: float,
    judged: bool,
    states: int,
    form: str,
    figure: str | None,
    overwrite: bool,
) -> None:
    """Infer which goal an agent has from a plan that was seen, in any domain told in PDDL.

    Prints what is believed about goal and efficiency after every action. Several plans are several
    trials: what is learnt about an agent is carried over from one to the next.
    """
    from hbtom.cli.infer import run

    sys.exit(
        run(
            domain,
            problem,
            goals,
            plans,
            model,
            something_else,
            states,
            judged,
            form,
            figure,
            overwrite,
        )
    )


@main.group()
def model() -> None:
    """Look at the models: every assumption, in a file that you can change."""


@model.command("list")
def list_models() -> None:
    """List the models that come with hbtom."""
    from hbtom.cli.model import list_presets

    sys.exit(list_presets())


@model.command("show")
@click.argument("name", default="default", metavar="[PRESET|FILE]")
def show_model(name: str) -> None:
    """Print a model as TOML. Save it, change it, and give the file to --model."""
    from hbtom.cli.model import show

    sys.exit(show(name))
