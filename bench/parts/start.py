"""Start: the time from the command `orgdata demo` to the first response, on the first and the second start."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.http_requests import get, send
from bench.processes import CORES, clean_environment, end, free_port, pinned
from bench.section import Bench, Section, at_most


def measure(bench: Bench) -> Section:
    with tempfile.TemporaryDirectory(prefix="orgdata-start-") as name:
        Path(name).chmod(0o755)
        first = _start(Path(name))
        second = _start(Path(name))
    lines = [
        "| `orgdata demo` | seconds until the first response |",
        "|---|---:|",
        f"| first start, empty folder | {first:.2f} |",
        f"| second start, same folder | {second:.2f} |",
    ]
    targets = [at_most("First start", first, 5, " s"), at_most("Second start", second, 2, " s")]
    return Section("all cores", lines, targets)


def _start(folder: Path) -> float:
    """Seconds from the command to the first response with data."""
    command = [str(Path(sys.executable).parent / "orgdata"), "demo", "--data", str(folder / "data")]
    command += ["--port", str(free_port()), "--internal-port", str(free_port())]
    with pinned(set(CORES)), (folder / "log").open("ab") as log:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, env=clean_environment(), stdout=subprocess.PIPE, stderr=log)
    with process:  # closes its pipe
        try:
            assert process.stdout is not None
            # The last line that it prints is JSON.
            startup = next((json.loads(line) for line in process.stdout if line.startswith(b"{")), None)
            if startup is None:
                raise SystemExit(f"bench: `orgdata demo` ended with {process.wait()}.")
            request = get("/v1/organization/", {"X-SERVICE-API-KEY": startup["partner_key"]})
            status, _ = send(int(startup["public"].rpartition(":")[2]), request)
            seconds = time.perf_counter() - began
            if status != 200:
                raise SystemExit(f"bench: `orgdata demo` answered {status}.")
            os.kill(process.pid, signal.SIGINT)
            process.wait(15)
            return seconds
        finally:
            end(process)
