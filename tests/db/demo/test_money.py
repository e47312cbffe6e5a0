"""The money of the demo: what a reader sees, and that it adds up for any size and moment."""

from collections import defaultdict
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import pairwise
from typing import Any

import pytest

from db.demo.area import Row
from tests.db.demo.made import Made, alive

DAY = timedelta(days=1)


def by(rows: list[Row], *names: str) -> dict[Any, list[Row]]:
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in names) if len(names) > 1 else row[names[0]]].append(row)
    return found


def total(rows: list[Row], name: str = "amount") -> Decimal:
    return sum((row[name] for row in rows), Decimal())


def half_up(amount: Decimal, currency: str) -> Decimal:
    units = {"JPY": Decimal(1), "KWD": Decimal("0.001")}
    return amount.quantize(units.get(currency, Decimal("0.01")), ROUND_HALF_UP)


# What a reader sees in the organization of 24.


def test_invoices_of_every_kind(studio: Made) -> None:
    invoices = alive(studio.money.invoices)
    assert {row["status"] for row in invoices} == {"draft", "sent", "viewed", "partially_paid", "paid", "void"}
    assert {row["discount_type"] for row in invoices} == {"none", "percent", "amount"}
    assert {row["currency"] for row in invoices} == {"EUR", "GBP", "JPY", "KWD", "USD"}
    assert {row["tax_amount"] > 0 for row in invoices} == {True, False}
    assert {row["kind"] for row in studio.money.invoice_lines} == {"time", "fixed", "expense"}
    late = [row for row in invoices if row["due_date"] and row["due_date"] < studio.now.date()]
    assert any(row["total"] > row["amount_paid"] and row["status"] != "void" for row in late)
    assert len(invoices) < len(studio.money.invoices)


def test_pay_of_every_kind(studio: Made) -> None:
    money = studio.money
    assert {row["pay_type"] for row in money.payment_settings} == {"hourly", "fixed", "none"}
    assert max(len(rows) for rows in by(money.payment_settings, "user_id").values()) >= 3
    statuses = {row["status"] for row in money.hourly_payment_logs}
    assert statuses >= {"pending", "paid", "failed", "cancelled", "refunded"}
    assert {row["status"] for row in money.payables} == {"open", "approved", "partially_paid", "paid", "void"}
    assert {row["kind"] for row in money.payables} >= {"hourly", "fixed", "one_time"}
    assert {row["type"] for row in money.one_time_payment_logs} == {
        *("bonus", "commission", "reimbursement", "advance", "allowance", "adjustment", "deduction", "fixed_salary"),
        "other",
    }


def test_the_practice_writes_no_invoices_but_pays(practice: Made) -> None:
    assert practice.money.invoices == practice.money.invoice_lines == practice.money.invoice_taxes == []
    assert {row["currency"] for row in practice.money.hourly_payment_logs} == {"USD"}


# What holds for any size and moment.


def test_an_invoice_adds_up_in_what_its_currency_can_pay(made: Made) -> None:
    lines, taxes = by(made.money.invoice_lines, "invoice_id"), by(made.money.invoice_taxes, "invoice_id")
    for row in made.money.invoices:
        own = lines[row["id"]]
        assert [line["position"] for line in own] == list(range(1, len(own) + 1))
        assert row["subtotal"] == total(own) > 0
        assert row["tax_amount"] == total(taxes.get(row["id"], []))
        assert row["total"] == row["subtotal"] - row["discount_amount"] + row["tax_amount"] > 0
        assert row["currency"] == made.client[row["client_id"]]["currency"]
        sums = [row[name] for name in ("subtotal", "discount_amount", "tax_amount", "total", "amount_paid")]
        for amount in [*sums, *(line["amount"] for line in own)]:
            assert amount == half_up(amount, row["currency"])
        for line in own:
            assert line["amount"] == half_up(line["quantity"] * line["unit_price"], row["currency"])
            assert line["duration_seconds"] in (None, line["quantity"] * 3600)
            assert made.project[line["project_id"]]["client_id"] == row["client_id"]
            assert line["is_taxed"] == (line["tax_percent"] is not None) == bool(taxes.get(row["id"]))


def test_an_invoice_is_paid_and_seen_as_its_status_says(made: Made) -> None:
    for row in made.money.invoices:
        status, paid = row["status"], row["amount_paid"]
        assert (row["sent_at"] is None) == (status == "draft") == (row["public_url"] is None)
        assert (row["viewed_at"] is None) == (status in ("draft", "sent"))
        assert (row["paid_at"] is not None) == (status == "paid")
        assert (row["voided_at"] is not None) == (status == "void")
        assert (paid >= row["total"]) == (status == "paid")
        assert (0 < paid < row["total"]) == (status == "partially_paid")
        moments = [row[name] for name in ("sent_at", "viewed_at", "paid_at", "voided_at") if row[name] is not None]
        assert moments == sorted(moments)
        assert all(moment.microsecond == 0 and moment <= made.now for moment in moments)
        assert row["period_start"] <= row["period_end"] < row["issue_date"] == row["created_at"].date()


def test_invoices_are_numbered_in_their_order(made: Made) -> None:
    numbers = [row["number"] for row in made.money.invoices]
    assert numbers == sorted(set(numbers))
    created = [row["created_at"] for row in made.money.invoices]
    assert created == sorted(created)


def test_settings_follow_one_another_without_a_gap(made: Made) -> None:
    settings = by(made.money.payment_settings, "user_id")
    assert settings.keys() == {row["user_id"] for row in made.people.members if row["first_joined_at"]}
    for user_id, own in settings.items():
        assert own[0]["effective_from"] == made.person[user_id]["first_joined_at"].date()
        for before, after in pairwise(own):
            assert before["effective_to"] + DAY == after["effective_from"]
        assert own[-1]["effective_to"] == made.person[user_id]["left_on"]


def test_a_payment_by_the_hour_is_the_sum_of_its_lines(made: Made) -> None:
    lines = by(made.money.hourly_payment_lines, "log_id")
    payables = {row["id"]: row for row in made.money.payables}
    for row in made.money.hourly_payment_logs:
        own = lines[row["id"]]
        assert row["amount"] == total(own)
        assert row["paid_seconds"] == total(own, "paid_seconds") <= row["tracked_seconds"]
        overtime = [line for line in own if line["rate"] != row["hourly_rate"]]
        assert row["overtime_seconds"] == total(overtime, "paid_seconds")
        assert {line["rate"] for line in overtime} <= {row["overtime_rate"]}
        for line in own:
            assert row["period_start"] <= line["date"] <= row["period_end"]
            assert line["amount"] == half_up(line["paid_seconds"] * line["rate"] / 3600, row["currency"])
        assert payables[row["payable_id"]]["user_id"] == row["user_id"]
        assert (row["paid_at"] is not None) == (row["status"] in ("paid", "refunded"))
        assert row["paid_at"] is None or row["paid_at"] <= made.now


def test_what_is_owed_by_the_hour_is_paid_by_its_payments(made: Made) -> None:
    paid = by([row for row in made.money.hourly_payment_logs if row["status"] == "paid"], "payable_id")
    weeks = [row for row in made.money.payables if row["kind"] == "hourly"]
    assert len({(row["user_id"], row["period_start"]) for row in weeks}) == len(weeks)
    for row in weeks:
        assert row["amount_paid"] == total(paid.get(row["id"], []))
        assert row["status"] in ("open", "approved") or row["amount_paid"] > 0
        assert (row["status"] == "paid") == (row["amount_paid"] == row["amount"])
        assert (row["status"] == "open") == (row["approved_at"] is None)
        assert row["period_end"] - row["period_start"] == 6 * DAY


def test_payments_made_once_are_owed_once(made: Made) -> None:
    logs = {row["id"]: row for row in made.money.one_time_payment_logs}
    owed = [row for row in made.money.payables if row["source_id"] is not None]
    assert len({row["source_id"] for row in owed}) == len(owed)
    for row in owed:
        log = logs[row["source_id"]]
        assert (row["user_id"], row["amount"], row["currency"]) == (log["user_id"], log["amount"], log["currency"])
        assert (row["amount_paid"] == row["amount"]) == (log["status"] == "paid") == (row["status"] == "paid")
    for row in logs.values():
        assert row["amount"] == half_up(row["amount"], row["currency"])
        assert row["amount"] <= 0 or row["type"] != "deduction"
        assert (row["paid_at"] is not None) == (row["status"] == "paid")
        joined = made.person[row["user_id"]]["first_joined_at"]
        assert joined.date() < row["payment_date"]


@pytest.mark.parametrize("kind", ["hourly", "fixed"])
def test_people_are_paid_as_was_agreed(studio: Made, kind: str) -> None:
    settings = by(studio.money.payment_settings, "user_id")
    owed = [row for row in studio.money.payables if row["kind"] == kind]
    assert owed
    for row in owed:
        rates = {agreed["pay_rate"] for agreed in settings[row["user_id"]]}
        assert (row["rate"] if kind == "hourly" else row["amount"]) in rates
