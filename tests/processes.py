"""What a process needs that a test starts, and signals to a process with its children."""

import contextlib
import os
import signal
from pathlib import Path


def hear_sigint() -> None:
    """Let the process end by SIGINT (a `preexec_fn`). A runner that was started with `nohup ... &` ignores it.

    An ignored signal stays ignored in every process that is started from there.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def signal_family(pid: int, number: int) -> None:
    """Send a signal to a process, and to its children at that moment."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for member in (pid, *map(int, listed)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(member, number)
