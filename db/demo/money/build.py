"""The area of money: what clients are invoiced, what was agreed with members, what they are owed and were paid."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from db.demo.area import Area, Row
from db.demo.chance import Chance
from db.demo.money.hourly_pay import hourly_pay
from db.demo.money.invoices import invoices_of
from db.demo.money.one_time_pay import one_time_pay
from db.demo.money.paid_time import paid_time
from db.demo.money.pay_rates import settings_of
from db.demo.outline import Outline
from db.demo.people.build import People
from db.demo.timesheets.build import Timesheets
from db.demo.work.build import Work


@dataclass(frozen=True)
class Money(Area):
    invoices: list[Row]
    invoice_lines: list[Row]
    invoice_taxes: list[Row]
    payment_settings: list[Row]
    payables: list[Row]
    hourly_payment_logs: list[Row]
    hourly_payment_lines: list[Row]
    one_time_payment_logs: list[Row]


def money(outline: Outline, crew: People, done: Work, tracked: Timesheets, now: datetime) -> Money:
    """The invoices of an organization that writes any, and the pay of its members."""
    chance = Chance(f"{outline.name}: money", now.date())
    writes_invoices = outline.features["invoicing"]
    invoices = invoices_of(chance, outline, crew, done, now) if writes_invoices else ([], [], [])
    settings: dict[UUID, list[Row]] = {}
    for row in settings_of(chance, outline, crew, now):
        settings.setdefault(row["user_id"], []).append(row)
    payer = crew.members[0]["user_id"]
    zone = ZoneInfo(outline.timezone)
    worked = paid_time(tracked, zone)
    hourly = hourly_pay(chance, outline, settings, worked, payer, now.astimezone(zone).date(), now)
    once = list(one_time_pay(chance, crew.members, settings, payer, now))
    return Money(
        *invoices,
        payment_settings=[row for own in settings.values() for row in own],
        payables=hourly.payables + [owed for _, owed in once if owed is not None],
        hourly_payment_logs=hourly.logs,
        hourly_payment_lines=hourly.lines,
        one_time_payment_logs=[log for log, _ in once],
    )
