"""Number of rows of an organization in each table, at a cost that does not grow with it.

A table with at most MAX_COUNTED rows of the organization is counted, by the index of its primary key. For a larger one
the planner's estimate is taken, which EXPLAIN shows without running the statement. It rests on the statistics of the
whole table. Where they are missing, or on distributed tables, whose plans show no estimate, only the lower bound is
known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, Table, func, select, union_all

from db.reading.connection import Row
from db.reading.statement import Statement
from db.tables.areas import AREAS
from db.tables.columns import in_organization
from db.tables.people import organizations

MAX_COUNTED = 1_000
"""Rows up to which a table is counted. Reading so many entries of an index takes about 0.2 ms."""


class Precision(StrEnum):
    exact = "exact"
    about = "about"
    at_least = "at_least"


@dataclass(frozen=True, slots=True)
class StoredRows:
    """A number of rows, soft-deleted ones included, and how it is known."""

    count: int
    precision: Precision


def tables_by_area() -> Mapping[str, Sequence[Table]]:
    """The tables that hold rows of organizations, by area, in the order of the areas."""
    found: dict[Table, str] = {}
    for module in AREAS:
        for table in vars(module).values():
            if isinstance(table, Table) and "updated_at" in table.columns and table is not organizations:
                found.setdefault(table, module.__name__.rpartition(".")[2])
    return {area: [table for table in found if found[table] == area] for area in dict.fromkeys(found.values())}


COUNTED_TABLES: Sequence[Table] = [table for tables in tables_by_area().values() for table in tables]


def _counts() -> Select[Any]:
    """One column for each table. The order makes PostgreSQL read the primary key, and not the table from its start."""
    return select(
        *(
            select(func.count())
            .select_from(
                select(table.c.organization_id)
                .where(in_organization(table))
                .order_by(*table.primary_key.columns)
                .limit(MAX_COUNTED + 1)
                .subquery()
            )
            .scalar_subquery()
            .label(table.name)
            for table in COUNTED_TABLES
        )
    )


def _all_rows() -> Select[Any]:
    """The rows of all tables, for the planner."""
    rows = union_all(
        *(select(table.c.organization_id).where(in_organization(table)) for table in COUNTED_TABLES)
    ).subquery()
    # A parallel plan shows the rows of one worker. This function may not run in one, and EXPLAIN does not run it.
    return select(rows.c.organization_id, func.lastval())


COUNTS = Statement(_counts())
"""One row with a column for each table: its rows, at most MAX_COUNTED + 1."""

ESTIMATES = Statement(_all_rows(), prefix="EXPLAIN (FORMAT JSON) ")
"""One row with the plan, in which each table is scanned once. The server does not run it."""


def stored_rows(counts: Row, plan: Any) -> Mapping[str, StoredRows]:
    """The rows of each table, from the results of COUNTS and of ESTIMATES."""
    estimates = dict(_scanned(plan[0]["Plan"]))
    names = [str(table.name) for table in COUNTED_TABLES]
    return {name: _stored(getattr(counts, name), estimates.get(name, 0)) for name in names}


def _stored(counted: int, estimate: int) -> StoredRows:
    if counted <= MAX_COUNTED:
        return StoredRows(counted, Precision.exact)
    if estimate <= MAX_COUNTED:
        return StoredRows(counted, Precision.at_least)
    return StoredRows(estimate, Precision.about)


def _scanned(node: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The name and the estimated rows of each table that a part of a plan scans."""
    if "Relation Name" in node:
        yield node["Relation Name"], node["Plan Rows"]
    for part in node.get("Plans", []):
        yield from _scanned(part)


def total(rows: Mapping[str, StoredRows]) -> StoredRows:
    """The rows of all tables. The least precise table decides how the sum is known."""
    order = (Precision.exact, Precision.about, Precision.at_least)
    return StoredRows(
        sum(each.count for each in rows.values()),
        max((each.precision for each in rows.values()), key=order.index, default=Precision.exact),
    )
