"""Payable time over HTTP: clock records, time activity and payables agree about paid and unpaid breaks."""

from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from uuid import UUID

import httpx2 as httpx
import pytest

from tests.factories.rows import Rows
from tests.rest_facade.v1.conftest import Acme, results

RATE = Decimal("18.50")
WEEK = {"start_date": "2026-01-05", "end_date": "2026-01-11"}


def at(day: int, hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 1, day, hour, minute, tzinfo=UTC)


def pay(seconds: int) -> str:
    return str((RATE * seconds / 3600).quantize(Decimal("0.01"), ROUND_HALF_UP))


def night_shift(rows: Rows, acme: Acme) -> UUID:
    """From 20:00 until 04:30; the timer stops for the unpaid break and runs during the paid one, over midnight."""
    record = rows.clock_record(acme.id, acme.ada, clock_in_at=at(5, 20), clock_out_at=at(6, 4, 30))
    rows.timesheet(acme.id, acme.ada, started_at=at(5, 20), ended_at=at(6, 2), project_id=acme.project)
    rows.timesheet(acme.id, acme.ada, started_at=at(6, 2, 30), ended_at=at(6, 4, 30))
    for start, end, is_paid in [(at(5, 23, 50), at(6, 0, 10), True), (at(6, 2), at(6, 2, 30), False)]:
        rows.break_time(acme.id, acme.ada, clock_record_id=record, started_at=start, ended_at=end, is_paid=is_paid)
    return record


async def test_pay_is_the_same_from_each_source(acme: Acme, rows: Rows, http: httpx.AsyncClient) -> None:
    night_shift(rows, acme)
    given = {"period_start": "2026-01-05", "period_end": "2026-01-11", "rate": RATE, "amount": "148.00"}
    rows.payable(acme.id, acme.ada, tracked_seconds=27_600, payable_seconds=28_800, **given)
    (record,) = await results(http, "clockinouts", **WEEK, user_id=acme.ada)
    (row,) = await results(http, "time_activity_reports", **WEEK, user_id=acme.ada)
    (payable,) = await results(http, f"members/{acme.ada}/payables")
    assert [(record["elapsed_seconds"], record["break_seconds"]), row["break_seconds"]] == [(30_600, 3_000), 3_000]
    assert (row["tracked_seconds"], row["paid_break_seconds"]) == (payable["tracked_seconds"], 1_200)
    assert (
        pay(record["worked_seconds"])
        == pay(row["tracked_seconds"] + row["paid_break_seconds"])
        == pay(payable["payable_seconds"])
        == payable["amount"]
    )
    assert [(day["tracked_seconds"], day["paid_break_seconds"], day["break_seconds"]) for day in row["days"]] == [
        (13_800, 600, 600),
        (13_800, 600, 2_400),
    ]
    entries = [(entry["project_id"], entry["paid_break_seconds"]) for day in row["days"] for entry in day["entries"]]
    assert entries == [(str(acme.project), 600), (str(acme.project), 600), (None, 0)]


@pytest.mark.parametrize(
    ("breaks", "in_breaks", "worked"),
    [
        ([(60, 120, True), (90, 150, False)], 90, 120),
        ([(60, 120, False), (60, 120, True)], 60, 120),
        ([(60, 120, False), (90, 105, False), (100, 130, False)], 70, 110),
        ([(-30, 30, False), (150, 240, False)], 60, 120),
    ],
    ids=["paid and unpaid overlap", "paid and unpaid are equal", "unpaid overlap", "beyond the record"],
)
async def test_overlapping_breaks_count_once_and_as_unpaid(
    acme: Acme, rows: Rows, http: httpx.AsyncClient, breaks: list[tuple[int, int, bool]], in_breaks: int, worked: int
) -> None:
    start = at(5, 9)
    record = rows.clock_record(acme.id, acme.ada, clock_in_at=start, clock_out_at=start + timedelta(hours=3))
    rows.timesheet(acme.id, acme.ada, started_at=start, ended_at=start + timedelta(hours=3))
    for begin, end, is_paid in breaks:
        times = {"started_at": start + timedelta(minutes=begin), "ended_at": start + timedelta(minutes=end)}
        rows.break_time(acme.id, acme.ada, clock_record_id=record, **times, is_paid=is_paid)
    (clocked,) = await results(http, "clockinouts", **WEEK, user_id=acme.ada)
    (row,) = await results(http, "time_activity_reports", **WEEK, user_id=acme.ada)
    assert (clocked["break_seconds"], clocked["worked_seconds"]) == (in_breaks * 60, worked * 60)
    assert row["tracked_seconds"] + row["paid_break_seconds"] == worked * 60
