"""Formulas as MathML, which browsers render without scripts, extra fonts or a network."""

from __future__ import annotations

from typing import Any, NoReturn

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

_ALSO = {r"\lt ": "<", r"\gt ": ">"}  # Markdown may mistake the signs themselves for tags


def mathml(node: nodes.Element, *, as_block: bool) -> str:
    """Return a formula as MathML, or its source if it cannot be converted."""
    tex = node.astext()
    for name, sign in _ALSO.items():
        tex = tex.replace(name, sign)
    try:
        return tex2mathml(tex.strip(), as_block=as_block)
    except MathError as error:
        logging.getLogger(__name__).warning("%s in %s", error, tex, location=node)
        return f"<code>{nodes.literal(text=tex).astext()}</code>"


def _inline(page: Any, node: nodes.Element) -> NoReturn:
    page.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def _block(page: Any, node: nodes.Element) -> NoReturn:
    page.body.append(f'<div class="formula">{mathml(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
