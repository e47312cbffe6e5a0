"""Imports: a time tracker's report in growing sizes and a large one, beside COPY; an export beside COPY TO.

The database holds other organizations and is analyzed: statistics that know nothing of a new organization are the worst
case of the planner.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import psycopg

from bench.processes import clean_environment
from bench.section import Bench, Section, at_most
from db.jobs.exporting.manifest import ExportFormat
from rest_facade.commands.exports.export_rows import exported_resources

PEOPLE, PROJECTS = 100, 40

HEADER = "User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags\n"
FIRST = datetime(2020, 1, 1)  # noqa: DTZ001 - a local time of the report
STEP = timedelta(minutes=15)

COLUMNS = "user_id, project_id, task_id, kind, source, is_billable, note, tags, tracked_until, started_at, ended_at"
ROWS = f"""
SELECT organization_id, gen_random_uuid(), {COLUMNS.replace("tracked_until, started_at, ended_at", "")}
       tracked_until + interval '20000 days', started_at + interval '20000 days', ended_at + interval '20000 days'
FROM timesheets WHERE organization_id = %s"""


class Run(NamedTuple):
    """Seconds of a command, its peak of memory in MB, and the rows of the file."""

    rows: int
    seconds: float
    mb: float


def measure(bench: Bench) -> Section:
    sizes = [bench.scale.report_lines << doubling for doubling in range(4)]
    with TemporaryDirectory(prefix="orgdata-bench-imports-") as name:
        folder = Path(name)
        bench.data.analyze()
        runs = [_import(bench, folder, size)[0] for size in sizes]
        large, own = _import(bench, folder, bench.scale.large_report_lines)
        copied = _copy(bench, own, folder / "rows")
        exported = _command(bench, "export", own, "--to", str(folder / "to"), "--resource", "timesheets")
        columns = _timed(
            lambda: _copy_to(bench, f"SELECT * FROM timesheets WHERE organization_id = '{own}'", os.devnull)
        )
        (exported_rows,) = exported_resources(["timesheets"])
        statement = exported_rows.statement(ExportFormat.ndjson, is_since=False)
        values = {**statement.constants, "organization_id": own}
        written = _timed(lambda: _copy_to(bench, statement.sql, os.devnull, values))
    lines = ["| what | rows | seconds | rows / s | memory MB |", "|---|---:|---:|---:|---:|"]
    lines += [_line("import of a report", run) for run in [*runs, large]]
    lines.append(_line("COPY into timesheets", copied))
    both = Run(2 * large.rows, *exported)
    lines += [_line("export of timesheets", both), _line("COPY TO of the same lines", Run(2 * large.rows, written, 0))]
    lines.append(_line("COPY TO of the columns", Run(2 * large.rows, columns, 0)))
    targets = [
        at_most(
            f"Import of {sizes[2]:,} lines compared with {sizes[0]:,}", runs[2].seconds / runs[0].seconds, 4.6, " x"
        ),
        at_most("Import of the large report compared with COPY", large.seconds / copied.seconds, 3, " x"),
        at_most("Memory of the import of the large report", large.mb, 250, " MB"),
        at_most("Export compared with COPY TO of the same lines", both.seconds / written, 1.5, " x"),
    ]
    return Section(f"{PEOPLE} people, {PROJECTS} projects, other organizations in the database", lines, targets)


def _line(what: str, run: Run) -> str:
    memory = f"{run.mb:,.0f}" if run.mb else ""
    return f"| {what} | {run.rows:,} | {run.seconds:,.1f} | {run.rows / run.seconds:,.0f} | {memory} |"


def _import(bench: Bench, folder: Path, count: int) -> tuple[Run, UUID]:
    """Import a report of so many lines into a new organization."""
    own, path = uuid4(), folder / "report.csv"
    with path.open("w") as file:
        file.write(HEADER)
        for number in range(count):
            start = FIRST + number // PEOPLE * STEP
            person, work = number % PEOPLE, number % PROJECTS
            end, day = f"{start + STEP:%Y-%m-%d,%H:%M:%S}", f"{start:%Y-%m-%d,%H:%M:%S}"
            names = f"Person {person},p{person}@example.com,Client {work % 10},Project {work},Task {work}"
            file.write(f"{names},Entry {number},Yes,{day},{end},00:15:00,a\n")
    with _transaction(bench, own) as connection:
        values = "(%s, 'Imports', 'UTC', 'EUR')"
        connection.execute(
            f"INSERT INTO organizations (organization_id, name, timezone, currency) VALUES {values}".encode(), [own]
        )
    seconds, mb = _command(bench, "import", own, "--from", "toggl", str(path))
    return Run(count, seconds, mb), own


def _copy(bench: Bench, own: UUID, path: Path) -> Run:
    """COPY as many rows into the same organization, 20,000 days later."""
    _copy_to(bench, ROWS.replace("%s", f"'{own}'"), str(path))
    with path.open("rb") as file:
        rows = sum(1 for _ in file)
    return Run(rows, _timed(lambda: _copy_from(bench, path)), 0)


def _copy_from(bench: Bench, path: Path) -> None:
    statement = f"COPY timesheets (organization_id, id, {COLUMNS}) FROM STDIN"
    with (
        psycopg.connect(bench.data.url) as connection,
        path.open("rb") as file,
        connection.cursor().copy(statement.encode()) as copy,
    ):
        while block := file.read(1 << 20):
            copy.write(block)


def _copy_to(bench: Bench, query: str, path: str, values: Mapping[str, Any] | None = None) -> None:
    with (
        psycopg.connect(bench.data.url) as connection,
        Path(path).open("wb") as file,
        connection.cursor().copy(f"COPY ({query}) TO STDOUT".encode(), values) as copy,
    ):
        file.writelines(copy)


def _timed(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


@contextmanager
def _transaction(bench: Bench, own: UUID) -> Iterator[psycopg.Connection]:
    with psycopg.connect(bench.data.owner_url) as connection:
        connection.execute("SELECT set_config('app.organization_id', %s, true)", [str(own)])
        yield connection


def _command(bench: Bench, name: str, own: UUID, *words: str) -> tuple[float, float]:
    """The seconds and the peak of memory of a command."""
    command = [sys.executable, "-m", "rest_facade", name, "--organization", str(own), *words]
    environment = clean_environment() | {"ORGDATA_DATABASE_URL": bench.data.owner_url}
    began = perf_counter()
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    pid = os.posix_spawn(command[0], command, environment, file_actions=silent)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"orgdata {name} ended with {os.waitstatus_to_exitcode(status)}")
    return perf_counter() - began, usage.ru_maxrss / 1024
