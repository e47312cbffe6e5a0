"""Property: files of any separator, date, time, zone, names and column order are read as a slow, obvious reader does.

Covers `db/jobs/importing/detailed_reports/dates.py`, `db/jobs/importing/detailed_reports/intervals.py` and
`db/jobs/importing/detailed_reports/proposing/proposal.py`.
"""

import csv
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from db.jobs.importing.detailed_reports.detailed_report import DetailedReport
from db.jobs.importing.detailed_reports.entry import UNKNOWN_CLIENT, Entry, ReportedProject
from db.jobs.importing.detailed_reports.mapping import DateOrder
from db.jobs.importing.detailed_reports.mapping_choice import chosen_mapping
from tests.property_tests import examples

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]

DAYS = [datetime(2026, *day) for day in ((3, 2), (3, 8), (3, 29), (4, 5), (6, 15), (10, 4), (10, 25), (11, 1))]

DATES = {"%Y-%m-%d": None, "%d.%m.%Y": None, "%d.%m.%y": None, "%d/%m/%Y": DateOrder.dmy, "%m/%d/%Y": DateOrder.mdy}

TIMES = ["%H:%M", "%H:%M:%S", "%I:%M %p", "%H.%M Uhr"]

HEADERS = {
    "person": "E-Mail",
    "project": "Projekt",
    "note": "Beschreibung",
    "date": "Datum",
    "until": "Enddatum",
    "from": "Von",
    "to": "Bis",
    "hours": "Dauer",
    "break": "Pause",
}

LENGTHS = [
    *(["to"], ["hours"], ["to", "hours"], ["to", "break"], ["to", "hours", "break"]),
    *(["until", "to"], ["until", "to", "hours"]),
]

Span = tuple[datetime, datetime]


def full(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def classic(seconds: int) -> str:
    return full(seconds) if seconds >= 3600 else f"{seconds // 60:02}:{seconds % 60:02} min"


def compact(seconds: int) -> str:
    return f"{seconds // 3600}:{seconds // 60 % 60:02}"


def decimal(seconds: int) -> str:
    return f"{seconds / 3600:.2f}"


class Shape(NamedTuple):
    """How a file is written."""

    delimiter: str
    date: str
    time: str
    zone: str
    columns: Sequence[str]
    line_end: str
    before: str
    length: Callable[[int], str]


class Line(NamedTuple):
    """What a line says: a local time, an exact length, more days if it has a date of its end, minutes of a break."""

    start: datetime
    seconds: int
    days: int
    pause: int
    project: str
    note: str


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    lengths = draw(st.sampled_from(LENGTHS))
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    return Shape(
        delimiter,
        draw(st.sampled_from([*DATES])),
        draw(st.sampled_from(TIMES)),
        draw(st.sampled_from(ZONES)),
        draw(st.permutations(["person", "project", "note", "date", "from", *lengths])),
        draw(st.sampled_from(["\n", "\r\n", "\r"])),
        draw(st.sampled_from(["", f"sep={delimiter}"])),
        # Times that are cut, and lengths that are rounded, make an exact end together only.
        draw(st.sampled_from([full, classic, compact, decimal])) if "to" in lengths else full,
    )


characters = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"])
names = st.text(characters, min_size=1, max_size=9).filter(lambda name: name != "-")


@st.composite
def lines(draw: st.DrawFn) -> Line:
    start = draw(st.sampled_from(DAYS)) + timedelta(minutes=draw(st.integers(30, 240) | st.integers(0, 1439)))
    seconds = 60 * draw(st.integers(31, 90) | st.integers(31, 600))
    days, pause = draw(st.sampled_from([0, 0, 1, 40])), draw(st.sampled_from([0, 10, 30]))
    return Line(start, seconds, days, pause, draw(names), draw(names | st.just("")))


def lasting(shape: Shape, line: Line) -> tuple[timedelta, timedelta]:
    """How long a line is by its local times, and the break of it."""
    days = line.days if "until" in shape.columns else 0
    return timedelta(days, line.seconds), timedelta(minutes=line.pause if "break" in shape.columns else 0)


def written(shape: Shape, entries: list[Line]) -> str:
    file = StringIO()
    writer = csv.writer(file, delimiter=shape.delimiter, lineterminator=shape.line_end)
    if shape.before:
        file.write(shape.before + shape.line_end)
    writer.writerow([HEADERS[column] for column in shape.columns])
    for line in entries:
        length, pause = lasting(shape, line)
        end = line.start + length
        values = {
            "person": "ann@example.com",
            "project": line.project,
            "note": line.note,
            "date": line.start.strftime(shape.date),
            "until": end.strftime(shape.date),
            "from": line.start.strftime(shape.time),
            "to": end.strftime(shape.time),
            "hours": shape.length(round((length - pause).total_seconds())),
            "break": f"0:{line.pause:02}",
        }
        writer.writerow([values[column] for column in shape.columns])
    return file.getvalue()


def slowly_read(shape: Shape, line: Line) -> list[Span] | None:
    """The spans of a line: of the work, and of the break after it; None where the clocks leave two readings."""
    length, pause = lasting(shape, line)
    readings = set[Span]()
    for start in instants(line.start, shape.zone):
        for end in instants(line.start + length, shape.zone) if "to" in shape.columns else [start + length]:
            if end >= start and ("hours" not in shape.columns or end - start == length):
                readings.add((start, end))
    if len(readings) != 1:
        return None
    ((start, end),) = readings
    return [(start, end - pause), *([(end - pause, end)] if pause else [])]


def instants(moment: datetime, zone: str) -> set[datetime]:
    return {moment.replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC) for fold in (0, 1)}


def shaped(length: Callable[[int], str], *lengths: str) -> Shape:
    columns = ["person", "project", "note", "date", "from", *lengths]
    return Shape(",", "%m/%d/%Y", "%H:%M:%S", "UTC", columns, "\n", "", length)


@settings(max_examples=examples(75), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shape=shapes(), entries=st.lists(lines(), min_size=1, max_size=4))
@example(shaped(full, "until", "to"), [Line(DAYS[0], 4800, 40, 0, "P", "")])
@example(shaped(decimal, "to", "hours"), [Line(DAYS[0], 4800, 0, 0, "P", "")])
@example(shaped(classic, "to", "hours"), [Line(DAYS[0], 1860, 0, 0, "P", "")])
def test_random_file_has_the_times_of_a_slow_reader(tmp_path: Path, shape: Shape, entries: list[Line]) -> None:
    path = tmp_path / "hours.csv"
    path.write_bytes(written(shape, entries).encode())
    report = DetailedReport([path], chosen_mapping("own", [], [path], dates=DATES[shape.date]), ZoneInfo(shape.zone))
    found: dict[int, list[Span]] = {}
    words: dict[int, tuple[ReportedProject | None, str]] = {}
    for _, item in report.entries():
        if isinstance(item, Entry):
            span = datetime.fromtimestamp(item.started_at, UTC), datetime.fromtimestamp(item.ended_at, UTC)
            found.setdefault(item.line, []).append(span)
            words.setdefault(item.line, (item.work.project, item.note))
    for number, line in enumerate(entries, start=3 if shape.before else 2):
        assert found.get(number) == slowly_read(shape, line)
        assert words.get(number) in (None, (ReportedProject(UNKNOWN_CLIENT, normalize("NFC", line.project)), line.note))
