"""Answers without rows give a reason, so that a model does not report zero."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from mcp import Client

from tests.factories.base import THEN
from tests.factories.people import FEATURES
from tests.factories.rows import Rows
from tests.rest_facade.mcp.clients import call, call_refused, connect_http

DAYS = {"start_date": THEN.date().isoformat(), "end_date": THEN.date().isoformat()}
UNKNOWN_ID = "Nothing has this id: it is of something else, or deleted."


@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        ("listTasks", "project_id"),
        ("listTasks", "user_id"),
        ("listProjects", "client_id"),
        ("listLeaveApplications", "leave_type_id"),
        ("listLeaveApplications", "leave_policy_id"),
        ("listLeaveBalances", "leave_period_id"),
        ("listTimeActivityReport", "task_id"),
        ("sumTrackedTime", "project_id"),
        ("listAbsences", "user_id"),
    ],
)
async def test_id_of_another_kind_is_refused(tool: str, argument: str, listener: str, rows: Rows, own: UUID) -> None:
    rows.member(own)
    team = rows.team(own)
    days = DAYS if tool in ("listTimeActivityReport", "sumTrackedTime", "listAbsences") else {}
    async with connect_http(listener, rows.partner_key(own)) as client:
        error = await call_refused(client, tool, **days, **{argument: str(team)})
    assert error["message"] == UNKNOWN_ID
    assert error["details"] == {argument: [UNKNOWN_ID]}


async def test_id_that_exists_has_a_hint(listener: str, rows: Rows, own: UUID) -> None:
    project, member = rows.project(own), rows.member(own)
    async with connect_http(listener, rows.partner_key(own)) as client:
        tasks = await call(client, "listTasks", project_id=str(project), status=["open"])
        assert tasks["hint"].startswith("Nothing here matches all of project_id, status. The data is as of 20")
        for tool in ("sumTrackedTime", "listAbsences", "listClockInOut", "listTimeActivityReport"):
            found = await call(client, tool, start_date="2019-01-05", end_date="2019-01-06", user_id=str(member))
            assert found["hint"].startswith("Nothing here matches all of start_date, end_date, user_id. The data is"), (
                tool
            )
        members = await call(client, "listMembers", team_id=str(rows.team(own)))
        assert members["hint"].endswith(" A team is who is in it now.")
        assert "hint" not in await call(client, "listTasks")
        assert "hint" not in await call(client, "listTasks", fields="?", project_id=str(project))
        assert "hint" not in await call(client, "listMembers", user_id=str(member))


async def test_page_without_rows_is_not_the_whole_list(listener: str, rows: Rows, own: UUID) -> None:
    rows.member(own, full_name="Ada", created_at=THEN - timedelta(days=1))
    rows.timesheet(own, rows.member(own, full_name="Bob"))
    async with connect_http(listener, rows.mcp_key(own, "time:read")) as client:
        page = await call(client, "listTimeActivityReport", **DAYS, limit=1)
        last = await call(client, "listTimeActivityReport", **DAYS, limit=1, next=page["next"])
    assert page["hint"].startswith("Nothing on this page matches all of start_date, end_date. Read on with `next`. The")
    assert last["results"][0]["tracked_seconds"] > 0


async def test_key_that_may_not_read_the_list_has_a_hint(listener: str, rows: Rows, own: UUID) -> None:
    rows.member(own)
    async with connect_http(listener, rows.mcp_key(own, "tasks:read", "time:read")) as client:
        found = await call(client, "listTasks", project_id=str(uuid4()))
        summed = await call(client, "sumTrackedTime", **DAYS, user_id=str(uuid4()))
    assert found["hint"].startswith(
        "Nothing here matches all of project_id. Nothing may have this project_id: to look it up, the key needs "
        "projects:read. The data is as of 20"
    )
    assert " Nothing may have this user_id: to look it up, the key needs members:read." in summed["hint"]


async def test_rows_that_are_left_out_are_counted(listener: str, rows: Rows, own: UUID) -> None:
    rows.member(own, full_name="Zuzana", email="zuzana@example.com", status="removed", removed_at=THEN)
    async with connect_http(listener, rows.mcp_key(own, "members:read")) as client:
        for filters in ({"email": "zuzana@example.com"}, {"user_id": "zuzana"}):
            found = await call(client, "listMembers", **filters)
            assert found["hint"].endswith(" 1 that do are left out: deleted, of removed people, of past leave periods.")
        assert "left out" not in (await call(client, "listMembers", email="nobody@example.com"))["hint"]


async def test_hint_on_pay_names_the_other_list(listener: str, rows: Rows, own: UUID) -> None:
    ada = rows.member(own, full_name="Ada Park")
    rows.one_time_payment_log(own, ada)
    async with connect_http(listener, rows.mcp_key(own, "payroll:read")) as client:
        hourly = await call(client, "listMemberHourlyPaymentLog", user_id=str(ada))
    assert hourly["count"] == 0
    assert hourly["hint"].endswith(" listMemberOneTimePaymentLog may have payments.")


async def test_hint_on_usage_says_that_older_data_may_be_dropped(listener: str, rows: Rows, own: UUID) -> None:
    ada = rows.member(own)
    async with connect_http(listener, rows.mcp_key(own, "activity:read", "screenshots:read")) as client:
        today = datetime.now(UTC).date().isoformat()
        screenshots = await call(client, "listScreenshots", user_id=str(ada), date=today)
        usage = await call(client, "listAppReports", **DAYS)
    for hint in (screenshots["hint"], usage["hint"]):
        assert hint.endswith(" Older data may be dropped, or the feature be off: retrieveOrganization tells.")


async def used(client: Client, tool: str, **arguments: Any) -> list[str]:
    similar: list[str] = (await call(client, tool, **DAYS, **arguments))["similar"]
    return similar


async def test_name_of_usage_without_time_has_similar_ones(listener: str, rows: Rows, own: UUID) -> None:
    ada = rows.member(own)
    sheet = rows.timesheet(own, ada)
    for name in ("Firefox", "GNOME Terminal"):
        rows.app_usage(own, rows.app(own, name=name), sheet, ada, slot_at=THEN)
    domain = rows.domain(own, name="mail.example")
    rows.url_usage(own, domain, rows.url_page(own, domain, url="https://mail.example/"), sheet, ada, slot_at=THEN)
    async with connect_http(listener, rows.mcp_key(own, "activity:read")) as client:
        assert await used(client, "listAppReports", app_name="firefox") == ["Firefox"]
        assert await used(client, "listAppReports", app_name="terminal") == ["GNOME Terminal"]
        assert await used(client, "listAppReports", app_name="Krita") == ["Firefox", "GNOME Terminal"]
        assert await used(client, "listUrlReports", domain="inbox.mail.example") == ["mail.example"]
        assert "similar" not in await call(client, "listAppReports", **DAYS, app_name="Firefox")


async def test_feature_that_is_off_is_told(listener: str, rows: Rows) -> None:
    own = rows.organization(features=FEATURES | {"leave": False})
    off = "These features are off: leave."
    async with connect_http(listener, rows.partner_key(own)) as client:
        assert (await call(client, "listLeaveApplications"))["hint"] == off
        assert (await call(client, "listAbsences", **DAYS))["hint"].endswith(off)
    async with connect_http(listener, rows.mcp_key(own, "leave:read")) as client:
        assert "hint" not in await call(client, "listLeaveApplications")
