"""Members of reports: who has a row, as a member or for time outside the membership, and the same sums.

Covers `resolvers/reports/report_members.py` and `resolvers/reports/report_page.py`.
"""

from datetime import date, datetime
from typing import Any

from rest_facade.composition import Service
from rest_facade.v1 import ENDPOINTS
from schema.execution.operation import Executor
from tests.factories.rows import Rows
from tests.resolvers.answers import field_of
from tests.resolvers.reports.records import DAY

IDLE, TIME, APPS = (
    next(endpoint.compiled for endpoint in ENDPOINTS if endpoint.operation == operation)
    for operation in ("listTimesheetIdleTime", "listTimeActivityReport", "listAppReports")
)

LONG_AGO = datetime.fromisoformat("2000-01-01T00:00:00Z")


async def test_person_outside_membership_has_a_row_only_with_time(service: Service, rows: Rows) -> None:
    own = rows.organization(timezone="UTC")
    noon = datetime.fromisoformat("2026-01-05T12:00:00Z")
    removed = {"first_joined_at": LONG_AGO, "removed_at": noon - 2 * DAY, "status": "removed"}
    leaver, rested, used, _ = (rows.member(own, full_name=name, **removed) for name in "abcd")
    early = rows.member(own, full_name="e", first_joined_at=noon + DAY)
    deleted = rows.member(own, full_name="f", deleted_at=noon, **removed)
    app = rows.app(own)
    for user_id in (leaver, early, deleted):
        rows.timesheet(own, user_id, started_at=noon)
    rows.break_time(own, rested, started_at=noon)
    sheet = rows.timesheet(own, used, started_at=noon - 3 * DAY)
    rows.app_usage(own, app, sheet, used, slot_at=noon, duration_seconds=600)
    variables = {"limit": 20, "start_date": date(2026, 1, 5), "end_date": date(2026, 1, 5), "timezone": "UTC"}

    async def listed(operation: Any, name: str, shown: str, **paging: int) -> dict[str, Any]:
        """What the row of each person shows: a number, or how many."""
        result = await Executor(service.database).execute(operation, own, variables | paging)
        assert result.data is not None
        page = result.data[name]
        assert (page["count"] if paging else page["pagination"]["total_users"]) == len(page["results"])
        values = {str(row["user"]["user_id"]): row[shown] for row in page["results"]}
        return {user_id: value if isinstance(value, int) else len(value) for user_id, value in values.items()}

    seconds = {str(leaver): 3600, str(rested): 0, str(early): 3600}
    assert await listed(TIME, "time_activity_reports", "tracked_seconds", page=1) == seconds
    assert await listed(IDLE, "timesheet_idle_times", "timesheets") == {str(leaver): 1, str(early): 1}
    assert await listed(APPS, "app_reports", "total_seconds", page=1) == {str(used): 600}
    # A report has the ids, names and addresses of its people; other values are read for all of them.
    days = 'start_date: "2026-01-05", end_date: "2026-01-05"'
    found = await field_of(service, own, f"time_activity_reports({days}) {{ results {{ user {{ user_id status }} }} }}")
    statuses = {row["user"]["user_id"]: row["user"]["status"] for row in found["results"]}
    assert statuses == {str(leaver): "removed", str(rested): "removed", str(early): "active"}
