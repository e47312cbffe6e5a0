"""`examples/dlt` over the people of `payroll_company.py`: the values in the warehouse, also of people who left."""

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from db.admin.engine import connect
from tests.clients.dlt_example import TABLES, run_example
from tests.clients.payroll_company import OPEN, Company, fill
from tests.factories.base import set_row_organization
from tests.factories.rows import Rows
from tests.rest_facade.commands.demo_process import Demo

pytestmark = pytest.mark.clients

HOURS = """
Two halves 8, Zero threshold 10, Zero daily 10, Zero multiplier 50, No multiplier 50, No threshold 50, No rate 3,
Both thresholds 45, Zero rate 3, First week 30, Last week 30, Nights 3, Ends in a week 75, New rate in a week 75,
New threshold in a week 75, Then overtime 50, Then a salary 75, Two currencies 5, Salary 8, Nothing agreed 2,
Approval 6.5, Krona 4.33, Franc 4.33, Dinar 4.33, Unidad 4.33, Thirds 1, Suspended 5, Left 6, Removed 7, Timer 1,
Two rates 16
"""
"""Of September 2025 in New York, by the time that each has."""

RATES = {
    "Krona": ("3333.3333", "ISK", "0"),
    "Franc": ("1234.5678", "XAF", "0"),
    "Dinar": ("7.7777", "TND", "3"),
    "Unidad": ("1.2346", "CLF", "4"),
    "Zero rate": ("0.0000", "EUR", "2"),
    "No rate": (None, "EUR", "2"),
}


Tables = dict[str, list[dict[str, Any]]]


def settings_of(tables: Tables, *names: str) -> dict[str, list[str]]:
    """The rates of people, by their names."""
    people = {row["user_id"]: row["full_name"] for row in tables["members"]}
    rows = [(people[row["user_id"]], row["pay_rate"]) for row in tables["payment_settings"] if "pay_rate" in row]
    return {name: sorted(rate for person, rate in rows if person == name) for name in names}


def test_warehouse_has_hours_leave_and_pay_of_each_person(running: Demo, tmp_path: Path) -> None:
    rows = Rows(connect(running.details["database_url"]))
    company = Company(rows)
    fill(company)
    leaver, changer, bare = (company.person(name, OPEN) for name in ("Leaver", "Changer", "Bare"))
    key, database = rows.partner_key(company.own), tmp_path / "own.duckdb"
    options = ("--url", running.details["public"], "--database", str(database), "--first-day", "2025-08-01")
    run_example(key, "load.py", *options)
    tables: Tables = run_example(key, TABLES, database)
    people = {row["user_id"]: row["full_name"] for row in tables["members"]}
    hours: Counter[str] = Counter()
    for day in tables["time_activity_days"]:
        if day["date"][:7] == "2025-09":
            hours[people[day["user_id"]]] += int(day["tracked_seconds"])
    expected = dict(pair.rsplit(" ", 1) for pair in HOURS.replace("\n", " ").strip().split(", "))
    assert {name: round(each / 3600, 2) for name, each in hours.items()} == {
        name: float(each) for name, each in expected.items()
    }
    leave: Counter[str] = Counter()
    for row in tables["leave_applications"]:
        # Leave without days is of its first one.
        for day in row.get("leave_applications__days", [row | {"date": row["start_date"]}]):
            if row["status"] == "approved" and row["is_paid"] == "True" and day["date"][:7] == "2025-09":
                leave[people[row["user_id"]]] += int(day["duration_seconds"])
    others = {"Over the month": 72_000, "Suspended": 28_800, "No days": 57_600}
    assert leave == {"Two halves": 28_800, "Taken twice": 43_200, "Plus hours": 43_200, **others}
    assert {
        people[row["user_id"]]: (row.get("pay_rate"), row["currency"], row["currency_digits"])
        for row in tables["payment_settings"]
        if people[row["user_id"]] in RATES
    } == RATES
    _change(rows, company.own, leaver, changer, bare)
    run_example(key, "load.py", *options)
    tables = run_example(key, TABLES, database)
    assert settings_of(tables, "Leaver", "Changer", "Bare", "Krona") == {
        "Leaver": ["20.0000"],
        "Changer": ["20.0000", "30.0000"],
        "Bare": [],
        "Krona": ["3333.3333"],
    }
    rows.connection.close()


def _change(rows: Rows, own: UUID, leaver: UUID, changer: UUID, bare: UUID) -> None:
    """One person leaves, one gets another rate, and one loses all settings."""
    rows.payment_setting(own, changer, pay_rate=30, effective_from=date(2026, 1, 1))
    with rows.connection.begin():
        set_row_organization(rows.connection, own)
        for statement, user in (
            ("UPDATE members SET status = 'suspended' WHERE user_id = :user", leaver),
            (
                "UPDATE payment_settings SET effective_to = '2025-12-31' WHERE user_id = :user AND pay_rate = 20",
                changer,
            ),
            ("UPDATE payment_settings SET deleted_at = now() WHERE user_id = :user", bare),
        ):
            assert rows.connection.execute(text(statement), {"user": user}).rowcount
