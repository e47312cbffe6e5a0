"""Overlapping timesheets over HTTP: a second of one person counts once, for the timesheet that began earlier."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import httpx2 as httpx
import pytest
from sqlalchemy import update

from db.tables.timesheets import activity_slots
from resolvers.records.changes_sql import FEW
from resolvers.reports import time_activity
from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import Acme, at, results

Work = tuple[str, float, float]
"""A project, and the hours of 5 January from and until which a timesheet is for it."""


@pytest.mark.parametrize(
    ("worked", "hours", "count"),
    [
        ([("Site", 9, 11), ("Shop", 10, 12)], {"Site": 2, "Shop": 1}, 2),
        # Of a common start, the lower id has the time.
        ([("Site", 9, 10), ("Shop", 9, 11)], {"Site": 1, "Shop": 1}, 2),
        ([("Site", 9, 11), ("Shop", 9, 10)], {"Site": 2}, 1),
        # The time of the third lies within the first.
        ([("Site", 9, 12), ("Shop", 10, 10.5), ("Shop", 11, 13)], {"Site": 3, "Shop": 1}, 2),
        ([("Site", 9, 12), ("Shop", 10, 11), ("Shop", 11.5, 12)], {"Site": 3}, 1),
        # On the next day.
        ([("Site", 20, 25), ("Shop", 23, 26)], {"Site": 4}, 1),
    ],
)
async def test_shared_time_counts_for_the_earlier_timesheet(
    worked: list[Work], hours: dict[str, int], count: int, acme: Acme, rows: Rows, http: httpx.AsyncClient
) -> None:
    projects = {name: rows.project(acme.id, name=name) for name in ("Site", "Shop")}
    for n, (name, begin, end) in enumerate(worked):
        start, ended = (at("2026-01-05T00:00:00") + hour * timedelta(hours=1) for hour in (begin, end))
        given = {"started_at": start, "ended_at": ended, "project_id": projects[name], "input_seconds": 0}
        rows.timesheet(acme.id, acme.ada, id=UUID(int=n), **given)
    asked = {"user_id": acme.ada, "start_date": "2026-01-05", "end_date": "2026-01-05"}
    (row,) = await results(http, "time_activity_reports", **asked)
    (shop,) = await results(http, "time_activity_reports", **asked, project_id=projects["Shop"])
    found = {entry["project_name"]: entry["tracked_seconds"] for day in row["days"] for entry in day["entries"]}
    assert found == {name: 3600 * number for name, number in hours.items()}
    assert (row["timesheets_count"], row["tracked_seconds"]) == (count, 3600 * sum(hours.values()))
    assert shop["tracked_seconds"] == 3600 * hours.get("Shop", 0), "whether the filter shows the earlier one or not"


DISCARDED = {"action": "discarded", "reason": "away"}


async def test_counters_follow_seconds_lost_to_later_timesheet(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    nine, ten = at("2026-01-05T09:00:00"), at("2026-01-05T10:00:00")
    for number, name in enumerate(("Site", "Shop")):
        project = rows.project(acme.id, name=name)
        counted = {"input_seconds": 3600, "active_seconds": 1800}
        given = {"id": UUID(int=number), "started_at": nine, "ended_at": ten, "project_id": project}
        sheet = rows.timesheet(acme.id, acme.ada, **given, **counted)
        for quarter in range(4):
            slot = nine + quarter * timedelta(minutes=15)
            rows.activity_slot(acme.id, sheet, acme.ada, slot, input_seconds=900, active_seconds=450)
    away = {"started_at": nine + timedelta(seconds=1), "ended_at": ten}
    rows.idle_time(acme.id, UUID(int=0), acme.ada, **DISCARDED, **away)
    asked = {"user_id": acme.ada, "start_date": "2026-01-05", "end_date": "2026-01-05"}
    (row,) = await results(http, "time_activity_reports", **asked)
    sums = ("project_name", "tracked_seconds", "input_seconds", "active_seconds")
    found = [tuple(entry[name] for name in sums) for entry in row["days"][0]["entries"]]
    assert found == [("Shop", 3599, 3599, 1800), ("Site", 1, 1, 1)]
    assert (row["tracked_seconds"], row["input_seconds"], row["discarded_idle_seconds"]) == (3600, 3600, 0)


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
