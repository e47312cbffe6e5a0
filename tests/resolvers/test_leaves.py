"""Leave in GraphQL: relations, number of round trips, and one today a request."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from rest_facade.composition import Service
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of, field_of


async def test_balances_of_a_given_period_need_no_today(service: Service, rows: Rows, round_trips: list[Any]) -> None:
    own = rows.organization()
    document = "query q($id: UUID) { leave_balances(leave_period_id: $id) { count } }"
    assert await data_of(service.database, own, document, id=rows.leave_period(own)) == {"leave_balances": {"count": 0}}
    assert [*map(len, round_trips)] == [1]


async def test_past_period_has_its_balances(service: Service, rows: Rows) -> None:
    own = rows.organization()
    period = rows.leave_period(own, start_date=date(2020, 1, 1), end_date=date(2020, 12, 31))
    rows.leave_balance(own, rows.leave_policy(own, rows.leave_type(own)), period, rows.member(own))
    document = "query q($id: UUID!) { leave_period(id: $id) { leave_balances { count } } leave_balances { count } }"
    found = {"leave_period": {"leave_balances": {"count": 1}}, "leave_balances": {"count": 0}}
    assert await data_of(service.database, own, document, id=period) == found


async def test_one_request_has_one_today(service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    own = rows.organization(timezone="Europe/Berlin")
    for year in (2025, 2026):
        period = rows.leave_period(own, start_date=date(year, 1, 1), end_date=date(year, 12, 31))
        rows.leave_balance(own, rows.leave_policy(own, rows.leave_type(own)), period, rows.member(own))
    # Midnight passes in Berlin while the request is answered.
    clock = iter([datetime(2025, 12, 31, 22, 59, 59, tzinfo=UTC), datetime(2025, 12, 31, 23, tzinfo=UTC)])
    monkeypatch.setattr("resolvers.context.clock", lambda: next(clock))
    found = await field_of(service, own, "leave_balances { results { leave_period { start_date is_current } } }")
    assert found == {"results": [{"leave_period": {"start_date": "2025-01-01", "is_current": True}}]}
