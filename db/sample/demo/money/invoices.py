"""Invoices: one a month for each client, for the work of the month before."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import count
from uuid import UUID

from db.sample.demo.area import Row
from db.sample.demo.money.amounts import rounded
from db.sample.demo.money.invoice_items import invoice_item_rows
from db.sample.demo.people.build import PeopleRows
from db.sample.demo.random_source import DAY, RandomSource, truncate_to_second
from db.sample.demo.scenarios.scenario import Scenario
from db.sample.demo.work.build import WorkRows
from db.tables.money import DiscountType, InvoiceStatus
from db.tables.people import MemberRole, MemberStatus

MONTHS = 14

LATEST_STATUSES = (
    *(InvoiceStatus.draft, InvoiceStatus.sent, InvoiceStatus.viewed, InvoiceStatus.draft, InvoiceStatus.paid),
    *(InvoiceStatus.sent, InvoiceStatus.partially_paid, InvoiceStatus.viewed, InvoiceStatus.paid, InvoiceStatus.void),
    *(InvoiceStatus.partially_paid, InvoiceStatus.paid, InvoiceStatus.sent, InvoiceStatus.paid),
)
"""The statuses of the latest invoices, the newest first. Most older ones are paid."""

DELETED_DRAFT = 3
"""The index, from the newest, of the draft that was deleted."""

SETTLED_STATUSES = {InvoiceStatus.paid, InvoiceStatus.partially_paid, InvoiceStatus.void}

VAT_PERCENT = {"DE": Decimal(19)}
"""VAT in percent by the country of the client; other countries have none."""

InvoiceRows = tuple[list[Row], list[Row], list[Row]]
"""Invoices, their lines and their taxes."""


def invoice_rows(
    random: RandomSource, scenario: Scenario, people: PeopleRows, work: WorkRows, now: datetime
) -> InvoiceRows:
    """The invoices up to now, in the order of creation."""
    rows: list[Row] = []
    lines: list[Row] = []
    taxes: list[Row] = []
    authors: list[UUID] = [
        row["user_id"]
        for row in people.members
        if row["status"] == MemberStatus.active and row["role"] in (MemberRole.owner, MemberRole.admin)
    ]
    drafts = sorted(_drafts(random, work, now), key=lambda draft: draft[0])
    numbers = {year: count(1) for year in range(now.year - 2, now.year + 1)}
    for index, (at, client, item_rows) in enumerate(drafts):
        age = len(drafts) - 1 - index
        status = LATEST_STATUSES[age] if age < len(LATEST_STATUSES) else _old_status(random)
        percent = VAT_PERCENT.get(client["address"]["country"]) if client["address"] else None
        row = {
            "id": random.uuid7(at),
            "number": f"{scenario.employee_prefix}-{at.year}-{next(numbers[at.year]):04}",
            "client_id": client["id"],
            "status": status.value,
            "currency": client["currency"],
            **_dates(at, client["net_terms_days"]),
            **_sums(random, item_rows, client["currency"], percent, status),
            "purchase_order": f"PO-{random.randrange(10_000, 99_999)}" if random.one_in(3) else None,
            "reference": client["external_id"],
            "notes": "Thank you for working with us." if random.one_in(3) else None,
            "terms": None if client["net_terms_days"] is None else "Please quote the number of the invoice.",
            "created_by_user_id": random.choice(authors),
            "external_id": None,
            **_status_columns(random, status, at, now, is_deleted=age == DELETED_DRAFT),
        }
        row["public_url"] = f"https://invoices.example.com/{row['number'].lower()}" if row["sent_at"] else None
        rows.append(row)
        lines += [_line(random, row, position, item_row, percent) for position, item_row in enumerate(item_rows, 1)]
        if percent is not None:
            taxes.append(_part(random, row, 1, {"name": "VAT", "percent": percent, "amount": row["tax_amount"]}))
    return rows, lines, taxes


def _drafts(random: RandomSource, work: WorkRows, now: datetime) -> Iterator[tuple[datetime, Row, list[Row]]]:
    """The creation time, client and items of each invoice."""
    for start, end in _months(now.date()):
        for client in work.clients:
            seconds = random.randrange(7 * 3600, 2 * 86_400)
            at = datetime.combine(end + DAY, time(), UTC) + timedelta(seconds=seconds, microseconds=seconds)
            item_rows = list(invoice_item_rows(random, work, client, start, end))
            is_over = client["archived_at"] is not None and client["archived_at"] < at
            if item_rows and not is_over and at < now - timedelta(hours=1):
                yield at, client, item_rows


def _months(today: date) -> list[tuple[date, date]]:
    """The first and the last day of each of the last MONTHS months, the oldest first."""
    ends = [today.replace(day=1) - DAY]
    while len(ends) < MONTHS:
        ends.append(ends[-1].replace(day=1) - DAY)
    return [(end.replace(day=1), end) for end in reversed(ends)]


def _old_status(random: RandomSource) -> InvoiceStatus:
    if random.one_in(14):
        return random.choice([InvoiceStatus.void, InvoiceStatus.viewed])
    return InvoiceStatus.paid


def _dates(at: datetime, terms: int | None) -> Row:
    issued = at.date()
    end = issued.replace(day=1) - DAY
    return {
        "issue_date": issued,
        "due_date": None if terms is None else issued + terms * DAY,
        "period_start": end.replace(day=1),
        "period_end": end,
    }


def _sums(
    random: RandomSource, item_rows: Sequence[Row], currency: str, percent: Decimal | None, status: InvoiceStatus
) -> Row:
    subtotal = sum((item_row["amount"] for item_row in item_rows), Decimal())
    kind, value, discount = DiscountType.none, None, Decimal()
    if random.one_in(6):
        kind, value = DiscountType.percent, Decimal(random.choice([3, 5, 10]))
        discount = rounded(subtotal * value / 100, currency)
    elif random.one_in(8) and subtotal > 1000:
        kind, value, discount = DiscountType.amount, Decimal(100), Decimal(100)
    tax = rounded((subtotal - discount) * (percent or 0) / 100, currency)
    total = subtotal - discount + tax
    paid = Decimal()
    if status is InvoiceStatus.paid:
        # One client in 20 pays too much.
        paid = total + (10 if random.one_in(20) else 0)
    elif status is InvoiceStatus.partially_paid:
        paid = rounded(total * random.choice([30, 50]) / 100, currency)
    return {
        "subtotal": subtotal,
        "discount_type": kind.value,
        "discount_value": value,
        "discount_amount": discount,
        "tax_amount": tax,
        "total": total,
        "amount_paid": paid,
    }


def _status_columns(
    random: RandomSource, status: InvoiceStatus, at: datetime, now: datetime, *, is_deleted: bool
) -> Row:
    """The columns for when it was sent, viewed, paid, voided and deleted."""
    days = [random.uniform(*span) for span in ((0.05, 0.9), (0.1, 4), (1, 24))]
    sent, viewed, settled = (truncate_to_second(min(now, at + sum(days[: part + 1]) * DAY)) for part in range(3))
    is_sent = status is not InvoiceStatus.draft
    is_viewed = is_sent and status is not InvoiceStatus.sent
    changed = settled if status in SETTLED_STATUSES else viewed if is_viewed else sent if is_sent else at
    deleted = random.datetime_between(at, now, 0.1, 0.9) if is_deleted else None
    return {
        "sent_at": sent if is_sent else None,
        "viewed_at": viewed if is_viewed else None,
        "paid_at": settled if status is InvoiceStatus.paid else None,
        "voided_at": settled if status is InvoiceStatus.void else None,
        "created_at": at,
        "updated_at": deleted or changed,
        "deleted_at": deleted,
    }


def _line(random: RandomSource, invoice: Row, position: int, item_row: Row, percent: Decimal | None) -> Row:
    return _part(random, invoice, position, item_row | {"is_taxed": percent is not None, "tax_percent": percent})


def _part(random: RandomSource, invoice: Row, position: int, columns: Row) -> Row:
    created = invoice["created_at"]
    return {
        "id": random.uuid7(created),
        "invoice_id": invoice["id"],
        "position": position,
        **columns,
        "created_at": created,
        "updated_at": created,
        "deleted_at": None,
    }
