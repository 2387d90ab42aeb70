"""``python -m hbtom``, which is also the command ``hbtom``."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # type checkers take it as true; typing need not be imported
if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = 130  # the status that shells expect of a command ended by Ctrl-C


def start() -> None:
    """Run the command; Ctrl-C ends it without a traceback, also while it is being imported."""
    sys.unraisablehook = _press_again
    try:
        from hbtom.cli import main

        main()
    except KeyboardInterrupt:
        sys.stderr.write("hbtom: interrupted\n")
        _end()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _end()
        raise
    finally:
        from signal import SIG_IGN, SIGINT, signal

        signal(SIGINT, SIG_IGN)  # everything is done, and Python is about to exit


def _end() -> None:
    """Exit at once, because a regular exit of Python might still print a traceback."""
    from contextlib import suppress

    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(INTERRUPTED)


def _press_again(lost: UnraisableHookArgs) -> None:
    """Send Ctrl-C again if it came where Python can only ignore it, such as in a callback."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    from threading import Timer

    timer = Timer(0.01, _press)
    timer.daemon = True
    timer.start()


def _press() -> None:
    if os.name == "posix":
        from signal import SIGINT

        os.kill(os.getpid(), SIGINT)  # this also interrupts a waiting main thread
    else:
        from _thread import interrupt_main

        interrupt_main()


if __name__ == "__main__":
    start()
