"""Values that compare a row with others: used budget, utilization, time after a due date; and amounts of money.

Covers `resolvers/money.py`.
"""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from db.tables.money import InvoiceStatus
from rest_facade.composition import Service
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of, field_of


async def test_budget_used_is_that_of_time_budgets_that_never_restart(service: Service, rows: Rows) -> None:
    own, time = rows.organization(), {"budget_type": "time", "budget_seconds": 1000}
    budgets: dict[str, dict[str, Any]] = {
        "part": {**time, "tracked_seconds_total": 809},
        "over": {**time, "tracked_seconds_total": 3_000_000_000_000},
        "untracked": time,
        "monthly": {**time, "budget_recurrence": "monthly", "tracked_seconds_total": 809},
        "money": {"budget_type": "amount", "budget_amount": 1000, "tracked_seconds_total": 809},
        "none": {"tracked_seconds_total": 809},
    }
    for name, columns in budgets.items():
        rows.project(own, name=name, **columns)
    field = "projects(order_by: budget_used_percent_desc_nulls_last) { results { name budget_used_percent } }"
    shown = [(row["name"], row["budget_used_percent"]) for row in (await field_of(service, own, field))["results"]]
    assert shown[:2] == [("over", 2**31 - 1), ("part", 80)]
    assert {value for _, value in shown[2:]} == {None}
    assert await field_of(service, own, "projects(where: {budget_used_percent: {_gt: 80}}) { count }") == {"count": 1}


async def test_time_is_after_a_due_date_from_the_next_local_midnight(service: Service, rows: Rows) -> None:
    """Clocks change in Berlin on 29 March, after its midnight."""
    own = rows.organization(timezone="Europe/Berlin")
    user, project = rows.member(own), rows.project(own)
    due = rows.task(own, project, name="due", due_date=date(2026, 3, 28))
    undated = rows.task(own, project, name="undated")
    midnight = datetime(2026, 3, 28, 23, tzinfo=UTC)
    starts = {
        "before": (midnight - timedelta(seconds=1), due),
        "at midnight": (midnight, due),
        "next day": (midnight + timedelta(hours=23), due),
        "undated": (midnight, undated),
        "no task": (midnight, None),
    }
    for note, (start, task) in starts.items():
        times = {"started_at": start, "ended_at": start + timedelta(minutes=1)}
        rows.timesheet(own, user, project_id=project, task_id=task, note=note, **times)

    async def notes(argument: str) -> set[str]:
        days = 'start_date: "2026-03-28", end_date: "2026-03-30"'
        page = await field_of(service, own, f"timesheets({days}, {argument}) {{ results {{ note }} }}")
        return {row["note"] for row in page["results"]}

    late = {"at midnight", "next day"}
    assert await notes("is_after_due_date: true") == await notes("where: {is_after_due_date: {_eq: true}}") == late
    assert await notes("is_after_due_date: false") == starts.keys() - late


async def test_utilization_is_of_the_expected_time_of_the_days(service: Service, rows: Rows) -> None:
    own = rows.organization(timezone="UTC")
    start = datetime(2026, 1, 6, 9, tzinfo=UTC)
    for name, expected in (("part", 36_000), ("none", None), ("zero", 0)):
        user = rows.member(own, full_name=name, expected_weekly_seconds=expected)
        rows.timesheet(own, user, started_at=start, ended_at=start + timedelta(seconds=5400))
    field = """time_activity_reports(start_date: "2026-01-05", end_date: "2026-01-07") {
      results { user { full_name } expected_seconds utilization_percent } }"""
    found = (await field_of(service, own, field))["results"]
    shown = {row["user"]["full_name"]: (row["expected_seconds"], row["utilization_percent"]) for row in found}
    assert shown == {"part": (15_428, 35), "none": (None, None), "zero": (0, None)}


INVOICES = "query ($is_overdue: Boolean) { invoices(is_overdue: $is_overdue) { results { number is_overdue } } }"


async def test_field_and_filter_is_overdue_agree(service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resolvers.context.clock", lambda: datetime(2026, 1, 10, 12, tzinfo=UTC))
    own = rows.organization()
    customer = rows.client(own)
    for due in (None, date(2026, 1, 9), date(2026, 1, 10), date(2026, 1, 11)):
        # Amounts finer than a cent: 0.005 is due as 0.01, and 0.0049 as 0.00.
        for paid in ("0", "99.995", "99.9951", "100.01"):
            owed = {"due_date": due, "subtotal": 100, "amount_paid": Decimal(paid)}
            rows.invoice(own, customer, number=f"{due}, {paid}", status="sent", **owed)
    for status in InvoiceStatus:
        rows.invoice(own, customer, number=status.value, status=status.value, due_date=date(2026, 1, 9), subtotal=100)
    for expected in (True, False):
        found = (await data_of(service.database, own, INVOICES, is_overdue=expected))["invoices"]["results"]
        assert {item["is_overdue"] for item in found} == {expected}
        if expected:
            assert {item["number"] for item in found} == {
                *("2026-01-09, 0", "2026-01-09, 99.995", "sent", "viewed", "partially_paid")
            }
        else:
            assert len(found) == 14 + 3
