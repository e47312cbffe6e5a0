"""Clients: those of the outline, and as many more as the organization needs."""

import re
from collections.abc import Iterator, Sequence

from db.demo.area import Row
from db.demo.chance import DAY, Chance, whole
from db.demo.outline import Budget, ClientSketch, Outline, hours, money
from db.demo.scenarios.names import CITIES, CLIENT_NAMES, CLIENT_TRADES, pair, plain


def more_clients(chance: Chance, outline: Outline, count: int) -> Iterator[ClientSketch]:
    """Sketches of clients beyond those of the outline."""
    names = list(zip(CLIENT_NAMES, CLIENT_TRADES, strict=True))
    for index in range(count):
        first, trade = pair(index, names)
        city = chance.random.choice(CITIES)
        yield ClientSketch(
            f"{first} {trade}",
            f"{first[:2].upper()}{index + 1:03}",
            outline.currency,
            city._replace(line1=city.line1.format(chance.random.randrange(1, 190))),
            f"{city.country}999{chance.random.randrange(10**6):06}",
            " ".join(chance.random.choice(outline.names)),
            net_terms_days=chance.random.choice([14, 30, 30, 45]),
            budget=chance.random.choice([Budget(), money("25000.00"), hours(500)]),
            external_id=f"C-{10100 + index}",
            is_archived=chance.one_in(8),
        )


def clients_of(chance: Chance, outline: Outline, sketches: Sequence[ClientSketch]) -> list[Row]:
    """The clients, won one after the other."""
    rows = []
    won = chance.moments(len(sketches), chance.start, chance.end - 60 * DAY, early=True)
    for sketch, created in zip(sketches, won, strict=True):
        archived = whole(chance.between(created, chance.end, 0.4, 0.8)) if sketch.is_archived else None
        mailbox = "-".join(re.findall("[a-z0-9]+", plain(sketch.name)))
        rows.append(
            {
                "id": chance.id(created),
                "name": sketch.name,
                "archived_at": archived,
                "contact_name": sketch.contact_name,
                "email": f"{mailbox}@example.org" if sketch.contact_name else None,
                "phone": sketch.phone,
                "invoice_emails": [f"invoices.{mailbox}@example.org"] if sketch.tax_number else [],
                "address": sketch.address._asdict() if sketch.address else None,
                "tax_number": sketch.tax_number,
                "currency": sketch.currency,
                "timezone": sketch.timezone,
                "net_terms_days": sketch.net_terms_days,
                **spending(sketch.budget),
                "external_id": sketch.external_id,
                "note": sketch.note,
                **chance.stamps(created, archived),
            }
        )
    return rows


def spending(budget: Budget) -> Row:
    """The columns of a budget."""
    return {
        "budget_type": budget.type.value,
        "budget_amount": budget.amount,
        "budget_seconds": budget.hours * 3600 if budget.hours is not None else None,
        "budget_recurrence": budget.recurrence.value,
    }
