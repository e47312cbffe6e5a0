"""Time over HTTP: ranges, zones and users of every report; manual time and attendance."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2 as httpx
import pytest
from sqlalchemy import text

from tests.errors import assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import Acme, at, ids, results

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)

IDLE, TIME_ACTIVITY = "timesheet_idle_times", "time_activity_reports"
MANUAL, CLOCK = "manual_timesheet_reports", "clockinouts"
every_kind = pytest.mark.parametrize("path", [IDLE, TIME_ACTIVITY, MANUAL])

# THEN is in it.
RANGE = {"start_date": "2026-01-05", "end_date": "2026-01-06", "timezone": "UTC"}


@pytest.fixture
def zone() -> str:
    return "Asia/Tokyo"


@every_kind
async def test_first_invalid_parameter_is_reported(http: httpx.AsyncClient, path: str, acme: Acme) -> None:
    both, day = f"user_id={acme.ada}&team_id={uuid4()}", "start_date=2026-01-01&end_date=2026-01-01"
    for query, message in [
        (f"start_date=x&end_date=y&timezone=z&limit=0&{both}x", "Invalid UUID format."),
        (f"start_date=x&timezone=z&limit=0&{both}", "start_date and end_date are required."),
        (f"start_date=2026-02-01&end_date=y&timezone=z&limit=0&{both}", "Invalid date format. Use YYYY-MM-DD."),
        (f"start_date=2026-02-01&end_date=2026-01-01&timezone=z&{both}", "end_date must be on or after start_date."),
        (f"start_date=2026-01-01&end_date=2026-02-01&timezone=z&{both}", "Date range cannot exceed 31 days."),
        (f"{day}&timezone=z&limit=0&{both}", "Invalid timezone."),
        (f"{day}&limit=0&{both}&updated_since=x", "limit must be >= 1."),
        (f"{day}&limit=21&{both}&updated_since=x", "limit cannot exceed 20."),
        (f"{day}&{both}&updated_since=x", "Cannot combine user_id and team_id filters."),
        (f"{day}&team_id={uuid4()}&updated_since=x", "Invalid updated_since. Use an RFC 3339 date-time."),
    ]:
        assert_error(await http.get(f"/v1/{path}/?{query}"), 400, "VALIDATION_ERROR", message)


@every_kind
async def test_unknown_team_is_404_and_user_empty(http: httpx.AsyncClient, path: str, rows: Rows, acme: Acme) -> None:
    foreign = rows.organization()
    for team in (uuid4(), rows.team(foreign), rows.team(acme.id, deleted_at=THEN)):
        response = await http.get(f"/v1/{path}/", params=RANGE | {"team_id": str(team)})
        assert_error(response, 404, "RESOURCE_NOT_FOUND", "Team not found.")
    for person in (uuid4(), rows.member(foreign)):
        body = (await http.get(f"/v1/{path}/", params=RANGE | {"user_id": str(person)})).json()
        assert (body["results"], body.get("count", 0)) == ([], 0)


@pytest.mark.parametrize(
    ("action", "original", "delta"),
    [
        ("added", None, 3600),
        ("edited", ("2026-01-05T08:00:00", "2026-01-05T08:30:00"), 1800),
        ("edited", ("2026-01-05T08:00:00", "2026-01-05T10:00:00"), -3600),
        ("edited", ("2026-01-05T08:00:00", "2026-01-05T09:00:00"), 0),
        ("deleted", None, -3600),
        ("deleted", ("2026-01-05T09:00:00", "2026-01-05T10:00:00"), -3600),
    ],
)
async def test_delta_of_manual_time_is_signed(
    http: httpx.AsyncClient, acme: Acme, rows: Rows, action: str, original: tuple[str, str] | None, delta: int
) -> None:
    before = {} if original is None else {"original_started_at": at(original[0]), "original_ended_at": at(original[1])}
    rows.manual_request(acme.id, acme.ada, action=action, original_project_id=acme.project, **before)
    (row,) = await results(http, MANUAL, **RANGE)
    assert (row["duration_seconds"], row["delta_seconds"]) == (3600, delta)
    assert row["project_id"] is row["project_name"] is row["client_id"] is row["task_name"] is None
    assert row["original_project_id"] == str(acme.project)


async def test_clock_record_shows_place_breaks_and_lateness(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    office = {"latitude": "52.5200", "longitude": "13.4050", "accuracy_meters": 12, "label": "Office"}
    scheduled = {"scheduled_start_at": THEN - 10 * MINUTE, "scheduled_end_at": THEN + 9 * HOUR}
    record = rows.clock_record(acme.id, acme.ada, clock_out_at=THEN + 8 * HOUR, clock_in_location=office, **scheduled)
    given = {"clock_record_id": record, "started_at": THEN + 6 * HOUR}
    paid = rows.break_time(acme.id, acme.ada, **given, is_paid=True)
    given["started_at"] = THEN + 3 * HOUR
    lunch = rows.break_time(acme.id, acme.ada, **given, ended_at=THEN + 3 * HOUR + 45 * MINUTE)
    rows.break_time(acme.id, acme.ada, **given, deleted_at=THEN)
    rows.break_time(acme.id, acme.ada, started_at=THEN + 2 * HOUR)
    (row,) = await results(http, CLOCK, **RANGE)
    assert [(each["id"], each["duration_seconds"], each["is_paid"]) for each in row["breaks"]] == [
        (str(lunch), 2700, False),
        (str(paid), 900, True),
    ]
    assert (row["clock_in_location"], row["clock_out_location"]) == (office, None)
    assert (row["break_seconds"], row["worked_seconds"]) == (3600, 8 * 3600 - 2700)
    assert (row["late_seconds"], row["early_leave_seconds"]) == (600, 3600)


async def test_open_records_from_before_need_include_open(http: httpx.AsyncClient, acme: Acme, rows: Rows) -> None:
    start, end = at("2026-01-04T15:00:00"), at("2026-01-05T15:00:00")  # of 5 January in Tokyo
    forgotten = rows.clock_record(acme.id, acme.ada, clock_in_at=start - 400 * 24 * HOUR, clock_out_at=None)
    night = rows.clock_record(acme.id, acme.bob, clock_in_at=start - MINUTE, clock_out_at=None, id=UUID(int=1))
    rows.clock_record(acme.id, acme.bob, clock_in_at=start - MINUTE, clock_out_at=start + HOUR)
    gone = rows.clock_record(acme.id, acme.bob, clock_in_at=start - 2 * MINUTE, clock_out_at=None, deleted_at=THEN)
    first = rows.clock_record(acme.id, acme.ada, clock_in_at=start, clock_out_at=None)
    closed = rows.clock_record(acme.id, acme.bob, clock_in_at=start, clock_out_at=start + HOUR, id=UUID(int=2**128 - 1))
    last = rows.clock_record(acme.id, acme.ada, clock_in_at=end - SECOND, clock_out_at=None)
    rows.clock_record(acme.id, acme.ada, clock_in_at=end, clock_out_at=None)
    today = {"start_date": "2026-01-05", "end_date": "2026-01-05", "timezone": "Asia/Tokyo"}
    now = {"status": "open", "include_open": "true"}
    cases: list[tuple[dict[str, Any], list[UUID]]] = [
        ({}, [first, closed, last]),
        ({"status": "open"}, [first, last]),
        ({"status": "open,closed,auto_closed"}, [first, closed, last]),
        ({"include_open": "false"}, [first, closed, last]),
        ({"include_open": "true"}, [forgotten, night, first, closed, last]),
        (now, [forgotten, night, first, last]),
        (now | {"user_id": acme.bob}, [night]),
        (now | {"include_deleted": "true"}, [forgotten, gone, night, first, last]),
        (now | {"status": "open,closed"}, [forgotten, night, first, closed, last]),
        (now | {"status": "closed,auto_closed"}, [closed]),
    ]
    for params, expected in cases:
        assert await ids(http, CLOCK, **today, **params) == expected, params
    (row, *_) = await results(http, CLOCK, **today, **now, user_id=acme.bob)
    assert row["date"] == "2026-01-04"
    everyone = []
    url = f"/v1/{CLOCK}/?start_date=2026-01-05&end_date=2026-01-05&status=open&include_open=true&limit=1"
    while url:
        page = (await http.get(url)).json()
        assert page["count"] == 4
        everyone += [UUID(row["id"]) for row in page["results"]]
        url = page["next"]
    assert everyone == [forgotten, night, first, last]


@pytest.mark.parametrize(
    ("clock_in", "change", "since"),
    [
        ("2026-01-05T08:00:00", "clock_records SET clock_in_at = clock_in_at - interval '40 days'", "2000-01-01"),
        ("2026-01-04T16:00:00", "organizations SET timezone = 'UTC' WHERE organization_id = :id", "2026-01-06"),
    ],
    ids=["moved record", "new zone"],
)
async def test_poll_finds_what_left_the_day_whatever_include_open_is(
    clock_in: str, change: str, since: str, http: httpx.AsyncClient, acme: Acme, rows: Rows
) -> None:
    record = rows.clock_record(acme.id, acme.ada, clock_in_at=at(clock_in))
    with rows.transaction(acme.id):
        rows.connection.execute(text(f"UPDATE {change}"), {"id": acme.id})
    day = {"start_date": "2026-01-05", "end_date": "2026-01-05", "updated_since": since}
    for given in ({}, {"include_open": "false"}, {"include_open": "true"}):
        assert await ids(http, CLOCK, **day, **given) == [record], given


@pytest.mark.parametrize("zone", ["America/St_Johns"])
@pytest.mark.parametrize("path", [MANUAL, CLOCK, "suspicious_activity_logs"])
async def test_row_shows_the_day_that_finds_it(http: httpx.AsyncClient, acme: Acme, rows: Rows, path: str) -> None:
    """The clock went from 00:01 on 29 October 2006 back to 23:01 on the 28th. The 29th had begun a minute before."""
    before, begins, repeated = "2006-10-29T02:29:59Z", "2006-10-29T02:30:00Z", "2006-10-29T03:00:00Z"
    for start in map(at, (before, begins, repeated)):
        rows.manual_request(acme.id, acme.ada, started_at=start)
        rows.clock_record(acme.id, acme.ada, clock_in_at=start)
        rows.suspicious_activity_log(acme.id, acme.ada, started_at=start)

    async def found(first: str, last: str) -> list[tuple[Any, Any]]:
        shown = await results(http, path, start_date=first, end_date=last)
        return sorted((row.get("started_at", row.get("clock_in_at")), row["date"]) for row in shown)

    eve, day = [(before, "2006-10-28")], [(begins, "2006-10-29"), (repeated, "2006-10-29")]
    assert await found("2006-10-28", "2006-10-28") == eve
    assert await found("2006-10-29", "2006-10-29") == day
    assert await found("2006-10-28", "2006-10-29") == eve + day


@pytest.mark.parametrize("path", [MANUAL, CLOCK, "suspicious_activity_logs"])
async def test_row_has_the_local_day_of_its_start(http: httpx.AsyncClient, acme: Acme, rows: Rows, path: str) -> None:
    start, end = at("2026-03-28T22:30:00"), at("2026-03-29T02:00:00")
    rows.manual_request(acme.id, acme.ada, started_at=start, ended_at=end)
    rows.clock_record(acme.id, acme.ada, clock_in_at=start, clock_out_at=end)
    rows.suspicious_activity_log(acme.id, acme.ada, started_at=start, ended_at=end)
    for zone, day in [("Europe/Berlin", "2026-03-28"), ("Asia/Kolkata", "2026-03-29"), (None, "2026-03-29")]:
        for first, last, is_there in [
            ("2026-03-28", "2026-03-28", day == "2026-03-28"),
            ("2026-03-29", "2026-03-29", day == "2026-03-29"),
            ("2026-03-28", "2026-03-29", True),
        ]:
            # Without a zone the days are those of the organization, which is in Tokyo.
            params = {"start_date": first, "end_date": last} | ({} if zone is None else {"timezone": zone})
            body = (await http.get(f"/v1/{path}/", params=params)).json()
            assert [row["date"] for row in body["results"]] == ([day] if is_there else [])
            assert all("2026-03-28T22:30:00Z" in row.values() for row in body["results"])
            assert all("2026-03-29T02:00:00Z" in row.values() for row in body["results"])
