"""What a process needs that a test starts, and signals to a process with its children."""

import atexit
import contextlib
import functools
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

WARM = Path(__file__).parent / "warm"
WARM_SECONDS = 120


@functools.cache
def orgdata_command() -> tuple[str, ...]:
    """The first words of a command that runs `orgdata` as a process.

    The process is a fork of one that has imported the service, which takes seconds of CPU. On other systems than Linux
    it is a new interpreter.
    """
    if sys.platform != "linux":
        return sys.executable, "-m", "rest_facade"
    folder = tempfile.TemporaryDirectory(prefix="orgdata-warm-")
    path = Path(folder.name) / "socket"
    # Its standard input closes when this process ends, however that ends.
    # A script, not a module: the usage of a command names what runs.
    command = [sys.executable, str(WARM / "server.py"), str(path)]
    server = subprocess.Popen(command, cwd=WARM.parents[1], stdin=subprocess.PIPE)
    atexit.register(_end, server, folder)
    deadline = time.monotonic() + WARM_SECONDS
    while not path.exists():
        assert server.poll() is None, "tests/warm/server.py has ended"
        assert time.monotonic() < deadline, f"tests/warm/server.py did not start within {WARM_SECONDS} s"
        time.sleep(0.01)
    return sys.executable, "-I", "-S", str(WARM / "client.py"), str(path)


def write_orgdata(folder: Path) -> None:
    """Write `orgdata` into a folder, for shell lines: the command of `orgdata_command`."""
    folder.mkdir(parents=True)
    (folder / "orgdata").write_text(f'#!/bin/sh\nexec {shlex.join(orgdata_command())} "$@"\n')
    (folder / "orgdata").chmod(0o755)


def _end(server: subprocess.Popen[bytes], folder: tempfile.TemporaryDirectory[str]) -> None:
    assert server.stdin
    server.stdin.close()
    server.wait()
    folder.cleanup()


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


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")


def is_running(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
