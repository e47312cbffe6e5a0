"""Plans of ordered lists: each order of each list of the organization reads an index, and no more rows than its page.

The organization has a thousand rows of each table.
"""

from collections.abc import AsyncIterator, Iterator
from datetime import date, datetime
from enum import Enum
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Column, Date, DateTime, Table

from db.admin.engine import connect
from db.sample.embedded.server import Server
from resolvers.lists.listing import Listing
from resolvers.lists.where import values_kind
from schema.execution.operation import Executor, Operation
from tests import world as worlds
from tests.conftest import _copy
from tests.factories.base import THEN
from tests.factories.rows import Rows
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
        name = str(conninfo_to_dict(url)["dbname"])
        with psycopg.connect(server.url("postgres", name), autocommit=True) as superuser:
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

ORDERS = [
    pytest.param(name, listing, column, id=f"{name} by {column}")
    for name, listing in LISTS
    if listing.orders is not None and name not in SORTED
    for column in listing.orders.columns
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


def compared_columns() -> Iterator[tuple[str, Listing, str]]:
    """A column of each list, and one of each kind: conditions of a kind are made alike."""
    known = set()
    for name, listing in LISTS:
        columns = {} if listing.own_where is None else listing.own_where.columns
        for number, (column, stored) in enumerate(columns.items()):
            kind = values_kind(stored)
            base = Enum if issubclass(kind, Enum) else kind
            if number == 0 or base not in known:
                known.add(base)
                yield name, listing, column


def compared(name: str, column: str, kind: type) -> str:
    """A page of the rows with one value in a column."""
    value = {bool: "true", int: "1", str: '"x"', date: f'"{THEN.date()}"', datetime: f'"{THEN.isoformat()}"'}.get(kind)
    if value is None:
        value = f'"{UUID(int=1)}"' if kind is UUID else next(iter(vars(kind)["_member_map_"]))
    document = ordered_document(name, "updated_at_asc", LIMIT, THEN.date())
    return document.replace("order_by: updated_at_asc", f"where: {{{column}: {{_eq: {value}}}}}")


async def test_condition_reads_an_index_of_the_organization(filled: tuple[str, UUID]) -> None:
    url, own = filled
    # All rows are of one organization, so that reading the whole table would be as cheap.
    database = Explaining(f"{url}&options=-cenable_seqscan%3Doff")
    await database.open()
    for name, listing, column in compared_columns():
        assert isinstance(listing.table, Table)
        assert listing.own_where is not None
        document = compared(name, column, values_kind(listing.own_where.columns[column]))
        database.statements.clear()
        result = await Executor(database).execute(Operation(document), own, {})
        assert not result.errors, document
        (bound,) = (bound for bound in database.statements if " AS page" in bound[0].sql)
        for is_generic in (False, True):
            plan = database.analyzed(own, bound, is_generic=is_generic)
            reading = [node for node in nodes(plan) if node.get("Relation Name") == listing.table.name]
            conditions = [str(node.get("Index Cond") or node.get("Recheck Cond")) for node in reading]
            assert conditions, (document, plan)
            assert [each for each in conditions if "organization_id" not in each] == [], (document, plan)
    await database.close()
