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

DISCARDED = {"action": "discarded", "reason": "away"}


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
