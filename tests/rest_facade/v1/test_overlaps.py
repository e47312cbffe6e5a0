"""Overlapping timesheets over HTTP: a second of one person counts once, for the timesheet that began earlier."""

from datetime import timedelta
from uuid import UUID

import httpx2 as httpx
import pytest

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
