"""Invoice items of a client and month: hours, two halves of each fixed price, and sometimes an expense."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from db.sample.demo.area import Row
from db.sample.demo.money.amounts import minor_units, rounded
from db.sample.demo.random_source import RandomSource
from db.sample.demo.work.build import WorkRows
from db.sample.demo.work.projects import finished_at
from db.tables.money import InvoiceLineKind, InvoiceLineUnit
from db.tables.work import BillingType

EXPENSES = ("Train tickets, workshop on site", "Stock photos", "Test devices", "Licences of typefaces", "Courier")


def invoice_item_rows(random: RandomSource, work: WorkRows, client: Row, start: date, end: date) -> Iterator[Row]:
    """Columns of the invoice lines for the client's projects in progress from `start` to `end`."""
    projects = [
        project
        for project in work.projects
        if project["client_id"] == client["id"]
        and project["created_at"].date() <= end
        and ((finished := finished_at(project)) is None or finished.date() >= start)
    ]
    for project in projects:
        if project["billing_type"] == BillingType.hourly:
            seconds = 900 * random.randrange(12, 240)
            yield _item(project, InvoiceLineKind.time, project["name"], seconds, project["bill_rate"])
        elif project["billing_type"] == BillingType.fixed:
            completed = project["completed_at"]
            first_half = rounded(project["fixed_amount"] / 2, client["currency"])
            if project["created_at"].date() >= start:
                yield _item(project, InvoiceLineKind.fixed, f"{project['name']}, first half", None, first_half)
            if completed is not None and start <= completed.date() <= end:
                second_half = project["fixed_amount"] - first_half
                yield _item(project, InvoiceLineKind.fixed, f"{project['name']}, second half", None, second_half)
    if projects and random.one_in(4):
        unit_price = minor_units(random.randrange(1500, 40_000), client["currency"])
        yield _item(projects[0], InvoiceLineKind.expense, random.choice(EXPENSES), None, unit_price)


def _item(project: Row, kind: InvoiceLineKind, description: str, seconds: int | None, unit_price: Decimal) -> Row:
    """`seconds` of work at `unit_price` an hour; None: one item for `unit_price`."""
    quantity = Decimal(1) if seconds is None else Decimal(seconds) / 3600
    return {
        "kind": kind.value,
        "description": description,
        "project_id": project["id"],
        "task_id": None,
        "user_id": None,
        "quantity": quantity,
        "unit": (InvoiceLineUnit.item if seconds is None else InvoiceLineUnit.hour).value,
        "duration_seconds": seconds,
        "unit_price": unit_price,
        "amount": rounded(quantity * unit_price, project["currency"]),
    }
