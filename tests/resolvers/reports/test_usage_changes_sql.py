"""Changes of usage reports: an edit that changes a row moves its updated_at, and updated_since returns the row."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2 as httpx
import pytest

from db.reading.statement import Statement
from db.tables.activity import app_usages, apps
from resolvers.reports.usage_changes_sql import renamed_users
from rest_facade.composition import Service
from tests.conftest import Connect
from tests.factories.rows import Rows
from tests.resolvers.reports.edits import EditedOrganization

pytestmark = pytest.mark.anyio

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)
RANGE = {"start_date": "2026-03-02", "end_date": "2026-03-04"}


@pytest.fixture
def used(rows: Rows) -> EditedOrganization:
    """Two people, who used two applications and a site on two projects."""
    old = {"created_at": LONG_AGO}
    own = rows.organization(timezone="UTC", **old)
    ids = {"own": own}
    for name in ("ada", "bob"):
        ids[name] = rows.member(own, full_name=name, email=f"{name}@example.com", first_joined_at=LONG_AGO, **old)
    for name in ("p", "q"):
        ids[name] = rows.project(own, name=name, **old)
    for name in ("editor", "chat"):
        ids[name] = rows.app(own, name=name, productivity="productive", **old)
    ids["site"] = rows.domain(own, name="docs.example", productivity="productive", **old)
    ids["page"] = rows.url_page(own, ids["site"], url="https://docs.example/a", title="A", **old)
    for name, project in (("ada", "p"), ("bob", "q")):
        user, sheet = ids[name], f"{name}_sheet"
        ends = {"started_at": START, "ended_at": START + timedelta(hours=8)}
        ids[sheet] = rows.timesheet(own, user, project_id=ids[project], **ends, **old)
        for n, app in enumerate(["editor", "chat"] if name == "ada" else ["editor"]):
            slot = {"slot_at": START + n * timedelta(hours=1), **old}
            rows.app_usage(own, ids[app], ids[sheet], user, **slot)
            rows.url_usage(own, ids["site"], ids["page"], ids[sheet], user, **slot)
    ids["team"] = rows.team(own, **old)
    ids["membership"] = rows.team_member(own, ids["team"], ids["ada"], **old)
    return EditedOrganization(ids, rows.partner_key(own), rows)


@pytest.fixture
async def http(used: EditedOrganization, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(used.key) as http:
        yield http


Reports = dict[tuple[str, ...], dict[str, Any]]


async def reports(used: EditedOrganization, http: httpx.AsyncClient, **more: str) -> Reports:
    """The rows of the reports with each filter, by path, filter and person."""
    team = {"team_id": str(used.ids["team"])}
    filters = [{}, {"project_id": str(used.ids["p"])}, {"productivity": "productive"}, team]
    pages = {"user_id": str(used.ids["ada"]), "detail": "url"}
    read: Reports = {}
    for path, query in [
        *(("app_reports", filter) for filter in filters),
        *(("url_reports", filter) for filter in [*filters, pages]),
        ("time_activity_reports", team),
    ]:
        response = await http.get(f"/v1/{path}/", params=RANGE | query | more)
        assert response.status_code == 200, response.text
        for row in response.json()["results"]:
            read[path, str(query), row["user"]["user_id"]] = row
    return read


USAGE = "WHERE user_id = :ada AND slot_at = '2026-03-02T09:00:00Z'"
LATER = "timestamptz '2026-03-04 09:00Z'"
EDITS = {
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
    "timesheet on another project": "UPDATE timesheets SET project_id = :q WHERE id = :ada_sheet",
    "timesheet of another person": "UPDATE timesheets SET user_id = :bob WHERE id = :ada_sheet",
    "timesheet on other days": """
        UPDATE timesheets
        SET started_at = '2026-03-12T09:00Z', ended_at = '2026-03-12T17:00Z', tracked_until = '2026-03-12T17:00Z'
        WHERE id = :ada_sheet
    """,
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
    "idle time pending": """
        INSERT INTO idle_times (organization_id, id, timesheet_id, user_id, started_at, ended_at, action)
        VALUES (:own, gen_random_uuid(), :bob_sheet, :bob, '2026-03-02T10:00:00Z', '2026-03-02T10:10:00Z', 'pending')
    """,
    "manual time pending": f"""
        INSERT INTO manual_requests
          (organization_id, id, user_id, action, status, started_at, ended_at, requested_by_user_id, requested_at)
        VALUES (:own, gen_random_uuid(), :bob, 'added', 'pending', {LATER}, '2026-03-04T10:00:00Z', :bob, {LATER})
    """,
}


@pytest.mark.parametrize("edit", EDITS)
async def test_edit_that_changes_a_row_moves_updated_at(
    edit: str, used: EditedOrganization, http: httpx.AsyncClient
) -> None:
    before, since = await reports(used, http), used.now()
    used.edit(EDITS[edit])
    after, polled = await reports(used, http), await reports(used, http, updated_since=since.isoformat())
    changed = {key for key in before | after if before.get(key) != after.get(key)}
    assert changed
    assert changed <= polled.keys(), "a row that changed is polled"
    later = {key for key, row in after.items() if datetime.fromisoformat(row["updated_at"]) >= since}
    assert later <= polled.keys(), "a row whose updated_at moved is polled"
    for key, row in polled.items():
        assert row == after.get(key, row), "a polled row is complete"
        assert key in after or row["days"] == [], "a row that is not there any more shows that nothing is left"
        assert datetime.fromisoformat(row["updated_at"]) >= since
    assert not await reports(used, http, updated_since=used.now().isoformat())


@pytest.mark.parametrize(("most", "people"), [(1, {"ada"}), (0, {"ada", "bob"})], ids=["few rows", "too many rows"])
async def test_people_of_a_new_name(most: int, people: set[str], used: EditedOrganization, service: Service) -> None:
    since = used.now()
    used.edit(EDITS["application renamed"])
    values = {"low": START, "high": START + timedelta(days=1), "updated_since": since, "requested_user_id": None}
    statement = Statement(renamed_users(app_usages, "app_id", apps, most))
    (rows,) = await service.database.read(used.ids["own"], [(statement, values)])
    assert {row.user_id for row in rows} == {used.ids[name] for name in people}
