"""Leave of the demo: which values occur, and that balances and applications add up."""

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from tests.db.sample.demo.demo_rows import DemoRows, Row

BalanceKey = tuple[Any, Any, int]
"""A person, a policy, and the number of a leave period."""

SPENT = ("used", "pending", "expired")


def days_of(demo: DemoRows) -> dict[Any, list[Row]]:
    result = defaultdict(list)
    for row in sorted(demo.rows.leave_application_days, key=lambda row: row["date"]):
        result[row["leave_application_id"]].append(row)
    return result


def period_of(demo: DemoRows, day: date) -> int:
    return sum(row["start_date"] <= day for row in demo.rows.leave_periods)


def spent(demo: DemoRows, status: str) -> dict[BalanceKey, Decimal]:
    """The sums of the days of applications with a status, by the leave period of each day."""
    days, result = days_of(demo), defaultdict[BalanceKey, Decimal](Decimal)
    for row in demo.rows.leave_applications:
        if row["status"] == status:
            for day in days[row["id"]]:
                result[row["user_id"], row["leave_policy_id"], period_of(demo, day["date"])] += day["amount"]
    return result


# The organization of 24 members.


def test_every_leave_enum_value_occurs(studio: DemoRows) -> None:
    leaves = studio.rows
    assert {row["category"] for row in leaves.leave_types} == {"vacation", "sick", "compensatory", "unpaid", "other"}
    assert {row["unit"] for row in leaves.leave_types} == {"day", "hour"}
    assert {row["is_active"] for row in leaves.leave_types} == {row["is_active"] for row in leaves.leave_policies}
    assert [(row["name"], row["status"]) for row in leaves.leave_periods] == [
        ("Last leave year", "closed"),
        ("Current leave year", "open"),
        ("Next leave year", "upcoming"),
    ]
    applications = leaves.leave_applications
    statuses = {row["status"] for row in applications}
    assert statuses == {"pending", "approved", "rejected", "cancelled", "withdrawn"}
    assert {row["start_day_part"] for row in applications} == {"full", "first_half", "second_half"}
    assert any(row["started_at"] for row in applications)
    assert any(row["start_date"].year < row["end_date"].year for row in applications)
    assert any(row["is_holiday"] for row in leaves.leave_application_days)
    assert any(row["entitlement"] for row in leaves.leave_assignments)
    assert {row["is_active"] for row in leaves.leave_assignments} == {True, False}
    assert any(row["carried_over"] for row in leaves.leave_balances)


def test_members_on_leave_track_no_time(studio: DemoRows) -> None:
    zone = ZoneInfo(studio.organization["timezone"])
    worked = {(row["user_id"], row["started_at"].astimezone(zone).date()) for row in studio.rows.timesheets}
    days, seen = days_of(studio), 0
    for row in studio.rows.leave_applications:
        if row["status"] == "approved" and row["started_at"] is None:
            for day in days[row["id"]]:
                assert (row["user_id"], day["date"]) not in worked or day["date"] >= studio.now.date()
                seen += (studio.now.date() - timedelta(days=55)) < day["date"] < studio.now.date()
    assert seen > 20


def test_practice_has_no_leave_rows(practice: DemoRows) -> None:
    assert not practice.organization["features"]["leave"]
    assert not any(rows for table, rows in practice.tables.items() if table.startswith("leave_"))


# Any size and time.


def test_application_amount_is_sum_of_days(demo: DemoRows) -> None:
    days = days_of(demo)
    policies = {row["id"]: row for row in demo.rows.leave_policies}
    periods = {row["id"]: row for row in demo.rows.leave_periods}
    for row in demo.rows.leave_applications:
        user_rows = days[row["id"]]
        assert row["amount"] == sum(day["amount"] for day in user_rows) > 0
        assert row["duration_seconds"] == sum(day["duration_seconds"] for day in user_rows)
        dates = [day["date"] for day in user_rows]
        assert dates == sorted(set(dates))
        assert row["start_date"] == dates[0] <= dates[-1] <= row["end_date"]
        assert all(day.weekday() < 5 for day in dates)
        assert all(day["amount"] == 0 for day in user_rows if day["is_holiday"] and row["started_at"] is None)
        assert policies[row["leave_policy_id"]]["leave_type_id"] == row["leave_type_id"]
        period = periods[row["leave_period_id"]]
        assert period["start_date"] <= row["start_date"] <= period["end_date"]
        if row["started_at"] is not None:
            assert row["ended_at"] - row["started_at"] == timedelta(seconds=row["duration_seconds"])
            assert row["started_at"].astimezone(ZoneInfo(row["timezone"])).date() == row["start_date"]


def test_application_timestamps_are_in_order(demo: DemoRows) -> None:
    for row in demo.rows.leave_applications:
        person = demo.person[row["user_id"]]
        assert person["first_joined_at"] < row["applied_at"]
        assert (row["reviewed_at"] is None) == (row["reviewed_by_user_id"] is None)
        assert (row["cancelled_at"] is not None) == (row["status"] in ("cancelled", "withdrawn"))
        assert row["status"] not in ("pending", "withdrawn") or row["reviewed_at"] is None
        moments = [row[name] for name in ("applied_at", "reviewed_at", "cancelled_at") if row[name] is not None]
        assert moments == sorted(moments)
        assert moments[-1] <= row["updated_at"]
        assert all(moment.microsecond == 0 for moment in moments)


def test_leave_days_do_not_overlap(demo: DemoRows) -> None:
    live = {row["id"]: row for row in demo.rows.leave_applications if row["status"] in ("approved", "pending")}
    taken: set[tuple[Any, date]] = set()
    for day in demo.rows.leave_application_days:
        if day["leave_application_id"] in live:
            key = (live[day["leave_application_id"]]["user_id"], day["date"])
            assert key not in taken
            taken.add(key)


def test_balance_is_entitlement_less_applications(demo: DemoRows) -> None:
    used, pending = spent(demo, "approved"), spent(demo, "pending")
    periods = {row["id"]: period_of(demo, row["start_date"]) for row in demo.rows.leave_periods}
    current = period_of(demo, demo.now.date())
    balances = {
        (row["user_id"], row["leave_policy_id"], periods[row["leave_period_id"]]): row
        for row in demo.rows.leave_balances
    }
    assert len(balances) == len(demo.rows.leave_balances)
    for key, row in balances.items():
        assert (row["used"], row["pending"]) == (used[key], pending[key])
        available = row["accrued"] + row["carried_over"] + row["adjusted"] - sum(row[name] for name in SPENT)
        assert available >= 0
        assert all(row[name] >= 0 for name in ("entitled", "accrued", "carried_over", *SPENT))
        following = balances.get((*key[:2], key[2] + 1))
        if following is not None and key[2] < current:
            assert following["carried_over"] == available <= 5
        assert row["as_of"] <= demo.now.date() or key[2] > current
    limited = {row["id"] for row in demo.rows.leave_policies if row["entitlement"] is not None}
    assert {key for key, amount in used.items() if amount and key[1] in limited} <= balances.keys()


def test_applications_use_assigned_policies(demo: DemoRows) -> None:
    assigned = {(row["user_id"], row["leave_policy_id"]) for row in demo.rows.leave_assignments}
    assert {(row["user_id"], row["leave_policy_id"]) for row in demo.rows.leave_applications} <= assigned
    assert {(row["user_id"], row["leave_policy_id"]) for row in demo.rows.leave_balances} <= assigned
