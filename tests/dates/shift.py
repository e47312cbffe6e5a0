"""Environment variables of processes whose wall clock is at another moment."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

SOURCE = Path(__file__).with_name("clock_shift.c")


@contextmanager
def compiled_shift() -> Iterator[Path]:
    """The library that moves the clock, where another user can read it: PostgreSQL does not run as root."""
    with TemporaryDirectory(prefix="orgdata-clock-") as name:
        Path(name).chmod(0o755)
        library = Path(name) / "clock_shift.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-Wall", "-o", str(library), str(SOURCE)], check=True)
        yield library


def clock_at(moment: datetime, library: Path) -> Mapping[str, str]:
    """The environment of a process that starts now, as if at `moment`; its children have the same clock."""
    # The clock of this process may be moved itself.
    seconds = round((moment - datetime.now(UTC)).total_seconds()) + int(os.environ.get("CLOCK_SHIFT", "0"))
    return os.environ | {"LD_PRELOAD": str(library), "CLOCK_SHIFT": str(seconds)}
