"""Periods: the days of a request, its zone, and half a range. `tests/rest_facade/rest` has ranges that are too long.

Covers `resolvers/errors.py`.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pytest

from resolvers.context import Context
from resolvers.errors import Invalid
from resolvers.period import Period, Zone, check_range, period_of, zone_of
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


@pytest.mark.parametrize(("start", "end"), [("2026-01-01", None), (None, "2026-01-01")])
def test_one_end_of_a_range_is_refused(start: str | None, end: str | None) -> None:
    with pytest.raises(Invalid, match="start_date and end_date must be given together"):
        check_range(asked(start, end))


def test_no_range_is_a_period_without_days() -> None:
    check_range(asked(None, None))
    assert period_of(TOKYO, NOW, asked(None, None)) == Period("Asia/Tokyo", None, None)


def test_default_range_ends_on_the_local_day() -> None:
    assert period_of(TOKYO, NOW, asked(None, None), 3) == Period("Asia/Tokyo", date(2026, 2, 28), date(2026, 3, 2))
