"""SQL of day starts: for columns with days, PostgreSQL finds the starts that a search through time finds."""

from datetime import date
from uuid import uuid4

import pytest
from sqlalchemy import Date, select

from db.reading.statement import Statement
from db.tables.columns import bind
from resolvers.lists.local_day import day_start_sql, day_start_values
from resolvers.period import Zone
from rest_facade.composition import Service
from tests.local_days import first_moment

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
