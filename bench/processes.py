"""Server processes: started, pinned to cores, timed and stopped."""

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
"""The core of the server process; the load client and the database use the others."""

BESIDE = set(CORES[1:]) or SERVED_ON

START_SECONDS = 60.0
STOP_SECONDS = 10.0


@dataclass(frozen=True)
class Process:
    """A running server, which listens on `port`."""

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
    """Seconds of user and system time of a process with all its threads, to the nanosecond.

    Reads the CPU-time clock of the process, whose number is derived from its id; /proc counts hundredths of a second.
    """
    return time.clock_gettime((~pid << 3) | 2)


def children_cpu(pid: int) -> dict[int, float]:
    """The same for each child of a process, by process id."""
    sock: dict[int, float] = {}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError):
            # A program's name may contain spaces and brackets; the fields after the last bracket do not.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid:
                sock[int(folder.name)] = cpu_of(int(folder.name))
    return sock


def free_port() -> int:
    """A free port of the loopback address."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
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
    """A server process on its own core, once it accepts connections. `{port}` in `command` is replaced by its port."""
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
    name: str, command: Sequence[str], *, folder: Path, environment: Mapping[str, str] | None = None, cores: set[int]
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is stopped at the end of the block. Its output goes to a file in `folder`."""
    with (folder / f"{name}.log").open("ab") as log, pinned(cores):
        process = subprocess.Popen(
            command, cwd=folder, env=clean_environment() | dict(environment or {}), stdout=log, stderr=log
        )
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Stop a process: SIGTERM, and SIGKILL after STOP_SECONDS."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def pinned(cores: set[int]) -> Iterator[None]:
    """Processes started in the block run on `cores`, which a child inherits from its parent."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def clean_environment() -> dict[str, str]:
    """The environment without settings of the service, with this checkout on the path.

    As for users, Python keeps what it compiled: a start compiles nothing again.
    """
    variables = {name: value for name, value in os.environ.items() if not name.upper().startswith("ORGDATA_")}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    return variables | {"PYTHONPATH": str(ROOT)}


def module(name: str, *arguments: str) -> list[str]:
    """The command that runs a module with the Python of this process."""
    return [sys.executable, "-m", name, *arguments]


def _accepts(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
        return True
    return False
