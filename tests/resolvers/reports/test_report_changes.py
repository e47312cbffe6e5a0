"""Changes of reports: an edit that changes a row moves its updated_at, and updated_since returns the row.

Covers `resolvers/reports/usage_changes_sql.py`.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2 as httpx
import pytest
from sqlalchemy import text

from db.reading.statement import Statement
from db.tables.activity import app_usages, apps
from resolvers.reports.usage_changes_sql import renamed_users
from rest_facade.composition import Service
from tests.conftest import Connect
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
RANGE = {"start_date": "2026-03-02", "end_date": "2026-03-04"}


@dataclass
class Edited:
    """An organization, and the ids of its rows by name, which are the parameters of an edit."""

    ids: dict[str, UUID]
    rows: Rows

    def edit(self, statement: str) -> datetime:
        """Execute a statement that changes one row, as a writer does. Return the time of the database before it."""
        connection = self.rows.connection
        with connection.begin():
            moment: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
        with self.rows.transaction(self.ids["own"]):
            assert connection.execute(text(statement), self.ids).rowcount == 1, statement
        return moment


@pytest.fixture
def edited(rows: Rows) -> Edited:
    """Two people, who used two applications and a site on two projects; Ada worked at night, too."""
    old = {"created_at": LONG_AGO}
    own = rows.organization(timezone="UTC", **old)
    ids = {"own": own}
    for name in ("ada", "bob"):
        ids[name] = rows.member(own, full_name=name, email=f"{name}@example.com", first_joined_at=LONG_AGO, **old)
    for name in ("nasa", "esa"):
        ids[name] = rows.client(own, name=name, **old)
    ids["p"], ids["q"] = rows.project(own, name="p", client_id=ids["nasa"], **old), rows.project(own, name="q", **old)
    ids["task"] = rows.task(own, ids["p"], name="task", **old)
    for name in ("editor", "chat"):
        ids[name] = rows.app(own, name=name, productivity="productive", **old)
    ids["site"] = rows.domain(own, name="docs.example", productivity="productive", **old)
    ids["page"] = rows.url_page(own, ids["site"], url="https://docs.example/a", title="A", **old)
    of_ada, of_bob = {"project_id": ids["p"], "task_id": ids["task"], **old}, {"project_id": ids["q"], **old}
    for name, work, used in (("ada", of_ada, ["editor", "chat"]), ("bob", of_bob, ["editor"])):
        sheet = rows.timesheet(own, ids[name], started_at=START, ended_at=START + 8 * HOUR, **work)
        ids[f"{name}_sheet"] = sheet
        for n, app in enumerate(used):
            slot = {"slot_at": START + n * HOUR, **old}
            rows.app_usage(own, ids[app], sheet, ids[name], **slot)
            rows.url_usage(own, ids["site"], ids["page"], sheet, ids[name], **slot)
    evening = START + 13 * HOUR
    ids["night"] = rows.timesheet(own, ids["ada"], started_at=evening, ended_at=evening + 4 * HOUR, **of_ada)
    for hours in range(4):
        rows.activity_slot(own, ids["night"], ids["ada"], evening + hours * HOUR, input_seconds=600, **old)
    idle = {"started_at": START, "ended_at": START + HOUR / 2, "action": "kept"}
    ids["idle"] = rows.idle_time(own, ids["ada_sheet"], ids["ada"], **idle, **old)
    ids["pause"] = rows.break_time(own, ids["ada"], started_at=START + 2 * HOUR, **old)
    ids["team"] = rows.team(own, **old)
    ids["membership"] = rows.team_member(own, ids["team"], ids["ada"], **old)
    return Edited(ids, rows)


@pytest.fixture
async def http(edited: Edited, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(edited.rows.partner_key(edited.ids["own"])) as http:
        yield http


Reports = dict[tuple[str, ...], dict[str, Any]]


async def reports(area: str, ids: dict[str, UUID], http: httpx.AsyncClient, **more: str) -> Reports:
    """The rows of the reports of an area with each filter, by path, filter and person."""
    project, team = {"project_id": str(ids["p"])}, {"team_id": str(ids["team"])}
    filters = [{}, project, {"productivity": "productive"}, team]
    pages = {"user_id": str(ids["ada"]), "detail": "url"}
    queries = {
        "usage": [
            *(("app_reports", filter) for filter in filters),
            *(("url_reports", filter) for filter in [*filters, pages]),
        ],
        "time": [
            ("time_activity_reports", filter)
            for filter in [{}, team, project, {"client_id": str(ids["nasa"])}, {"task_id": str(ids["task"])}]
        ],
    }
    read: Reports = {}
    for path, query in queries[area]:
        response = await http.get(f"/v1/{path}/", params=RANGE | query | more)
        assert response.status_code == 200, response.text
        for row in response.json()["results"]:
            read[path, str(query), row["user"]["user_id"]] = row
    return read


USAGE = "WHERE user_id = :ada AND slot_at = '2026-03-02T09:00:00Z'"
NIGHT = "WHERE timesheet_id = :night AND slot_at = '2026-03-02T23:00Z'"
LATER = "timestamptz '2026-03-04 09:00Z'"
USAGE_EDITS = {
    "application renamed": "UPDATE apps SET name = 'Chat 2' WHERE id = :chat",
    "application rated": "UPDATE apps SET productivity = 'unproductive' WHERE id = :editor",
    "application in a category": "UPDATE apps SET category = 'Work' WHERE id = :editor",
    "site rated": "UPDATE domains SET productivity = 'neutral' WHERE id = :site",
    "page with a title": "UPDATE url_pages SET title = 'B' WHERE id = :page",
    "usage deleted": f"UPDATE app_usages SET deleted_at = now() {USAGE}",
    "usage longer": f"UPDATE url_usages SET duration_seconds = 900 {USAGE}",
    "usage added": """
        INSERT INTO app_usages
          (organization_id, user_id, slot_at, app_id, timesheet_id, duration_seconds, first_at, last_at)
        SELECT organization_id, user_id, slot_at + interval '1 day', app_id, timesheet_id, 1, first_at, last_at
        FROM app_usages WHERE user_id = :bob
    """,
}
TIME_EDITS = {
    "timesheet of another person": "UPDATE timesheets SET user_id = :bob WHERE id = :ada_sheet",
    "timesheet on other days": """
        UPDATE timesheets
        SET started_at = '2026-03-12T09:00Z', ended_at = '2026-03-12T17:00Z', tracked_until = '2026-03-12T17:00Z'
        WHERE id = :ada_sheet
    """,
    "timesheet deleted": "UPDATE timesheets SET deleted_at = now() WHERE id = :ada_sheet",
    "slot of the night": f"UPDATE activity_slots SET input_seconds = 900 {NIGHT}",
    "slot of the night deleted": f"UPDATE activity_slots SET deleted_at = now() {NIGHT}",
    "idle time discarded": "UPDATE idle_times SET action = 'discarded' WHERE id = :idle",
    "break paid": "UPDATE break_times SET is_paid = NOT is_paid WHERE id = :pause",
    "break of another person": "UPDATE break_times SET user_id = :bob WHERE id = :pause",
    "break moved away": """
        UPDATE break_times SET started_at = '2026-03-12T09:00Z', ended_at = '2026-03-12T09:15Z' WHERE id = :pause
    """,
    "project renamed": "UPDATE projects SET name = 'p2' WHERE id = :p",
    "project of another client": "UPDATE projects SET client_id = :esa WHERE id = :p",
    "client renamed": "UPDATE clients SET name = 'nasa2' WHERE id = :nasa",
    "task renamed": "UPDATE tasks SET name = 'task2' WHERE id = :task",
}
BOTH_EDITS = {
    "timesheet on another project": "UPDATE timesheets SET project_id = :q, task_id = NULL WHERE id = :ada_sheet",
    "member renamed": "UPDATE members SET full_name = 'Ada' WHERE user_id = :ada",
    "member with another address": "UPDATE members SET email = 'a@example.com' WHERE user_id = :ada",
    "member who left before": """
        UPDATE members SET status = 'removed', removed_at = '2026-03-01T00:00:00Z' WHERE user_id = :bob
    """,
    "member who joined after": """
        UPDATE members SET first_joined_at = '2026-03-10', joined_at = '2026-03-10' WHERE user_id = :bob
    """,
    "member deleted": "UPDATE members SET deleted_at = now() WHERE user_id = :bob",
    "member left the team": "UPDATE team_members SET deleted_at = '2026-02-01' WHERE id = :membership",
    "member joined the team": """
        INSERT INTO team_members (organization_id, id, team_id, user_id, joined_at)
        VALUES (:own, gen_random_uuid(), :team, :bob, '2026-02-01')
    """,
    "zone of the organization": "UPDATE organizations SET timezone = 'Asia/Tokyo' WHERE organization_id = :own",
    "timer started": f"""
        INSERT INTO timesheets (organization_id, id, user_id, started_at, tracked_until)
        VALUES (:own, gen_random_uuid(), :bob, {LATER}, {LATER})
    """,
    "attendance opened": f"""
        INSERT INTO clock_records (organization_id, id, user_id, clock_in_at)
        VALUES (:own, gen_random_uuid(), :bob, {LATER})
    """,
    "break opened": f"""
        INSERT INTO break_times (organization_id, id, user_id, started_at)
        VALUES (:own, gen_random_uuid(), :bob, {LATER})
    """,
    "idle time pending": "UPDATE idle_times SET action = 'pending' WHERE id = :idle",
    "manual time pending": f"""
        INSERT INTO manual_requests
          (organization_id, id, user_id, action, status, started_at, ended_at, requested_by_user_id, requested_at)
        VALUES (:own, gen_random_uuid(), :bob, 'added', 'pending', {LATER}, '2026-03-04T10:00:00Z', :bob, {LATER})
    """,
}
EDITS = USAGE_EDITS | TIME_EDITS | BOTH_EDITS


@pytest.mark.parametrize(
    ("area", "edit"),
    [*(("usage", edit) for edit in USAGE_EDITS | BOTH_EDITS), *(("time", edit) for edit in TIME_EDITS | BOTH_EDITS)],
)
async def test_edit_that_changes_a_row_moves_updated_at(
    area: str, edit: str, edited: Edited, http: httpx.AsyncClient
) -> None:
    before = await reports(area, edited.ids, http)
    since = edited.edit(EDITS[edit])
    after = await reports(area, edited.ids, http)
    polled = await reports(area, edited.ids, http, updated_since=since.isoformat())
    changed = {key for key in before | after if before.get(key) != after.get(key)}
    assert changed
    assert changed <= polled.keys(), "a row that changed is polled"
    later = {key for key, row in after.items() if datetime.fromisoformat(row["updated_at"]) >= since}
    assert later <= polled.keys(), "a row whose updated_at moved is polled"
    for key, row in polled.items():
        assert row == after.get(key, row), "a polled row is complete"
        assert key in after or row["days"] == [], "a row that is not there any more shows that nothing is left"
        assert datetime.fromisoformat(row["updated_at"]) >= since
    assert not await reports(area, edited.ids, http, updated_since=datetime.now(UTC).isoformat())


@pytest.mark.parametrize(("most", "people"), [(1, {"ada"}), (0, {"ada", "bob"})], ids=["few rows", "too many rows"])
async def test_people_of_a_new_name(most: int, people: set[str], edited: Edited, service: Service) -> None:
    since = edited.edit(EDITS["application renamed"])
    values = {"low": START, "high": START + timedelta(days=1), "updated_since": since, "requested_user_id": None}
    statement = Statement(renamed_users(app_usages, "app_id", apps, most))
    (rows,) = await service.database.read(edited.ids["own"], [(statement, values)])
    assert {row.user_id for row in rows} == {edited.ids[name] for name in people}
