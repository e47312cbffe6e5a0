"""Leave types, leave policies and leave periods."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import NamedTuple

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, RandomSource
from db.tables.leaves import LeaveAccrual, LeaveCategory, LeavePeriodStatus, LeaveUnit

DAY_SECONDS = 28_800
HOLIDAYS = {(1, 1), (5, 1), (10, 3), (12, 25), (12, 26)}
"""Public holidays as month and day."""


class LeaveTypeSpec(NamedTuple):
    name: str
    code: str
    category: LeaveCategory
    color: str
    unit: LeaveUnit = LeaveUnit.day
    is_paid: bool = True
    requires_approval: bool = True
    requires_attachment: bool = False
    is_active: bool = True


class LeavePolicySpec(NamedTuple):
    leave_type: str
    name: str
    accrual: LeaveAccrual
    entitlement: Decimal | None = None
    accrual_amount: Decimal | None = None
    accrual_cap: Decimal | None = None
    carry_over_max: Decimal | None = None
    min_notice_days: int | None = None
    is_active: bool = True


LEAVE_TYPES = (
    LeaveTypeSpec("Vacation", "VAC", LeaveCategory.vacation, "#43a047"),
    LeaveTypeSpec(
        "Sick leave", "SICK", LeaveCategory.sick, "#e53935", requires_approval=False, requires_attachment=True
    ),
    LeaveTypeSpec("Time off in lieu", "TOIL", LeaveCategory.compensatory, "#1e88e5", unit=LeaveUnit.hour),
    LeaveTypeSpec("Unpaid leave", "UNP", LeaveCategory.unpaid, "#757575", is_paid=False),
    LeaveTypeSpec("Study leave", "STU", LeaveCategory.other, "#8e24aa", is_active=False),
)
VACATION, CONTRACTORS, SICK, LIEU, UNPAID = range(5)
LEAVE_POLICIES = (
    LeavePolicySpec("Vacation", "Vacation, employees", LeaveAccrual.upfront, Decimal(30), carry_over_max=Decimal(5)),
    LeavePolicySpec(
        "Vacation", "Vacation, contractors", LeaveAccrual.monthly, Decimal(18), Decimal("1.5"), Decimal(18)
    ),
    LeavePolicySpec("Sick leave", "Sick leave", LeaveAccrual.none),
    LeavePolicySpec("Time off in lieu", "Time off in lieu", LeaveAccrual.hours_worked, None, None, Decimal(40)),
    LeavePolicySpec("Unpaid leave", "Unpaid leave", LeaveAccrual.none, min_notice_days=14),
    LeavePolicySpec("Study leave", "Study leave, five days", LeaveAccrual.upfront, Decimal(5), is_active=False),
)


def leave_type_rows(random: RandomSource) -> list[Row]:
    """The leave types, in the order of LEAVE_TYPES."""
    return [
        _row(
            random,
            random.start + (1 + number // 2) * DAY,
            {
                "name": spec.name,
                "code": spec.code,
                "description": None,
                "color": spec.color,
                "category": spec.category.value,
                "unit": spec.unit.value,
                "is_paid": spec.is_paid,
                "requires_approval": spec.requires_approval,
                "requires_attachment": spec.requires_attachment,
                "allows_half_day": spec.unit is LeaveUnit.day,
                "is_active": spec.is_active,
            },
        )
        for number, spec in enumerate(LEAVE_TYPES)
    ]


def leave_policy_rows(random: RandomSource, types: list[Row]) -> list[Row]:
    """The leave policies, in the order of LEAVE_POLICIES."""
    type_ids = {row["name"]: row["id"] for row in types}
    return [
        _row(
            random,
            random.start + (5 + number // 2) * DAY,
            {
                "leave_type_id": type_ids[spec.leave_type],
                "name": spec.name,
                "entitlement": spec.entitlement,
                "accrual_type": spec.accrual.value,
                "accrual_amount": spec.accrual_amount,
                "accrual_cap": spec.accrual_cap,
                "carry_over_max": spec.carry_over_max,
                "carry_over_expires_on_month_day": "03-31" if spec.carry_over_max else None,
                "allows_negative_balance": False,
                "max_negative": None,
                "waiting_period_days": 0,
                "prorate_on_hire": True,
                "min_notice_days": spec.min_notice_days,
                "max_consecutive": None,
                "day_length_seconds": DAY_SECONDS,
                "auto_assign_new_members": spec.name in ("Vacation, employees", "Sick leave"),
                "is_active": spec.is_active,
            },
        )
        for number, spec in enumerate(LEAVE_POLICIES)
    ]


def leave_period_rows(random: RandomSource, today: date) -> dict[int, Row]:
    """The leave periods by year: last year, this one and the next one."""
    rows = {}
    for year in range(today.year - 1, today.year + 2):
        status = LeavePeriodStatus(("closed", "open", "upcoming")[year - today.year + 1])
        created = max(random.start + 10 * DAY, datetime(year - 2, 12, 5, 9, 30, tzinfo=UTC))
        columns = {
            "name": str(year),
            "start_date": date(year, 1, 1),
            "end_date": date(year, 12, 31),
            "status": status.value,
        }
        rows[year] = _row(random, created, columns)
        if status is not LeavePeriodStatus.upcoming:
            # A period opens at its start and closes at the start of the next one.
            status_since = year + (status is LeavePeriodStatus.closed)
            rows[year]["updated_at"] = max(created, datetime(status_since, 1, 1, tzinfo=UTC))
    return rows


def _row(random: RandomSource, at: datetime, columns: Row) -> Row:
    return {"id": random.uuid7(at), **columns, "created_at": at, "updated_at": at, "deleted_at": None}
