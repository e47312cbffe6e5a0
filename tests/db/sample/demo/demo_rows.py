"""The rows of the demo organizations as they are stored, loaded for a moment in a transaction that is rolled back."""

from datetime import UTC, datetime, time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, select, text

from db.admin.engine import connect
from db.admin.keys import set_organization
from db.jobs.doctor.checks import ORGANIZATION_CHECKS
from db.jobs.doctor.examination import run_checks
from db.jobs.exporting.exported_rows import EXPORTED_TABLES
from db.sample.demo.build import insert_organizations
from tests.db.sample.rules import rules_of

Row = dict[str, Any]

RULES = rules_of(Path(__file__).with_name("rules.sql"))

NOW = datetime(2026, 3, 2, 14, 25, 36, 789, UTC)
"""A Monday: of the files' last week only its first hours are past."""

CAPS = {"timesheets_cap": 10**6, "logs_cap": 10**6, "screenshots_cap": 10**6}
BY_CLOCK = {"stale-timers", "time-in-the-future", "changes-in-the-future", "open-clock-records", "open-breaks"}
"""Checks that compare with the server's clock instead of the moment of the demo."""

SHOWN_WARNINGS = {"reassigned-idle-times-without-timesheet", "invoices-paid-beyond-total"}
"""Warnings of `orgdata doctor`: the tracker of the demo wrote no timesheets for them, and a client paid too much."""


def alive(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["deleted_at"] is None]


class DemoRows:
    """The rows of one organization by table, the oldest first, and what is wrong with them."""

    def __init__(self, connection: Connection, organization_id: UUID, now: datetime) -> None:
        self.now = now
        self.end = datetime.combine(now.date(), time(), UTC)
        self.tables = stored_tables(connection, organization_id)
        self.rows: Any = SimpleNamespace(**self.tables)
        self.organization = self.rows.organizations[0]
        self.person = {row["user_id"]: row for row in self.rows.members}
        self.faults = faults(connection, organization_id, {"now": now, "zone": self.organization["timezone"]})


def stored_tables(connection: Connection, organization_id: UUID) -> dict[str, list[Row]]:
    """The rows of one organization by table, the oldest first."""
    set_organization(connection, organization_id)
    found: dict[str, list[Row]] = {}
    for table in EXPORTED_TABLES:
        own = select(table).where(table.c.organization_id == organization_id)
        rows = connection.execute(own.order_by(table.c.created_at, *table.primary_key)).mappings()
        found[table.name] = [dict(row) for row in rows]
    return found


def faults(connection: Connection, organization_id: UUID, values: dict[str, Any]) -> list[str]:
    """The rules that rows break, and the findings of `orgdata doctor`."""
    checks = [check for check in ORGANIZATION_CHECKS if check.name not in {*BY_CLOCK, *SHOWN_WARNINGS}]
    own = {"organization_id": organization_id, **CAPS}
    return [rule for rule, wrong in RULES.items() if connection.execute(text(wrong), values).all()] + [
        finding.check.name for finding in run_checks(connection, checks, own)
    ]


def loaded(url: str, now: datetime, *ids: UUID, members: int = 24) -> list[DemoRows]:
    """The rows of these demo organizations."""
    with connect(url).connect() as connection:
        assert insert_organizations(connection, members=members, now=now) is True
        connection.execute(text("ANALYZE"))
        found = [DemoRows(connection, id_, now) for id_ in ids]
        connection.rollback()
    return found
