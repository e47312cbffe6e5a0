"""Property: files of any separator, date, time, zone and column order have the times that a slow, obvious reader finds.

Covers `db/jobs/importing/detailed_reports/intervals.py` and `db/jobs/importing/detailed_reports/mapping_choice.py`.
"""

import csv
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from db.jobs.importing.detailed_reports.detailed_report import DetailedReport
from db.jobs.importing.detailed_reports.entry import Entry
from db.jobs.importing.detailed_reports.mapping import DateOrder
from db.jobs.importing.detailed_reports.mapping_choice import chosen_mapping
from tests.property_tests import examples

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"]

DAYS = [datetime(2026, *day) for day in ((3, 2), (3, 8), (3, 29), (4, 5), (6, 15), (10, 4), (10, 25), (11, 1))]

DATES = {"%Y-%m-%d": None, "%d.%m.%Y": None, "%d.%m.%y": None, "%d/%m/%Y": DateOrder.dmy, "%m/%d/%Y": DateOrder.mdy}

TIMES = ["%H:%M", "%H:%M:%S", "%I:%M %p", "%H.%M Uhr"]

HEADERS = {"person": "E-Mail", "date": "Datum", "from": "Von", "to": "Bis", "hours": "Dauer", "break": "Pause"}

Span = tuple[datetime, datetime]


class Shape(NamedTuple):
    """How a file is written."""

    delimiter: str
    date: str
    time: str
    zone: str
    columns: Sequence[str]
    line_end: str
    before: str


class Line(NamedTuple):
    """What a line says: local times, an exact duration, and minutes of a break."""

    start: datetime
    seconds: int
    pause: int


@st.composite
def shapes(draw: st.DrawFn) -> Shape:
    lengths = draw(st.sampled_from([["to"], ["hours"], ["to", "hours"], ["to", "break"], ["to", "hours", "break"]]))
    delimiter = draw(st.sampled_from([",", ";", "\t"]))
    return Shape(
        delimiter,
        draw(st.sampled_from([*DATES])),
        draw(st.sampled_from(TIMES)),
        draw(st.sampled_from(ZONES)),
        draw(st.permutations(["person", "date", "from", *lengths])),
        draw(st.sampled_from(["\n", "\r\n", "\r"])),
        draw(st.sampled_from(["", f"sep={delimiter}"])),
    )


@st.composite
def lines(draw: st.DrawFn) -> Line:
    start = draw(st.sampled_from(DAYS)) + timedelta(minutes=draw(st.integers(30, 240) | st.integers(0, 1439)))
    return Line(start, 60 * draw(st.integers(31, 90) | st.integers(31, 600)), draw(st.sampled_from([0, 10, 30])))


def written(shape: Shape, entries: list[Line]) -> str:
    file = StringIO()
    writer = csv.writer(file, delimiter=shape.delimiter, lineterminator=shape.line_end)
    if shape.before:
        file.write(shape.before + shape.line_end)
    writer.writerow([HEADERS[column] for column in shape.columns])
    for line in entries:
        end = line.start + timedelta(seconds=line.seconds)
        worked = line.seconds - (60 * line.pause if "break" in shape.columns else 0)
        values = {
            "person": "ann@example.com",
            "date": line.start.strftime(shape.date),
            "from": line.start.strftime(shape.time),
            "to": end.strftime(shape.time),
            "hours": f"{worked // 3600}:{worked // 60 % 60:02}:00",
            "break": f"0:{line.pause:02}",
        }
        writer.writerow([values[column] for column in shape.columns])
    return file.getvalue()


def slowly_read(shape: Shape, text: str) -> Iterator[list[Span] | None]:
    """The spans of each line: of the work, and of the break after it; None where the clocks leave two readings."""
    rows = [row.split(shape.delimiter) for row in text.split(shape.line_end) if row and row != shape.before]
    for values in rows[1:]:
        found = dict(zip(shape.columns, values, strict=True))
        begin = local(shape, found["date"], found["from"])
        hours, minutes, _ = map(int, found.get("hours", "0:00:00").split(":"))
        length = timedelta(hours=hours, minutes=minutes)
        pause = timedelta(minutes=int(found.get("break", "0:00")[2:]))
        readings = set()
        for start in instants(begin, shape.zone):
            if "to" not in found:
                readings.add((start, start + length, timedelta()))
                continue
            end = local(shape, found["date"], found["to"])
            end = end if end >= begin else end + timedelta(days=1)
            for last in instants(end, shape.zone):
                worked = last - start - pause
                if last >= start and ("hours" not in found or worked == length):
                    readings.add((start, last - pause, pause))
        if len(readings) != 1:
            yield None
            continue
        ((start, end, pause),) = readings
        yield [(start, end), *([(end, end + pause)] if pause else [])]


def local(shape: Shape, day: str, at: str) -> datetime:
    return datetime.strptime(f"{day} {at}", f"{shape.date} {shape.time}")


def instants(moment: datetime, zone: str) -> set[datetime]:
    return {moment.replace(tzinfo=ZoneInfo(zone), fold=fold).astimezone(UTC) for fold in (0, 1)}


@settings(max_examples=examples(75), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shape=shapes(), entries=st.lists(lines(), min_size=1, max_size=4))
def test_random_file_has_the_times_of_a_slow_reader(tmp_path: Path, shape: Shape, entries: list[Line]) -> None:
    text = written(shape, entries)
    path = tmp_path / "hours.csv"
    path.write_bytes(text.encode())
    mapping = chosen_mapping("own", [], [path], dates=DATES[shape.date])
    report = DetailedReport([path], mapping, ZoneInfo(shape.zone))
    found: dict[int, list[Span]] = {}
    for _, item in report.entries():
        if isinstance(item, Entry):
            span = datetime.fromtimestamp(item.started_at, UTC), datetime.fromtimestamp(item.ended_at, UTC)
            found.setdefault(item.place[1], []).append(span)
    first = 3 if shape.before else 2
    for number, expected in enumerate(slowly_read(shape, text), start=first):
        assert found.get(number) == expected
