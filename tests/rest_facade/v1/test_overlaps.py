"""Overlapping timesheets over HTTP: a second of one person counts once, for the timesheet that began earlier."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from tests.conftest import Connect
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio

LOW_ID, HIGH_ID = UUID(int=1), UUID(int=2)


def at(hour: int, minute: int = 0, day: int = 5) -> datetime:
    return datetime.fromisoformat(f"2026-01-{day:02}T{hour:02}:{minute:02}:00Z")


class Acme:
    """A person, and two projects to work on."""

    def __init__(self, rows: Rows, connect: Connect) -> None:
        self.rows, self.connect = rows, connect
        self.id = rows.organization(timezone="UTC")
        self.key, self.ada = rows.partner_key(self.id), rows.member(self.id)
        self.site, self.shop = rows.project(self.id, name="Site"), rows.project(self.id, name="Shop")

    def worked(self, project: UUID, begin: datetime, end: datetime, **columns: Any) -> UUID:
        return self.rows.timesheet(
            self.id, self.ada, project_id=project, started_at=begin, ended_at=end, tracked_until=end, **columns
        )

    async def report(self, **params: str) -> dict[str, Any]:
        async with self.connect(self.key) as http:
            days = {"start_date": "2026-01-05", "end_date": "2026-01-05"}
            response = await http.get("/v1/time_activity_reports/", params=days | params)
        [row] = response.json()["results"]
        return dict(row)


@pytest.fixture
def acme(rows: Rows, client: Connect) -> Acme:
    return Acme(rows, client)


def of_entries(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {entry["project_name"]: entry[name] for day in row["days"] for entry in day["entries"]}


async def test_shared_time_counts_for_the_earlier_timesheet(acme: Acme) -> None:
    acme.worked(acme.site, at(9), at(11))
    acme.worked(acme.shop, at(10), at(12), is_billable=True)
    row = await acme.report()
    assert (row["tracked_seconds"], row["billable_seconds"], row["timesheets_count"]) == (3 * 3600, 3600, 2)
    assert of_entries(row, "tracked_seconds") == {"Site": 2 * 3600, "Shop": 3600}
    shop = await acme.report(project_id=str(acme.shop))
    assert (shop["tracked_seconds"], shop["first_started_at"]) == (3600, "2026-01-05T11:00:00Z")


async def test_lower_id_has_the_time_of_a_common_start(acme: Acme) -> None:
    acme.worked(acme.shop, at(9), at(11), id=HIGH_ID)
    acme.worked(acme.site, at(9), at(10), id=LOW_ID)
    assert of_entries(await acme.report(), "tracked_seconds") == {"Site": 3600, "Shop": 3600}


async def test_timesheet_without_time_left_is_not_counted(acme: Acme) -> None:
    acme.worked(acme.site, at(9), at(12))
    acme.worked(acme.shop, at(10), at(11), input_seconds=600, active_seconds=600)
    acme.worked(acme.shop, at(11, 30), at(12))
    row = await acme.report()
    assert (row["tracked_seconds"], row["timesheets_count"], row["input_seconds"]) == (3 * 3600, 1, 0)
    assert of_entries(row, "timesheets_count") == {"Site": 1}


async def test_third_timesheet_is_clipped_by_the_longest(acme: Acme) -> None:
    acme.worked(acme.site, at(9), at(12))
    acme.worked(acme.shop, at(10), at(10, 30))
    acme.worked(acme.shop, at(11), at(13))
    assert of_entries(await acme.report(), "tracked_seconds") == {"Site": 3 * 3600, "Shop": 3600}


async def test_counters_never_exceed_the_time_that_is_left(acme: Acme) -> None:
    acme.worked(acme.site, at(9), at(10, 5))
    later = acme.worked(acme.shop, at(9, 45), at(10, 30), input_seconds=2700, active_seconds=2000)
    for slot, active in [(at(9, 45), 900), (at(10), 800), (at(10, 15), 300)]:
        acme.rows.activity_slot(acme.id, later, acme.ada, slot, input_seconds=900, active_seconds=active)
    shop = await acme.report(project_id=str(acme.shop))
    # Of the second slot ten minutes are left.
    assert (shop["tracked_seconds"], shop["input_seconds"], shop["active_seconds"]) == (1500, 1500, 900)


async def test_idle_and_break_count_once_in_shared_time(acme: Acme) -> None:
    acme.worked(acme.site, at(9), at(11))
    later = acme.worked(acme.shop, at(10), at(12))
    for begin in (at(10, 30), at(11, 30)):
        end = begin + timedelta(minutes=10)
        acme.rows.idle_time(acme.id, later, acme.ada, started_at=begin, ended_at=end, action="discarded")
    acme.rows.break_time(acme.id, acme.ada, started_at=at(10, 50), ended_at=at(11, 10))
    row = await acme.report()
    assert (row["tracked_seconds"], row["discarded_idle_seconds"], row["break_seconds"]) == (9000, 600, 1200)
    assert of_entries(row, "break_seconds") == {"Site": 600, "Shop": 600}


async def test_time_left_may_lie_on_the_next_day(acme: Acme) -> None:
    acme.worked(acme.site, at(20), at(1, day=6))
    acme.worked(acme.shop, at(23), at(2, day=6))
    assert of_entries(await acme.report(), "tracked_seconds") == {"Site": 4 * 3600}
    both = await acme.report(end_date="2026-01-06")
    assert (both["tracked_seconds"], both["timesheets_count"]) == (6 * 3600, 2)
    assert [day["tracked_seconds"] for day in both["days"]] == [4 * 3600, 2 * 3600]
