"""Local times where the clocks change, decided by durations."""

from datetime import timedelta, timezone
from pathlib import Path

import pytest

from db.jobs.importing.detailed_reports.intervals import read_duration, read_time
from tests.db.jobs.importing.detailed_reports.reports import problems, toggl, toggl_line


@pytest.mark.parametrize(
    ("start", "end", "duration"),
    [
        ("2026-10-25 02:10:00", "2026-10-25 02:40:00", "00:30:00"),
        ("2026-10-25 02:30:00", "2026-10-25 03:30:00", ""),
        ("2026-03-29 02:10:00", "2026-03-29 02:40:00", "00:30:00"),
    ],
)
def test_undecided_time_is_refused(tmp_path: Path, start: str, end: str, duration: str) -> None:
    reason = (
        "is in an hour that the clocks repeat or skip in Europe/Berlin: export with the time zone of your "
        "profile set to UTC, and import with --timezone UTC"
    )
    written = f"{start} to {end}, {duration}" if duration else f"{start} to {end}"
    assert problems(toggl(tmp_path, toggl_line(start, end, duration))) == [(2, "", written, reason)]
    assert problems(toggl(tmp_path, toggl_line(start, end, duration), zone="UTC")) == []


def test_entry_without_length_in_a_repeated_hour_is_left_out(tmp_path: Path) -> None:
    (item,) = toggl(tmp_path, toggl_line("2026-10-25 02:30:00", "2026-10-25 02:30:00", "0:00:00"))
    assert item[1] == "has no length"


@pytest.mark.parametrize(("text", "unit"), [("1,200", 60), ("1.200", 60), ("1,200", 1)])
def test_number_that_may_be_thousands_is_refused(text: str, unit: int) -> None:
    with pytest.raises(ValueError, match="write it without a separator"):
        read_duration(text, unit)


@pytest.mark.parametrize(("text", "seconds"), [("PT1H30M", 5400), ("PT45M10S", 2710), ("PT0.5H", 1800), ("PT9S", 9)])
def test_durations_of_iso_8601_are_read(text: str, seconds: int) -> None:
    assert read_duration(text) == (seconds, 1)


@pytest.mark.parametrize("text", ["P1D", "P1DT2H", "1d 2h", "1.5 Days"])
def test_days_have_no_length(text: str) -> None:
    with pytest.raises(ValueError, match="has days of 8 or 24 hours: write hours"):
        read_duration(text)


@pytest.mark.parametrize("text", ["P", "PT", "P1", "PT1H30"])
def test_half_of_an_iso_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        read_duration(text)


def test_three_decimals_are_read_where_they_are_no_thousands() -> None:
    assert [read_duration("1,250"), read_duration("5.678", 1)] == [(4500, 36), (6, 1)]
    assert read_duration("0,500", 60) == (30, 60)


@pytest.mark.parametrize("text", ["02:00 +1", "02:00+1", "2:00 AM +1"])
def test_time_of_the_next_day_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a time such as 14:30:00 or 02:30:00 PM"):
        read_time(text)


@pytest.mark.parametrize("text", ["23:00 GMT-5", "23:00:00 GMT-0500 (EST)"])
def test_offset_behind_gmt_is_read(text: str) -> None:
    time = read_time(text)
    assert (time.seconds, time.zone) == (82_800, timezone(timedelta(hours=-5)))
