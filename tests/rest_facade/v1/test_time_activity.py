"""Time activity over HTTP: what counts, once if it overlaps, on which day, in which entry, and who has a row."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest
from sqlalchemy import Table, text, update

from db.tables.timesheets import activity_slots, clock_records, timesheets
from resolvers.records.changes_sql import FEW
from resolvers.reports import time_activity
from tests.errors import assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import ADA, BOB, Acme, at, fill, results

PATH = "/v1/time_activity_reports/"
DAY, HOUR, MINUTE, SECOND = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)

# THEN is in the morning of its first day.
RANGE = {"start_date": "2026-01-05", "end_date": "2026-01-06"}


async def report(http: httpx.AsyncClient, **params: Any) -> list[dict[str, Any]]:
    response = await http.get(PATH, params=RANGE | params)
    assert response.status_code == 200, response.text
    return list(response.json()["results"])


async def row_of(http: httpx.AsyncClient, user_id: UUID, **params: Any) -> dict[str, Any]:
    (row,) = await report(http, user_id=user_id, **params)
    return row


def seconds(things: list[dict[str, Any]], name: str = "tracked_seconds") -> list[int]:
    return [thing[name] for thing in things]


NOTHING = {
    **dict.fromkeys(("tracked_seconds", "manual_seconds", "billable_seconds", "idle_seconds"), 0),
    **dict.fromkeys(("discarded_idle_seconds", "break_seconds", "paid_break_seconds", "input_seconds"), 0),
    **dict.fromkeys(("active_seconds", "keyboard_seconds", "mouse_seconds", "timesheets_count", "locked_seconds"), 0),
    "activity_percent": None,
}


async def test_row_shows_days_with_entries(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    counters = {"input_seconds": 1000, "active_seconds": 125, "keyboard_seconds": 100, "mouse_seconds": 50}
    work = {"project_id": str(acme.project), "task_id": str(acme.task)}
    changed = at("2026-01-05T10:00:00.123456")
    sheet = rows.timesheet(acme.id, acme.ada, **work, **counters, is_billable=True, updated_at=changed)
    rows.idle_time(acme.id, sheet, acme.ada, action="kept")
    rows.idle_time(acme.id, sheet, acme.ada, action="discarded", started_at=THEN + 20 * MINUTE)
    rows.break_time(acme.id, acme.ada, started_at=THEN + 30 * MINUTE)
    metrics = (
        {"tracked_seconds": 2100, "manual_seconds": 0, "billable_seconds": 2100, "idle_seconds": 600}
        | {"discarded_idle_seconds": 600, "break_seconds": 900, "paid_break_seconds": 0, "activity_percent": 13}
        | {"timesheets_count": 1, "locked_seconds": 0, **counters}
    )
    ends = {"first_started_at": "2026-01-05T09:00:00Z", "last_ended_at": "2026-01-05T10:00:00Z"}
    names = {"project_name": "Website", "client_name": "Globex", "task_name": "Draft"}
    entry = {"client_id": str(acme.client), **work, **names, **metrics}
    day = {"date": "2026-01-05", "day_length_seconds": 86400, **metrics, **ends, "entries": [entry]}
    head = {**RANGE, "timezone": "UTC", "is_final": True}
    # The second row has the time of its member, whose name it shows.
    assert await report(http) == [
        {"user": ADA | {"user_id": str(acme.ada)}, **head, **metrics, **ends, "days_worked": 1, "days": [day]}
        | {"updated_at": "2026-01-05T10:00:00.123456Z"},
        {"user": BOB | {"user_id": str(acme.bob)}, **head, **NOTHING, **dict.fromkeys(ends), "days_worked": 0}
        | {"updated_at": "2026-01-05T10:00:00Z", "days": []},
    ]


@pytest.mark.parametrize(
    ("zone", "days"),
    [
        ("Europe/Berlin", {"2026-03-28": (1800, 86400), "2026-03-29": (10800, 82800)}),
        ("UTC", {"2026-03-28": (5400, 86400), "2026-03-29": (7200, 86400)}),
        ("Asia/Kolkata", {"2026-03-29": (12600, 86400)}),
    ],
)
async def test_example_of_the_start_of_summer_time(
    http: httpx.AsyncClient, acme: Acme, rows: Rows, zone: str, days: dict[str, tuple[int, int]]
) -> None:
    rows.timesheet(acme.id, acme.ada, started_at=at("2026-03-28T22:30:00"), ended_at=at("2026-03-29T02:00:00"))
    row = await row_of(http, acme.ada, start_date="2026-03-28", end_date="2026-03-29", timezone=zone)
    assert row["timezone"] == zone
    assert row["tracked_seconds"] == 12600
    assert row["timesheets_count"] == 1
    assert {day["date"]: (day["tracked_seconds"], day["day_length_seconds"]) for day in row["days"]} == days
    assert [day["timesheets_count"] for day in row["days"]] == [1] * len(days)


async def test_timesheet_without_length_is_on_its_day(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    midnight = at("2026-01-06T00:00:00")
    rows.timesheet(acme.id, acme.ada, started_at=midnight, ended_at=None, tracked_until=midnight)
    row = await row_of(http, acme.ada)
    assert (row["tracked_seconds"], row["timesheets_count"], row["days_worked"], row["is_final"]) == (0, 1, 0, False)
    assert [day["date"] for day in row["days"]] == ["2026-01-06"]
    assert (await row_of(http, acme.ada, start_date="2026-01-06"))["timesheets_count"] == 1
    assert (await row_of(http, acme.ada, end_date="2026-01-05"))["timesheets_count"] == 0


async def test_rejoined_member_keeps_earlier_time(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    back = rows.member(acme.id, first_joined_at=THEN - 10 * HOUR, joined_at=THEN + 999 * HOUR)
    rows.timesheet(acme.id, back)
    assert (await row_of(http, back))["tracked_seconds"] == 3600


async def test_changed_row_shows_the_whole_range(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    rows.timesheet(acme.id, acme.ada)
    rows.timesheet(acme.id, acme.ada, started_at=THEN + 2 * HOUR, updated_at=THEN + 5 * HOUR)
    (row,) = await report(http, updated_since="2026-01-05T14:00:00Z", project_id=uuid4())
    assert row["user"]["full_name"] == "Ada Byron", "whatever content is asked for"
    (row,) = await report(http, updated_since="2026-01-05T14:00:00Z")
    assert row["tracked_seconds"] == 7200


@pytest.mark.parametrize(
    ("table", "names"),
    [(timesheets, ["started_at", "ended_at", "tracked_until"]), (clock_records, ["clock_in_at", "clock_out_at"])],
)
async def test_record_that_moved_is_polled_where_it_was(
    table: Table, names: list[str], http: httpx.AsyncClient, acme: Acme, rows: Rows
) -> None:
    moved = getattr(rows, table.name.removesuffix("s"))(acme.id, acme.ada)
    getattr(rows, table.name.removesuffix("s"))(acme.id, acme.bob)
    later = {name: table.c[name] + timedelta(days=35) for name in names}
    with rows.transaction(acme.id):
        rows.connection.execute(update(table).where(table.c.id == moved).values(later))
    polled = {}
    for day in ("2026-01-04", "2026-01-05", "2026-01-20", "2026-02-09"):
        found = await report(http, start_date=day, end_date=day, updated_since="2026-01-31T00:00:00Z")
        polled[day] = [row["user"]["full_name"] for row in found]
    # An open clock record would keep all later days from being final.
    ada = ["Ada Byron"]
    between = ada if table is clock_records else []
    assert polled == {"2026-01-04": [], "2026-01-05": ada, "2026-01-20": between, "2026-02-09": ada}


@pytest.mark.parametrize("path", [PATH, "/v1/app_reports/"])
async def test_new_zone_polls_who_has_no_more_time_in_range(
    http: httpx.AsyncClient, acme: Acme, rows: Rows, path: str
) -> None:
    end = at("2026-01-07T00:00:00")
    dee = rows.member(acme.id, first_joined_at=end + 30 * DAY, joined_at=end + 30 * DAY)
    sheet = rows.timesheet(acme.id, dee, started_at=end - HOUR, ended_at=end)
    rows.app_usage(acme.id, rows.app(acme.id), sheet, dee, slot_at=end - HOUR)
    found: list[int] = []
    for zone in ("UTC", "Asia/Tokyo"):
        moved = text("UPDATE organizations SET timezone = :zone WHERE organization_id = :own RETURNING updated_at")
        with rows.transaction(acme.id):
            changed_at = rows.connection.execute(moved, {"own": acme.id, "zone": zone}).scalar_one()
        params = RANGE | {"user_id": str(dee)} | ({"updated_since": changed_at.isoformat()} if found else {})
        found += [len(row["days"]) for row in (await http.get(path, params=params)).json()["results"]]
    assert found == [1, 0], "the hour is on the next day now, and the poll tells it"


async def test_member_with_over_1000_timesheets_is_refused(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    fill(rows, acme.id, acme.bob, 1000)
    assert seconds(await report(http)) == [0, 60_000]
    rows.timesheet(acme.id, acme.bob, started_at=THEN - HOUR, deleted_at=THEN)
    rows.timesheet(acme.id, acme.bob, started_at=at("2026-01-04T22:00:00"), ended_at=at("2026-01-05T00:00:00"))
    assert seconds(await report(http)) == [0, 60_000]
    rows.timesheet(acme.id, acme.bob, started_at=at("2026-01-04T23:00:00"), ended_at=at("2026-01-05T00:00:01"))
    message = "User has 1001 timesheets in range; maximum is 1000. Narrow start_date/end_date."
    details = {"timesheets_in_range": 1001, "timesheets_cap": 1000}
    for query in ("", f"user_id={acme.bob}", f"project_id={acme.project}", "limit=1&page=2"):
        response = await http.get(f"{PATH}?start_date=2026-01-05&end_date=2026-01-06&{query}")
        assert_error(response, 400, "VALIDATION_ERROR", message, details)
    # Of people on other pages nothing is read, so nothing of theirs is refused.
    assert seconds(await report(http, limit=1)) == [0]
    assert seconds(await report(http, user_id=acme.ada)) == [0]
    assert seconds(await report(http, start_date="2026-01-06")) == [0, 6_000]


async def test_poll_refuses_no_time_that_it_leaves_out(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    fill(rows, acme.id, acme.bob, 1001)
    team = rows.team(acme.id)
    rows.team_member(acme.id, team, acme.bob, deleted_at=THEN)
    assert seconds(await report(http, team_id=team, updated_since="2026-01-05T00:00:00Z")) == [0]


DISCARDED = {"action": "discarded", "reason": "away"}


@pytest.mark.parametrize("few", [FEW, 0], ids=["by changes", "by members"])
@pytest.mark.parametrize("number", [0, 1], ids=["earlier one", "later one"])
async def test_slot_of_an_overlapping_timesheet_is_polled(
    number: int, few: int, acme: Acme, rows: Rows, http: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has the half hour that the other one discards."""
    monkeypatch.setattr(time_activity, "TIME_ACTIVITY_MEMBERS", time_activity.members_listing(few))
    nine, half = at("2026-01-05T09:00:00"), timedelta(minutes=30)
    for n in range(2):
        sheet = rows.timesheet(acme.id, acme.ada, id=UUID(int=n), started_at=nine)
        away = {"started_at": nine + (1 - n) * half, "ended_at": nine + (2 - n) * half}
        rows.idle_time(acme.id, sheet, acme.ada, **DISCARDED, **away)
        rows.activity_slot(acme.id, sheet, acme.ada, nine + n * half, input_seconds=100)
    asked = {"user_id": acme.ada, "start_date": "2026-01-05", "end_date": "2026-01-05"}
    since = datetime.now(UTC).isoformat()
    assert await results(http, "time_activity_reports", **asked, updated_since=since) == []
    with rows.transaction(acme.id):
        own = activity_slots.c.timesheet_id == UUID(int=number)
        rows.connection.execute(update(activity_slots).where(own).values(input_seconds=200))
    (row,) = await results(http, "time_activity_reports", **asked, updated_since=since)
    assert row["input_seconds"] == 300
    assert datetime.fromisoformat(row["updated_at"]) >= datetime.fromisoformat(since)
