"""Property: entries that are written in any setting of Toggl Track or Clockify are read as they were.

Covers `db/jobs/importing/detailed_reports/dates.py`.
"""

import csv
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.jobs.importing.detailed_reports.entry import ReportedProject
from db.jobs.importing.detailed_reports.mapping import ColumnMapping, DateOrder
from db.jobs.importing.rows import Problem
from tests.db.jobs.importing.detailed_reports.reports import (
    CLOCKIFY,
    CLOCKIFY_HEADER,
    NEW_TOGGL_HEADER,
    TOGGL,
    TOGGL_HEADER,
    ReadEntry,
    read,
)
from tests.property_tests import examples

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]

# Days around which the clocks change in one of the zones, and one in an ordinary week.
DAYS = [datetime(2026, *day, tzinfo=UTC) for day in ((3, 8), (3, 29), (4, 4), (6, 15), (10, 3), (10, 25), (11, 1))]


class Setting(NamedTuple):
    """How a user writes dates, times and durations. The values are multiples of `unit` seconds."""

    date: str
    time: str
    duration: Callable[[int], str]
    unit: int = 1
    order: DateOrder | None = None


def _full(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _classic(seconds: int) -> str:
    if seconds >= 3600:
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{seconds // 60:02}:{seconds % 60:02} min" if seconds >= 60 else f"{seconds} sec"


def _compact(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02}"


def _decimal(seconds: int) -> str:
    return f"{seconds / 3600:.2f}"


SETTINGS = [
    Setting("%Y-%m-%d", "%H:%M:%S", _full),
    Setting("%Y-%m-%d", "%H:%M:%S", _classic),
    Setting("%d.%m.%Y", "%H:%M", _compact, unit=60),
    Setting("%d/%m/%Y", "%I:%M:%S %p", _full, order=DateOrder.dmy),
    Setting("%m/%d/%Y", "%I:%M %p", _compact, unit=60, order=DateOrder.mdy),
    Setting("%m/%d/%Y", "%I:%M:%S %p", _decimal, order=DateOrder.mdy),
]

_names = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=2, max_size=9
)
_local_parts = st.text(st.sampled_from("abcxyz019._+"), min_size=1, max_size=6)


@st.composite
def _entries(draw: st.DrawFn) -> ReadEntry:
    project = draw(st.none() | st.builds(ReportedProject, st.none() | _names, _names))
    start = draw(st.sampled_from(DAYS)) + timedelta(minutes=draw(st.integers(-720, 1440)))
    length = draw(st.integers(1, 240) | st.sampled_from([1440, 3000, 999 * 60]))
    return ReadEntry(
        place=("", 0),
        email=f"{draw(_local_parts)}@example.com",
        person=draw(_names),
        project=project,
        task=None if project is None else draw(st.none() | _names),
        is_billable=draw(st.booleans()),
        is_break=False,
        is_manual=False,
        started_at=start,
        ended_at=start + timedelta(minutes=length),
        note=draw(st.just("") | _names),
        tags=(),
    )


def _written(entries: list[ReadEntry], header: str, setting: Setting, zone: ZoneInfo, line_end: str) -> str:
    names = next(csv.reader([header]))
    file = StringIO()
    writer = csv.writer(file, lineterminator=line_end, quoting=csv.QUOTE_MINIMAL)
    writer.writerow(names)
    for entry in entries:
        start, end = entry.started_at.astimezone(zone), entry.ended_at.astimezone(zone)
        values = {
            "user": entry.person,
            "member": entry.person,
            "email": entry.email,
            "client": entry.project.client if entry.project else None,
            "project": entry.project.name if entry.project else None,
            "task": entry.task,
            "description": entry.note,
            "type": "Break" if entry.is_break else "Regular",
            "billable": "Yes" if entry.is_billable else "No",
            "start date": start.strftime(setting.date),
            "start time": start.strftime(setting.time),
            "end date": end.strftime(setting.date),
            "end time": end.strftime(setting.time),
            "stop date": end.strftime(setting.date),
            "stop time": end.strftime(setting.time),
            "duration": setting.duration(_seconds(entry)),
            "duration (h)": setting.duration(_seconds(entry)),
        }
        writer.writerow([values.get(name.lower()) or "" for name in names])
    return file.getvalue()


def _seconds(entry: ReadEntry) -> int:
    return round((entry.ended_at - entry.started_at).total_seconds())


def _is_ambiguous(entry: ReadEntry, zone: ZoneInfo) -> bool:
    """Whether the same local times, as far from each other, also mean other instants."""

    def wall(moment: datetime) -> datetime:
        return moment.astimezone(zone).replace(tzinfo=None)

    shifts = [timedelta(minutes=minutes) for minutes in (-60, -30, 30, 60)]
    return any(
        wall(entry.started_at + shift) == wall(entry.started_at)
        and wall(entry.ended_at + shift) == wall(entry.ended_at)
        for shift in shifts
    )


@pytest.mark.parametrize(
    ("header", "mapping"), [(TOGGL_HEADER, TOGGL), (NEW_TOGGL_HEADER, TOGGL), (CLOCKIFY_HEADER, CLOCKIFY)]
)
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    entries=st.lists(_entries(), min_size=1, max_size=5),
    setting=st.sampled_from(SETTINGS),
    zone=st.sampled_from(ZONES),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
def test_written_entries_are_read_back(
    tmp_path: Path,
    header: str,
    mapping: ColumnMapping,
    entries: list[ReadEntry],
    setting: Setting,
    zone: str,
    line_end: str,
) -> None:
    content = _written(entries, header, setting, ZoneInfo(zone), line_end)
    items = read(tmp_path, content, mapping, zone=zone, order=setting.order)
    assert len(items) == len(entries)
    for entry, item in zip(entries, items, strict=True):
        expected = entry
        if header == NEW_TOGGL_HEADER:
            # It has no such columns.
            expected = entry._replace(task=None, is_billable=None)
        if isinstance(item, Problem):
            assert _is_ambiguous(entry, ZoneInfo(zone))
            assert "repeat or skip" in item.reason
        else:
            assert item == expected._replace(place=item[0])
            assert not _is_ambiguous(entry, ZoneInfo(zone))
