"""Stored rows: counted up to a limit, estimated above it, and never those of another organization."""

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import func, select

from db.admin.engine import connect
from db.figures import stored_rows as module
from db.figures.stored_rows import COUNTED_TABLES, ESTIMATES, Precision, StoredRows, stored_rows, tables_by_area, total
from db.reading.database import Database
from db.reading.statement import Statement, UnrestrictedTable
from db.tables.columns import metadata
from db.tables.people import teams
from tests.db.reading.recording import opened
from tests.factories.rows import Rows

MANY = 1_500


@pytest.fixture
async def own(own_url: str) -> AsyncIterator[tuple[Database, UUID, UUID]]:
    """A database with two organizations: MANY teams in the first, three in the second."""
    rows = Rows(connect(own_url))
    large, small = rows.organization(), rows.organization()
    rows.connection.close()
    with psycopg.connect(own_url) as connection:
        for organization_id, number in ((large, MANY), (small, 3)):
            connection.execute("SELECT set_organization(%s)", [organization_id])
            connection.execute(
                "INSERT INTO teams (organization_id, id, name) SELECT %s, gen_random_uuid(), 'T' || n"
                " FROM generate_series(1, %s) n",
                [organization_id, number],
            )
    async with opened(own_url) as database:
        yield database, large, small


async def read(database: Database, organization_id: UUID) -> Any:
    (counts,), (plan,) = await database.read_rows(organization_id, [(module.COUNTS, {}), (ESTIMATES, {})])
    return stored_rows(counts, plan[0])


async def test_few_rows_are_exact(own: tuple[Database, UUID, UUID]) -> None:
    database, _, small = own
    rows = await read(database, small)
    assert rows["teams"] == StoredRows(3, Precision.exact)
    assert rows["tasks"] == StoredRows(0, Precision.exact)
    assert total(rows) == StoredRows(3, Precision.exact)


async def test_many_rows_are_estimated_from_statistics(own: tuple[Database, UUID, UUID], own_url: str) -> None:
    database, large, small = own
    with psycopg.connect(own_url) as connection:
        connection.execute("ANALYZE teams")
    rows = await read(database, large)
    assert rows["teams"].precision is Precision.about
    assert abs(rows["teams"].count - MANY) <= 10
    assert total(rows).precision is Precision.about
    assert (await read(database, small))["teams"] == StoredRows(3, Precision.exact)


async def test_many_rows_without_statistics_are_a_lower_bound(own: tuple[Database, UUID, UUID], own_url: str) -> None:
    database, large, _ = own
    with psycopg.connect(own_url) as connection:
        # As on a server that has not analyzed the table since it had a few rows.
        connection.execute("ALTER TABLE teams SET (autovacuum_enabled = false)")
    rows = await read(database, large)
    assert rows["teams"].precision in (Precision.at_least, Precision.about)
    assert rows["teams"].count > 1_000


def plan(*scans: tuple[str, int]) -> Any:
    """A plan as Citus and PostgreSQL nest them."""
    leaves = [{"Node Type": "Index Only Scan", "Relation Name": name, "Plan Rows": rows} for name, rows in scans]
    return [{"Plan": {"Node Type": "Append", "Plan Rows": 1, "Plans": [{"Node Type": "Result", "Plans": leaves}]}}]


def counts(**numbers: int) -> Any:
    return SimpleNamespace(**{str(table.name): numbers.get(table.name, 0) for table in COUNTED_TABLES})


def test_estimate_below_the_limit_is_not_believed() -> None:
    rows = stored_rows(counts(teams=1_001, tasks=1_000), plan(("teams", 18), ("tasks", 5_000)))
    assert rows["teams"] == StoredRows(1_001, Precision.at_least)
    assert rows["tasks"] == StoredRows(1_000, Precision.exact)
    assert total(rows) == StoredRows(2_001, Precision.at_least)


def test_plan_of_distributed_tables_gives_no_estimate() -> None:
    distributed = [{"Plan": {"Node Type": "Custom Scan", "Custom Plan Provider": "Citus Adaptive", "Plan Rows": 0}}]
    assert stored_rows(counts(teams=1_001), distributed)["teams"] == StoredRows(1_001, Precision.at_least)


def test_every_table_of_organizations_is_counted() -> None:
    tenant = {name for name, table in metadata.tables.items() if table.info.get("tenant")}
    assert tenant - {table.name for table in COUNTED_TABLES} == {"organizations", "quota_overrides", "erasures"}
    assert list(tables_by_area()) == ["people", "work", "timesheets", "activity", "money", "payroll", "leaves"]


def test_explanation_of_an_unrestricted_select_is_refused() -> None:
    with pytest.raises(UnrestrictedTable):
        Statement(select(func.count()).select_from(teams), prefix="EXPLAIN ")
