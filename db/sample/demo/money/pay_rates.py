"""Payment settings: hourly or monthly pay, with regular raises."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal

from db.sample.demo.area import Row
from db.sample.demo.people.build import PeopleRows
from db.sample.demo.random_source import DAY, RandomSource
from db.sample.demo.scenarios.scenario import Scenario
from db.tables.payroll import PaymentMethod, PayPeriod, PayType
from db.tables.people import EmploymentType, MemberRole, Weekday

WEEK = 7 * DAY
RAISE = Decimal("1.03")
SALARIED = {MemberRole.owner, MemberRole.admin, MemberRole.manager}
OVERTIME_SECONDS = 40 * 3600


def week_of(day: date, scenario: Scenario) -> date:
    """The first day of the week of a day."""
    return day - (day.weekday() - list(Weekday).index(scenario.week_start_day)) % 7 * DAY


def payment_setting_rows(random: RandomSource, scenario: Scenario, people: PeopleRows, now: datetime) -> Iterator[Row]:
    """The settings of all who ever joined, by member in order of time, without gaps."""
    for member in people.members:
        if member["first_joined_at"] is None:
            continue
        first = member["first_joined_at"].date()
        last = member["left_on"]
        starts = [first, *(day for day in _raises(random, scenario, now) if first + 90 * DAY < day <= (last or day))]
        terms = _terms(random, scenario, member)
        for number, start in enumerate(starts):
            end = starts[number + 1] - DAY if number + 1 < len(starts) else last
            # Settings are created five days before they take effect; the first ones when the member joins.
            created = member["first_joined_at"]
            if number:
                created = datetime.combine(start - 5 * DAY, time(9), UTC) + random.random() * DAY / 3
            if number and terms["pay_rate"] is not None:
                terms = terms | {"pay_rate": (terms["pay_rate"] * RAISE * 4).quantize(Decimal(1)) / 4}
            ended = None if end is None else datetime.combine(end, time(), UTC) - 4 * DAY
            yield {
                "id": random.uuid7(created),
                "user_id": member["user_id"],
                **terms,
                "effective_from": start,
                "effective_to": end,
                "created_at": created,
                "updated_at": max(created, ended or created),
                "deleted_at": None,
            }


def _raises(random: RandomSource, scenario: Scenario, now: datetime) -> list[date]:
    """The days of the raises: starts of weeks, half a year apart; one member in four has one three weeks ago."""
    latest = 3 if random.one_in(4) else random.randrange(9, 26)
    this_week = week_of(now.date(), scenario)
    return [this_week - weeks * WEEK for weeks in range(latest + 78, 0, -26) if weeks >= latest]


def _terms(random: RandomSource, scenario: Scenario, member: Row) -> Row:
    pay_type = PayType.hourly
    if member["employment_type"] == EmploymentType.other:
        pay_type = PayType.none
    elif member["role"] in SALARIED:
        pay_type = PayType.fixed
    rate: Decimal | None = None
    if pay_type is PayType.hourly:
        rate = Decimal(random.randrange(36, 90)) / 2
    elif pay_type is PayType.fixed:
        rate = Decimal(random.randrange(76, 120)) * 50
    is_hourly = pay_type is PayType.hourly
    has_overtime = is_hourly and member["employment_type"] == EmploymentType.employee
    is_abroad = member["timezone"] is not None
    methods = [PaymentMethod.wise, PaymentMethod.paypal, PaymentMethod.payoneer]
    return {
        "pay_type": pay_type.value,
        "pay_rate": rate,
        "bill_rate": Decimal(random.randrange(14, 26)) * 5 if is_hourly else None,
        "currency": scenario.currency,
        "pay_period": (PayPeriod.weekly if is_hourly else PayPeriod.monthly).value,
        "period_anchor_date": None,
        "overtime_enabled": has_overtime,
        "overtime_daily_threshold_seconds": None,
        "overtime_weekly_threshold_seconds": OVERTIME_SECONDS if has_overtime else None,
        "overtime_multiplier": Decimal("1.25") if has_overtime else None,
        "requires_approval": is_hourly,
        "payment_method": (random.choice(methods) if is_abroad else PaymentMethod.bank_transfer).value,
    }
