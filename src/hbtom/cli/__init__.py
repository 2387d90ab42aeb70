"""The command line: one verb for each function of the library.

Only click is imported here. Everything else is imported when its verb is called, so that help is
instant.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import click

from hbtom import __version__
from hbtom.cli.output import INTERRUPTED
from hbtom.cli.verbs import benchmark_verbs, dataset_verbs, episode_verbs, plan_verbs

_FORMERLY = {"view": "browse"}  # verbs that still work, with a warning
_TOPICS = {
    "Judge and watch episodes": episode_verbs,
    "Infer goals from plans": plan_verbs,
    "Evaluate models": benchmark_verbs,
    "Make and browse datasets": dataset_verbs,
}


def _verbs(module: ModuleType) -> list[tuple[str, click.Command]]:
    """Return the verbs of a module, in the order in which they are defined."""
    return [
        (name, one)
        for name, one in vars(module).items()
        if isinstance(one, click.Command) and name == one.name
    ]


def _first_sentence(verb: click.Command) -> str:
    paragraph = " ".join((verb.help or "").partition("\n\n")[0].split())
    return paragraph.partition(". ")[0].removesuffix(".")


@contextmanager
def _ended_by_ctrl_c() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        click.echo("hbtom: interrupted", err=True)
        sys.exit(INTERRUPTED)


class _Front(click.Group):
    """All verbs. Ctrl-C ends each of them with one line and the status that shells expect."""

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a verb; print a warning if it is called by its former name."""
        if name in _FORMERLY:
            click.echo(f"hbtom: warning: '{name}' is now '{_FORMERLY[name]}'", err=True)
        return super().get_command(ctx, _FORMERLY.get(name, name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs by topic, each with the first sentence of its help in full."""
        for topic, module in _TOPICS.items():
            with formatter.section(topic):
                formatter.write_dl([(name, _first_sentence(one)) for name, one in _verbs(module)])

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _ended_by_ctrl_c():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _ended_by_ctrl_c():
            return super().invoke(ctx)


@click.group(
    cls=_Front, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, message="hbtom %(version)s")
def main() -> None:
    """Watch an agent, infer what it wants and how well it plans, judge what it does next."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # print a mark instead of missing letters


for _module in _TOPICS.values():
    for _, _verb in _verbs(_module):
        main.add_command(_verb)
