"""What was agreed with members: by the hour or by the month, and raised from time to time."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal

from db.demo.area import Row
from db.demo.chance import DAY, Chance
from db.demo.outline import Outline
from db.demo.people.build import People
from db.tables.payroll import PaymentMethod, PayPeriod, PayType
from db.tables.people import EmploymentType, MemberRole, Weekday

WEEK = 7 * DAY
RAISE = Decimal("1.03")
SALARIED = {MemberRole.owner, MemberRole.admin, MemberRole.manager}
OVERTIME_SECONDS = 40 * 3600


def week_of(day: date, outline: Outline) -> date:
    """The day on which the week of a day begins."""
    return day - (day.weekday() - list(Weekday).index(outline.week_start_day)) % 7 * DAY


def settings_of(chance: Chance, outline: Outline, crew: People, now: datetime) -> Iterator[Row]:
    """The settings of all who ever joined, each person's in their order, without gaps."""
    for person in crew.members:
        if person["first_joined_at"] is None:
            continue
        first = person["first_joined_at"].date()
        last = person["left_on"]
        starts = [first, *(day for day in _raises(chance, outline, now) if first + 90 * DAY < day <= (last or day))]
        terms = _terms(chance, outline, person)
        for number, start in enumerate(starts):
            end = starts[number + 1] - DAY if number + 1 < len(starts) else last
            # Agreed some days before it holds; the first settings when the person joined.
            agreed = person["first_joined_at"]
            if number:
                agreed = datetime.combine(start - 5 * DAY, time(9), UTC) + chance.random.random() * DAY / 3
            if number and terms["pay_rate"] is not None:
                terms = terms | {"pay_rate": (terms["pay_rate"] * RAISE * 4).quantize(Decimal(1)) / 4}
            ended = None if end is None else datetime.combine(end, time(), UTC) - 4 * DAY
            yield {
                "id": chance.id(agreed),
                "user_id": person["user_id"],
                **terms,
                "effective_from": start,
                "effective_to": end,
                "created_at": agreed,
                "updated_at": max(agreed, ended or agreed),
                "deleted_at": None,
            }


def _raises(chance: Chance, outline: Outline, now: datetime) -> list[date]:
    """Half a year apart, at the begin of a week; the latest of one person in four lies in the last weeks."""
    latest = 3 if chance.one_in(4) else chance.random.randrange(9, 26)
    this_week = week_of(now.date(), outline)
    return [this_week - weeks * WEEK for weeks in range(latest + 78, 0, -26) if weeks >= latest]


def _terms(chance: Chance, outline: Outline, person: Row) -> Row:
    pay_type = PayType.hourly
    if person["employment_type"] == EmploymentType.other:
        pay_type = PayType.none
    elif person["role"] in SALARIED:
        pay_type = PayType.fixed
    rate: Decimal | None = None
    if pay_type is PayType.hourly:
        rate = Decimal(chance.random.randrange(36, 90)) / 2
    elif pay_type is PayType.fixed:
        rate = Decimal(chance.random.randrange(76, 120)) * 50
    is_hourly = pay_type is PayType.hourly
    has_overtime = is_hourly and person["employment_type"] == EmploymentType.employee
    is_abroad = person["timezone"] is not None
    methods = [PaymentMethod.wise, PaymentMethod.paypal, PaymentMethod.payoneer]
    return {
        "pay_type": pay_type.value,
        "pay_rate": rate,
        "bill_rate": Decimal(chance.random.randrange(14, 26)) * 5 if is_hourly else None,
        "currency": outline.currency,
        "pay_period": (PayPeriod.weekly if is_hourly else PayPeriod.monthly).value,
        "period_anchor_date": None,
        "overtime_enabled": has_overtime,
        "overtime_daily_threshold_seconds": None,
        "overtime_weekly_threshold_seconds": OVERTIME_SECONDS if has_overtime else None,
        "overtime_multiplier": Decimal("1.25") if has_overtime else None,
        "requires_approval": is_hourly,
        "payment_method": (chance.random.choice(methods) if is_abroad else PaymentMethod.bank_transfer).value,
    }
