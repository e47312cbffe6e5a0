"""Freshness: the last change by table, and the last heartbeat of timers; both without reading all rows."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import psycopg

from db.figures.freshness import CHANGES, HEARTBEATS, WATCHED
from db.figures.stored_rows import COUNTED_TABLES
from db.reading.statement import Statement
from db.tables.timesheets import TimesheetKind
from tests.db.reading.recording import opened
from tests.factories.base import THEN
from tests.factories.rows import Rows

LATER = THEN + timedelta(hours=5)


async def read(url: str, organization_id: UUID, statement: Statement) -> Any:
    async with opened(url) as database:
        ((row,),) = await database.read_rows(organization_id, [(statement, {})])
    return row


async def test_empty_organization_has_no_freshness(rows: Rows, owner_url: str) -> None:
    own = rows.organization()
    assert set(await read(owner_url, own, CHANGES)) == {None}
    assert await read(owner_url, own, HEARTBEATS) == (0, None)


async def test_last_change_is_of_the_own_organization(rows: Rows, owner_url: str) -> None:
    own, other = rows.organization(), rows.organization()
    rows.team(own, created_at=THEN, updated_at=THEN)
    rows.team(own, created_at=THEN, updated_at=LATER, deleted_at=LATER)
    rows.team(other, updated_at=LATER + timedelta(days=1))
    found = await read(owner_url, own, CHANGES)
    assert [(table.name, at) for table in WATCHED if (at := getattr(found, table.name))] == [("teams", LATER)]


async def test_heartbeat_is_that_of_running_and_ended_timers(rows: Rows, owner_url: str) -> None:
    own = rows.organization()
    user = rows.member(own)
    rows.timesheet(own, user, started_at=THEN)
    assert await read(owner_url, own, HEARTBEATS) == (0, THEN + timedelta(hours=1))
    rows.timesheet(own, user, started_at=LATER, ended_at=None, tracked_until=LATER + timedelta(minutes=3))
    assert await read(owner_url, own, HEARTBEATS) == (1, LATER + timedelta(minutes=3))


async def test_manual_time_is_no_heartbeat(rows: Rows, owner_url: str) -> None:
    own = rows.organization()
    rows.timesheet(own, rows.member(own), started_at=LATER, kind=TimesheetKind.manual.value)
    assert await read(owner_url, own, HEARTBEATS) == (0, None)


def test_tables_without_an_index_of_changes_are_known() -> None:
    assert {str(table.name) for table in COUNTED_TABLES} - {str(table.name) for table in WATCHED} == {
        *("apps", "domains", "url_pages", "app_usages", "url_usages"),
        *("invoice_lines", "invoice_taxes", "hourly_payment_lines", "leave_application_days"),
    }


def test_last_changes_read_one_entry_of_an_index(owner_url: str, rows: Rows) -> None:
    own = rows.organization()
    values: dict[str, Any] = {**CHANGES.constants, "organization_id": own}
    with psycopg.connect(owner_url) as connection:
        connection.execute("SELECT set_organization(%s)", [own])
        connection.execute("SET LOCAL enable_seqscan = off")
        connection.execute("SET LOCAL enable_sort = off")
        plan = "\n".join(row[0] for row in connection.execute(f"EXPLAIN {CHANGES.sql}".encode(), values))
    assert "Sort" not in plan
    assert plan.count("Backward") == len(WATCHED)
