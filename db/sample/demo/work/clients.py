"""Clients: those of the scenario, and extra ones for larger organizations."""

import re
from collections.abc import Iterator, Sequence

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, RandomSource, truncate_to_second
from db.sample.demo.scenarios.names import CITIES, CLIENT_NAMES, CLIENT_TRADES, name_pair, to_ascii
from db.sample.demo.scenarios.scenario import Budget, ClientSpec, Scenario, amount_budget, time_budget


def extra_client_specs(random: RandomSource, scenario: Scenario, count: int) -> Iterator[ClientSpec]:
    """`count` clients with random properties."""
    names = list(zip(CLIENT_NAMES, CLIENT_TRADES, strict=True))
    for index in range(count):
        first, trade = name_pair(index, names)
        city = random.choice(CITIES)
        yield ClientSpec(
            name=f"{first} {trade}",
            prefix=f"{first[:2].upper()}{index + 1:03}",
            currency=scenario.currency,
            address=city._replace(line1=city.line1.format(random.randrange(1, 190))),
            tax_number=f"{city.country}999{random.randrange(10**6):06}",
            contact_name=" ".join(random.choice(scenario.names)),
            net_terms_days=random.choice([14, 30, 30, 45]),
            budget=random.choice([Budget(), amount_budget("25000.00"), time_budget(500)]),
            external_id=f"C-{10100 + index}",
            is_archived=random.one_in(8),
        )


def client_rows(random: RandomSource, scenario: Scenario, specs: Sequence[ClientSpec]) -> list[Row]:
    """The clients, in the order of creation."""
    rows = []
    created_times = random.datetimes(len(specs), random.start, random.end - 60 * DAY, early=True)
    for spec, created in zip(specs, created_times, strict=True):
        archived = None
        if spec.is_archived:
            archived = truncate_to_second(random.datetime_between(created, random.end, 0.4, 0.8))
        mailbox = "-".join(re.findall("[a-z0-9]+", to_ascii(spec.name)))
        rows.append(
            {
                "id": random.uuid7(created),
                "name": spec.name,
                "archived_at": archived,
                "contact_name": spec.contact_name,
                "email": f"{mailbox}@example.org" if spec.contact_name else None,
                "phone": spec.phone,
                "invoice_emails": [f"invoices.{mailbox}@example.org"] if spec.tax_number else [],
                "address": spec.address._asdict() if spec.address else None,
                "tax_number": spec.tax_number,
                "currency": spec.currency,
                "timezone": spec.timezone,
                "net_terms_days": spec.net_terms_days,
                **budget_columns(spec.budget),
                "external_id": spec.external_id,
                "note": spec.note,
                **random.timestamps(created, archived),
            }
        )
    return rows


def budget_columns(budget: Budget) -> Row:
    """The columns of a budget, of a client or a project."""
    return {
        "budget_type": budget.type.value,
        "budget_amount": budget.amount,
        "budget_seconds": budget.hours * 3600 if budget.hours is not None else None,
        "budget_recurrence": budget.recurrence.value,
    }
