"""`orgdata serve` as a process, for tests that stop, kill or starve it."""

import contextlib
import os
import re
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID
from zlib import crc32

import httpx2 as httpx
import pytest

from tests.helpers.repository import ROOT
from tests.helpers.waiting import until
from tests.processes import orgdata_command

TIMEOUT = 60.0
"""Seconds after which a waiting test fails."""

HANGUP = pytest.param(
    signal.SIGHUP,
    marks=pytest.mark.skipif(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, reason="nohup runs the tests"),
)

STARTED_LINE = re.compile(
    r"Serving (http://127\.0\.0\.1:(\d+))/v1/ \(operators: (http://127\.0\.0\.1:(\d+))/ready\)\.\n"
)


@dataclass(frozen=True)
class Serving:
    """A running service: its process (with several workers, their parent) and the URLs of its listeners."""

    process: subprocess.Popen[str]
    public: str
    internal: str
    log: Path

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the public listener."""
        return "127.0.0.1", int(self.public.rpartition(":")[2])

    def log_text(self) -> str:
        """Everything that it has logged."""
        return self.log.read_text()

    def children(self) -> list[int]:
        """The process ids of the workers."""
        listed = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return [int(word) for word in listed.split()]

    def refuses(self) -> bool:
        """Whether the public listener takes no connection."""
        try:
            httpx.get(self.public, timeout=0.5)
        except httpx.TransportError:
            return True
        return False

    def stop(self, number: int = signal.SIGTERM, timeout: float = TIMEOUT) -> int:
        """Send a signal and wait for the end; returns the exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout)


def environment(**settings: str) -> dict[str, str]:
    """Environment variables with these settings only: ORGDATA_ variables of the outside are left out."""
    others = {name: value for name, value in os.environ.items() if not name.upper().startswith("ORGDATA_")}
    own = {f"ORGDATA_{name.upper()}": value for name, value in settings.items()}
    return others | {"PYTHONPATH": str(ROOT), "ORGDATA_SIGNING_KEYS": "a signing key of the tests"} | own


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
    """Start the service and wait for its start-up line; kill its processes at the end.

    `arguments` are those of `orgdata serve`, `settings` are named without ORGDATA_; `before` stands before the
    command, such as `prlimit --nofile=128`.
    """
    log = folder / f"{name}.log"
    ports = ["--port", str(port), "--internal-port", str(internal_port)]
    # Limits, and the workers that a test looks for among the children, need a process of its own.
    is_own = before or any(each.startswith("--workers") for each in arguments)
    words = (sys.executable, "-m", "rest_facade") if is_own else orgdata_command()
    command = [*before, *words, "serve", *ports, *arguments]
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
            line = _line(process, TIMEOUT)
            match = STARTED_LINE.fullmatch(line)
            assert match is not None, (line, log.read_text())
            yield Serving(process, match[1], match[3], log)
        finally:
            # The workers are in the session of the parent, also when it has died.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _line(process: subprocess.Popen[str], timeout: float) -> str:
    """The first line of standard output."""
    assert process.stdout is not None
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        assert selector.select(timeout), f"No output within {timeout} s."
    return process.stdout.readline()


def quiet_window(*organization_ids: UUID) -> None:
    """Wait until the present windows of organizations have at least 8 of their 60 seconds left."""
    offsets = [crc32(str(each).encode()) for each in organization_ids]
    until(lambda: all((time.time() - offset) % 60 < 52 for offset in offsets), 30)


def get(service: Serving, key: str, path: str = "/v1/members/") -> httpx.Response:
    return httpx.get(f"{service.public}{path}", headers={"X-SERVICE-API-KEY": key}, timeout=10)
