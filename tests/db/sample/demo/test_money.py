"""Invoices and payments of the demo: which values occur, and that amounts add up."""

from collections import defaultdict
from datetime import datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.db.sample.demo.demo_rows import DemoRows, Row, alive

DAY = timedelta(days=1)


def group_by(rows: list[Row], *names: str) -> dict[Any, list[Row]]:
    result = defaultdict(list)
    for row in rows:
        result[tuple(row[name] for name in names) if len(names) > 1 else row[names[0]]].append(row)
    return result


def total(rows: list[Row], name: str = "amount") -> Decimal:
    return sum((row[name] for row in rows), Decimal())


def round_half_up(amount: Decimal, currency: str) -> Decimal:
    units = {"JPY": Decimal(1), "KWD": Decimal("0.001")}
    return amount.quantize(units.get(currency, Decimal("0.01")), ROUND_HALF_UP)


# The organization of 24 members.


def test_every_invoice_enum_value_occurs(studio: DemoRows) -> None:
    invoices = alive(studio.rows.invoices)
    assert {row["status"] for row in invoices} == {"draft", "sent", "viewed", "partially_paid", "paid", "void"}
    assert {row["discount_type"] for row in invoices} == {"none", "percent", "amount"}
    assert {row["currency"] for row in invoices} == {"EUR", "GBP", "JPY", "KWD", "USD"}
    assert {row["tax_amount"] > 0 for row in invoices} == {True, False}
    assert {row["kind"] for row in studio.rows.invoice_lines} == {"time", "fixed", "expense"}
    late = [row for row in invoices if row["due_date"] and row["due_date"] < studio.now.date()]
    assert any(row["total"] > row["amount_paid"] and row["status"] != "void" for row in late)
    assert len(invoices) < len(studio.rows.invoices)


def test_every_payment_enum_value_occurs(studio: DemoRows) -> None:
    money = studio.rows
    assert {row["pay_type"] for row in money.payment_settings} == {"hourly", "fixed", "none"}
    assert max(len(rows) for rows in group_by(money.payment_settings, "user_id").values()) >= 3
    statuses = {row["status"] for row in money.hourly_payment_logs}
    assert statuses >= {"pending", "paid", "failed", "cancelled", "refunded"}
    assert {row["status"] for row in money.payables} == {"open", "approved", "partially_paid", "paid", "void"}
    assert {row["kind"] for row in money.payables} >= {"hourly", "fixed", "one_time"}
    assert {row["type"] for row in money.one_time_payment_logs} == {
        *("bonus", "commission", "reimbursement", "advance", "allowance", "adjustment", "deduction", "fixed_salary"),
        "other",
    }


def test_practice_has_payments_but_no_invoices(practice: DemoRows) -> None:
    assert practice.rows.invoices == practice.rows.invoice_lines == practice.rows.invoice_taxes == []
    assert {row["currency"] for row in practice.rows.hourly_payment_logs} == {"USD"}


# Any size and time.


def test_invoice_totals_add_up_in_currency_units(demo: DemoRows) -> None:
    lines, taxes = (group_by(demo.rows.invoice_lines, "invoice_id"), group_by(demo.rows.invoice_taxes, "invoice_id"))
    for row in demo.rows.invoices:
        user_rows = lines[row["id"]]
        assert sorted(line["position"] for line in user_rows) == list(range(1, len(user_rows) + 1))
        assert row["subtotal"] == total(user_rows) > 0
        assert row["tax_amount"] == total(taxes.get(row["id"], []))
        assert row["total"] == row["subtotal"] - row["discount_amount"] + row["tax_amount"] > 0
        assert row["currency"] == demo.client[row["client_id"]]["currency"]
        sums = [row[name] for name in ("subtotal", "discount_amount", "tax_amount", "total", "amount_paid")]
        for amount in [*sums, *(line["amount"] for line in user_rows)]:
            assert amount == round_half_up(amount, row["currency"])
        for line in user_rows:
            assert line["amount"] == round_half_up(line["quantity"] * line["unit_price"], row["currency"])
            assert line["duration_seconds"] in (None, line["quantity"] * 3600)
            assert demo.project[line["project_id"]]["client_id"] == row["client_id"]
            assert line["is_taxed"] == (line["tax_percent"] is not None) == bool(taxes.get(row["id"]))


def test_invoice_timestamps_and_amounts_match_status(demo: DemoRows) -> None:
    for row in demo.rows.invoices:
        status, paid = row["status"], row["amount_paid"]
        assert (row["sent_at"] is None) == (status == "draft") == (row["public_url"] is None)
        assert (row["viewed_at"] is None) == (status in ("draft", "sent"))
        assert (row["paid_at"] is not None) == (status == "paid")
        assert (row["voided_at"] is not None) == (status == "void")
        assert (paid >= row["total"]) == (status == "paid")
        assert (0 < paid < row["total"]) == (status == "partially_paid")
        moments = [row[name] for name in ("sent_at", "viewed_at", "paid_at", "voided_at") if row[name] is not None]
        assert moments == sorted(moments)
        assert all(moment.microsecond == 0 and moment <= demo.now for moment in moments)
        assert row["period_start"] <= row["period_end"] < row["issue_date"] == row["created_at"].date()


def test_invoice_numbers_are_in_creation_order(demo: DemoRows) -> None:
    numbers = [row["number"] for row in demo.rows.invoices]
    assert numbers == sorted(set(numbers))
    created = [row["created_at"] for row in demo.rows.invoices]
    assert created == sorted(created)


def test_payment_settings_have_no_gaps(demo: DemoRows) -> None:
    settings = group_by(demo.rows.payment_settings, "user_id")
    assert settings.keys() == {row["user_id"] for row in demo.rows.members if row["first_joined_at"]}
    for user_id, user_rows in settings.items():
        assert user_rows[0]["effective_from"] == demo.person[user_id]["first_joined_at"].date()
        for before, after in pairwise(user_rows):
            assert before["effective_to"] + DAY == after["effective_from"]
        assert user_rows[-1]["effective_to"] == demo.person[user_id]["left_on"]


def test_hourly_payment_is_sum_of_lines(demo: DemoRows) -> None:
    lines = group_by(demo.rows.hourly_payment_lines, "log_id")
    payables = {row["id"]: row for row in demo.rows.payables}
    for row in demo.rows.hourly_payment_logs:
        user_rows = lines[row["id"]]
        assert row["amount"] == total(user_rows)
        payable = payables[row["payable_id"]]
        assert row["paid_seconds"] == total(user_rows, "paid_seconds") <= payable["payable_seconds"]
        assert row["tracked_seconds"] == payable["tracked_seconds"]
        overtime = [line for line in user_rows if line["rate"] != row["hourly_rate"]]
        assert row["overtime_seconds"] == total(overtime, "paid_seconds")
        assert {line["rate"] for line in overtime} <= {row["overtime_rate"]}
        for line in user_rows:
            assert row["period_start"] <= line["date"] <= row["period_end"]
            assert line["amount"] == round_half_up(line["paid_seconds"] * line["rate"] / 3600, row["currency"])
        assert payable["user_id"] == row["user_id"]
        assert (row["paid_at"] is not None) == (row["status"] in ("paid", "refunded"))
        assert row["paid_at"] is None or row["paid_at"] <= demo.now


@pytest.mark.parametrize("name", ["studio", "practice"])
def test_hourly_payable_is_the_paid_time_of_its_week(name: str, request: pytest.FixtureRequest) -> None:
    demo: DemoRows = request.getfixturevalue(name)
    zone = ZoneInfo(demo.organization["timezone"])
    discarded = [row for row in alive(demo.rows.idle_times) if row["action"] in ("discarded", "reassigned")]
    sheets, rests, idle = (
        group_by(alive(rows), "user_id") for rows in (demo.rows.timesheets, demo.rows.break_times, discarded)
    )
    weeks = [row for row in demo.rows.payables if row["kind"] == "hourly"]
    assert any(row["payable_seconds"] > row["tracked_seconds"] for row in weeks)
    for row in weeks:
        low, high = (
            datetime.combine(day, time(), zone) for day in (row["period_start"], row["period_end"] + timedelta(days=1))
        )
        worked, resting, idling = (
            [
                (max(low, span["started_at"]), min(high, end), span.get("is_paid"))
                for span in spans.get(row["user_id"], [])
                if (end := span.get("tracked_until", span["ended_at"])) and span["started_at"] < high and end > low
            ]
            for spans in (sheets, rests, idle)
        )
        edges = sorted({moment for begin, end, _ in worked + resting + idling for moment in (begin, end)})
        tracked = paid_breaks = timedelta()
        for begin, end in pairwise(edges):
            at_work, in_breaks, in_idle = (
                [span for span in spans if span[0] <= begin < span[1]] for spans in (worked, resting, idling)
            )
            if in_breaks:
                paid_breaks += (end - begin) * all(is_paid for *_, is_paid in in_breaks)
            elif at_work and not in_idle:
                tracked += end - begin
        assert (row["tracked_seconds"], row["payable_seconds"]) == (
            tracked // timedelta(seconds=1),
            (tracked + paid_breaks) // timedelta(seconds=1),
        )


def test_hourly_payable_matches_its_payments(demo: DemoRows) -> None:
    paid = group_by([row for row in demo.rows.hourly_payment_logs if row["status"] == "paid"], "payable_id")
    weeks = [row for row in demo.rows.payables if row["kind"] == "hourly"]
    assert len({(row["user_id"], row["period_start"]) for row in weeks}) == len(weeks)
    for row in weeks:
        assert row["amount_paid"] == total(paid.get(row["id"], []))
        assert row["status"] in ("open", "approved") or row["amount_paid"] > 0
        assert (row["status"] == "paid") == (row["amount_paid"] == row["amount"])
        assert (row["status"] == "open") == (row["approved_at"] is None)
        assert row["period_end"] - row["period_start"] == 6 * DAY


def test_one_time_payment_has_at_most_one_payable(demo: DemoRows) -> None:
    logs = {row["id"]: row for row in demo.rows.one_time_payment_logs}
    owed = [row for row in demo.rows.payables if row["source_id"] is not None]
    assert len({row["source_id"] for row in owed}) == len(owed)
    for row in owed:
        log = logs[row["source_id"]]
        assert (row["user_id"], row["amount"], row["currency"]) == (log["user_id"], log["amount"], log["currency"])
        assert (row["amount_paid"] == row["amount"]) == (log["status"] == "paid") == (row["status"] == "paid")
    for row in logs.values():
        assert row["amount"] == round_half_up(row["amount"], row["currency"])
        assert row["amount"] <= 0 or row["type"] != "deduction"
        assert (row["paid_at"] is not None) == (row["status"] == "paid")
        joined = demo.person[row["user_id"]]["first_joined_at"]
        assert joined.date() < row["payment_date"]


@pytest.mark.parametrize("kind", ["hourly", "fixed"])
def test_payables_use_rates_from_payment_settings(studio: DemoRows, kind: str) -> None:
    settings = group_by(studio.rows.payment_settings, "user_id")
    owed = [row for row in studio.rows.payables if row["kind"] == kind]
    assert owed
    for row in owed:
        rates = {agreed["pay_rate"] for agreed in settings[row["user_id"]]}
        assert (row["rate"] if kind == "hourly" else row["amount"]) in rates
