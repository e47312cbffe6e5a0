"""`sumTrackedTime`: sums equal those of the report, one call is one request; `listAbsences`: leave by day and person.

Covers `rest_facade/mcp/summaries/pages.py` and `rest_facade/mcp/summaries/absences.py`.
"""

import asyncio
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from mcp import Client

from rest_facade.composition import Service
from rest_facade.server.listener_protocols import InternalProtocol
from tests.factories.rows import Rows
from tests.helpers.waiting import becomes
from tests.rest_facade.graphql.locks import locked
from tests.rest_facade.mcp.clients import TIMEOUT, call, call_refused, connect_http, content
from tests.rest_facade.mcp.conftest import McpConnect, serving
from tests.rest_facade.mcp.endpoint import endpoint, post

HOUR = timedelta(hours=1)
START = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAYS = {"start_date": "2026-03-02", "end_date": "2026-03-04"}
PEOPLE = 22
"""More than a page of the report."""


@pytest.fixture(scope="module")
def acme(rows: Rows) -> UUID:
    """People with time on two projects: Ada 3 h, of which 1 h is Gemini; the others 1 h each, on Apollo."""
    own = rows.organization(timezone="Europe/Berlin")
    client = rows.client(own, name="NASA")
    apollo, gemini = rows.project(own, name="Apollo", client_id=client), rows.project(own, name="Gemini")
    with rows.transaction(own):
        ada = rows.member(own, full_name="Ada")
        rows.timesheet(own, ada, project_id=apollo, started_at=START, ended_at=START + HOUR, is_billable=True)
        # Across midnight in Berlin: half an hour on each day.
        night = datetime(2026, 3, 2, 22, 30, tzinfo=UTC)
        rows.timesheet(own, ada, project_id=gemini, started_at=night, ended_at=night + HOUR, is_billable=False)
        rows.timesheet(own, ada, project_id=None, started_at=START + 4 * HOUR, ended_at=START + 5 * HOUR)
        for number in range(PEOPLE - 1):
            user = rows.member(own, full_name=f"Member {number:02}")
            rows.timesheet(own, user, project_id=apollo, started_at=START, ended_at=START + HOUR)
    return own


async def groups(client: Client, **arguments: Any) -> list[Any]:
    groups: list[Any] = (await call(client, "sumTrackedTime", **DAYS, **arguments))["groups"]
    return groups


async def test_people_are_sorted_with_their_share(connect_any: McpConnect, acme: UUID, rows: Rows) -> None:
    async with connect_any(rows.mcp_key(acme, "time:read")) as client:
        answer = await call(client, "sumTrackedTime", **DAYS, top=2)
    assert answer["tracked_seconds"] == 24 * 3600
    assert answer["people_with_time"] == PEOPLE
    assert answer["timezone"] == "Europe/Berlin"
    assert answer["is_final"] is True
    assert [(each["full_name"], each["tracked_seconds"], each["share_percent"]) for each in answer["groups"]] == [
        ("Ada", 3 * 3600, 12.5),
        ("Member 00", 3600, 4.2),
    ]
    assert answer["others"]["groups"] == 20
    assert answer["others"]["tracked_seconds"] == 20 * 3600


async def test_people_without_time_are_named_beside_the_groups(listener: str, rows: Rows) -> None:
    own = rows.organization(timezone="Europe/Berlin")
    rows.timesheet(own, rows.member(own, full_name="Ada"), project_id=None, started_at=START, ended_at=START + HOUR)
    for name in ("Cleo", "Bob"):
        rows.member(own, full_name=name)
    rows.member(own, full_name="Ada", email="ada@example.com")
    async with connect_http(listener, rows.mcp_key(own, "time:read")) as client:
        by_person = await call(client, "sumTrackedTime", **DAYS, top=1)
        by_day = await call(client, "sumTrackedTime", **DAYS, group_by="day")
    assert [each["full_name"] for each in by_person["groups"]] == ["Ada"]
    assert by_person["people_without_time"] == by_day["people_without_time"] == 3
    assert by_person["names_without_time"] == ["Ada, ada@example.com", "Bob", "Cleo"]
    assert "names_without_time" not in by_day


async def test_projects_clients_and_days_have_literal_sums(listener: str, acme: UUID, rows: Rows) -> None:
    async with connect_http(listener, rows.mcp_key(acme, "time:read")) as client:
        by_project = await groups(client, group_by="project")
        assert [(each["project_name"], each["tracked_seconds"]) for each in by_project] == [
            ("Apollo", 22 * 3600),
            ("Gemini", 3600),
            (None, 3600),
        ]
        by_client = await groups(client, group_by="client")
        assert {each["client_name"]: each["tracked_seconds"] for each in by_client} == {
            "NASA": 22 * 3600,
            None: 2 * 3600,
        }
        by_day = await groups(client, group_by="day")
        assert [(each["date"], each["tracked_seconds"]) for each in by_day] == [
            ("2026-03-02", 23 * 3600 + 1800),
            ("2026-03-03", 1800),
        ]
        in_utc = await groups(client, group_by="day", timezone="UTC")
        assert [each["date"] for each in in_utc] == ["2026-03-02"]


async def test_top_days_are_the_longest_and_namesakes_have_clients(listener: str, rows: Rows) -> None:
    own = rows.organization()
    ada, day = rows.member(own), timedelta(days=1)
    for number, (agency, hours) in enumerate({"ESA": 1, "NASA": 3, "JAXA": 2}.items()):
        start = START + number * day
        apollo = rows.project(own, name="Apollo", client_id=rows.client(own, name=agency))
        rows.timesheet(own, ada, project_id=apollo, started_at=start, ended_at=start + hours * HOUR)
    async with connect_http(listener, rows.mcp_key(own, "time:read")) as client:
        days = await groups(client, group_by="day", top=2)
        projects = await groups(client, group_by="project")
    assert [(each["date"], each["tracked_hours"]) for each in days] == [("2026-03-03", 3.0), ("2026-03-04", 2.0)]
    assert [(each["project_name"], each["client_name"]) for each in projects] == [
        ("Apollo", "NASA"),
        ("Apollo", "JAXA"),
        ("Apollo", "ESA"),
    ]


async def test_no_day_of_a_quarter_is_left_out(listener: str, rows: Rows) -> None:
    own = rows.organization()
    ada = rows.member(own)
    for number in range(60):
        start = START + timedelta(days=number)
        rows.timesheet(own, ada, started_at=start, ended_at=start + HOUR)
    quarter = {"start_date": "2026-03-01", "end_date": "2026-05-31", "group_by": "day"}
    async with connect_http(listener, rows.mcp_key(own, "time:read")) as client:
        answer = await call(client, "sumTrackedTime", **quarter)
    assert len(answer["groups"]) == 60


async def test_a_year_is_summed_in_parts(listener: str, acme: UUID, rows: Rows) -> None:
    year = {"start_date": "2025-03-05", "end_date": "2026-03-05"}
    async with connect_http(listener, rows.mcp_key(acme, "time:read")) as client:
        answer = await call(client, "sumTrackedTime", **year, top=1)
        too_long = await call_refused(client, "sumTrackedTime", start_date="2025-03-04", end_date="2026-03-05")
    assert answer["tracked_seconds"] == 24 * 3600
    assert answer["people_with_time"] == PEOPLE
    assert too_long["message"] == "The range must have at most 366 days."


async def test_a_call_of_two_pages_is_one_request(listener: str, rows: Rows) -> None:
    own = rows.organization()
    with rows.transaction(own):
        for _ in range(PEOPLE):
            rows.member(own)
    rows.quota(own, 1, "time_activity_reports")
    async with connect_http(listener, rows.mcp_key(own, "time:read")) as client:
        # At most one new window begins meanwhile.
        answers = [await client.call_tool("sumTrackedTime", DAYS) for _ in range(3)]
        assert not answers[0].is_error
        error = next(content(answer)["error"] for answer in answers if answer.is_error)
    assert error["code"] == "RATE_LIMIT_EXCEEDED"


async def test_wrong_arguments_and_scope_are_refused(listener: str, rows: Rows) -> None:
    own = rows.organization()
    async with connect_http(listener, rows.mcp_key(own, "time:read")) as client:
        error = await call_refused(client, "sumTrackedTime", **DAYS, group_by="mood")
        assert error["message"] == "group_by must be one of person, project, client, day."
        error = await call_refused(client, "sumTrackedTime", **DAYS, top=0)
        assert error["message"] == "top must be an integer from 1 to 300."
        error = await call_refused(client, "sumTrackedTime", start_date="2026-03-02")
        assert error["message"] == "end_date is required."
        assert (await call(client, "sumTrackedTime", **DAYS))["groups"] == []
    async with connect_http(listener, rows.mcp_key(own, "teams:read")) as client:
        assert (await call_refused(client, "sumTrackedTime", **DAYS))["code"] == "SCOPE_DENIED"


CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "sumTrackedTime", "arguments": DAYS}}


async def test_pages_beyond_the_first_count_as_messages(service: Service, acme: UUID, rows: Rows) -> None:
    """22 people are two pages, so a call is two messages."""
    key = rows.mcp_key(acme, "time:read")
    async for address in serving(endpoint(service, 3)):
        answers = [(await post(address, key, json=CALL)).json()["result"] for _ in range(2)]
    assert [answer["isError"] for answer in answers] == [False, True]
    assert "RATE_LIMIT_EXCEEDED" in answers[1]["content"][0]["text"]


async def test_call_of_a_departed_client_ends(owner_url: str, fresh: Service, acme: UUID, rows: Rows) -> None:
    key, queue = rows.mcp_key(acme, "time:read"), fresh.database.pool.queue
    async for address in serving(fresh.internal, InternalProtocol):
        with locked(owner_url, "timesheets"):
            asked = asyncio.create_task(post(address, key, json=CALL))
            await becomes(lambda: queue.in_use, TIMEOUT)
            asked.cancel()
            await asyncio.wait([asked])
            await becomes(lambda: not (fresh.public.in_progress or queue.in_use), 5)


MONDAY, TUESDAY, WEDNESDAY = (date(2026, 3, day) for day in (2, 3, 4))


@pytest.fixture(scope="module")
def away(rows: Rows) -> UUID:
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


async def test_absent_people_are_listed_by_day(listener: str, away: UUID, rows: Rows) -> None:
    async with connect_http(listener, rows.mcp_key(away, "leave:read")) as client:
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


async def test_leave_without_days_is_told_beside_the_days(listener: str, rows: Rows) -> None:
    own = rows.organization()
    kind, bob = rows.leave_type(own, name="Vacation"), rows.member(own, full_name="Bob", email="bob@example.com")
    rows.leave_application(own, kind, bob, start_date=MONDAY, end_date=TUESDAY, amount=2, status="approved")
    async with connect_http(listener, rows.mcp_key(own, "leave:read")) as client:
        answer = await call(client, "listAbsences", start_date="2026-03-03", end_date="2026-03-03")
    assert answer["days"] == []
    (unknown,) = answer["absent_on_unknown_days"]
    person = {"user_id": str(bob), "email": "bob@example.com", "full_name": "Bob"}
    leave = {"leave_type_name": "Vacation", "is_paid": True, "unit": "day", "amount": "2.00"}
    assert unknown == person | leave | {"start_date": "2026-03-02", "end_date": "2026-03-03"}
