"""Small reports, written as Toggl Track and Clockify export them, and how they are read."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from db.jobs.importing.detailed_reports.detailed_report import DetailedReport
from db.jobs.importing.detailed_reports.entry import Entry, OmittedLine, ReportedProject
from db.jobs.importing.detailed_reports.mapping import MAPPINGS, ColumnMapping, DateOrder, read_mapping
from db.jobs.importing.rows import Problem

BERLIN = "Europe/Berlin"


class Tracker(StrEnum):
    """The time trackers of these tests."""

    toggl = "toggl"
    clockify = "clockify"
    harvest = "harvest"
    kimai = "kimai"
    solidtime = "solidtime"


FORMATS = {tracker: read_mapping(MAPPINGS / f"{tracker}.toml") for tracker in Tracker}

TOGGL, CLOCKIFY = FORMATS[Tracker.toggl], FORMATS[Tracker.clockify]

TOGGL_HEADER = (
    "User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags,"
    "Amount (EUR)"
)
CLOCKIFY_HEADER = (
    '"Project","Client","Description","Task","User","Group","Email","Tags","Type","Billable","Start Date","Start Time",'
    '"End Date","End Time","Duration (h)","Duration (decimal)","Billable Rate (EUR)","Billable Amount (EUR)",'
    '"Date of creation"'
)


class ReadEntry(NamedTuple):
    """An entry with all that it says, and moments for its times."""

    line: int
    email: str | None
    person: str
    project: ReportedProject | None
    task: str | None
    is_billable: bool | None
    is_break: bool
    is_manual: bool
    started_at: datetime
    ended_at: datetime
    note: str
    tags: Sequence[str]


Items = list[ReadEntry | OmittedLine | Problem]


def toggl_line(
    start: str = "2026-03-02 09:00:00",
    end: str = "2026-03-02 10:30:00",
    duration: str = "01:30:00",
    *,
    user: str = "Ann Lee,ann@example.com",
    work: str = "Acme,Website,Design",
    billable: str = "Yes",
    description: str = "",
) -> str:
    """A line of Toggl Track."""
    times = ",".join(text.replace(" ", ",", 1) for text in (start, end))
    return f"{user},{work},{description},{billable},{times},{duration},,"


def clockify_line(
    start: str = "03/02/2026 09:00:00 AM",
    end: str = "03/02/2026 10:30:00 AM",
    duration: str = "01:30:00",
    *,
    kind: str = "Regular",
    created: str = "",
) -> str:
    """A line of Clockify."""
    times = [*start.split(" ", 1), *end.split(" ", 1)]
    values = ["Website", "Acme", "Sketches", "Design", "Ann Lee", "", "ann@example.com", "", kind, "Yes", *times]
    return ",".join(f'"{value}"' for value in [*values, duration, "", "0.00", "0.00", created])


def read(
    folder: Path, content: str | bytes, mapping: ColumnMapping, *, zone: str = BERLIN, order: DateOrder | None = None
) -> Items:
    """What the lines of a report have, or the problems of the whole file."""
    path = folder / "report.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    report = DetailedReport([path], replace(mapping, dates=order), ZoneInfo(zone))
    return [_read(item) for _, item in report.entries()]


def _read(item: Entry | OmittedLine | Problem) -> ReadEntry | OmittedLine | Problem:
    if not isinstance(item, Entry):
        return item
    started_at, ended_at = (datetime.fromtimestamp(each, UTC) for each in (item.started_at, item.ended_at))
    return ReadEntry._make((item.line, *item.person, *item.work, started_at, ended_at, item.note, item.tags))


def toggl(folder: Path, *lines: str, zone: str = BERLIN) -> Items:
    """What the lines of a report of Toggl Track have."""
    return read(folder, "\n".join([TOGGL_HEADER, *lines, ""]), TOGGL, zone=zone)


def clockify(folder: Path, *lines: str, order: DateOrder | None = None) -> Items:
    """What the lines of a report of Clockify have."""
    return read(folder, "\n".join([CLOCKIFY_HEADER, *lines, ""]), CLOCKIFY, order=order)


def times(items: Items) -> list[str]:
    """Start and end of each entry, in UTC. Fails for anything else."""
    entries = [item for item in items if isinstance(item, ReadEntry)]
    assert entries == items
    return [f"{entry.started_at:%Y-%m-%d %H:%M:%S} {entry.ended_at:%Y-%m-%d %H:%M:%S}" for entry in entries]


def problems(items: Items) -> list[tuple[int, str, str | None, str]]:
    """Line, column, value and reason of each problem."""
    return [(each.line, each.column, each.value, each.reason) for each in items if isinstance(each, Problem)]
