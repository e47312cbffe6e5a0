"""Applications for leave: what a person asked for, day by day, and what became of it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from db.demo.area import Row
from db.demo.chance import DAY, Chance, whole
from db.demo.leaves.absences import Absence
from db.demo.leaves.rules import DAY_SECONDS, HOLIDAYS, LIEU, SICK, UNPAID
from db.tables.leaves import DayPart, LeaveStatus

LAST_MONTH_OF_CARRIED = 3

Spent = defaultdict[tuple[int, int], Decimal]
"""Days or hours, by rule and year; nothing at first."""

REASONS = ("Family visit", "Moving house", "Wedding of a friend", "Hiking in the mountains")


class Rules(NamedTuple):
    """The rows that applications point at, and the zone of the organization."""

    types: Sequence[Row]
    policies: Sequence[Row]
    periods: Mapping[int, Row]
    timezone: str


class Applicant(NamedTuple):
    """A person, who decides about their leave, and how much there is of it by rule and year; no limit elsewhere."""

    person: Row
    reviewer: UUID
    granted: Mapping[tuple[int, int], Decimal]
    used: Spent
    used_early: Spent
    """What of it was used while that of the year before was still good."""
    pending: Spent


def application_of(
    chance: Chance, rules: Rules, applicant: Applicant, absence: Absence, now: datetime
) -> tuple[Row, list[Row]] | None:
    """An application with its days; None where there is no day to ask for, or the year is not known yet."""
    days = _days(absence)
    years = {day.year for day, _ in days}
    if not any(amount for _, amount in days) or not years <= rules.periods.keys():
        return None
    policy = rules.policies[absence.rule]
    kind = next(row for row in rules.types if row["id"] == policy["leave_type_id"])
    hours = Decimal(chance.random.randint(2, 4)) if absence.rule == LIEU else None
    if hours is not None:
        days = [(absence.start, hours)]
    status, note = absence.status, "Too much to do in these days." if absence.status is LeaveStatus.rejected else None
    if status in (LeaveStatus.approved, LeaveStatus.pending) and not _is_enough(applicant, absence.rule, days):
        status, note = LeaveStatus.rejected, "There is not enough left of it."
    if status in (LeaveStatus.approved, LeaveStatus.pending):
        _spend(applicant, absence.rule, days, is_approved=status is LeaveStatus.approved)
    zone = ZoneInfo(applicant.person["timezone"] or rules.timezone)
    amount = sum((amount for _, amount in days), Decimal())
    second = Decimal(3600 if hours is not None else DAY_SECONDS)
    begin = datetime.combine(absence.start, time(13), zone).astimezone(UTC) if hours is not None else None
    story = _story(chance, applicant, absence, status, now)
    created = story["created_at"]
    row = {
        "id": chance.id(created),
        "user_id": applicant.person["user_id"],
        "leave_type_id": kind["id"],
        "leave_policy_id": policy["id"],
        "leave_period_id": rules.periods[absence.start.year]["id"],
        "status": status.value,
        "start_date": absence.start,
        "end_date": absence.end,
        "start_day_part": absence.start_part.value,
        "end_day_part": absence.end_part.value,
        "started_at": begin,
        "ended_at": None if begin is None or hours is None else begin + timedelta(hours=int(hours)),
        "timezone": zone.key,
        "amount": amount,
        "duration_seconds": int(amount * second),
        "is_paid": kind["is_paid"],
        "reason": chance.random.choice(REASONS) if absence.rule != SICK and chance.one_in(3) else None,
        "review_note": note,
        "has_attachment": absence.rule == SICK and amount > 2,
        **story,
    }
    stamps = {name: row[name] for name in ("created_at", "updated_at", "deleted_at")} | {"updated_at": created}
    parts = [
        {
            "id": chance.id(created),
            "leave_application_id": row["id"],
            "date": day,
            "amount": part,
            "duration_seconds": int(part * second),
            "is_holiday": (day.month, day.day) in HOLIDAYS,
            **stamps,
        }
        for day, part in days
    ]
    return row, parts


def _days(absence: Absence) -> list[tuple[date, Decimal]]:
    """The weekdays, each with how much of it is leave: nothing of a holiday, a half at the ends if so asked."""
    found = []
    for day in absence.days:
        is_half = (day == absence.start and absence.start_part is not DayPart.full) or (
            day == absence.end and absence.end_part is not DayPart.full
        )
        amount = Decimal("0.5") if is_half else Decimal(1)
        found.append((day, Decimal() if (day.month, day.day) in HOLIDAYS else amount))
    return found


def _spend(applicant: Applicant, rule: int, days: Sequence[tuple[date, Decimal]], *, is_approved: bool) -> None:
    for day, amount in days:
        (applicant.used if is_approved else applicant.pending)[rule, day.year] += amount
        if is_approved and day.month <= LAST_MONTH_OF_CARRIED:
            applicant.used_early[rule, day.year] += amount


def _is_enough(applicant: Applicant, rule: int, days: Sequence[tuple[date, Decimal]]) -> bool:
    wanted: dict[int, Decimal] = defaultdict(Decimal)
    for day, amount in days:
        wanted[day.year] += amount
    return all(
        applicant.used[rule, year] + applicant.pending[rule, year] + amount <= applicant.granted[rule, year]
        for year, amount in wanted.items()
        if (rule, year) in applicant.granted
    )


def _story(chance: Chance, applicant: Applicant, absence: Absence, status: LeaveStatus, now: datetime) -> Row:
    """When it was asked for, and what happened then. Who is sick says so on the day, and needs no approval."""
    lead = 0 if absence.rule == SICK else chance.random.randint(15 if absence.rule == UNPAID else 3, 40)
    morning = datetime.combine(absence.start, time(6), UTC) + chance.random.randrange(7200) * timedelta(seconds=1)
    earliest = applicant.person["first_joined_at"] + DAY
    applied = whole(max(earliest, min(morning - lead * DAY, now - chance.random.randint(2, 9) * DAY)))
    stamps = chance.written(applied, now)
    decided = whole(applied + chance.random.randint(3, 40) * timedelta(hours=1))
    is_reviewed = status in (LeaveStatus.approved, LeaveStatus.rejected, LeaveStatus.cancelled) and absence.rule != SICK
    is_given_up = status in (LeaveStatus.cancelled, LeaveStatus.withdrawn)
    given_up = decided + chance.random.randint(1, 3) * timedelta(minutes=1)
    changed = given_up if is_given_up else decided if is_reviewed else stamps["created_at"]
    return {
        "applied_at": applied,
        "reviewed_by_user_id": applicant.reviewer if is_reviewed else None,
        "reviewed_at": decided if is_reviewed else None,
        "cancelled_at": given_up if is_given_up else None,
        **stamps,
        "updated_at": max(stamps["created_at"], changed),
    }
