"""Changes of time activity: an edit that changes a row moves its updated_at, and updated_since returns the row.

Covers `resolvers/reports/record_changes_sql.py`. One edit of each kind; `test_record_changes_sql.py` has random ones.
"""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2 as httpx
import pytest

from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.resolvers.reports.edits import EditedOrganization

pytestmark = pytest.mark.anyio

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
NIGHT = datetime(2026, 3, 2, 22, tzinfo=UTC)
HOUR = timedelta(hours=1)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
RANGE = {"start_date": "2026-03-02", "end_date": "2026-03-04"}

Key = tuple[str, str]
"""A filter and a person."""


@pytest.fixture
def worked(rows: Rows) -> EditedOrganization:
    """Two people: Ada worked on a task of a client's project, by day and over midnight; Bob on another project."""
    old = {"created_at": LONG_AGO}
    own = rows.organization(timezone="UTC", **old)
    ids = {"own": own}
    for name in ("ada", "bob"):
        ids[name] = rows.member(own, full_name=name, email=f"{name}@example.com", first_joined_at=LONG_AGO, **old)
    for name in ("nasa", "esa"):
        ids[name] = rows.client(own, name=name, **old)
    ids["p"] = rows.project(own, name="p", client_id=ids["nasa"], **old)
    ids["q"] = rows.project(own, name="q", **old)
    ids["task"] = rows.task(own, ids["p"], name="task", **old)
    work = {"project_id": ids["p"], "task_id": ids["task"], **old}
    ids["day"] = rows.timesheet(own, ids["ada"], started_at=START, ended_at=START + 4 * HOUR, **work)
    ids["night"] = rows.timesheet(own, ids["ada"], started_at=NIGHT, ended_at=NIGHT + 4 * HOUR, **work)
    for hours in range(4):
        rows.activity_slot(own, ids["night"], ids["ada"], NIGHT + hours * HOUR, input_seconds=600, **old)
    ids["other"] = rows.timesheet(
        own, ids["bob"], project_id=ids["q"], started_at=START, ended_at=START + 4 * HOUR, **old
    )
    idle = {"started_at": START, "ended_at": START + HOUR / 2, "action": "kept"}
    ids["idle"] = rows.idle_time(own, ids["day"], ids["ada"], **idle, **old)
    ids["pause"] = rows.break_time(own, ids["ada"], started_at=START + 2 * HOUR, **old)
    return EditedOrganization(ids, rows.partner_key(own), rows)


@pytest.fixture
async def http(worked: EditedOrganization, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(worked.key) as http:
        yield http


async def report(worked: EditedOrganization, http: httpx.AsyncClient, **more: str) -> dict[Key, dict[str, Any]]:
    """The rows without a filter and with each, by filter and person."""
    ids = worked.ids
    filters = {"": "", "project_id": str(ids["p"]), "client_id": str(ids["nasa"]), "task_id": str(ids["task"])}
    read: dict[Key, dict[str, Any]] = {}
    for name, value in filters.items():
        response = await http.get("/v1/time_activity_reports/", params=RANGE | ({name: value} if name else {}) | more)
        assert response.status_code == 200, response.text
        read |= {(name, row["user"]["full_name"]): row for row in response.json()["results"]}
    return read


EDITS = {
    "timesheet of another person": "UPDATE timesheets SET user_id = :bob WHERE id = :day",
    "timesheet on other days": """
        UPDATE timesheets SET started_at = '2026-03-12T09:00Z', ended_at = '2026-03-12T13:00Z',
        tracked_until = '2026-03-12T13:00Z' WHERE id = :other
    """,
    "timesheet on another project": "UPDATE timesheets SET project_id = :q, task_id = NULL WHERE id = :day",
    "timesheet deleted": "UPDATE timesheets SET deleted_at = now() WHERE id = :day",
    "slot of the night": """
        UPDATE activity_slots SET input_seconds = 900 WHERE timesheet_id = :night AND slot_at = '2026-03-02T23:00Z'
    """,
    "slot of the night deleted": """
        UPDATE activity_slots SET deleted_at = now() WHERE timesheet_id = :night AND slot_at = '2026-03-02T23:00Z'
    """,
    "idle time discarded": "UPDATE idle_times SET action = 'discarded' WHERE id = :idle",
    "idle time pending": "UPDATE idle_times SET action = 'pending' WHERE id = :idle",
    "break paid": "UPDATE break_times SET is_paid = NOT is_paid WHERE id = :pause",
    "break of another person": "UPDATE break_times SET user_id = :bob WHERE id = :pause",
    "break moved away": """
        UPDATE break_times SET started_at = '2026-03-12T09:00Z', ended_at = '2026-03-12T09:15Z' WHERE id = :pause
    """,
    "project renamed": "UPDATE projects SET name = 'p2' WHERE id = :p",
    "project of another client": "UPDATE projects SET client_id = :esa WHERE id = :p",
    "client renamed": "UPDATE clients SET name = 'nasa2' WHERE id = :nasa",
    "task renamed": "UPDATE tasks SET name = 'task2' WHERE id = :task",
    "member with another address": "UPDATE members SET email = 'a@example.com' WHERE user_id = :ada",
    "member deleted": "UPDATE members SET deleted_at = now() WHERE user_id = :ada",
    "attendance opened": """
        INSERT INTO clock_records (organization_id, id, user_id, clock_in_at)
        VALUES (:own, gen_random_uuid(), :bob, '2026-03-04T09:00Z')
    """,
    "zone of the organization": "UPDATE organizations SET timezone = 'Asia/Tokyo' WHERE organization_id = :own",
}


@pytest.mark.parametrize("edit", EDITS)
async def test_edit_that_changes_a_row_moves_updated_at(
    edit: str, worked: EditedOrganization, http: httpx.AsyncClient
) -> None:
    before, since = await report(worked, http), worked.now()
    worked.edit(EDITS[edit])
    after, polled = await report(worked, http), await report(worked, http, updated_since=since.isoformat())
    changed = {key for key in before | after if before.get(key) != after.get(key)}
    assert changed
    assert changed <= polled.keys(), "a row that changed is polled"
    for key, row in polled.items():
        assert row == after.get(key, row), "a polled row is complete"
        assert datetime.fromisoformat(row["updated_at"]) >= since
    assert not await report(worked, http, updated_since=worked.now().isoformat())
