"""Copied worlds: an organization with one copy of a world, and another with several.

The copies share nothing but the organization: their rows have other ids, and refer to each other within the copy. So
each document reads, at each of its fields, the rows of one copy or the same rows of each copy. Whatever else it costs
in the larger organization, it costs for each row.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from graphql import ExecutionResult
from sqlalchemy import ForeignKeyConstraint, Table, Text, UniqueConstraint, insert, null, select

from db.reading.database import Database
from db.reading.transaction import BoundStatement
from db.tables.columns import metadata
from tests import world as worlds
from tests.factories import activity, leaves, money, timesheets
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.schema.nodes import key_of

COPIES = 4
"""Copies in the larger organization."""

ROWS = 3
"""The least number of rows of a list in one copy. COPIES times the longest list is a page of a report."""

NOW = THEN + timedelta(days=1)
DAY = f'"{THEN.date()}"'
LITERALS = {"start_date": DAY, "end_date": DAY, "date": DAY}
"""Values of the required arguments of lists, by name."""

TableRows = Mapping[Table, Sequence[dict[str, Any]]]
Values = Callable[[int], Any]

SPECIAL: Mapping[str, Mapping[str, Values]] = {
    "clients": {"address": lambda _: {"city": "Berlin"}},
    "clock_records": {"clock_out_location": lambda _: {"latitude": "52.52", "longitude": "13.40", "label": "Office"}},
    "idle_times": {"action": lambda _: "reassigned"},
    "payables": {"kind": lambda number: "leave" if number else "one_time"},
    "projects": {"billing_type": lambda _: "hourly", "bill_rate": lambda _: 90, "is_billable": lambda _: True},
    "project_members": {"role": lambda _: "manager", "source": lambda _: "team"},
    "screenshots": {"captured_at": lambda number: THEN + timedelta(minutes=number)},
    "team_members": {"role": lambda _: "lead"},
    "timesheets": {"ended_at": lambda _: None, "is_billable": lambda _: True},
}
"""Values without which an edge would have no row, by table and column, of the row with a number."""


class Size(NamedTuple):
    """An organization of copies. `ids` are those of its rows, by table."""

    organization_id: UUID
    ids: Mapping[str, Sequence[UUID]]


def copied(rows: Rows, tag: str, copies: int) -> Size:
    """A new organization with copies of a world, in which each reference that may be null has a row.

    Organizations share ids, but not the texts, which begin with `tag`.
    """
    found = _connected(_rows_of(rows, worlds.build(rows, tag).organization_id))
    other = uuid4()
    ids: dict[str, list[UUID]] = {}
    with rows.transaction(other):
        for table, originals in found.items():
            numbers = range(1) if table.name == "organizations" else range(1, copies + 1)
            made = [_copy(table, row, other, number) for number in numbers for row in originals]
            if made:
                rows.connection.execute(insert(table).values(made))
            key = "user_id" if table.name == "members" else "id"
            ids[table.name] = [row[key] for row in made if key in row]
    return Size(other, ids)


def small_lists(monkeypatch: Any) -> None:
    """Make worlds with ROWS rows in each list."""
    for module in (worlds, activity, leaves, money, timesheets):
        monkeypatch.setattr(module, "SIZE", ROWS)


def _rows_of(rows: Rows, own: UUID) -> TableRows:
    tables = [table for table in metadata.sorted_tables if table.info.get("tenant")]
    with rows.transaction(own):
        queries = {each: select(each).where(each.c.organization_id == own) for each in tables}
        return {
            table: [*map(dict, rows.connection.execute(query.order_by(*table.primary_key.columns)).mappings())]
            for table, query in queries.items()
        }


def _connected(found: TableRows) -> TableRows:
    """The rows; what is null in a column that references another row, is one of the rows there."""
    for table, originals in found.items():
        for number, row in enumerate(originals):
            row |= {name: value(number) for name, value in SPECIAL.get(table.name, {}).items()}
            # The reviewer of a row is not the person who asked.
            for place, (column, parent) in enumerate(_references(table)):
                if row[column] is None and found[parent]:
                    row[column] = found[parent][(number + place + 1) % len(found[parent])][key_of(parent)]
    one_time, applications = (_of(found, name) for name in ("one_time_payment_logs", "leave_applications"))
    for number, row in enumerate(_of(found, "payables")):
        row["source_id"] = (applications if number else one_time)[number]["id"]
    return found


def _of(found: TableRows, name: str) -> Sequence[dict[str, Any]]:
    return found[metadata.tables[name]]


def _references(table: Table) -> Iterable[tuple[str, Table]]:
    """The columns that reference rows of the organization, and the tables of these rows."""
    keys = [each for each in table.constraints if isinstance(each, ForeignKeyConstraint) and len(each.columns) == 2]
    pairs = [(each.columns.keys()[1], each.referred_table) for each in keys]
    return sorted(pairs, key=lambda pair: pair[0])


def _copy(table: Table, row: Mapping[str, Any], organization_id: UUID, number: int) -> dict[str, Any]:
    unique = {column.name for index in table.indexes if index.unique for column in index.columns}
    constraints = [each for each in table.constraints if isinstance(each, UniqueConstraint)]
    unique |= {column.name for each in constraints for column in each.columns}
    # A null in a column of JSON would become a null of JSON.
    values = {name: null() if value is None else _renumbered(value, number) for name, value in row.items()}
    for column in table.columns:
        if column.name in unique and isinstance(column.type, Text) and "values" not in column.info:
            values[column.name] = f"{values[column.name]}-{number}"
    return values | {"organization_id": organization_id}


def _renumbered(value: Any, number: int) -> Any:
    """The value with the ids of a copy: their last byte is its number. So their order in each copy is the same."""
    if isinstance(value, UUID):
        return UUID(int=value.int & ~0xFF | number)
    if isinstance(value, dict):
        return {key: _renumbered(each, number) for key, each in value.items()}
    if isinstance(value, list):
        return [_renumbered(each, number) for each in value]
    try:
        return str(_renumbered(UUID(value), number)) if isinstance(value, str) else value
    except ValueError:
        return value


@dataclass
class Cost:
    """What one execution sent to the database."""

    statements: int = 0
    round_trips: int = 0


_cost: ContextVar[Cost | None] = ContextVar("cost", default=None)


class CountingDatabase(Database):
    """A database that counts statements and round trips, and reads in an order that does not depend on its speed.

    A read begins when nothing else is left to do. Without this, two reads would share a round trip or not by chance.
    """

    TURNS = 30
    """Turns of the event loop in which all that is not waiting for the database ends."""

    _one: asyncio.Lock

    async def open(self) -> None:
        self._one = asyncio.Lock()
        await super().open()

    async def read_rows(
        self, organization_id: UUID, statements: Sequence[BoundStatement], *, is_heavy: bool = False
    ) -> Any:
        if (cost := _cost.get()) is not None:
            cost.statements += len(statements)
            cost.round_trips += 1
        async with self._one:
            for _ in range(self.TURNS):
                await asyncio.sleep(0)
            return await super().read_rows(organization_id, statements, is_heavy=is_heavy)

    async def counted(self, execution: Awaitable[ExecutionResult]) -> tuple[ExecutionResult, Cost]:
        """The result of an execution, and what it sent. What an earlier one left behind is not counted."""
        cost = Cost()
        _cost.set(cost)
        return await execution, cost


def fixed_clock() -> datetime:
    """The clock of requests: the day after the worlds were made."""
    return NOW
