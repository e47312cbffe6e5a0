"""Totals of lists: the sums by currency, or by leave type, equal those of all pages, whatever filters the list."""

from collections import defaultdict
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

from rest_facade.composition import Service
from tests.factories.rows import Rows
from tests.resolvers.lists.summed_rows import DAYS, read, rows_of, summed_rows

LISTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "invoices": ("invoice_totals", {"amount": "total", "amount_paid": "amount_paid", "amount_due": "amount_due"}),
    "payables": ("payable_totals", {name: name for name in ("amount", "amount_paid", "amount_due")}),
    "hourly_payment_logs": ("hourly_payment_totals", {"amount": "amount"}),
    "one_time_payment_logs": ("one_time_payment_totals", {"amount": "amount"}),
    "leave_applications": ("leave_application_totals", {name: name for name in ("amount", "duration_seconds")}),
}
"""The totals of each list, and the amount of its rows that each sum is of."""

FILTERS = (DAYS, "include_deleted: true", "status: [STATUS]", 'where: {created_at: {_lt: "2000-01-01T00:00:00Z"}}')


@pytest.fixture(scope="module")
def own(rows: Rows) -> UUID:
    return summed_rows(rows)


@pytest.mark.parametrize("given", ["limit: 5", *FILTERS], ids=["all", "days", "deleted", "status", "where"])
@pytest.mark.parametrize("name", LISTS)
async def test_totals_are_the_sums_of_all_pages(service: Service, own: UUID, name: str, given: str) -> None:
    totals, amounts = LISTS[name]
    key, status = ("leave_type_id", "approved") if name == "leave_applications" else ("currency", "paid")
    given = given.replace("STATUS", status)
    filters = "" if given == "limit: 5" else given
    expected: dict[str, dict[str, Any]] = defaultdict(lambda: {"count": 0, **dict.fromkeys(amounts, Decimal())})
    for row in await rows_of(service, own, name, filters, [key, *amounts.values()]):
        expected[row[key]]["count"] += 1
        for total, amount in amounts.items():
            expected[row[key]][total] += Decimal(row[amount])
    head = f"{totals}({filters})" if filters else totals
    data = (await read(service, own, f"{{ {head} {{ {key} count {' '.join(amounts)} }} }}"))[totals]
    assert [row[key] for row in data] == sorted(expected)
    for row in data:
        assert {each: str(row[each]) for each in amounts} == {each: str(expected[row[key]][each]) for each in amounts}
        assert row["count"] == expected[row[key]]["count"]
    assert bool(expected) is not given.startswith("where")


async def test_totals_below_parents_are_one_statement(
    service: Service, own: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent, execute = list[int](), service.database.read_rows

    async def counted(organization_id: UUID, statements: Any, **options: Any) -> Any:
        sent.append(len(statements))
        return await execute(organization_id, statements, **options)

    monkeypatch.setattr(service.database, "read_rows", counted)
    data = await read(service, own, "{ clients { results { invoice_totals { currency count } invoices { count } } } }")
    (client,) = data["clients"]["results"]
    assert sum(row["count"] for row in client["invoice_totals"]) == client["invoices"]["count"] == 21
    assert sum(sent) == 3, "the clients, their totals and their counts"
    shown = "leave_application_totals(status: [approved]) { count leave_type { id } leave_type_id }"
    selection = f"user_id {shown} leave_applications(status: [approved]) {{ count }}"
    (member,) = (await read(service, own, f"{{ members {{ results {{ {selection} }} }} }}"))["members"]["results"]
    leave = member["leave_application_totals"]
    assert sum(row["count"] for row in leave) == member["leave_applications"]["count"] > 0
    assert [row["leave_type"]["id"] for row in leave] == [row["leave_type_id"] for row in leave]
