"""Leave applications and their days, with status and timestamps."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from db.sample.demo.area import Row
from db.sample.demo.leaves.absences import Absence
from db.sample.demo.leaves.policies import DAY_SECONDS, HOLIDAYS, LIEU, SICK, UNPAID
from db.sample.demo.random_source import DAY, RandomSource, truncate_to_second
from db.tables.leaves import DayPart, LeaveStatus

LAST_MONTH_OF_CARRIED = 3

Amounts = defaultdict[tuple[int, int], Decimal]
"""Days or hours by index of the policy and year, zero at first."""

REASONS = ("Family visit", "Moving house", "Wedding of a friend", "Hiking in the mountains")


class LeaveCatalog(NamedTuple):
    """The leave types, policies and periods that applications refer to, and the organization's time zone."""

    types: Sequence[Row]
    policies: Sequence[Row]
    periods: Mapping[int, Row]
    timezone: str


class Applicant(NamedTuple):
    """A member, the reviewer of their applications, and their entitlements by policy and year (no key: no limit)."""

    member: Row
    reviewer: UUID
    granted: Mapping[tuple[int, int], Decimal]
    used: Amounts
    used_early: Amounts
    """The part of `used` that lies in the first three months, when days carried over are still valid."""
    pending: Amounts


def leave_application_rows(
    random: RandomSource, catalog: LeaveCatalog, applicant: Applicant, absence: Absence, now: datetime
) -> tuple[Row, list[Row]] | None:
    """An application and its days; None for an absence without working days or beyond the known leave periods."""
    days = _days(absence)
    years = {day.year for day, _ in days}
    if not any(amount for _, amount in days) or not years <= catalog.periods.keys():
        return None
    policy = catalog.policies[absence.policy_index]
    leave_type = next(row for row in catalog.types if row["id"] == policy["leave_type_id"])
    hours = Decimal(random.randint(2, 4)) if absence.policy_index == LIEU else None
    if hours is not None:
        days = [(absence.start, hours)]
    status, note = absence.status, "Too much to do in these days." if absence.status is LeaveStatus.rejected else None
    if status in (LeaveStatus.approved, LeaveStatus.pending) and not _is_enough(applicant, absence.policy_index, days):
        status, note = LeaveStatus.rejected, "There is not enough left of it."
    if status in (LeaveStatus.approved, LeaveStatus.pending):
        _spend(applicant, absence.policy_index, days, is_approved=status is LeaveStatus.approved)
    zone = ZoneInfo(applicant.member["timezone"] or catalog.timezone)
    amount = sum((amount for _, amount in days), Decimal())
    unit_seconds = Decimal(3600 if hours is not None else DAY_SECONDS)
    started_at = datetime.combine(absence.start, time(13), zone).astimezone(UTC) if hours is not None else None
    status_columns = _status_columns(random, applicant, absence, status, now)
    created = status_columns["created_at"]
    row = {
        "id": random.uuid7(created),
        "user_id": applicant.member["user_id"],
        "leave_type_id": leave_type["id"],
        "leave_policy_id": policy["id"],
        "leave_period_id": catalog.periods[absence.start.year]["id"],
        "status": status.value,
        "start_date": absence.start,
        "end_date": absence.end,
        "start_day_part": absence.start_part.value,
        "end_day_part": absence.end_part.value,
        "started_at": started_at,
        "ended_at": None if started_at is None or hours is None else started_at + timedelta(hours=int(hours)),
        "timezone": zone.key,
        "amount": amount,
        "duration_seconds": int(amount * unit_seconds),
        "is_paid": leave_type["is_paid"],
        "reason": random.choice(REASONS) if absence.policy_index != SICK and random.one_in(3) else None,
        "review_note": note,
        "has_attachment": absence.policy_index == SICK and amount > 2,
        **status_columns,
    }
    timestamps = {name: row[name] for name in ("created_at", "updated_at", "deleted_at")} | {"updated_at": created}
    day_rows = [
        {
            "id": random.uuid7(created),
            "leave_application_id": row["id"],
            "date": day,
            "amount": day_amount,
            "duration_seconds": int(day_amount * unit_seconds),
            "is_holiday": (day.month, day.day) in HOLIDAYS,
            **timestamps,
        }
        for day, day_amount in days
    ]
    return row, day_rows


def _days(absence: Absence) -> list[tuple[date, Decimal]]:
    """The weekdays, each with its amount of leave: 0 on a holiday, 0.5 for a half day at either end, else 1."""
    result = []
    for day in absence.days:
        is_half = (day == absence.start and absence.start_part is not DayPart.full) or (
            day == absence.end and absence.end_part is not DayPart.full
        )
        amount = Decimal("0.5") if is_half else Decimal(1)
        result.append((day, Decimal() if (day.month, day.day) in HOLIDAYS else amount))
    return result


def _spend(applicant: Applicant, policy_index: int, days: Sequence[tuple[date, Decimal]], *, is_approved: bool) -> None:
    for day, amount in days:
        (applicant.used if is_approved else applicant.pending)[policy_index, day.year] += amount
        if is_approved and day.month <= LAST_MONTH_OF_CARRIED:
            applicant.used_early[policy_index, day.year] += amount


def _is_enough(applicant: Applicant, policy_index: int, days: Sequence[tuple[date, Decimal]]) -> bool:
    requested: dict[int, Decimal] = defaultdict(Decimal)
    for day, amount in days:
        requested[day.year] += amount
    return all(
        applicant.used[policy_index, year] + applicant.pending[policy_index, year] + amount
        <= applicant.granted[policy_index, year]
        for year, amount in requested.items()
        if (policy_index, year) in applicant.granted
    )


def _status_columns(
    random: RandomSource, applicant: Applicant, absence: Absence, status: LeaveStatus, now: datetime
) -> Row:
    """The columns for when it was applied for, reviewed and cancelled. Sick leave starts at once, without review."""
    lead = 0 if absence.policy_index == SICK else random.randint(15 if absence.policy_index == UNPAID else 3, 40)
    morning = datetime.combine(absence.start, time(6), UTC) + random.randrange(7200) * timedelta(seconds=1)
    earliest = applicant.member["first_joined_at"] + DAY
    applied = truncate_to_second(max(earliest, min(morning - lead * DAY, now - random.randint(2, 9) * DAY)))
    timestamps = random.timestamps_after(applied, now)
    decided = truncate_to_second(applied + random.randint(3, 40) * timedelta(hours=1))
    is_reviewed = (
        status in (LeaveStatus.approved, LeaveStatus.rejected, LeaveStatus.cancelled) and absence.policy_index != SICK
    )
    was_ended = status in (LeaveStatus.cancelled, LeaveStatus.withdrawn)
    ended = decided + random.randint(1, 3) * timedelta(minutes=1)
    changed = ended if was_ended else decided if is_reviewed else timestamps["created_at"]
    return {
        "applied_at": applied,
        "reviewed_by_user_id": applicant.reviewer if is_reviewed else None,
        "reviewed_at": decided if is_reviewed else None,
        "cancelled_at": ended if was_ended else None,
        **timestamps,
        "updated_at": max(timestamps["created_at"], changed),
    }
