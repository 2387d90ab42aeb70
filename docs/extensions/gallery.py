"""Directives for episodes and judgements, which are computed when the site is built.

``{episodes}`` embeds the page that ``hbtom show`` makes for a pair, ``{account}`` describes the
model's judgements in sentences, and ``{without}`` shows the judgements without some of the model's
assumptions. All three take a task and the option ``seed``. ``{show}`` takes two files instead, or a
plan. The first two also take a study of ``stimuli`` and a condition, counted from 1; see also
``studies``.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from findings import MEMBERS, SAMPLE, WHOLE, WITHOUT, Judged, make_pair
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from stimuli import STUDIES

import hbtom
from hbtom.bench.scenarios import is_plan, load_scenario
from hbtom.judgement import Judgement
from hbtom.judgement.warm_up import WORTH_LOADING, warm_up
from hbtom.show.page import page
from hbtom.show.page.scenes import scenes
from hbtom.show.page.story import chapter
from hbtom.show.plans.plan_page import plan_page
from hbtom.show.terminal import three

ROOT = Path(__file__).parents[2]
FOLDER = "episodes"
_CODE = [*Path(hbtom.__file__).parent.rglob("*.py"), *Path(__file__).parent.glob("*.py")]


def depend_on_code(directive: SphinxDirective) -> None:
    """Rebuild the page when the code changes."""
    for file in _CODE:
        directive.env.note_dependency(str(file))


@lru_cache(maxsize=1)
def judged(task: str, seed: int) -> Judged:
    """Judge a pair; all directives of a page share the result."""
    if task in STUDIES:
        return [*judged_study(task).values()][seed - 1]
    warm_up([WHOLE.model], WORTH_LOADING)  # quicker, if the kernels were compiled before
    return WHOLE.judge(make_pair(task, seed))


@lru_cache(maxsize=1)
def judged_study(study: str) -> dict[str, Judged]:
    """Judge the pairs of all conditions of a study."""
    warm_up([WHOLE.model], WORTH_LOADING)
    return {condition: WHOLE.judge(pair) for condition, pair in STUDIES[study].conditions().items()}


class _PairDirective(SphinxDirective):
    """A directive about a pair of episodes."""

    required_arguments = 1
    option_spec: ClassVar = {
        "seed": directives.nonnegative_int,
        "condition": directives.positive_int,
    }

    @property
    def pair(self) -> tuple[str, int]:
        """The task and the seed, or the study and the number of the condition."""
        depend_on_code(self)
        return self.arguments[0], self.options.get("condition", self.options.get("seed", 0))


class Episodes(_PairDirective):
    """The pair, played on an embedded page, and a link to that page."""

    def run(self) -> list[nodes.Node]:
        """Write the page and return the frame around it."""
        task, seed = self.pair
        return [framed(self, f"{task}-{seed}", judged(task, seed))]


class Show(SphinxDirective):
    """Two episodes, or a plan, played on an embedded page."""

    required_arguments, optional_arguments = 1, 1

    def run(self) -> list[nodes.Node]:
        """Write the page and return the frame around it."""
        depend_on_code(self)
        if is_plan(first := self.arguments[0]):
            goals, plan = load_scenario(str(ROOT / first))
            played = plan_page(hbtom.infer_plans(goals, [plan]))
            return [embedded(self, Path(first).stem, first, played)]
        expected, unexpected = (hbtom.load(ROOT / name) for name in self.arguments)
        name = Path(self.arguments[0]).name.partition(".")[0]
        return [framed(self, name, WHOLE.judge((expected, unexpected)))]


def framed(directive: SphinxDirective, name: str, both: Judged) -> nodes.Node:
    """Write the page that plays a pair, and return a frame that embeds it and links to it."""
    title = " and ".join(judgement.episode.name for judgement in both)
    return embedded(directive, name, title, page(*both))


def embedded(directive: SphinxDirective, name: str, title: str, played: str) -> nodes.Node:
    """Write a page, and return a frame that embeds it and links to it."""
    target = Path(directive.env.app.outdir, FOLDER, f"{name}.html")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(played, encoding="utf-8")
    address = html.escape("../" * directive.env.docname.count("/") + f"{FOLDER}/{name}.html")
    text = (
        f'<figure class="episode"><iframe src="{address}" title="{html.escape(title)}"></iframe>'
        f'<figcaption>Space plays, arrow keys step. <a href="{address}">Open it in full size</a>.'
        "</figcaption></figure>"
    )
    return nodes.raw("", text, format="html")


class Account(_PairDirective):
    """The plausibilities of both episodes, and their test trials in sentences."""

    def run(self) -> list[nodes.Node]:
        """Return a definition list."""
        both = zip(MEMBERS, judged(*self.pair), strict=True)
        lines = [line for name, judgement in both for line in _sentences(name, judgement)]
        return self.parse_text_to_nodes("\n".join(lines))


def _sentences(name: str, judgement: Judgement) -> Iterator[str]:
    yield f"The {name} episode: plausibility {three(judgement.plausibility)}"
    for number, moment in enumerate(chapter(scenes(judgement)[-1]).moments):
        yield f"{'  ' if number else ': '}- frame {moment.frame + 1}: {moment.text}"
    yield ""


class Without(_PairDirective):
    """A table of plausibilities with and without some assumptions."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the table; each line of the content names an assumption."""
        task, seed = self.pair
        pair, *others = (make_pair(task, each) for each in (seed, *SAMPLE))
        lines = [
            f"| | expected | unexpected | other pairs told apart (of {len(others)}) |",
            "|---|---:|---:|---:|",
        ]
        for variation in (WHOLE, *(WITHOUT[name] for name in self.content)):
            e, u = variation.judge(pair)
            numbers = three(e.plausibility), three(u.plausibility), variation.tells_apart(others)
            lines.append(f"| {variation.label} | {' | '.join(map(str, numbers))} |")
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives."""
    app.add_directive("show", Show)
    app.add_directive("episodes", Episodes)
    app.add_directive("account", Account)
    app.add_directive("without", Without)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
