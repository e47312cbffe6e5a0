"""What a process needs that a test starts."""

import signal


def hear_sigint() -> None:
    """Let the process end by SIGINT (a `preexec_fn`). A runner that was started with `nohup ... &` ignores it.

    An ignored signal stays ignored in every process that is started from there.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
