"""Leave in GraphQL: relations, number of round trips, and one today a request."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from rest_facade.composition import Service
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of

pytestmark = pytest.mark.anyio

BALANCES = """
query balances($leave_period_id: UUID) {
  leave_balances(leave_period_id: $leave_period_id) {
    count
    results {
      available leave_type_name unit period_start user { full_name }
      leave_policy { name leave_type { name } } leave_period { name is_current }
    }
  }
}
"""
APPLICATIONS = """
query applications {
  leave_applications {
    results { leave_type { name unit } leave_policy { name unit leave_type_name } leave_period { name is_current } }
  }
}
"""


async def test_balances_of_many_need_as_many_statements_as_one(
    service: Service, rows: Rows, round_trips: list[Any]
) -> None:
    seen = []
    for people in (1, 7):
        own = rows.organization()
        policy = rows.leave_policy(own, rows.leave_type(own, unit="hour"))
        period = rows.leave_period(own)
        for _ in range(people):
            rows.leave_balance(own, policy, period, rows.member(own), accrued="1.5")
        round_trips.clear()
        balance = {
            "available": "1.50",
            "leave_type_name": "Vacation",
            "unit": "hour",
            "period_start": "2000-01-01",
            "user": {"full_name": "Ada Byron"},
            "leave_policy": {"name": "Full time", "leave_type": {"name": "Vacation"}},
            "leave_period": {"name": "Always", "is_current": True},
        }
        page = (await data_of(service.database, own, BALANCES))["leave_balances"]
        assert page == {"count": people, "results": [balance] * people}
        seen.append([*map(len, round_trips)])
    # The zone, and the page with everything that its rows refer to.
    assert seen == [[1, 1]] * 2


async def test_balances_of_a_given_period_need_no_today(service: Service, rows: Rows, round_trips: list[Any]) -> None:
    own = rows.organization()
    document = "query q($id: UUID) { leave_balances(leave_period_id: $id) { count } }"
    period = rows.leave_period(own)
    assert await data_of(service.database, own, document, id=period) == {"leave_balances": {"count": 0}}
    assert [*map(len, round_trips)] == [1]


async def test_past_period_has_its_balances(service: Service, rows: Rows) -> None:
    own = rows.organization()
    period = rows.leave_period(own, start_date=date(2020, 1, 1), end_date=date(2020, 12, 31))
    rows.leave_balance(own, rows.leave_policy(own, rows.leave_type(own)), period, rows.member(own))
    document = "query q($id: UUID!) { leave_period(id: $id) { leave_balances { count } } leave_balances { count } }"
    found = {"leave_period": {"leave_balances": {"count": 1}}, "leave_balances": {"count": 0}}
    assert await data_of(service.database, own, document, id=period) == found


def test_all_leave_lists_have_include_deleted() -> None:
    assert GRAPHQL_SCHEMA.query_type is not None
    fields = {name: field.args for name, field in GRAPHQL_SCHEMA.query_type.fields.items() if name.startswith("leave_")}
    lists = {name: args for name, args in fields.items() if "page" in args}
    assert len(lists) == 6
    assert [name for name, args in lists.items() if "include_deleted" not in args] == []


async def test_application_has_type_policy_and_period_or_null(service: Service, rows: Rows) -> None:
    own = rows.organization()
    user, type_ = rows.member(own), rows.leave_type(own)
    policy, period = rows.leave_policy(own, type_), rows.leave_period(own, end_date=date(2026, 1, 4))
    rows.leave_application(own, type_, user, leave_policy_id=policy, leave_period_id=period)
    rows.leave_application(own, type_, user, created_at=datetime(2026, 1, 6, tzinfo=UTC))
    assert (await data_of(service.database, own, APPLICATIONS))["leave_applications"]["results"] == [
        {
            "leave_type": {"name": "Vacation", "unit": "day"},
            "leave_policy": {"name": "Full time", "unit": "day", "leave_type_name": "Vacation"},
            "leave_period": {"name": "Always", "is_current": False},
        },
        {"leave_type": {"name": "Vacation", "unit": "day"}, "leave_policy": None, "leave_period": None},
    ]


async def test_one_request_has_one_today(service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    own = rows.organization(timezone="Europe/Berlin")
    for year in (2025, 2026):
        period = rows.leave_period(own, start_date=date(year, 1, 1), end_date=date(year, 12, 31))
        rows.leave_balance(own, rows.leave_policy(own, rows.leave_type(own)), period, rows.member(own))
    # Midnight passes in Berlin while the request is answered.
    clock = iter([datetime(2025, 12, 31, 22, 59, 59, tzinfo=UTC), datetime(2025, 12, 31, 23, tzinfo=UTC)])
    monkeypatch.setattr("resolvers.context.clock", lambda: next(clock))
    document = "query q { leave_balances { results { leave_period { start_date is_current } } } }"
    shown = {"leave_period": {"start_date": "2025-01-01", "is_current": True}}
    assert await data_of(service.database, own, document) == {"leave_balances": {"results": [shown]}}
