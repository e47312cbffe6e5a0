"""Seeded organizations: numbers of rows, and the rules that writers of rows must follow.

Covers `db/sample/deferred_keys.py`.
"""

from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import IntegrityError

from db.admin.engine import connect
from db.admin.keys import Grant, create_key, set_organization
from db.sample.deferred_keys import deferred_foreign_keys
from db.sample.seed.build import TODAY_IN_BERLIN, seed
from db.values.purpose import Purpose
from tests.conftest import Connect
from tests.db.sample.rules import rules_of

# Any seven days have five working days, on each of which 14 of 20 members are at work; 6 are at work now.
SIZES = {
    "members": 20,
    "tasks": 400,
    "timesheets": 5 * (14 * 8 + 2) + 6,
    "idle_times": 5 * 14 * 4,
    "activity_slots": 5 * 14 * 34,
    "clock_records": 5 * (14 + 2) + 6,
    "break_times": 5 * 14,
    "manual_requests": 5 * 6,
    "app_usages": 5 * 14 * 100,
    "url_usages": 5 * 14 * 120,
    "screenshots": 5 * 14 * 48,
    "apps": 60,
    "domains": 300,
    "url_pages": 3000,
    "invoices": 24,
    "invoice_lines": 24 * 8,
    "payment_settings": 40,
    "one_time_payment_logs": 60,
    "leave_assignments": 40,
    "leave_balances": 120,
}

VIOLATIONS = rules_of(Path(__file__).with_name("violations.sql"))
"""What breaks the writers' rules, without what `orgdata doctor` checks."""


@pytest.fixture(scope="module")
def today(owner_url: str) -> date:
    """The day before which the organization worked: one day for all tests, also when midnight passes meanwhile."""
    with connect(owner_url).connect() as connection:
        found: date = connection.execute(text(TODAY_IN_BERLIN)).scalar_one()
    return found


@pytest.fixture(scope="module")
def seeded(today: date, owner_url: str) -> Iterator[Connection]:
    """A connection whose organization is a seeded one."""
    with connect(owner_url).connect() as connection:
        (own,) = seed(connection, organizations=1, members=20, days=7, today=today)
        connection.commit()
        set_organization(connection, own)
        yield connection


@pytest.fixture(scope="module")
def own(seeded: Connection) -> UUID:
    found: UUID = seeded.execute(text("SELECT DISTINCT organization_id FROM members")).scalar_one()
    return found


def counted(seeded: Connection, tables: Iterable[str]) -> dict[str, int]:
    return {table: seeded.execute(text(f"SELECT count(*) FROM {table}")).scalar_one() for table in tables}


def test_row_counts_follow_members_and_days(seeded: Connection) -> None:
    assert counted(seeded, SIZES) == SIZES


def test_tables_that_depend_on_the_day_have_rows(seeded: Connection) -> None:
    assert all(counted(seeded, ["suspicious_activity_logs", "payables", "leave_applications"]).values())


def test_rows_keep_the_writers_rules(seeded: Connection) -> None:
    assert [violation for violation, query in VIOLATIONS.items() if seeded.execute(text(query)).all()] == []


def test_some_timesheets_cross_midnight(seeded: Connection) -> None:
    crossing = "SELECT count(*) FROM timesheets WHERE {} <> {}"
    days = (f"({column} AT TIME ZONE 'Europe/Berlin')::date" for column in ("started_at", "ended_at"))
    assert seeded.scalar(text(crossing.format(*days)))


def test_foreign_keys_are_restored(seeded: Connection) -> None:
    valid = "SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND convalidated AND conrelid = '{}'::regclass"
    expected = {"activity_slots": 3, "app_usages": 4, "screenshots": 6, "url_usages": 5}
    assert {table: seeded.scalar(text(valid.format(table))) for table in expected} == expected


async def test_reports_agree_with_payables(
    seeded: Connection, own: UUID, today: date, owner_url: str, client: Connect
) -> None:
    with connect(owner_url).begin() as connection:
        key = create_key(connection, Grant(Purpose.partner, own))
    # Payables have the time until yesterday; timers run today, and a night shift may end today.
    yesterday = today - timedelta(days=1)
    days = f"start_date={yesterday - timedelta(days=10)}&end_date={yesterday}"
    paths = [
        *(f"/v1/{name}/?{days}" for name in ("time_activity_reports", "clockinouts", "manual_timesheet_reports")),
        *(f"/v1/{name}/?{days}" for name in ("app_reports", "url_reports", "timesheet_idle_times")),
        *("/v1/invoices/", "/v1/leave_applications/", "/v1/leave_balances/"),
    ]
    async with client(key) as http:
        answers = {path.split("/")[2]: (await http.get(path)).json() for path in paths}
    for name, answer in answers.items():
        assert answer["results"], name
    payables = "SELECT user_id, sum(tracked_seconds), sum(payable_seconds) FROM payables GROUP BY user_id"
    owed = {str(user_id): (tracked, payable) for user_id, tracked, payable in seeded.execute(text(payables))}
    assert any(tracked < payable for tracked, payable in owed.values()), "no paid break"
    assert owed == {
        row["user"]["user_id"]: (row["tracked_seconds"], row["tracked_seconds"] + row["paid_break_seconds"])
        for row in answers["time_activity_reports"]["results"]
        if row["days"]
    }
    used = sum(row["total_seconds"] for row in answers["app_reports"]["results"])
    before = "SELECT sum(duration_seconds) FROM app_usages WHERE (slot_at AT TIME ZONE 'Europe/Berlin')::date < :today"
    assert used == seeded.scalar(text(before), {"today": today})


def test_deferred_keys_refuse_dangling_reference(seeded: Connection) -> None:
    lost = """
        INSERT INTO activity_slots (organization_id, user_id, slot_at, timesheet_id)
        SELECT organization_id, user_id, slot_at, gen_random_uuid() FROM activity_slots LIMIT 1"""
    savepoint = seeded.begin_nested()
    refused = pytest.raises(IntegrityError, match="activity_slots_organization_id_timesheet_id_fkey")
    with refused, deferred_foreign_keys(seeded, ["activity_slots"]):
        seeded.execute(text(lost))
    savepoint.rollback()
