"""Day bounds: compared with a search through every instant, and with examples of the calendar. PostgreSQL finds them.

Covers `resolvers/lists/local_day.py`.
"""

from datetime import UTC, date, datetime, timedelta
from functools import cache
from importlib.resources import files
from itertools import pairwise
from uuid import uuid4
from zoneinfo import available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Date, select

from db.reading.statement import Statement
from db.tables.columns import bind
from db.tables.reference import zone_names
from resolvers import day_bounds as module
from resolvers.day_bounds import EPOCH, LAST_SHIFTED, bounds_of_days, day_shifts, day_start, local_date, zone_info
from resolvers.lists.local_day import day_start_sql, day_start_values
from resolvers.period import Zone
from rest_facade.composition import Service
from tests.local_days import clock
from tests.property_tests import examples

DAY, HOUR, MINUTE, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


def first_moment(name: str, day: date) -> datetime:
    """lo(day) by its definition: the search tries each instant, from before the day begins in any zone."""
    moment = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=20)
    for step in (MINUTE, SECOND):
        while moment.astimezone(clock(name)).date() < day:
            moment += step
        moment -= step
    return moment + SECOND


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_day_begins_at_the_first_instant_of_its_date() -> None:
    for name, day, begins, hours in [
        ("Europe/Berlin", "2026-10-25", "2026-10-24T22:00", 25),
        ("Asia/Kathmandu", "2026-03-29", "2026-03-28T18:15", 24),
        # No midnight: the clock goes from 00:00 to 01:00.
        ("Africa/Cairo", "2024-04-26", "2024-04-25T22:00", 23),
        # Two midnights: the first one begins the day.
        ("America/Havana", "2024-11-03", "2024-11-03T04:00", 25),
        # The hour before midnight comes twice: the day begins when it is over.
        ("America/Santiago", "2024-04-06", "2024-04-06T03:00", 25),
        ("America/Santiago", "2024-04-07", "2024-04-07T04:00", 24),
        # The clock changes by half an hour.
        ("Australia/Lord_Howe", "2024-10-06", "2024-10-05T13:30", 23.5),
        # A day that the zone skipped.
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00", 0),
        # A minute past midnight the clock went back to the day before.
        ("America/St_Johns", "2010-11-07", "2010-11-07T02:30", 25),
        # A local mean time with seconds.
        ("Africa/Monrovia", "1971-06-01", "1971-06-01T00:44:30", 24),
        ("Asia/Manila", "1844-12-30", "1844-12-30T15:56:08", 24),
    ]:
        asked = date.fromisoformat(day)
        assert day_start(name, asked) == at(begins)
        begin, end = bounds_of_days(name, asked, asked)
        assert (begin, end - begin) == (at(begins), timedelta(hours=hours))


@settings(max_examples=examples(75), deadline=None)
@given(
    name=st.sampled_from(sorted(zone_names())),
    day=st.dates(min_value=date(2024, 1, 1), max_value=date(2027, 12, 31))
    | st.dates(min_value=date(1800, 1, 3), max_value=date(2100, 1, 1)),
)
def test_bounds_equal_those_of_a_full_search(name: str, day: date) -> None:
    assert day_start(name, day) == first_moment(name, day)


# The shifts of a zone take some milliseconds.
SHIFTED = ["UTC", "Europe/Berlin", "Africa/Cairo", "Africa/Casablanca", "America/St_Johns", "Pacific/Apia", "Asia/Gaza"]


@settings(max_examples=examples(50), deadline=None)
@given(
    name=st.sampled_from(SHIFTED),
    day=st.dates(min_value=EPOCH, max_value=LAST_SHIFTED),
    change=st.integers(0, 999),
    after=st.none() | st.integers(-2, 3),
)
def test_shifts_give_the_starts_of_days(name: str, day: date, change: int, after: int | None) -> None:
    if after is not None and (changes := hours_of_changes(name)):
        day = max(EPOCH, changes[change % len(changes)].date() + after * DAY)
    shifts, number = day_shifts(name), (day - EPOCH).days
    seconds = shifts[max(first for first in shifts if first <= number)]
    assert module.EPOCH_START + timedelta(days=number, seconds=seconds) == first_moment(name, day)


@settings(max_examples=examples(75), deadline=None)
@given(
    name=st.sampled_from(sorted(zone_names())), day=st.dates(min_value=date(2024, 1, 1), max_value=date(2027, 12, 31))
)
def test_current_days_begin_at_a_quarter_of_an_hour(name: str, day: date) -> None:
    """So every activity slot lies in one day, in every zone."""
    assert day_start(name, day).timestamp() % 900 == 0


def test_bounds_are_contiguous_and_ascending() -> None:
    for name in sorted(zone_names()):
        found = bounds_of_days(name, date(2026, 3, 1), date(2026, 3, 31))
        assert len(found) == 32
        assert all(begin < end for begin, end in pairwise(found))
        assert found[-1] == bounds_of_days(name, date(2026, 4, 1), date(2026, 4, 1))[0]


@pytest.mark.parametrize("name", ["UTC", "Pacific/Kiritimati", "Etc/GMT+12"])
def test_ends_of_the_calendar_are_accepted(name: str) -> None:
    assert len(bounds_of_days(name, date(1, 1, 1), date(1, 1, 31))) == 32
    assert len(bounds_of_days(name, date(9999, 12, 1), date(9999, 12, 31))) == 32


def latest_date(name: str, moment: datetime) -> date:
    """The latest date that the clock showed in the 30 hours before an instant, or at it: the day that had begun."""
    return max((moment - n * MINUTE).astimezone(clock(name)).date() for n in range(30 * 60))


@cache
def hours_of_changes(name: str) -> list[datetime]:
    """The last full hours before changes of the zone's offset from 1970 to 2037, if it lasted for a week."""
    weeks, zone = [at("1970-01-01") + n * 7 * DAY for n in range(52 * 68)], clock(name)
    found = []
    for week, following in pairwise(weeks):
        offset = week.astimezone(zone).utcoffset()
        if following.astimezone(zone).utcoffset() != offset:
            hours = (week + n * HOUR for n in range(7 * 24))
            found.append(next(hour for hour in hours if (hour + HOUR).astimezone(zone).utcoffset() != offset))
    return found


@settings(max_examples=examples(50), deadline=None)
@given(
    # In the second ones, the clock went back across midnight year after year.
    name=st.sampled_from(sorted(zone_names())) | st.sampled_from(["America/St_Johns", "America/Goose_Bay"]),
    chosen=st.integers(0, 999),
    after=st.integers(0, 3 * 3600) | st.integers(-2 * 3600, 30 * 3600),
)
def test_local_date_is_the_latest_that_the_clock_showed(name: str, chosen: int, after: int) -> None:
    changes = hours_of_changes(name) or [at("2026-03-29T00:00")]
    moment = changes[chosen % len(changes)] + after * SECOND
    day = local_date(name, moment)
    assert day == latest_date(name, moment)
    begin, end = bounds_of_days(name, day, day)
    assert begin <= moment < end


def test_zone_names_are_those_of_the_package() -> None:
    assert {"UTC", "Europe/Berlin", "Asia/Calcutta", "Asia/Kolkata", "US/Pacific", "Etc/GMT+5"} <= zone_names()
    assert zone_names() == set(files("tzdata").joinpath("zones").read_text().split())
    assert all(zone_info(name).key == name for name in zone_names())


def test_other_zone_names_are_refused() -> None:
    odd = "posix/Europe/Berlin right/UTC /etc/localtime Europe/../UTC utc EST5EDT4 Europe".split()
    for name in [*odd, "", "UTC\0", *sorted(available_timezones() - zone_names())]:
        with pytest.raises(KeyError):
            zone_info(name)


DAYS = [
    ("UTC", "2026-01-01"),
    ("Europe/Berlin", "2026-03-29"),
    ("Europe/Berlin", "2026-03-30"),
    ("Asia/Kathmandu", "2026-03-29"),
    # No midnight, two midnights, and an hour before midnight that comes twice.
    ("Africa/Cairo", "2024-04-26"),
    ("America/Havana", "2024-11-03"),
    ("America/Santiago", "2024-04-07"),
    ("Asia/Beirut", "2024-03-31"),
    # A day that the zone skipped, and the days around it.
    *[("Pacific/Apia", f"2011-12-{day}") for day in (29, 30, 31)],
    ("America/New_York", "1985-04-28"),
    # The day before a change and those after it, long after the last known rule began.
    *[("America/New_York", f"2058-03-{day:02}") for day in range(9, 13)],
]

QUERY = Statement(select(day_start_sql(bind("day", Date())), day_start_sql(bind("day", Date()), after=1)))


@pytest.mark.parametrize(("zone", "day"), DAYS)
async def test_days_start_as_a_search_finds(zone: str, day: str, service: Service) -> None:
    first = date.fromisoformat(day)
    ((found,),) = await service.database.read_rows(uuid4(), [(QUERY, {"day": first, **day_start_values(Zone(zone))})])
    following = date.fromordinal(first.toordinal() + 1)
    assert tuple(found) == (first_moment(zone, first), first_moment(zone, following))
