"""Imports into an organization that the planner's statistics do not know: the work is in proportion to the rows."""

from uuid import UUID

import pytest
from sqlalchemy import Connection

from db.admin.engine import connect
from db.jobs.importing.import_run import import_rows
from db.sample.seed.build import seed
from tests.db.jobs.importing.conftest import items
from tests.factories.rows import Rows

ROWS = 1_000

READ = "SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) FROM pg_stat_xact_all_tables"

MOST_READ = 100
"""Rows that are read for each row of the files. One nested loop over all of them reads 1,000."""


@pytest.fixture
def analyzed(own_url: str) -> tuple[Connection, UUID]:
    """The owner's connection to a database whose statistics are of another organization, and a new one."""
    engine = connect(own_url)
    with engine.begin() as connection:
        list(seed(connection, organizations=1, members=3, days=2))
    return engine.connect(), Rows(engine).organization()


def files(hour: int) -> dict[str, list[dict[str, str | None]]]:
    return {
        "members": [{"email": f"{number}@example.com", "full_name": f"M{number}"} for number in range(ROWS)],
        "projects": [{"external_id": f"p{number}", "name": f"P{number} {hour}"} for number in range(ROWS)],
        "tasks": [
            {
                "external_id": f"t{number}",
                "project_external_id": f"p{number}",
                "name": f"T{number} {hour}",
                "parent_task_external_id": f"t{number - 1}" if number else None,
            }
            for number in range(ROWS)
        ],
        "timesheets": [
            {
                "user_email": f"{number}@example.com",
                "project_external_id": f"p{number}",
                "started_at": "2026-03-02T09:00:00Z",
                "ended_at": f"2026-03-02T{hour}:00:00Z",
            }
            for number in range(ROWS)
        ],
    }


def test_rows_read_grow_with_the_files(analyzed: tuple[Connection, UUID]) -> None:
    connection, own = analyzed
    every = {"members": (0, 0), "projects": (0, ROWS), "tasks": (0, ROWS), "timesheets": (0, ROWS)}
    with connection:
        for hour, replace, expected in (
            (10, False, dict.fromkeys(every, (ROWS, 0))),
            (11, False, every),
            (12, True, every),
            (12, True, dict.fromkeys(every, (0, 0))),
        ):
            with connection.begin():
                before = connection.exec_driver_sql(READ).scalar_one()
                changes = import_rows(connection, own, items(files(hour)), replace=replace).tables
                read = connection.exec_driver_sql(READ).scalar_one() - before
            assert {change.table: (change.inserted, change.updated) for change in changes} == expected
            assert read < MOST_READ * ROWS * len(expected)
