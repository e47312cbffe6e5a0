"""Entries of literal reports: Toggl Track and Clockify, in each setting.

Covers `db/jobs/importing/detailed_reports/report_file.py`, `db/jobs/importing/detailed_reports/mapping.py` and
`db/jobs/importing/detailed_reports/entry.py`.
"""

import gzip
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from db.jobs.importing.detailed_reports.entry import Omission, OmittedLine, ReportedProject
from db.jobs.importing.detailed_reports.mapping import DateOrder, recognized
from tests.db.jobs.importing.detailed_reports.reports import (
    CLOCKIFY,
    CLOCKIFY_HEADER,
    NEW_TOGGL_HEADER,
    TOGGL,
    TOGGL_HEADER,
    ReadEntry,
    clockify,
    clockify_line,
    read,
    times,
    toggl,
    toggl_line,
)

DESIGN = ReadEntry(
    place=("report.csv", 2),
    email="ann@example.com",
    person="Ann Lee",
    project=ReportedProject("Acme", "Website"),
    task="Design",
    is_billable=True,
    is_break=False,
    is_manual=False,
    started_at=datetime(2026, 3, 2, 8, tzinfo=UTC),
    ended_at=datetime(2026, 3, 2, 9, 30, tzinfo=UTC),
    note="",
    tags=(),
)
SKETCHES = DESIGN._replace(note="Sketches")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_toggl_line_is_an_entry(tmp_path: Path, line_end: str, mark: bytes) -> None:
    content = line_end.join([TOGGL_HEADER, toggl_line(), ""]).encode()
    assert read(tmp_path, mark + content, TOGGL) == [DESIGN]


def test_clockify_line_is_an_entry(tmp_path: Path) -> None:
    assert clockify(tmp_path, clockify_line(created="03/14/2026")) == [SKETCHES]


def test_newer_toggl_report_is_read(tmp_path: Path) -> None:
    line = (
        '"Sketches","1:30:00","Ann Lee","ann@example.com","-","-","-","2026-03-02","09:00:00","2026-03-02","10:30:00"'
    )
    entry = SKETCHES._replace(project=None, task=None, is_billable=None)
    assert read(tmp_path, f"{NEW_TOGGL_HEADER}\n{line}\n", TOGGL) == [entry]


def test_newer_clockify_report_without_type_is_read(tmp_path: Path) -> None:
    header = CLOCKIFY_HEADER.replace('"Type",', "").replace(',"Date of creation"', "")
    line = clockify_line("13/03/2026 15:00", "13/03/2026 18:00", "3:00").replace('"Regular",', "").removesuffix(',""')
    assert times(read(tmp_path, f"{header}\n{line}\n", CLOCKIFY)) == ["2026-03-13 14:00:00 2026-03-13 17:00:00"]


GERMAN = (
    "Projekt,Kunde,Beschreibung,Aufgabe,Benutzer,Gruppe,Email,Tags,Abrechenbar,Startdatum,Startzeit,Enddatum,Endzeit,"
    "Dauer (h),Dauer (dezimal)"
)
SPANISH = (
    "Proyecto,Cliente,Descripción,Tarea,Usuario,Grupo,Correo electrónico,Etiquetas,Facturable,Fecha de inicio,"
    "Hora de inicio,Fecha de finalización,Hora de finalización,Duración (h),Duración (decimal)"
)


@pytest.mark.parametrize(("header", "billable"), [(GERMAN, "Ja"), (SPANISH, "Sí")])
def test_clockify_in_german_and_spanish_is_read(tmp_path: Path, header: str, billable: str) -> None:
    work, times = "Website,Acme,Sketches,Design,Ann Lee,,ann@example.com", "02.03.2026,09:00,02.03.2026,10:30"
    content = f'{header}\n{work},,{billable},{times},01:30:00,"1,50"\n'
    assert read(tmp_path, content, CLOCKIFY) == [SKETCHES]
    assert recognized(header.split(",")) == CLOCKIFY


def test_line_breaks_in_quotes_count_as_lines(tmp_path: Path) -> None:
    first = toggl_line(description='"one, ""two""\n\nthree"')
    second = toggl_line("2026-03-02 11:00:00", "2026-03-02 12:00:00", "01:00:00")
    assert [item.place[1] for item in toggl(tmp_path, first, second) if isinstance(item, ReadEntry)] == [2, 5]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (toggl_line(work=",,"), {"project": None, "task": None}),
        (toggl_line(work=",Website,"), {"project": ReportedProject(None, "Website"), "task": None}),
        (toggl_line(user=",Ann@Example.com"), {"person": "ann@example.com"}),
        (toggl_line(work='"Acme\n",\tWeb\x01site,Design'), {"project": ReportedProject("Acme", "Web site")}),
    ],
)
def test_names_are_optional_and_tidied_up(tmp_path: Path, line: str, expected: dict[str, Any]) -> None:
    assert toggl(tmp_path, line) == [DESIGN._replace(**expected)]


def test_break_has_no_work(tmp_path: Path) -> None:
    assert clockify(tmp_path, clockify_line(kind="Break", created="03/14/2026")) == [
        DESIGN._replace(project=None, task=None, is_billable=False, is_break=True)
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (clockify_line(kind="Time Off"), Omission.time_off),
        (clockify_line(kind="HOLIDAY"), Omission.time_off),
        (clockify_line(end=" ", duration="00:00:00"), Omission.running),
        (clockify_line(end="03/02/2026 09:00:00 AM", duration="00:00:00"), Omission.without_length),
    ],
)
def test_line_without_time_is_left_out(tmp_path: Path, line: str, reason: Omission) -> None:
    assert clockify(tmp_path, line, order=DateOrder.mdy) == [OmittedLine(("report.csv", 2), reason)]


@pytest.mark.parametrize(
    ("start", "end", "duration"),
    [
        ("2026-03-02 09:00:00", "2026-03-02 10:30:00", "1:30:00"),
        ("2026-03-02 09:00:00", "2026-03-02 10:30:00", "90:00 min"),
        ("2026-03-02 09:00:00", "2026-03-02 10:30:00", "1.50 h"),
        ("2026-03-02 09:00:00", "2026-03-02 10:30:00", '"1,50"'),
        ("2026-03-02 09:00", "2026-03-02 10:30", "1:30"),
        ("2026-03-02 09:00", "2026-03-02 10:30", "1:31"),
        ("2026-03-02 09:00 AM", "2026-03-02 10:30 am", "1:30"),
        ("2026-03-02 09:00:00", "2026-03-02 10:30:00", ""),
    ],
)
def test_each_setting_of_times_and_durations(tmp_path: Path, start: str, end: str, duration: str) -> None:
    assert times(toggl(tmp_path, toggl_line(start, end, duration))) == ["2026-03-02 08:00:00 2026-03-02 09:30:00"]


def test_entry_over_midnight_stays_one(tmp_path: Path) -> None:
    line = clockify_line("31/12/2026 11:30:00 PM", "01/01/2027 12:30:00 AM", "01:00:00")
    assert times(clockify(tmp_path, line)) == ["2026-12-31 22:30:00 2026-12-31 23:30:00"]


def test_column_that_is_not_imported_may_stand_twice(tmp_path: Path) -> None:
    assert read(tmp_path, f"{TOGGL_HEADER},Notes,Notes\n{toggl_line()},,\n", TOGGL) == [DESIGN]


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_separators_and_encodings_are_told_by_the_file(tmp_path: Path, separator: str, encoding: str) -> None:
    line = toggl_line(user="Zoë Müller,ann@example.com")
    content = f"{TOGGL_HEADER}\n{line}\n".replace(",", separator).encode(encoding)
    assert read(tmp_path, content, TOGGL) == [DESIGN._replace(person="Zoë Müller")]


def test_line_of_totals_is_left_out(tmp_path: Path) -> None:
    assert toggl(tmp_path, toggl_line(), "Total,,,,,,,,,,,01:30:00,,") == [DESIGN]
    assert toggl(tmp_path, toggl_line(), "Total:,01:30:00") == [DESIGN]


def test_compressed_report_is_read(tmp_path: Path) -> None:
    content = f"{TOGGL_HEADER}\n{toggl_line()}\n".encode()
    assert read(tmp_path, gzip.compress(content), TOGGL) == [DESIGN]


def test_columns_that_are_not_imported_may_differ(tmp_path: Path) -> None:
    header = TOGGL_HEADER.replace("Amount (EUR)", "Amount ()")
    assert read(tmp_path, f"{header},Notes\n{toggl_line()},x\n", TOGGL) == [DESIGN]
