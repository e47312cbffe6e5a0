"""Periods: the days of a request, its zone, and invalid ranges.

Covers `resolvers/errors.py`.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

from resolvers import period as module
from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.period import LocalDay, Period, Zone, check_range, expected_zone, period_of, today_of, zone_of
from rest_facade.composition import Service
from tests.factories.rows import Rows

NOW = datetime(2026, 3, 1, 15, 30, tzinfo=UTC)

TOKYO = Zone("Asia/Tokyo")


def asked(start: str | None, end: str | None) -> Mapping[str, Any]:
    return {"start_date": start and date.fromisoformat(start), "end_date": end and date.fromisoformat(end)}


@pytest.fixture
def context(service: Service, rows: Rows) -> Context:
    return Context(service.database, rows.organization(timezone="Asia/Tokyo"))


async def test_zone_is_requested_or_the_organizations(context: Context, rows: Rows) -> None:
    assert await zone_of(context, {"timezone": "Europe/Berlin"}) == Zone("Europe/Berlin")
    assert await zone_of(context, {"timezone": None}) == TOKYO
    # It is never that of a member.
    user = rows.member(context.organization_id, timezone="America/Lima")
    assert await zone_of(context, {"user_id": user}) == await zone_of(context, {}) == TOKYO


async def test_today_is_the_local_day(context: Context) -> None:
    context.now = NOW
    assert await today_of(context) == date(2026, 3, 2)


@pytest.mark.parametrize(
    ("start", "end", "message"),
    [
        ("2026-01-01", None, "start_date and end_date must be given together"),
        (None, "2026-01-01", "start_date and end_date must be given together"),
        ("2026-01-02", "2026-01-01", "end_date must be on or after start_date"),
        ("2026-01-01", "2026-02-01", "Date range cannot exceed 31 days"),
    ],
)
def test_other_ranges_are_refused(start: str | None, end: str | None, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        check_range(asked(start, end))


def test_longest_range_has_31_days() -> None:
    longest = asked("2026-01-01", "2026-01-31")
    check_range(longest)
    assert len(period_of(Zone("UTC"), NOW, longest).bounds) == 32


def test_no_range_is_a_period_without_days() -> None:
    check_range(asked(None, None))
    assert period_of(TOKYO, NOW, asked(None, None)) == Period("Asia/Tokyo", None, None)


def test_default_range_ends_on_the_local_day() -> None:
    assert period_of(TOKYO, NOW, asked(None, None), 3) == Period("Asia/Tokyo", date(2026, 2, 28), date(2026, 3, 2))


async def test_expected_zone_is_the_zone_read_last(context: Context, service: Service) -> None:
    assert expected_zone(context) is None
    assert await module.organization_zone(context) == TOKYO
    assert expected_zone(Context(service.database, context.organization_id)) == TOKYO


def test_bounds_are_day_starts_and_the_last_end() -> None:
    period = Period("Europe/Berlin", date(2026, 3, 28), date(2026, 3, 29))
    bounds = [datetime(2026, 3, day, hour, tzinfo=UTC) for day, hour in ((27, 23), (28, 23), (29, 22))]
    assert period.bounds == bounds
    assert period.days == [LocalDay(date(2026, 3, 28), *bounds[:2]), LocalDay(date(2026, 3, 29), *bounds[1:])]
    assert [(day.high - day.low).total_seconds() for day in period.days] == [86_400, 82_800]


def test_skipped_day_is_left_out() -> None:
    period = Period("Pacific/Apia", date(2011, 12, 29), date(2011, 12, 31))
    assert [day.date for day in period.days] == [date(2011, 12, 29), date(2011, 12, 31)]
