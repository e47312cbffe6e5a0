"""Fixtures of imports: an organization of its own for each test, and files of rows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, text

from db.admin.keys import set_organization
from db.jobs.importing.import_run import ImportRefused, import_rows
from db.jobs.importing.merging.merge import TableChanges
from db.jobs.importing.rows import SourceItem, SourceRow, SourceTable

Import = Callable[..., Mapping[str, tuple[int, int, int]]]
Refused = Callable[..., list[str]]
Select = Callable[[str], list[tuple[Any, ...]]]


def items(tables: Mapping[str, Sequence[Mapping[str, str | None]]]) -> Iterator[SourceItem]:
    """Rows of several tables, each from a file `TABLE.csv` whose first row is in line 2."""
    for table, rows in tables.items():
        yield SourceTable(table, f"{table}.csv", 1, list(rows[0]) if rows else ())
        for line, row in enumerate(rows, start=2):
            yield SourceRow(table, f"{table}.csv", line, row)


@pytest.fixture
def merge(owner: Connection, own: UUID) -> Import:
    """`merge(teams=[{...}])` imports rows and commits; returns (inserted, updated, deleted) of each table."""

    def run(*, replace: bool = False, dry_run: bool = False, **tables: Any) -> Mapping[str, tuple[int, int, int]]:
        with owner.begin():
            changes = import_rows(owner, own, items(tables), replace=replace, dry_run=dry_run).tables
        return {change.table: counts(change) for change in changes}

    return run


def counts(change: TableChanges) -> tuple[int, int, int]:
    return change.inserted, change.updated, change.deleted


@pytest.fixture
def refused(owner: Connection, own: UUID) -> Refused:
    """`refused(teams=[{...}])` imports rows that are refused; returns the lines of the report."""

    def run(**tables: Any) -> list[str]:
        with pytest.raises(ImportRefused) as caught, owner.begin():
            import_rows(owner, own, items(tables))
        return caught.value.log.lines()

    return run


@pytest.fixture
def select(owner: Connection, own: UUID) -> Select:
    """`select("name FROM teams ORDER BY name")`: rows of the organization."""

    def run(query: str) -> list[tuple[Any, ...]]:
        with owner.begin():
            set_organization(owner, own)
            return [tuple(row) for row in owner.execute(text(f"SELECT {query}"))]

    return run
