"""Invoices: one a month to each client, for the work of the month before."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import count
from uuid import UUID

from db.demo.area import Row
from db.demo.chance import DAY, Chance, whole
from db.demo.money.amounts import rounded
from db.demo.money.invoice_items import items_of
from db.demo.outline import Outline
from db.demo.people.build import People
from db.demo.work.build import Work
from db.tables.money import DiscountType, InvoiceStatus
from db.tables.people import MemberRole, MemberStatus

MONTHS = 14

LATEST = (
    *(InvoiceStatus.draft, InvoiceStatus.sent, InvoiceStatus.viewed, InvoiceStatus.draft, InvoiceStatus.paid),
    *(InvoiceStatus.sent, InvoiceStatus.partially_paid, InvoiceStatus.viewed, InvoiceStatus.paid, InvoiceStatus.void),
    *(InvoiceStatus.partially_paid, InvoiceStatus.paid, InvoiceStatus.sent, InvoiceStatus.paid),
)
"""What became of the latest invoices, the newest first. Older ones were paid, but for a few."""

DELETED = 3
"""The place of the draft that somebody deleted."""

SETTLED = {InvoiceStatus.paid, InvoiceStatus.partially_paid, InvoiceStatus.void}

VAT = {"DE": Decimal(19)}
"""Percent, by the country of the client. Abroad, none is charged."""

Made = tuple[list[Row], list[Row], list[Row]]
"""Invoices, their lines and their taxes."""


def invoices_of(chance: Chance, outline: Outline, crew: People, done: Work, now: datetime) -> Made:
    """The invoices up to now, in their order."""
    rows: list[Row] = []
    lines: list[Row] = []
    taxes: list[Row] = []
    authors: list[UUID] = [
        row["user_id"]
        for row in crew.members
        if row["status"] == MemberStatus.active and row["role"] in (MemberRole.owner, MemberRole.admin)
    ]
    drafts = sorted(_drafts(chance, done, now), key=lambda draft: draft[0])
    numbers = {year: count(1) for year in range(now.year - 2, now.year + 1)}
    for index, (at, client, items) in enumerate(drafts):
        place = len(drafts) - 1 - index
        status = LATEST[place] if place < len(LATEST) else _old(chance)
        percent = VAT.get(client["address"]["country"]) if client["address"] else None
        row = {
            "id": chance.id(at),
            "number": f"{outline.employee_prefix}-{at.year}-{next(numbers[at.year]):04}",
            "client_id": client["id"],
            "status": status.value,
            "currency": client["currency"],
            **_days(at, client["net_terms_days"]),
            **_sums(chance, items, client["currency"], percent, status),
            "purchase_order": f"PO-{chance.random.randrange(10_000, 99_999)}" if chance.one_in(3) else None,
            "reference": client["external_id"],
            "notes": "Thank you for working with us." if chance.one_in(3) else None,
            "terms": None if client["net_terms_days"] is None else "Please quote the number of the invoice.",
            "created_by_user_id": chance.random.choice(authors),
            "external_id": None,
            **_story(chance, status, at, now, is_deleted=place == DELETED),
        }
        row["public_url"] = f"https://invoices.example.com/{row['number'].lower()}" if row["sent_at"] else None
        rows.append(row)
        lines += [_line(chance, row, position, item, percent) for position, item in enumerate(items, 1)]
        if percent is not None:
            taxes.append(_part(chance, row, 1, {"name": "VAT", "percent": percent, "amount": row["tax_amount"]}))
    return rows, lines, taxes


def _drafts(chance: Chance, done: Work, now: datetime) -> Iterator[tuple[datetime, Row, list[Row]]]:
    """When which client was written an invoice, and about what."""
    for start, end in _months(now.date()):
        for client in done.clients:
            seconds = chance.random.randrange(7 * 3600, 2 * 86_400)
            at = datetime.combine(end + DAY, time(), UTC) + timedelta(seconds=seconds, microseconds=seconds)
            items = list(items_of(chance, done, client, start, end))
            is_over = client["archived_at"] is not None and client["archived_at"] < at
            if items and not is_over and at < now - timedelta(hours=1):
                yield at, client, items


def _months(today: date) -> list[tuple[date, date]]:
    """The first and the last day of each of the months that have ended, the oldest first."""
    ends = [today.replace(day=1) - DAY]
    while len(ends) < MONTHS:
        ends.append(ends[-1].replace(day=1) - DAY)
    return [(end.replace(day=1), end) for end in reversed(ends)]


def _old(chance: Chance) -> InvoiceStatus:
    if chance.one_in(14):
        return chance.random.choice([InvoiceStatus.void, InvoiceStatus.viewed])
    return InvoiceStatus.paid


def _days(at: datetime, terms: int | None) -> Row:
    issued = at.date()
    end = issued.replace(day=1) - DAY
    return {
        "issue_date": issued,
        "due_date": None if terms is None else issued + terms * DAY,
        "period_start": end.replace(day=1),
        "period_end": end,
    }


def _sums(chance: Chance, items: Sequence[Row], currency: str, percent: Decimal | None, status: InvoiceStatus) -> Row:
    subtotal = sum((item["amount"] for item in items), Decimal())
    kind, value, discount = DiscountType.none, None, Decimal()
    if chance.one_in(6):
        kind, value = DiscountType.percent, Decimal(chance.random.choice([3, 5, 10]))
        discount = rounded(subtotal * value / 100, currency)
    elif chance.one_in(8) and subtotal > 1000:
        kind, value, discount = DiscountType.amount, Decimal(100), Decimal(100)
    tax = rounded((subtotal - discount) * (percent or 0) / 100, currency)
    total = subtotal - discount + tax
    paid = Decimal()
    if status is InvoiceStatus.paid:
        # Now and then somebody pays too much.
        paid = total + (10 if chance.one_in(20) else 0)
    elif status is InvoiceStatus.partially_paid:
        paid = rounded(total * chance.random.choice([30, 50]) / 100, currency)
    return {
        "subtotal": subtotal,
        "discount_type": kind.value,
        "discount_value": value,
        "discount_amount": discount,
        "tax_amount": tax,
        "total": total,
        "amount_paid": paid,
    }


def _story(chance: Chance, status: InvoiceStatus, at: datetime, now: datetime, *, is_deleted: bool) -> Row:
    """What happened to an invoice after it was written."""
    days = [chance.random.uniform(*span) for span in ((0.05, 0.9), (0.1, 4), (1, 24))]
    sent, seen, settled = (whole(min(now, at + sum(days[: part + 1]) * DAY)) for part in range(3))
    is_sent = status is not InvoiceStatus.draft
    is_seen = is_sent and status is not InvoiceStatus.sent
    changed = settled if status in SETTLED else seen if is_seen else sent if is_sent else at
    deleted = chance.between(at, now, 0.1, 0.9) if is_deleted else None
    return {
        "sent_at": sent if is_sent else None,
        "viewed_at": seen if is_seen else None,
        "paid_at": settled if status is InvoiceStatus.paid else None,
        "voided_at": settled if status is InvoiceStatus.void else None,
        "created_at": at,
        "updated_at": deleted or changed,
        "deleted_at": deleted,
    }


def _line(chance: Chance, invoice: Row, position: int, item: Row, percent: Decimal | None) -> Row:
    return _part(chance, invoice, position, item | {"is_taxed": percent is not None, "tax_percent": percent})


def _part(chance: Chance, invoice: Row, position: int, columns: Row) -> Row:
    written = invoice["created_at"]
    return {
        "id": chance.id(written),
        "invoice_id": invoice["id"],
        "position": position,
        **columns,
        "created_at": written,
        "updated_at": written,
        "deleted_at": None,
    }
