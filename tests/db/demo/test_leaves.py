"""The leave of the demo: what a reader sees, and that it adds up for any size and moment."""

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from db.demo.area import Row
from tests.db.demo.made import Made

Key = tuple[Any, Any, int]
"""A person, a policy and a year."""

SPENT = ("used", "pending", "expired")


def days_of(made: Made) -> dict[Any, list[Row]]:
    found = defaultdict(list)
    for row in made.leaves.leave_application_days:
        found[row["leave_application_id"]].append(row)
    return found


def spent(made: Made, status: str) -> dict[Key, Decimal]:
    """What was applied for, day by day, in the year of each day."""
    days, found = days_of(made), defaultdict[Key, Decimal](Decimal)
    for row in made.leaves.leave_applications:
        if row["status"] == status:
            for day in days[row["id"]]:
                found[row["user_id"], row["leave_policy_id"], day["date"].year] += day["amount"]
    return found


# What a reader sees in the organization of 24.


def test_leave_of_every_kind(studio: Made) -> None:
    leaves = studio.leaves
    assert {row["category"] for row in leaves.leave_types} == {"vacation", "sick", "compensatory", "unpaid", "other"}
    assert {row["unit"] for row in leaves.leave_types} == {"day", "hour"}
    assert {row["is_active"] for row in leaves.leave_types} == {row["is_active"] for row in leaves.leave_policies}
    assert [(row["name"], row["status"]) for row in leaves.leave_periods] == [
        ("2025", "closed"),
        ("2026", "open"),
        ("2027", "upcoming"),
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


def test_who_is_on_leave_tracks_no_time(studio: Made) -> None:
    zone = ZoneInfo(studio.outline.timezone)
    worked = {(row["user_id"], row["started_at"].astimezone(zone).date()) for row in studio.time.timesheets}
    days, seen = days_of(studio), 0
    for row in studio.leaves.leave_applications:
        if row["status"] == "approved" and row["started_at"] is None:
            for day in days[row["id"]]:
                assert (row["user_id"], day["date"]) not in worked or day["date"] >= studio.now.date()
                seen += (studio.now.date() - timedelta(days=55)) < day["date"] < studio.now.date()
    assert seen > 20


def test_the_practice_keeps_no_account_of_leave(practice: Made) -> None:
    assert not practice.outline.features["leave"]
    assert not any(practice.leaves.tables.values())


# What holds for any size and moment.


def test_an_application_is_the_sum_of_its_days(made: Made) -> None:
    days = days_of(made)
    policies = {row["id"]: row for row in made.leaves.leave_policies}
    periods = {row["id"]: row for row in made.leaves.leave_periods}
    for row in made.leaves.leave_applications:
        own = days[row["id"]]
        assert row["amount"] == sum(day["amount"] for day in own) > 0
        assert row["duration_seconds"] == sum(day["duration_seconds"] for day in own)
        dates = [day["date"] for day in own]
        assert dates == sorted(set(dates))
        assert row["start_date"] == dates[0] <= dates[-1] <= row["end_date"]
        assert all(day.weekday() < 5 for day in dates)
        assert all(day["amount"] == 0 for day in own if day["is_holiday"] and row["started_at"] is None)
        assert policies[row["leave_policy_id"]]["leave_type_id"] == row["leave_type_id"]
        period = periods[row["leave_period_id"]]
        assert period["start_date"] <= row["start_date"] <= period["end_date"]
        if row["started_at"] is not None:
            assert row["ended_at"] - row["started_at"] == timedelta(seconds=row["duration_seconds"])
            assert row["started_at"].astimezone(ZoneInfo(row["timezone"])).date() == row["start_date"]


def test_an_application_tells_its_story_in_order(made: Made) -> None:
    for row in made.leaves.leave_applications:
        person = made.person[row["user_id"]]
        assert person["first_joined_at"] < row["applied_at"]
        assert (row["reviewed_at"] is None) == (row["reviewed_by_user_id"] is None)
        assert (row["cancelled_at"] is not None) == (row["status"] in ("cancelled", "withdrawn"))
        assert row["status"] not in ("pending", "withdrawn") or row["reviewed_at"] is None
        moments = [row[name] for name in ("applied_at", "reviewed_at", "cancelled_at") if row[name] is not None]
        assert moments == sorted(moments)
        assert moments[-1] <= row["updated_at"]
        assert all(moment.microsecond == 0 for moment in moments)


def test_nobody_is_on_leave_twice_on_one_day(made: Made) -> None:
    live = {row["id"]: row for row in made.leaves.leave_applications if row["status"] in ("approved", "pending")}
    taken: set[tuple[Any, date]] = set()
    for day in made.leaves.leave_application_days:
        if day["leave_application_id"] in live:
            key = (live[day["leave_application_id"]]["user_id"], day["date"])
            assert key not in taken
            taken.add(key)


def test_a_balance_is_what_was_granted_but_for_what_was_applied_for(made: Made) -> None:
    used, pending = spent(made, "approved"), spent(made, "pending")
    years = {row["id"]: row["start_date"].year for row in made.leaves.leave_periods}
    balances = {
        (row["user_id"], row["leave_policy_id"], years[row["leave_period_id"]]): row
        for row in made.leaves.leave_balances
    }
    assert len(balances) == len(made.leaves.leave_balances)
    for key, row in balances.items():
        assert (row["used"], row["pending"]) == (used[key], pending[key])
        available = row["accrued"] + row["carried_over"] + row["adjusted"] - sum(row[name] for name in SPENT)
        assert available >= 0
        assert all(row[name] >= 0 for name in ("entitled", "accrued", "carried_over", *SPENT))
        following = balances.get((*key[:2], key[2] + 1))
        if following is not None and key[2] < made.now.year:
            assert following["carried_over"] == available <= 5
        assert row["as_of"] <= made.now.date() or key[2] > made.now.year
    limited = {row["id"] for row in made.leaves.leave_policies if row["entitlement"] is not None}
    assert {key for key, amount in used.items() if amount and key[1] in limited} <= balances.keys()


def test_what_is_applied_for_was_assigned(made: Made) -> None:
    assigned = {(row["user_id"], row["leave_policy_id"]) for row in made.leaves.leave_assignments}
    assert {(row["user_id"], row["leave_policy_id"]) for row in made.leaves.leave_applications} <= assigned
    assert {(row["user_id"], row["leave_policy_id"]) for row in made.leaves.leave_balances} <= assigned
