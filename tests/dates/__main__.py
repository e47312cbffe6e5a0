"""`make test-dates`: tests at other dates, with the wall clock of all processes moved.

`--run` chooses the tests: those that read the clock (`readers`, the default), `all` of `make test`, those that start
processes (`processes`), and those that start the demo and run what the documents print (`demo`). A table has the
results; the output of each run is in `build/dates`.

`--drawn` draws a moment and one half of the readers' modules, for `.ci/run`. Without it all readers run at all moments.
"""

import argparse
import re
import secrets
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic

from tests.dates.moments import MOMENTS
from tests.dates.readers import clock_readers
from tests.dates.shift import clock_at, compiled_shift

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "dates"
DEMO = ("test_demo", "test_documented_blocks")
MODULES = sorted({name.partition("::")[0] for name in clock_readers()})
RUNS = {
    "readers": ["-p", "tests.dates.selection", "--hypothesis-profile", "few"],
    "all": [],
    "processes": ["-m", "process"],
    "demo": ["-m", "process", *(f"tests/rest_facade/commands/{name}.py" for name in DEMO)],
}
PYTEST = (sys.executable, *"-m pytest -q -n auto --dist worksteal".split())
DRAWN_DAYS = 4 * 365


def parse_moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def drawn_moment() -> datetime:
    """One of the listed moments, or any minute of the next years."""
    if secrets.randbelow(2):
        return secrets.choice(MOMENTS)
    return datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(minutes=secrets.randbelow(DRAWN_DAYS * 1440))


def main() -> int:
    parser = argparse.ArgumentParser(prog="make test-dates", description=__doc__, epilog="Others go to pytest: -n 4.")
    parser.add_argument("--run", nargs="+", choices=RUNS, default=["readers"], help="which tests")
    parser.add_argument(
        "--at", nargs="+", type=parse_moment, default=MOMENTS, metavar="MOMENT", help="2027-03-28T12:00"
    )
    parser.add_argument("--half", type=int, choices=(0, 1), help="only the readers of every second module")
    parser.add_argument("--drawn", action="store_true", help="at one moment, one half: both are drawn")
    options, others = parser.parse_known_args()
    half = secrets.randbelow(2) if options.drawn else options.half
    FOLDER.mkdir(parents=True, exist_ok=True)
    codes = []
    with compiled_shift() as library:
        say("moment (UTC)      tests      passed  failed  seconds")
        for moment in [drawn_moment()] if options.drawn else options.at:
            codes += [run_at(moment, run, half, others, library) for run in options.run]
    return 1 if any(codes) else 0


def run_at(moment: datetime, run: str, half: int | None, others: Sequence[str], library: Path) -> int:
    """Run tests at a moment and print a line of the table; returns the code of pytest."""
    label = f"{moment:%Y-%m-%dT%H:%M}"
    file, began = FOLDER / f"{label}-{run}.log", monotonic()
    modules = [] if run != "readers" else MODULES if half is None else MODULES[half::2]
    command = [*PYTEST, *RUNS[run], *modules, *others]
    with file.open("w") as log:
        done = subprocess.run(
            command, cwd=ROOT, env=clock_at(moment, library), stdout=log, stderr=subprocess.STDOUT, check=False
        )
    lines = file.read_text().splitlines()
    passed, red = counted(lines, "passed"), counted(lines, "failed") + counted(lines, "error")
    say(f"{label}  {run:<9}  {passed:>6}  {red:>6}  {monotonic() - began:>7.0f}")
    if done.returncode:
        say(*([line for line in lines if line.startswith(("FAILED ", "ERROR "))] or lines[-5:]))
        again = f"--run {run} --at {label}" + ("" if half is None else f" --half {half}")
        say(f"The output is in {file}.", f'Again: make test-dates ARGS="{again}"')
    return done.returncode


def say(*lines: str) -> None:
    print(*lines, sep="\n", flush=True)  # noqa: T201


def counted(lines: Sequence[str], word: str) -> int:
    """The number before a word in pytest's last line, such as `3 failed, 120 passed in 20 s`."""
    found = re.search(rf"(\d+) {word}", lines[-1] if lines else "")
    return int(found[1]) if found else 0


if __name__ == "__main__":
    sys.exit(main())
