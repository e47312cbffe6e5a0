"""Processes that are started, pinned, timed and ended, each by its own id."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

CORES = sorted(os.sched_getaffinity(0))
SERVED_ON = {CORES[0]}
"""The core of the server process; the load client and the database have the rest."""

BESIDE = set(CORES[1:]) or SERVED_ON

START_SECONDS = 60.0
STOP_SECONDS = 10.0


@dataclass(frozen=True)
class Process:
    """A server that was started; `port` is where it listens."""

    name: str
    pid: int
    port: int

    def cpu(self) -> float:
        """Seconds of user and system time so far."""
        return cpu_of(self.pid)

    def rss(self) -> float:
        """Resident memory in MB."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def cpu_of(pid: int) -> float:
    """Seconds of user and system time of a process, all its threads included, to the nanosecond.

    The kernel has a clock for each process, whose number is made of its id; /proc counts in hundredths of a second.
    """
    return time.clock_gettime((~pid << 3) | 2)


def children_cpu(pid: int) -> dict[int, float]:
    """The same of each living child of a process, by its id."""
    found: dict[int, float] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError):
            # The name of a program may hold spaces and brackets; what follows the last bracket does not.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid:
                found[int(folder.name)] = cpu_of(int(folder.name))
    return found


def free_port() -> int:
    """A port of the loopback address that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextmanager
def serving(
    name: str,
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    cores: set[int] | None = None,
) -> Iterator[Process]:
    """A server process on a core of its own, from when it accepts connections. `{port}` stands for its port."""
    port = free_port()
    words = [word.replace("{port}", str(port)) for word in command]
    with started(name, words, folder=folder, environment=environment, cores=cores or SERVED_ON) as process:
        deadline = time.monotonic() + START_SECONDS
        while not _accepts(port):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"bench: {name} did not start; see {folder / (name + '.log')}.")
            time.sleep(0.02)
        yield Process(name, process.pid, port)


@contextmanager
def started(
    name: str,
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    cores: set[int],
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is ended with the block. What it says goes into a file of the folder."""
    with (folder / f"{name}.log").open("ab") as log, pinned(cores):
        process = subprocess.Popen(
            command, cwd=folder, env=clean_environment() | dict(environment or {}), stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to stop, and insist."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def pinned(cores: set[int]) -> Iterator[None]:
    """Start processes on these cores: a child has those of its parent, from its first instruction on."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def clean_environment() -> dict[str, str]:
    """The environment without settings of the service, and with the modules of this checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.upper().startswith("ORGDATA_")}
    return kept | {"PYTHONPATH": str(ROOT)}


def module(name: str, *arguments: str) -> list[str]:
    """The command that runs a module with the Python of this process."""
    return [sys.executable, "-m", name, *arguments]


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
