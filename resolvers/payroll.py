"""Resolvers of payroll: payment settings, payables and payments of members."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Select, Text, and_, cast, func, select, true

from db.reading.connection import Row
from db.tables.columns import in_organization
from db.tables.payroll import (
    hourly_payment_lines,
    hourly_payment_logs,
    one_time_payment_logs,
    payables,
    payment_settings,
)
from db.tables.reference import minor_unit_digits
from resolvers.context import Context
from resolvers.lists.filters import flag, identifiers, one_of, person
from resolvers.lists.groups import Groups
from resolvers.lists.list_sql import FIRST, LAST, SINCE, DateRange, LastChange
from resolvers.lists.listing import Listing
from resolvers.lists.page_arguments import MAX_ARRAY_ROWS, too_many
from resolvers.lists.page_reader import PageReader
from resolvers.period import today_of
from resolvers.records.finality_sql import PAYABLE_CHANGED_AT, PAYABLE_IS_FINAL, all_payable_changes, payable_changes
from resolvers.relations.live import is_live
from resolvers.relations.nodes import grouped_by, rows_by_id
from resolvers.relations.relation import KEYS, Relation, id_rows
from resolvers.selected import ALL
from resolvers.steps.batch import batched
from resolvers.values.amounts import amount_text, columns_of

MAX_LINES = 500

PAYMENT_SETTING_COLUMNS = columns_of(
    payment_settings, decimals=["overtime_multiplier"], currency_digits=minor_unit_digits(payment_settings.c.currency)
)
PAYABLE_COLUMNS = columns_of(
    payables,
    is_final=PAYABLE_IS_FINAL,
    amount_due=amount_text(payables.c.amount - payables.c.amount_paid, payables.c.currency),
)

_parents = id_rows(KEYS, "key", "parents")


def _first_rows(rows: Select[Any], parent: Column[Any], day: str, limit: int) -> Relation:
    """The first `limit` rows of each parent by a day, each parent read apart."""
    order = (parent.table.c[day], parent.table.c.id)
    first = rows.where(parent == _parents.c.key).order_by(*order).limit(limit).correlate(_parents).lateral("first")
    joined = _parents.join(first, true())
    rows = select(*first.c).select_from(joined).order_by(first.c[day], first.c.id)
    return Relation(_parents.c.key, rows, many=True)


# One row more than an array may have shows that there are too many.
_settings = _first_rows(
    select(*PAYMENT_SETTING_COLUMNS).where(in_organization(payment_settings), is_live(payment_settings)),
    payment_settings.c.user_id,
    "effective_from",
    MAX_ARRAY_ROWS + 1,
)
settings_by_id = rows_by_id(payment_settings, PAYMENT_SETTING_COLUMNS, "Payment setting")
_settings_counts = grouped_by(payment_settings.c.user_id, count=func.count())


@batched("user_id", rows=_settings)
async def settings_of_member(context: Context, members: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Sequence[Row]]:
    """The payment settings of each member, all of them."""
    ids = [member.user_id for member in members]
    settings = await _settings.rows(context, ids, context.selected.get(_settings, ALL))
    for id_ in ids:
        if len(settings[id_]) > MAX_ARRAY_ROWS:
            total = await _settings_counts.load(context, id_)
            raise too_many(len(settings[id_]) if total is None else total.count, "payment settings")
    return [settings[id_] for id_ in ids]


@batched("effective_from", "effective_to")
async def is_current_setting(context: Context, settings: Sequence[Any], _: Mapping[str, Any]) -> Sequence[bool]:
    """Whether settings are in effect today, in the organization's zone."""
    today = await today_of(context)
    return [row.effective_from <= today and (row.effective_to is None or today <= row.effective_to) for row in settings]


# One line more than MAX_LINES shows whether lines are left out. Amounts are in the currency of the payment.
_lines_of_logs = _first_rows(
    select(
        *(hourly_payment_lines.c[name] for name in ("id", "date", "project_id", "task_id", "paid_seconds")),
        cast(hourly_payment_lines.c.rate, Text).label("rate"),
        amount_text(hourly_payment_lines.c.amount, hourly_payment_logs.c.currency).label("amount"),
    )
    .select_from(
        hourly_payment_lines.join(hourly_payment_logs, hourly_payment_logs.c.id == hourly_payment_lines.c.log_id)
    )
    .where(
        in_organization(hourly_payment_lines),
        in_organization(hourly_payment_logs),
        hourly_payment_lines.c.deleted_at.is_(None),
    ),
    hourly_payment_lines.c.log_id,
    "date",
    MAX_LINES + 1,
)


@batched("id")
async def lines_of_log(context: Context, logs: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Sequence[Row]]:
    """The first MAX_LINES lines of an hourly payment, by day."""
    lines = await _lines_of_logs.rows(context, [log.id for log in logs])
    return [lines[log.id][:MAX_LINES] for log in logs]


@batched("id")
async def lines_truncated(context: Context, logs: Sequence[Any], _: Mapping[str, Any]) -> Sequence[bool]:
    """Whether an hourly payment has more than MAX_LINES lines."""
    lines = await _lines_of_logs.rows(context, [log.id for log in logs])
    return [len(lines[log.id]) > MAX_LINES for log in logs]


hourly_logs_by_id = rows_by_id(hourly_payment_logs, columns_of(hourly_payment_logs), "Hourly payment")
HOURLY_LOGS = Listing(
    hourly_payment_logs,
    description=", by creation. `start_date` and `end_date` select payments whose period overlaps them.",
    resource="payroll.HourlyPaymentLog",
    filters=[
        identifiers(hourly_payment_logs.c.id, "payments"),
        *person(hourly_payment_logs.c.user_id, "Only payments to this person."),
        one_of(hourly_payment_logs.c.status, "Only these statuses."),
    ],
    date_range=DateRange(
        where=and_(hourly_payment_logs.c.period_start <= LAST, hourly_payment_logs.c.period_end >= FIRST),
        is_local=False,
    ),
)
HOURLY_PAYMENT_TOTALS = Groups(
    HOURLY_LOGS,
    ["amount", "tracked_seconds", "paid_seconds", "overtime_seconds"],
    day=hourly_payment_logs.c.period_end,
    by=["currency"],
)

ONE_TIME_LOGS = Listing(
    one_time_payment_logs,
    description=", by creation. `start_date` and `end_date` select by payment_date.",
    resource="payroll.OneTimePaymentLog",
    filters=[
        identifiers(one_time_payment_logs.c.id, "payments"),
        *person(one_time_payment_logs.c.user_id, "Only payments to this person."),
        one_of(one_time_payment_logs.c.status, "Only these statuses."),
        one_of(one_time_payment_logs.c.type, "Only these types."),
    ],
    date_range=DateRange(where=one_time_payment_logs.c.payment_date.between(FIRST, LAST), is_local=False),
)
ONE_TIME_PAYMENT_TOTALS = Groups(ONE_TIME_LOGS, ["amount"], day=one_time_payment_logs.c.payment_date, by=["currency"])

one_time_logs_by_id = rows_by_id(one_time_payment_logs, columns_of(one_time_payment_logs), "One-time payment")

PAYABLES = Listing(
    payables,
    PAYABLE_COLUMNS,
    description=", by creation. `start_date` and `end_date` select payables whose period overlaps them.",
    resource="payroll.Payable",
    filters=[
        identifiers(payables.c.id, "payables"),
        *person(payables.c.user_id, "Only payables of this person."),
        one_of(payables.c.status, "Only these statuses."),
        one_of(payables.c.kind, "Only these kinds."),
        flag(
            PAYABLE_IS_FINAL, "Only payables that are (true) or are not (false) final; default: both.", name="is_final"
        ),
    ],
    date_range=DateRange(where=and_(payables.c.period_start <= LAST, payables.c.period_end >= FIRST), is_local=False),
    noun="Payable",
    last_change=LastChange(
        at=PAYABLE_CHANGED_AT, since=payable_changes(SINCE), since_of_all=all_payable_changes(SINCE)
    ),
)
payables_by_id = PageReader(PAYABLES, "id")
"""Whether a payable is final depends on the zone, which lists bind."""

PAYABLE_TOTALS = Groups(
    PAYABLES,
    ["amount", "amount_paid", "amount_due", "tracked_seconds", "payable_seconds"],
    day=payables.c.period_end,
    by=["currency"],
)


@batched("payable_id", rows=PAYABLES)
async def payable_of(context: Context, payments: Sequence[Any], _: Mapping[str, Any]) -> Sequence[Row | None]:
    """The payable that is paid."""
    ids = [payment.payable_id for payment in payments]
    rows = await payables_by_id.live_rows(context, [id_ for id_ in ids if id_ is not None])
    return [rows.get(id_) for id_ in ids]
