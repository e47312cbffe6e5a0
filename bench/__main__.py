"""`python -m bench [PART ...]`: measure parts, print them, and write them to bench/RESULTS.md."""

import os
import shutil
import signal
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from pathlib import Path

import psycopg

from bench import report
from bench.before import COMMIT, earlier_version
from bench.data import database
from bench.measure import Plan
from bench.parts import (
    detail,
    fairness,
    first_requests,
    growth,
    imports,
    load,
    memory,
    nested,
    operations,
    organizations,
    page,
    refusals,
    reports,
    start,
    usage,
)
from bench.processes import BESIDE
from bench.scale import MINIATURE, Scale
from bench.section import Bench, Section

PARTS: dict[str, Callable[[Bench], Section]] = {
    "page": page.measure,
    "detail": detail.measure,
    "refusals": refusals.measure,
    "reports": reports.measure,
    "operations": operations.measure,
    "first_requests": first_requests.measure,
    "nested": nested.measure,
    "growth": growth.measure,
    "fairness": fairness.measure,
    "load": load.measure,
    "memory": memory.measure,
    "start": start.measure,
    "organizations": organizations.measure,
    "usage": usage.measure,
    "imports": imports.measure,
}

BY_NAME_ONLY = ("memory", "usage", "imports")
"""The parts that take many minutes; a run without names leaves them out."""


def main() -> None:
    options = _options()
    # SystemExit, unlike the default of SIGTERM, ends the processes that were started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: stopped by SIGTERM."))
    conditions = report.Conditions.now()
    folder = Path(tempfile.mkdtemp(prefix="orgdata-bench-log-"))
    # The database is a child of this process and inherits its cores: those that the servers do not use.
    os.sched_setaffinity(0, BESIDE)
    print("Making the database ...", flush=True)
    with database() as data, earlier_version(options.before, data.server, folder) as before:
        with psycopg.connect(data.url) as connection:
            postgres = f"{connection.info.server_version // 10000}.{connection.info.server_version % 10000}"
        bench = Bench(data, before, Plan(options.rounds, options.seconds, folder, data.cpu), folder, options.scale)
        for part in options.parts:
            section = PARTS[part](bench)
            rounds = f"{options.rounds} {'round' if options.rounds == 1 else 'rounds'} of {options.seconds:g} s"
            environment = report.environment(rounds, postgres, conditions)
            # Each part is written when it is measured: a later part that fails loses nothing.
            report.update(options.output, {part: report.part_report(part, section, environment)}, PARTS)
            _print(part, section)
    print(f"\nWritten to {options.output}.")
    shutil.rmtree(folder)


def _options() -> Namespace:
    parser = ArgumentParser(prog="make bench ARGS=...", description="Measure the service beside its peers.")
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help=f"of {', '.join(PARTS)}; all except {' and '.join(BY_NAME_ONLY)} by default",
    )
    parser.add_argument("--rounds", type=int, default=15, help="rounds of each competitor")
    parser.add_argument("--seconds", type=float, default=0.7, help="seconds of a round")
    parser.add_argument(
        "--miniature",
        action="store_const",
        dest="scale",
        const=MINIATURE,
        default=Scale(),
        help="few rows and requests: shows that the parts run, and measures nothing",
    )
    parser.add_argument("--before", default=COMMIT, help="commit, or folder of a checkout, to compare with")
    parser.add_argument("--output", type=Path, default=report.FILE, help="file of the results; other parts in it stay")
    options = parser.parse_args()
    unknown = sorted(set(options.parts) - set(PARTS))
    if unknown:
        parser.error(f"unknown parts: {', '.join(unknown)}")
    if options.rounds < 1 or options.seconds <= 0:
        parser.error("--rounds and --seconds must be above zero")
    options.parts = chosen(options.parts)
    return options


def chosen(names: Sequence[str]) -> list[str]:
    """The parts of these names, in the order of PARTS; all that take few minutes if there are no names."""
    wanted = names or set(PARTS) - set(BY_NAME_ONLY)
    return [part for part in PARTS if part in wanted]


def _print(part: str, section: Section) -> None:
    print("", f"{part}: {section.title}", "", *section.lines, *section.notes, sep="\n")
    for target in section.targets:
        verdict = {True: "holds", False: "MISSED", None: "not measured"}[target.holds]
        print(f"  {verdict}: {target.what}; measured {target.measured}", flush=True)


if __name__ == "__main__":
    main()
