"""The order of day and month: decided by the whole file, or given."""

from pathlib import Path

from db.jobs.importing.detailed_reports.mapping import MAPPINGS, read_mapping
from tests.db.jobs.importing.detailed_reports.reports import clockify, clockify_line, problems, read, times

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
    assert problems(clockify(tmp_path, same, UNDECIDED, UNDECIDED)) == [(3, "Start Date", "03/04/2026", reason)]


def test_dates_that_are_the_same_in_both_orders_need_none(tmp_path: Path) -> None:
    line = clockify_line("05/05/2026 09:00:00", "05/05/2026 10:00:00", "01:00:00")
    assert times(clockify(tmp_path, line)) == ["2026-05-05 07:00:00 2026-05-05 08:00:00"]


def test_date_with_a_time_is_refused_with_its_field(tmp_path: Path) -> None:
    content = "Full name,Work date,Hours\nAnn Lee,2026-03-02 09:00,1.5\n"
    items = read(tmp_path, content, tempo := read_mapping(MAPPINGS / "tempo.toml"))
    words = (
        "is not a date such as 2026-03-04 or 04.03.2026, but has a time, too: give --map start=COLUMN, or end=COLUMN"
    )
    assert problems(items) == [(2, "Work date", "2026-03-02 09:00", words)]
    items = read(tmp_path, content, tempo.mapped({"start": "Work date"}))
    assert times(items) == ["2026-03-02 08:00:00 2026-03-02 09:30:00"]
