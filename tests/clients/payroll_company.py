"""A company whose time, leave and settings are unlike the demo's: each person is paid by another rule."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from tests.factories.rows import Rows

HOUR = timedelta(hours=1)
OPEN = {"pay_rate": 20, "effective_from": date(2025, 1, 1)}
WEEKLY = OPEN | {"overtime_enabled": True, "overtime_weekly_threshold_seconds": 40 * 3600, "overtime_multiplier": 1.5}
DAILY = WEEKLY | {"overtime_weekly_threshold_seconds": None, "overtime_daily_threshold_seconds": 8 * 3600}


class Company:
    """An organization whose September 2025, of weeks from Sunday in New York, is paid."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.own = rows.organization(timezone="America/New_York", week_start_day="sunday")
        self.leave_type = rows.leave_type(self.own)
        rows.quota(self.own, 1_000_000)

    def person(self, name: str, *settings: dict[str, Any], **columns: Any) -> UUID:
        user = self.rows.member(self.own, full_name=name, first_joined_at=datetime(2025, 1, 1, tzinfo=UTC), **columns)
        for each in settings:
            self.rows.payment_setting(self.own, user, **each)
        return user

    def work(self, user: UUID, hours: float, *days: str, **columns: Any) -> None:
        """Time from 09:00 in New York on each of these days of 2025."""
        for day in days:
            start = datetime.fromisoformat(f"2025-{day}T13:00:00Z")
            self.rows.timesheet(self.own, user, started_at=start, ended_at=start + hours * HOUR, **columns)

    def leave(self, user: UUID, *days: tuple[str, float], kind: UUID | None = None, **columns: Any) -> None:
        """One application for these hours of days."""
        first, last = (date.fromisoformat(f"2025-{days[end][0]}") for end in (0, -1))
        values = {"start_date": first, "end_date": last, "status": "approved"} | columns
        leave = self.rows.leave_application(self.own, kind or self.leave_type, user, **values)
        for day, hours in days:
            at = date.fromisoformat(f"2025-{day}")
            self.rows.leave_day(self.own, leave, date=at, amount=hours / 8, duration_seconds=int(hours * 3600))


WEEK = ("09-08", "09-09", "09-10", "09-11", "09-12")
"""Monday to Friday."""


def fill(company: Company) -> None:
    person, work, leave = company.person, company.work, company.leave
    halves = person("Two halves", OPEN)
    work(halves, 8, "09-09")
    leave(halves, ("09-10", 4), start_day_part="first_half", end_day_part="first_half")
    leave(halves, ("09-10", 4), start_day_part="second_half", end_day_part="second_half")
    leave(halves, ("09-11", 8), status="pending")
    leave(halves, ("09-12", 8), is_paid=False)
    twice = person("Taken twice", OPEN)
    leave(twice, ("09-10", 8))
    leave(twice, ("09-10", 4), start_day_part="first_half", end_day_part="first_half")
    both = person("Plus hours", OPEN)
    leave(both, ("09-10", 8))
    leave(both, ("09-10", 4), kind=company.rows.leave_type(company.own, unit="hour"))
    unsplit = {"start_date": date(2025, 9, 10), "end_date": date(2025, 9, 11), "amount": 2, "duration_seconds": 57_600}
    no_days = person("No days", OPEN)
    company.rows.leave_application(company.own, company.leave_type, no_days, status="approved", **unsplit)
    over_month = person("Over the month", OPEN)
    leave(over_month, ("08-29", 8), ("09-01", 8), ("09-02", 4))
    leave(over_month, ("09-30", 8), ("10-01", 8))
    work(person("Zero threshold", WEEKLY | {"overtime_weekly_threshold_seconds": 0}), 10, "09-08")
    work(person("Zero daily", DAILY | {"overtime_daily_threshold_seconds": 0}), 10, "09-08")
    work(person("Zero multiplier", WEEKLY | {"overtime_multiplier": 0}), 10, *WEEK)
    work(person("No multiplier", WEEKLY | {"overtime_multiplier": None}), 10, *WEEK)
    work(person("No threshold", WEEKLY | {"overtime_weekly_threshold_seconds": None}), 10, *WEEK)
    work(person("Both thresholds", DAILY | {"overtime_weekly_threshold_seconds": 44 * 3600}), 9, *WEEK)
    work(person("No rate", OPEN | {"pay_rate": None}), 3, "09-08")
    work(person("Two rates", OPEN, OPEN | {"pay_rate": 30, "effective_from": date(2025, 9, 9)}), 8, "09-08", "09-09")
    work(person("Zero rate", OPEN | {"pay_rate": 0}), 3, "09-08")
    # Weeks that cross a bound of the month: of Sunday, August 31, and of Sunday, September 28.
    work(person("First week", WEEKLY), 15, "08-31", "09-01", "09-02")
    work(person("Last week", WEEKLY), 15, "09-29", "09-30", "10-01")
    night = person("Nights", OPEN)
    for start in ("2025-08-31T23:00:00-04:00", "2025-09-30T23:00:00-04:00"):
        began = datetime.fromisoformat(start)
        company.rows.timesheet(company.own, night, started_at=began, ended_at=began + 3 * HOUR)
    until = {"effective_to": date(2025, 9, 10)}
    after = {"effective_from": date(2025, 9, 11)}
    work(person("Ends in a week", WEEKLY | until), 15, *WEEK)
    work(person("New rate in a week", WEEKLY | until, WEEKLY | after | {"pay_rate": 30}), 15, *WEEK)
    stricter = {"pay_rate": 30, "overtime_weekly_threshold_seconds": 60 * 3600, "overtime_multiplier": 2}
    work(person("New threshold in a week", WEEKLY | until, WEEKLY | after | stricter), 15, *WEEK)
    work(person("Then overtime", OPEN | until, WEEKLY | after), 10, *WEEK)
    work(person("Then a salary", WEEKLY | until, OPEN | after | {"pay_type": "fixed", "pay_rate": 9000}), 15, *WEEK)
    work(person("Two currencies", OPEN | until, OPEN | after | {"pay_rate": 1000, "currency": "JPY"}), 1, *WEEK)
    work(person("Salary", OPEN | {"pay_type": "fixed", "pay_rate": 9000}), 8, "09-08")
    work(person("Nothing agreed"), 2, "09-08")
    approved = person("Approval", OPEN | {"requires_approval": True})
    work(approved, 4, "09-08", is_locked=True)
    work(approved, 3, "09-09")
    for start in ("2025-09-08T15:00:00Z", "2025-09-09T15:00:00Z"):
        company.rows.break_time(company.own, approved, started_at=datetime.fromisoformat(start), is_paid=True)
    for name, rate, currency in (
        ("Krona", "3333.3333", "ISK"),
        ("Franc", "1234.5678", "XAF"),
        ("Dinar", "7.7777", "TND"),
        ("Unidad", "1.23456", "CLF"),
    ):
        work(person(name, OPEN | {"pay_rate": rate, "currency": currency}), 13 / 3, "09-08")
    # Three times 6.668333: pay that is divided before it is summed would be rounded to 20.00.
    work(person("Thirds", OPEN | {"pay_rate": "20.005"}), 1 / 3, "09-08", "09-09", "09-10")
    suspended = person("Suspended", OPEN, status="suspended")
    work(suspended, 5, "09-08")
    leave(suspended, ("09-09", 8))
    left = person("Left", OPEN, left_on=date(2025, 9, 20))
    work(left, 6, "09-08")
    removed = person("Removed", OPEN, status="removed", removed_at=datetime(2025, 9, 20, tzinfo=UTC))
    work(removed, 7, "09-08")
    company.rows.timesheet(
        company.own,
        person("Timer", OPEN),
        started_at=datetime.fromisoformat("2025-09-08T13:00:00Z"),
        ended_at=None,
        tracked_until=datetime.fromisoformat("2025-09-08T14:00:00Z"),
    )
