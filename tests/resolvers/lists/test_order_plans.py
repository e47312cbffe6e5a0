"""Plans of ordered lists: an order with an index reads no more rows than its page, and all others, like conditions, the
organization's.

The organization has a thousand rows of each table.
"""

from collections.abc import AsyncIterator, Iterator
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Column, Date, DateTime, Table
from sqlalchemy.sql import visitors

from db.admin.engine import connect
from db.sample.embedded.server import Server
from db.tables.columns import metadata
from resolvers.day_bounds import Seconds
from resolvers.lists.comparisons import values_kind
from resolvers.lists.listing import Listing
from schema.execution.operation import Executor, Operation
from tests import world as worlds
from tests.conftest import _copy
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.helpers.databases import superuser_of
from tests.resolvers.explaining import Explaining, nodes
from tests.resolvers.lists.ordered_lists import ordered_document, ordered_lists

SIZE, LIMIT = 1_000, 5

# Without triggers and foreign keys, which would take most of the time.
MULTIPLIED = """
INSERT INTO {table} SELECT copy.*
FROM (SELECT {table} AS first FROM {table} WHERE deleted_at IS NULL LIMIT 1) one, generate_series(1, {size}) n,
LATERAL jsonb_populate_record(first, jsonb_build_object(
  '{key}', gen_random_uuid(), 'membership_id', gen_random_uuid(), 'user_id', gen_random_uuid(), 'number', n,
  'name', 'Name ' || n, 'full_name', 'Name ' || n, 'created_at', (first).created_at + n * interval '1 hour',
  'updated_at', (first).created_at + n * interval '1 hour'{more}
)) copy
"""
MULTIPLIED_TIMES = {"created_at", "updated_at", "deleted_at"}

LISTS = list(ordered_lists())


def moved(column: Column[Any]) -> str:
    """The time of a copy: within a day, so that a range has all of them. Nulls stay, except those of an order."""
    value = f"(first).{column.name}"
    value = f"coalesce({value}, '{THEN.date()}')" if column.name == "due_date" else value
    return f"{value} + n % 20 * interval '1 {'day' if isinstance(column.type, Date) else 'minute'}'"


def command(listing: Listing) -> str:
    table = listing.table
    assert isinstance(table, Table)
    columns = [column for column in table.c if isinstance(column.type, Date | DateTime)]
    more = "".join(f", '{column.name}', {moved(column)}" for column in columns if column.name not in MULTIPLIED_TIMES)
    return MULTIPLIED.format(table=table.name, size=SIZE, key=listing.order[-1], more=more)


@pytest.fixture(scope="module")
def filled(server: Server, template: str) -> Iterator[tuple[str, UUID]]:
    """A database with one organization that has SIZE rows in each list."""
    with _copy(server, template) as url:
        rows = Rows(connect(url))
        own = worlds.build(rows, "A").organization_id
        rows.connection.close()
        with superuser_of(server, url) as superuser:
            superuser.execute("SET session_replication_role = replica")
            for _, listing in LISTS:
                superuser.execute(command(listing).encode())
            superuser.execute("VACUUM ANALYZE")
        yield url, own


@pytest.fixture(scope="module")
async def database(filled: tuple[str, UUID], anyio_backend: str) -> AsyncIterator[Explaining]:
    database = Explaining(filled[0])
    await database.open()
    yield database
    await database.close()


SORTED = {"timesheets": "the rows of the range, which it always has, are found by person"}
"""Lists without an index of their order, and how their rows are found."""


def is_indexed(listing: Listing, column: str) -> bool:
    """Whether an index has the rows of the organization, or of the range that a list always has, in this order."""
    if listing.always_has_range and column != listing.order[0]:
        return False
    assert isinstance(listing.table, Table)
    stored, key = listing.table.c.get(column), listing.table.c[listing.order[-1]]
    pairs: list[Any] = [each for index in listing.table.indexes if len(each := list(index.expressions)[1:]) == 2]
    return any(last is key and stored in {*visitors.iterate(first)} for first, last in pairs)


ORDERS = [
    pytest.param(name, listing, column, id=f"{name} by {column}")
    for name, listing in LISTS
    if listing.orders is not None and name not in SORTED
    for column in listing.orders.columns
    if is_indexed(listing, column)
]

# A plan for all values expects few balances of the current periods, which the list has by default, and sorts them.
PLANNED = {"leave_balances": (False,)}


@pytest.mark.parametrize(("name", "listing", "column"), ORDERS)
async def test_ordered_page_reads_its_index(
    name: str, listing: Listing, column: str, filled: tuple[str, UUID], database: Explaining
) -> None:
    own = filled[1]
    assert isinstance(listing.table, Table)
    names = {index.name for index in listing.table.indexes if column in str(list(index.expressions)[1])}
    for order in (f"{column}_asc", f"{column}_desc"):
        after = None
        for _ in range(2):
            database.statements.clear()
            document = ordered_document(name, order, LIMIT, THEN.date(), after)
            result = await Executor(database).execute(Operation(document), own, {})
            assert not result.errors
            data: Any = result.data
            after = data[name]["next"]
            (bound,) = (bound for bound in database.statements if " AS page" in bound[0].sql)
            for is_generic in PLANNED.get(name, (False, True)):
                plan = database.analyzed(own, bound, is_generic=is_generic)
                # The first one is that of the page: a payable looks for the last change of its records.
                limit = next(node for node in nodes(plan) if node["Node Type"] == "Limit")
                read = next(node for node in nodes(limit) if node.get("Relation Name") == listing.table.name)
                assert read.get("Index Name") in names, plan
                assert read["Actual Rows"] <= LIMIT + 1, plan
                assert "Sort" not in {node["Node Type"] for node in nodes(limit, subplans=False)}, plan


def compared(name: str, column: str, kind: Any) -> str:
    """A page of the rows with one value in a column."""
    values = {bool: "true", str: '"x"', UUID: f'"{UUID(int=1)}"'} | dict.fromkeys((int, Seconds, Decimal), "1")
    value = (values | {date: f'"{THEN.date()}"', datetime: f'"{THEN.isoformat()}"'}).get(kind)
    value = value or next(iter(vars(kind)["_member_map_"]))
    document = ordered_document(name, "_", LIMIT, THEN.date())
    return document.replace("order_by: _", f"where: {{{column}: {{_eq: {value}}}}}")


def documents() -> Iterator[tuple[str, str]]:
    """Conditions and orders of each list without an index, one of each kind of values: those of a kind are made alike.

    And conditions on related rows, one of each table and quantifier.
    """
    known: set[Any] = set()

    def is_new(*kind: Any) -> bool:
        is_known = kind in known
        known.add(kind)
        return not is_known

    for name, listing in LISTS:
        assert isinstance(listing.table, Table)
        assert listing.own_where is not None
        assert listing.orders is not None
        page = ordered_document(name, "_", LIMIT, THEN.date())
        for number, (column, element) in enumerate(listing.compared.items()):
            kind = values_kind(column, element)
            base = Enum if isinstance(kind, type) and issubclass(kind, Enum) else kind
            if is_new(base) or number == 0 or column in listing.computed:
                yield listing.table.name, compared(name, column, kind)
            if column in listing.orders.columns and not is_indexed(listing, column) and is_new("order", base):
                yield listing.table.name, page.replace("order_by: _", f"order_by: {column}_desc")
        for field, related in listing.own_where.relations.items():
            bounding = f'{related.by}: {{_gte: "{THEN.isoformat()}"}}, ' if related.by else ""
            condition = f'{{{bounding}{related.other.table.primary_key.columns.keys()[-1]}: {{_neq: "{UUID(int=1)}"}}}}'
            for quantifier in ("some", "none", "count: {_gte: 3}, where") if related.is_list else ("",):
                if is_new(related.other, quantifier):
                    where = f"{{{quantifier}: {condition}}}" if quantifier else condition
                    yield listing.table.name, page.replace("order_by: _", f"where: {{{field}: {where}}}")


async def test_conditions_and_orders_read_indexes_of_the_organization(filled: tuple[str, UUID]) -> None:
    url, own = filled
    # All rows are of one organization, so that reading the whole table would be as cheap.
    database = Explaining(f"{url}&options=-cenable_seqscan%3Doff")
    await database.open()
    for table, document in documents():
        database.statements.clear()
        assert not (await Executor(database).execute(Operation(document), own, {})).errors, document
        (bound,) = (bound for bound in database.statements if " AS page" in bound[0].sql)
        for is_generic in (False, True):
            plan = database.analyzed(own, bound, is_generic=is_generic)
            reading = [node for node in nodes(plan) if node.get("Relation Name") in metadata.tables]
            conditions = [str(node.get("Index Cond") or node.get("Recheck Cond")) for node in reading]
            assert table in {node["Relation Name"] for node in reading}, (document, plan)
            assert [each for each in conditions if "organization_id" not in each] == [], (document, plan)
    await database.close()
