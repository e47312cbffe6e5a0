"""`listAbsences`: approved leave by day and person."""

from datetime import date
from uuid import UUID

import pytest

from tests.factories.rows import Rows
from tests.rest_facade.mcp.clients import call, connect_http

MONDAY, TUESDAY, WEDNESDAY = (date(2026, 3, day) for day in (2, 3, 4))


@pytest.fixture(scope="module")
def acme(rows: Rows) -> UUID:
    """Ada is away on Monday and half of Tuesday, Grace on Tuesday; Wednesday is a holiday for Ada."""
    own = rows.organization()
    ada, grace = rows.member(own, full_name="Ada"), rows.member(own, full_name="Grace")
    kind = rows.leave_type(own, name="Vacation")
    with rows.transaction(own):
        whole = rows.leave_application(own, kind, ada, start_date=MONDAY, end_date=WEDNESDAY, status="approved")
        rows.leave_day(own, whole, date=MONDAY)
        rows.leave_day(own, whole, date=TUESDAY, amount="0.5", duration_seconds=14_400)
        rows.leave_day(own, whole, date=WEDNESDAY, amount=0, duration_seconds=0, is_holiday=True)
        other = rows.leave_application(own, kind, grace, start_date=TUESDAY, status="approved")
        rows.leave_day(own, other, date=TUESDAY)
        asked = rows.leave_application(own, kind, grace, start_date=MONDAY, status="pending")
        rows.leave_day(own, asked, date=MONDAY)
    return own


async def test_absent_people_are_listed_by_day(listener: str, acme: UUID, rows: Rows) -> None:
    async with connect_http(listener, rows.mcp_key(acme, "leave:read")) as client:
        answer = await call(client, "listAbsences", start_date="2026-03-01", end_date="2026-03-31")
        part = await call(client, "listAbsences", start_date="2026-03-02", end_date="2026-03-02")
    assert answer["people_absent"] == 2
    shown = [
        (day["date"], person["full_name"], person["amount"], person["is_holiday"])
        for day in answer["days"]
        for person in day["people"]
    ]
    assert shown == [
        ("2026-03-02", "Ada", "1.00", False),
        ("2026-03-03", "Ada", "0.50", False),
        ("2026-03-03", "Grace", "1.00", False),
        ("2026-03-04", "Ada", "0.00", True),
    ]
    assert answer["days"][0]["people"][0]["leave_type_name"] == "Vacation"
    assert [day["date"] for day in part["days"]] == ["2026-03-02"]
