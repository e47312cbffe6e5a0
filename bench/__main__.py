"""`python -m bench [PART ...]`: measure, print, and write bench/RESULTS.md."""

import os
import shutil
import signal
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

import psycopg

from bench import report
from bench.data import database
from bench.measure import Plan
from bench.parts import detail, growth, load, memory, page, refusals, start
from bench.processes import BESIDE
from bench.section import Bench, Section

PARTS: dict[str, Callable[[Bench], Section]] = {
    "page": page.measure,
    "detail": detail.measure,
    "refusals": refusals.measure,
    "growth": growth.measure,
    "load": load.measure,
    "memory": memory.measure,
    "start": start.measure,
}


def main() -> None:
    options = _options()
    # Whoever is told to stop still ends what was started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: told to stop."))
    began, so = time.monotonic(), report.Began.now()
    folder = Path(tempfile.mkdtemp(prefix="orgdata-bench-log-"))
    sections = []
    # The database is a child of this process, and stays with it beside the core of the servers.
    os.sched_setaffinity(0, BESIDE)
    print("Making the database ...", flush=True)
    with database() as data:
        with psycopg.connect(data.url) as connection:
            postgres = f"{connection.info.server_version // 10000}.{connection.info.server_version % 10000}"
        bench = Bench(data, Plan(options.rounds, options.seconds, folder, data.cpu), folder)
        for name in options.parts:
            section = PARTS[name](bench)
            sections.append(section)
            _print(section)
    told = f"{options.rounds} rounds of {options.seconds:g} s"
    if set(options.parts) != set(PARTS):
        told += f", only {', '.join(options.parts)}"
    text = report.text(sections, told, time.monotonic() - began, postgres, so)
    options.output.write_text(text)
    print(f"\nWritten to {options.output}.")
    shutil.rmtree(folder)


def _options() -> Namespace:
    parser = ArgumentParser(prog="make bench ARGS=...", description="Measure the service beside its peers.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each competitor")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of a round")
    parser.add_argument("--output", type=Path, default=report.FILE, help="file of the results")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown or options.rounds < 1 or options.seconds <= 0:
        parser.error(f"{sorted(unknown)} are no parts" if unknown else "rounds and seconds are above zero")
    options.parts = [name for name in PARTS if name in options.parts or not options.parts]
    return options


def _print(section: Section) -> None:
    print("", section.title, "", *section.lines, *section.notes, sep="\n")
    for target in section.targets:
        verdict = {True: "holds", False: "MISSED", None: "not measured"}[target.holds]
        print(f"  {verdict}: {target.what}; measured {target.measured}", flush=True)


if __name__ == "__main__":
    main()
