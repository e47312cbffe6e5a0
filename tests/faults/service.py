"""`orgdata serve` as a process, for tests that stop, kill or starve it."""

import contextlib
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

PATIENCE = 60.0
"""Seconds after which a test fails instead of waiting on."""

SERVING = re.compile(r"Serving (http://127\.0\.0\.1:(\d+))/v1/ \(operators: (http://127\.0\.0\.1:(\d+))/ready\)\.\n")


@dataclass(frozen=True)
class Serving:
    """A running service: the process that was started (with several workers, their parent) and where it listens."""

    process: subprocess.Popen[str]
    public: str
    internal: str
    log: Path

    @property
    def address(self) -> tuple[str, int]:
        """Where sockets connect to reach the public listener."""
        return "127.0.0.1", int(self.public.rpartition(":")[2])

    def said(self) -> str:
        """What it has logged."""
        return self.log.read_text()

    def children(self) -> list[int]:
        """The ids of its child processes: the workers."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(word) for word in listed.split()]

    def stop(self, number: int = signal.SIGTERM, patience: float = PATIENCE) -> int:
        """Tell it to stop, and wait until it has; its exit code."""
        self.process.send_signal(number)
        return self.process.wait(patience)


def environment(**settings: str) -> dict[str, str]:
    """The variables of a command: its settings are those given, whatever they are outside."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("ORGDATA_")}
    given = {f"ORGDATA_{name.upper()}": value for name, value in settings.items()}
    return kept | {"PYTHONPATH": str(ROOT), "ORGDATA_SIGNING_KEYS": "a signing key of the tests"} | given


@contextmanager
def serving(
    folder: Path,
    *arguments: str,
    before: Sequence[str] = (),
    name: str = "service",
    port: int = 0,
    internal_port: int = 0,
    **settings: str,
) -> Iterator[Serving]:
    """The service, from when it says that it serves; whatever is left of it is killed at the end.

    `arguments` are those of `orgdata serve`, `settings` are named without ORGDATA_; `before` stands before the
    command, such as `prlimit --nofile=128`.
    """
    log = folder / f"{name}.log"
    ports = ["--port", str(port), "--internal-port", str(internal_port)]
    command = [*before, sys.executable, "-m", "rest_facade", "serve", *ports, *arguments]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command,
            cwd=folder,
            env=environment(**settings),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            line = _line(process, PATIENCE)
            told = SERVING.fullmatch(line)
            assert told is not None, (line, log.read_text())
            yield Serving(process, told[1], told[3], log)
        finally:
            # Whatever became of the parent: its workers are of its session, and of nobody else's.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _line(process: subprocess.Popen[str], patience: float) -> str:
    """The first line that a process says."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        assert selector.select(patience), "It said nothing."
    return process.stdout.readline()


def until(condition: Callable[[], bool], patience: float = 10.0, every: float = 0.01) -> None:
    """Wait for what a function says to become true."""
    deadline = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < deadline, f"{condition} is still not true after {patience} s"
        time.sleep(every)
