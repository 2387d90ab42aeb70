"""A page on which to watch an episode together with the model's beliefs."""

from hbtom.show.page.viewer import page

__all__ = ["page"]
