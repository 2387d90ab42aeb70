"""A page to watch an episode on, together with the model's beliefs."""

from hbtom.show.page.viewer import page

__all__ = ["page"]
