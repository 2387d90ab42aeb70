"""Configuration of the site; build it with ``sphinx-build -W -b html docs docs/_build/html``.

Neither building nor reading the site needs a network connection. See also CONTRIBUTING.md.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

import hbtom  # noqa: E402
from hbtom.judgement import attributing  # noqa: E402
from hbtom.mind import beliefs, company, kinds_of_minds, likelihood, watching  # noqa: E402

# Signatures name these types, which their modules import for type checkers only.
beliefs.Mixture = kinds_of_minds.Mixture
likelihood.Company = company.Company
watching.Whereabouts = hbtom.Whereabouts
attributing.os = os

project = "hbtom"
author = "The hbtom developers"
copyright = "the hbtom developers, MIT licence"
release = hbtom.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "repository",  # pages from the root of the repository
    "commands",  # the command-line reference
    "fields",  # field descriptions in the library reference, taken from comments
    "gallery",  # episodes and the model's judgements of them
    "studies",  # classic studies with several conditions
    "formulas",  # formulas as MathML
    "consoles",  # commands and their output
]
exclude_patterns = ["_build", "extensions", "jupyter_execute"]
language = "en"

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "auto"
nb_execution_timeout = 100
nb_execution_raise_on_error = True
nb_execution_show_tb = True

autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {name: name for name in ("Floats", "Bools", "Ints")}
python_display_short_literal_types = True
python_maximum_signature_line_length = 80
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"hbtom {release}"
pygments_dark_style = "github-dark"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_search_summary = False  # summaries are fetched, which a page opened as a file cannot do
html_show_sphinx = False
html_math_renderer = "mathml"
_SERIF = '"Iowan Old Style", "Palatino Linotype", Palatino, Charter, Georgia, serif'
html_theme_options = {
    "light_css_variables": {
        "font-stack--headings": _SERIF,
        "color-brand-primary": "#0b6e99",
        "color-brand-content": "#0b6e99",
        "color-brand-visited": "#5b4b8a",
    },
    "dark_css_variables": {
        "color-brand-primary": "#62b6dd",
        "color-brand-content": "#62b6dd",
        "color-brand-visited": "#b3a5e0",
    },
}
