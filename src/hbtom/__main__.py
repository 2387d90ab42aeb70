"""``python -m hbtom``."""

from hbtom.cli import main

main()
