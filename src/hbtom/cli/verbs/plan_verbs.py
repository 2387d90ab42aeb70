"""Verbs for plans in any domain: inferring what agents want."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from hbtom.cli.options import (
    Number,
    file_option,
    flag,
    format_option,
    named,
    option,
    overwrite_option,
    path,
    verb,
    workers_option,
)

_named_plans = partial(named, otherwise="agent")


@verb
@click.argument("worlds", nargs=-1, type=path)
@file_option("--domain", help="Instead of WORLDS: a domain, in PDDL.")
@file_option("--problem", help="The problem, in PDDL.")
@file_option("--goals", help="Goals, one per line: NAME: (CONDITION)")
@click.option(
    "--plan",
    "plans",
    multiple=True,
    metavar="[AGENT=]FILE",
    callback=lambda context, option, given: _named_plans(given),
    help="An observed plan, one action per line; may be repeated.",
)
@option(
    "--model", default="paper", help="A preset or a TOML file; its motion and noise are not used."
)
@option(
    "--something-else",
    type=Number(1e-6, 1e6, or_zero=True),
    default=0.0,
    metavar="WEIGHT",
    help="Prior weight of another goal, pursued at random; each listed goal has 1.",
)
@flag(
    "--judge",
    "judged",
    help="Judge how plausible the last plan is, given those before it; show only that one.",
)
@option(
    "--states",
    type=click.IntRange(1, 100_000_000),
    default=200_000,
    help="The largest number of states kept in memory.",
)
@format_option
@file_option("-o", "--out", help="Write one row per plan, time and goal: .csv, .jsonl, .parquet.")
@file_option("--plot", "figure", help="Also draw a figure: .pdf, .svg or .png")
@file_option("--page", help="Also make a page to watch the plans on: .html")
@file_option("--movie", help="Also make a movie of the plans: .gif or .mp4")
@flag("--overwrite", help="Replace the files given to --out, --plot, --page and --movie.")
def infer(**given: Any) -> None:
    """Infer an agent's goal from an observed plan, in any domain described in PDDL.

    Prints the beliefs about goal and efficiency after every action. Several plans are several
    trials: beliefs about an agent carry over from one to the next.

    WORLDS are folders with domain.pddl, problem.pddl, goals.txt and plans (*.plan), or folders of
    them. Each plan is then a separate scenario, with its own agent.
    """
    files = [given[name] for name in ("domain", "problem", "goals", "plans")]
    if any(files) != all(files) or bool(given["worlds"]) == any(files):
        raise click.UsageError("give WORLDS, or all of --domain, --problem, --goals and --plan.")
    single = "judged", "figure", "page", "movie", "something_else"
    if given["worlds"] and any(given[name] for name in single):
        raise click.UsageError(
            "--judge, --plot, --page, --movie and --something-else are not for WORLDS."
        )


@verb
@click.argument("problems", nargs=-1, metavar="[AGENT=]PROBLEM...")
@file_option("--domain", help="Instead of a PROBLEM: a domain, in PDDL.")
@file_option("--problem", help="Its problem, or a template with <HYPOTHESIS> for the goal.")
@file_option("--goals", help="Goals, one per line: (FACT), (FACT) or NAME: (CONDITION)")
@click.option(
    "--observations",
    multiple=True,
    metavar="[AGENT=]FILE",
    help="Observed actions, one per line; anything may be missing. May be repeated.",
)
@click.option(
    "--engine",
    type=click.Choice(["exact", "search", "counting"]),
    help="How to find the answer. Default: exact if the problem is small, else counting.",
)
@click.option(
    "--states",
    type=click.IntRange(1, 100_000_000),
    help="The largest number of states kept in memory. Default: 12000.",
)
@click.option(
    "--wrong",
    type=Number(0, 1, max_open=True),
    metavar="RATE",
    help="How many observations are wrong. Default: inferred.",
)
@flag("--whole", help="The observations are whole plans: no action is missing.")
@flag("--strict", help="Refuse observations that are not actions of the problem.")
@flag(
    "--same-agent",
    help="Problems without a named agent are of one agent, and beliefs about it carry over.",
)
@flag("--peers", help="Also ask other recognisers: by landmarks, by cost difference.")
@click.option("--model", help="A preset or a TOML file; its motion and noise are not used.")
@flag("--trace", help="Show the beliefs after every observation.")
@workers_option
@file_option(
    "-o", "--out", help="Write every problem as it is answered: .json, .jsonl, .csv or .parquet."
)
@flag("--resume", help="Continue an earlier run.")
@overwrite_option
@format_option
def recognise(**given: Any) -> None:
    """Recognise the goals of agents from some of their actions, in any domain described in PDDL.

    A PROBLEM is an archive in the field's usual layout (.tar.bz2 with domain.pddl, template.pddl,
    hyps.dat, obs.dat and perhaps real_hyp.dat), a folder with these files, or a folder of any of
    these, which is searched recursively. Prints a table of how often the true goal is found or,
    for a single problem, how probable each goal is. Beliefs about a named AGENT carry over to its
    next problem.
    """
    files = [given[name] for name in ("domain", "problem", "goals", "observations")]
    if any(files) != all(files) or bool(given["problems"]) == any(files):
        raise click.UsageError(
            "give a PROBLEM, or all of --domain, --problem, --goals and --observations."
        )
    if given["resume"] and given["out"] is None:
        raise click.UsageError("--resume continues a file: name it with --out.")
    if given["same_agent"] and given["workers"] not in (None, 1):
        raise click.UsageError("--same-agent solves problems one by one; do not use --workers.")


@verb
@click.argument("worlds", nargs=-1, type=path)
@file_option("--domain", help="Instead of WORLDS: a domain, in PDDL.")
@file_option(
    "--problem",
    "problems",
    multiple=True,
    help="The problem, in PDDL. If repeated: others that the agent considers possible.",
)
@file_option("--goals", help="What the agent may want, one goal per line: NAME: (CONDITION)")
@click.option(
    "--plan",
    "plans",
    multiple=True,
    metavar="[AGENT=]FILE",
    callback=lambda context, option, given: named(given, "agent"),
    help="An observed plan, one action per line; may be repeated.",
)
@file_option("--sees", help="What the agent can always see, one per line: NAME: (CONDITION)")
@flag("--stopped", help="Agents stopped after the last action of their plans.")
@option("--model", default="paper", help="A preset or a TOML file; [desires] is used.")
@option(
    "--states",
    type=click.IntRange(1, 1_000_000),
    default=20_000,
    help="The largest number of situations that an agent can get into.",
)
@flag("--trace", help="Show the beliefs after every step.")
@format_option
@file_option("-o", "--out", help="Also write a table: .csv, .jsonl or .parquet")
@file_option("--plot", "figure", help="Also draw a figure: .pdf, .svg or .png")
@flag("--overwrite", help="Replace the files given to --out and --plot.")
def attribute(**given: Any) -> None:
    """Infer how much agents want each thing, and what they believe, from what they do.

    WORLDS are files with a map and the paths of agents through it. Agents like some things more
    than others, see everything that no wall hides, and may take the second best if the best is
    missing.
    """
    pddl = [given[name] for name in ("domain", "problems", "goals", "plans")]
    if any(pddl) != all(pddl) or bool(given["worlds"]) == any(pddl):
        raise click.UsageError("give WORLDS, or all of --domain, --problem, --goals and --plan.")
    if given["worlds"] and (given["sees"] or given["stopped"]):
        raise click.UsageError("--sees and --stopped are for PDDL, not for WORLDS.")
