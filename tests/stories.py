"""The story of a whole episode, which pages show trial by trial."""

from __future__ import annotations

from hbtom.judgement import Judgement
from hbtom.show.page.scenes import scenes
from hbtom.show.page.story import Chapter, chapter


def story(judgement: Judgement) -> list[Chapter]:
    """Return a chapter for each trial."""
    return list(map(chapter, scenes(judgement)))
