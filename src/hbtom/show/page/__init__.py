"""A page on which to watch an episode, with what the model believes moving alongside."""

from hbtom.show.page.viewer import page

__all__ = ["page"]
