"""The directive ``{commands}``: the command-line reference, made from the commands' help."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import click
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from hbtom import cli


def leaves(
    command: click.Command, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield every command that is not a group, in the order of definition."""
    if not isinstance(command, click.Group):
        yield command, context
        return
    for name, one in command.commands.items():
        yield from leaves(one, click.Context(one, info_name=name, parent=context))


def section(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the lines of the section on a command, in Markdown."""
    yield f"## {context.command_path}"
    yield "\n```text"
    yield " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield "```\n"
    yield marked(inspect.cleandoc(command.help or ""))
    yield ""
    for parameter in command.get_params(context):
        names, meaning = parameter.get_help_record(context) or ("", "")
        if meaning:
            yield f"`{names}`\n: {marked(meaning)}\n"


def marked(text: str) -> str:
    """Return the text with its options marked as code."""
    return re.sub(r"(?<![\w-])--[a-z-]+", r"`\g<0>`", text)


class Commands(SphinxDirective):
    """One section for each command."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        self.env.note_dependency(str(inspect.getsourcefile(cli)))
        top = click.Context(cli.main, info_name="hbtom", **cli.main.context_settings)
        lines = [line for leaf in leaves(cli.main, top) for line in section(*leaf)]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
