"""Entries of literal reports: Toggl Track and Clockify, in each setting.

Covers `db/jobs/importing/detailed_reports/dates.py`, `db/jobs/importing/detailed_reports/report_file.py`,
`db/jobs/importing/detailed_reports/mapping.py` and `db/jobs/importing/detailed_reports/entry.py`.
"""

import gzip
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from db.jobs.importing.detailed_reports.dates import read_date
from db.jobs.importing.detailed_reports.entry import Omission, OmittedLine, ReportedProject
from db.jobs.importing.detailed_reports.mapping import MAPPINGS, DateOrder, read_mapping, trackers
from tests.db.jobs.importing.detailed_reports import reports
from tests.db.jobs.importing.detailed_reports.reports import clockify, clockify_line, read, times, toggl, toggl_line

DESIGN = reports.ReadEntry(
    line=2,
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


def test_toggl_line_is_an_entry(tmp_path: Path) -> None:
    assert toggl(tmp_path, toggl_line()) == [DESIGN]


def test_clockify_line_is_an_entry(tmp_path: Path) -> None:
    assert clockify(tmp_path, clockify_line(created="03/14/2026")) == [SKETCHES]


def test_line_breaks_in_quotes_count_as_lines(tmp_path: Path) -> None:
    first = toggl_line(description='"one, ""two""\n\nthree"')
    second = toggl_line("2026-03-02 11:00:00", "2026-03-02 12:00:00", "01:00:00")
    assert [item.line for item in toggl(tmp_path, first, second) if isinstance(item, reports.ReadEntry)] == [2, 5]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (toggl_line(work=",,"), {"project": None, "task": None}),
        (toggl_line(work=",Website,"), {"project": ReportedProject(None, "Website"), "task": None}),
        (toggl_line(user=",Ann@Example.com"), {"person": "ann@example.com"}),
        (toggl_line(work='"Acme\n",\tWeb\x01site,Design'), {"project": ReportedProject("Acme", "Web site")}),
        (toggl_line(billable="Ja"), {}),
        (toggl_line(billable="Nein"), {"is_billable": False}),
    ],
)
def test_names_and_words_are_read(tmp_path: Path, line: str, expected: dict[str, Any]) -> None:
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
    assert clockify(tmp_path, line, order=DateOrder.mdy) == [OmittedLine(2, reason)]


def test_entry_of_no_seconds_without_ends_has_no_length(tmp_path: Path) -> None:
    (mapping,) = (each for each in trackers() if each.name == "activitywatch")
    content = "timestamp,duration,app,title\n2026-03-02T09:00:00+00:00,0.3,Editor,a\n"
    items = read(tmp_path, content, replace(mapping, person="ann@example.com"))
    assert items == [OmittedLine(2, Omission.without_length)]


@pytest.mark.parametrize(
    ("start", "end", "duration"),
    [
        ("2026-03-02 09:00:00", "2026-03-02 10:30:00", "1.50 h"),
        ("2026-03-02 09:00", "2026-03-02 10:30", "1:31"),
        ("2026-03-02 09:00:00", "2026-03-02 10:30:00", ""),
        ("2026-03-02 09:00:00", "2026-03-02 10:30:00", "-"),
    ],
)
def test_durations_are_compared_with_times(tmp_path: Path, start: str, end: str, duration: str) -> None:
    assert times(toggl(tmp_path, toggl_line(start, end, duration))) == ["2026-03-02 08:00:00 2026-03-02 09:30:00"]


def test_columns_that_are_not_imported_may_differ_and_stand_twice(tmp_path: Path) -> None:
    header = reports.TOGGL_HEADER.replace("Amount (EUR)", "Amount ()")
    assert read(tmp_path, f"{header},Notes,Notes\n{toggl_line()},x,\n", reports.TOGGL) == [DESIGN]


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_separators_and_encodings_are_told_by_the_file(tmp_path: Path, separator: str, encoding: str) -> None:
    line = toggl_line(user="Zoë Müller,ann@example.com")
    content = f"{reports.TOGGL_HEADER}\n{line}\n".replace(",", separator).encode(encoding)
    assert read(tmp_path, content, reports.TOGGL) == [DESIGN._replace(person="Zoë Müller")]


def test_line_of_totals_is_left_out(tmp_path: Path) -> None:
    assert toggl(tmp_path, toggl_line(), "Total,,,,,,,,,,,01:30:00,,") == [DESIGN]
    assert toggl(tmp_path, toggl_line(), "Total:,01:30:00") == [DESIGN]


def test_compressed_report_is_read(tmp_path: Path) -> None:
    data = gzip.compress(f"{reports.TOGGL_HEADER}\n{toggl_line()}\n".encode())
    assert read(tmp_path, data, reports.TOGGL) == [DESIGN]


UNDECIDED = clockify_line("03/04/2026 09:00:00", "03/04/2026 10:00:00", "01:00:00")
APRIL, MARCH = "2026-04-03 07:00:00 2026-04-03 08:00:00", "2026-03-04 08:00:00 2026-03-04 09:00:00"


def test_one_date_decides_for_the_whole_file(tmp_path: Path) -> None:
    later = clockify_line("13/04/2026 09:00:00", "13/04/2026 10:00:00", "01:00:00")
    assert times(clockify(tmp_path, UNDECIDED, later))[0] == APRIL
    later = clockify_line("04/13/2026 09:00:00", "04/13/2026 10:00:00", "01:00:00")
    assert times(clockify(tmp_path, UNDECIDED, later))[0] == MARCH


def test_date_of_creation_decides_too(tmp_path: Path) -> None:
    line = UNDECIDED.removesuffix('""')
    assert times(clockify(tmp_path, f'{line}"31/05/2026"')) == [APRIL]
    assert times(clockify(tmp_path, f'{line}"05/31/2026"')) == [MARCH]


def test_undecided_order_is_refused_with_a_line(tmp_path: Path) -> None:
    same = clockify_line("05/05/2026 09:00:00", "05/05/2026 10:00:00", "01:00:00")
    reason = "may begin with day or month, and no date of the file shows which: give --dates dmy or --dates mdy"
    assert reports.problems(clockify(tmp_path, same, UNDECIDED, UNDECIDED)) == [(3, "Start Date", "03/04/2026", reason)]


def test_dates_that_are_the_same_in_both_orders_need_none(tmp_path: Path) -> None:
    line = clockify_line("05/05/2026 09:00:00", "05/05/2026 10:00:00", "01:00:00")
    assert times(clockify(tmp_path, line)) == ["2026-05-05 07:00:00 2026-05-05 08:00:00"]


def test_date_with_a_time_is_refused_with_its_field(tmp_path: Path) -> None:
    content = "Full name,Work date,Hours\nAnn Lee,2026-03-02 09:00,1.5\n"
    items = read(tmp_path, content, tempo := read_mapping(MAPPINGS / "tempo.toml"))
    words = (
        "is not a date such as 2026-03-04 or 04.03.2026, but has a time, too: give --map start=COLUMN, or end=COLUMN"
    )
    assert reports.problems(items) == [(2, "Work date", "2026-03-02 09:00", words)]
    items = read(tmp_path, content, tempo.mapped({"start": "Work date"}))
    assert times(items) == ["2026-03-02 08:00:00 2026-03-02 09:30:00"]


@pytest.mark.parametrize(
    ("text", "month"),
    [
        *(("Mar 2, 2026", 3), ("Mon, Mar 2, 2026", 3), ("Montag, 2. März 2026", 3), ("02.Mär.2026", 3)),
        *(("2 févr. 2026", 2), ("2 juin 2026", 6), ("2 juil. 2026", 7), ("2 juillet 2026", 7), ("2 août 2026", 8)),
        *(("2-ene-26", 1), ("2 de marzo de 2026", 3), ("martes, 2 de junio de 2026", 6), ("2 de dic. de 2026", 12)),
        *(("2 gen 2026", 1), ("2 maggio 2026", 5), ("2 lug 2026", 7), ("2 set 2026", 9), ("2 ott 2026", 10)),
        *(("2 mrt 2026", 3), ("2 mei 2026", 5), ("2 de fev. de 2026", 2), ("2 out 2026", 10), ("2 dez 2026", 12)),
        ("mar. 2 mars 2026", 3),
    ],
)
def test_months_are_read_in_seven_languages(text: str, month: int) -> None:
    assert read_date(text, None) == date(2026, month, 2)
