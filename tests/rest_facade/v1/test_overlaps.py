"""Overlapping timesheets over HTTP: a second of one person counts once, for the timesheet that began earlier."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2 as httpx
import pytest

from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import Acme, results

pytestmark = pytest.mark.anyio

HOUR = timedelta(hours=1)
Work = tuple[str, float, float]
"""A project, and the hours of 5 January from and until which a timesheet is for it."""


def at(hour: float) -> datetime:
    return datetime.fromisoformat("2026-01-05T00:00:00Z") + hour * HOUR


def work(rows: Rows, acme: Acme, *worked: Work, **columns: Any) -> tuple[dict[str, UUID], list[UUID]]:
    """The projects by name, and a timesheet for each piece of work, in the order of their ids."""
    projects = {name: rows.project(acme.id, name=name) for name in ("Site", "Shop")}
    sheets = []
    for n, (name, begin, end) in enumerate(worked):
        times = {"started_at": at(begin), "ended_at": at(end)}
        sheets.append(rows.timesheet(acme.id, acme.ada, id=UUID(int=n), project_id=projects[name], **times, **columns))
    return projects, sheets


async def report(http: httpx.AsyncClient, acme: Acme, last: str = "2026-01-05", **params: Any) -> dict[str, Any]:
    days = {"start_date": "2026-01-05", "end_date": last}
    (row,) = await results(http, "time_activity_reports", user_id=acme.ada, **days, **params)
    return row


def of_entries(row: dict[str, Any], name: str = "tracked_seconds") -> dict[str, Any]:
    return {entry["project_name"]: entry[name] for day in row["days"] for entry in day["entries"]}


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
    projects, _ = work(rows, acme, *worked, input_seconds=0)
    row = await report(http, acme)
    assert of_entries(row) == {name: 3600 * number for name, number in hours.items()}
    assert (row["timesheets_count"], row["tracked_seconds"]) == (count, 3600 * sum(hours.values()))
    shop = await report(http, acme, project_id=projects["Shop"])
    assert shop["tracked_seconds"] == 3600 * hours.get("Shop", 0), "whether the filter shows the earlier one or not"


async def test_counters_never_exceed_the_time_that_is_left(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    counted = {"input_seconds": 2700, "active_seconds": 2000}
    projects, (_, later) = work(rows, acme, ("Site", 9, 10 + 5 / 60), ("Shop", 9.75, 10.5), **counted)
    for slot, active in [(at(9.75), 900), (at(10), 800), (at(10.25), 300)]:
        rows.activity_slot(acme.id, later, acme.ada, slot, input_seconds=900, active_seconds=active)
    shop = await report(http, acme, project_id=projects["Shop"])
    # Of the second slot ten minutes are left.
    assert (shop["tracked_seconds"], shop["input_seconds"], shop["active_seconds"]) == (1500, 1500, 900)


async def test_idle_and_break_count_once_in_shared_time(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    _, (_, later) = work(rows, acme, ("Site", 9, 11), ("Shop", 10, 12))
    for begin in (at(10.5), at(11.5)):
        rows.idle_time(acme.id, later, acme.ada, started_at=begin, ended_at=begin + HOUR / 6, action="discarded")
    rows.break_time(acme.id, acme.ada, started_at=at(11) - HOUR / 6, ended_at=at(11) + HOUR / 6)
    row = await report(http, acme)
    assert (row["tracked_seconds"], row["discarded_idle_seconds"], row["break_seconds"]) == (9000, 600, 1200)
    assert of_entries(row, "break_seconds") == {"Site": 600, "Shop": 600}
