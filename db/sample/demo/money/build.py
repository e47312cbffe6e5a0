"""The money area: invoices, payment settings, payables and payments."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from db.sample.demo.area import Area, Row
from db.sample.demo.money.hourly_pay import hourly_pay
from db.sample.demo.money.invoices import invoice_rows
from db.sample.demo.money.one_time_pay import one_time_pay
from db.sample.demo.money.paid_time import paid_time
from db.sample.demo.money.pay_rates import payment_setting_rows
from db.sample.demo.people.build import PeopleRows
from db.sample.demo.random_source import RandomSource
from db.sample.demo.scenarios.scenario import Scenario
from db.sample.demo.timesheets.build import TimesheetRows
from db.sample.demo.work.build import WorkRows


@dataclass(frozen=True)
class MoneyRows(Area):
    invoices: list[Row]
    invoice_lines: list[Row]
    invoice_taxes: list[Row]
    payment_settings: list[Row]
    payables: list[Row]
    hourly_payment_logs: list[Row]
    hourly_payment_lines: list[Row]
    one_time_payment_logs: list[Row]


def build_money(
    scenario: Scenario, people: PeopleRows, work: WorkRows, timesheets: TimesheetRows, now: datetime
) -> MoneyRows:
    """All rows of the money area. There are invoices only if the organization has the feature."""
    random = RandomSource(f"{scenario.name}: money", now.date())
    has_invoicing = scenario.features["invoicing"]
    invoices, lines, taxes = invoice_rows(random, scenario, people, work, now) if has_invoicing else ([], [], [])
    settings_by_user: dict[UUID, list[Row]] = {}
    for row in payment_setting_rows(random, scenario, people, now):
        settings_by_user.setdefault(row["user_id"], []).append(row)
    owner_id = people.members[0]["user_id"]
    zone = ZoneInfo(scenario.timezone)
    today = now.astimezone(zone).date()
    seconds_by_user = paid_time(timesheets, zone)
    hourly = hourly_pay(random, scenario, settings_by_user, seconds_by_user, owner_id, today, now)
    one_time = list(one_time_pay(random, people.members, settings_by_user, owner_id, now))
    return MoneyRows(
        invoices=invoices,
        invoice_lines=lines,
        invoice_taxes=taxes,
        payment_settings=[row for user_settings in settings_by_user.values() for row in user_settings],
        payables=hourly.payables + [payable for _, payable in one_time if payable is not None],
        hourly_payment_logs=hourly.logs,
        hourly_payment_lines=hourly.lines,
        one_time_payment_logs=[log for log, _ in one_time],
    )
