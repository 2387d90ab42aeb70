"""``python -m hbtom``, which is also the command ``hbtom``."""

import sys


def start() -> None:
    """Run the command; Ctrl-C ends it without a traceback, also while it is being imported."""
    try:
        from hbtom.cli import main

        main()
    except KeyboardInterrupt:
        sys.stderr.write("hbtom: interrupted\n")
        sys.exit(130)
    finally:
        from signal import SIG_IGN, SIGINT, signal

        signal(SIGINT, SIG_IGN)  # all is done, and Python is about to end


if __name__ == "__main__":
    start()
