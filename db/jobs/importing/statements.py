"""Statements of an import: SQL as text without parameters, since it names temporary tables that nothing declares.

All names in it are of declared tables and columns. Values of rows are never in it: they are in the temporary tables.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, CursorResult

ORGANIZATION = "current_setting('app.organization_id')::uuid"
"""SQL: the organization of the transaction."""

IMPORT_KEY = f"hashtextextended('import ' || {ORGANIZATION}, 0)"
"""SQL: the key of the advisory lock that an import into the organization holds."""


def run(connection: Connection, statement: str) -> CursorResult[*tuple[Any, ...]]:
    """Run a statement as it is: percent signs and colons have no meaning of their own."""
    return connection.exec_driver_sql(statement, execution_options={"no_parameters": True})


def prepare(connection: Connection, statements: str, step: Callable[[str], object]) -> None:
    """Run settings and declarations of an import, of which an organization has one at a time. `step` says if it waits.

    A cluster passes the text of SET LOCAL on to its nodes, so that each statement is sent by itself.
    """
    if not run(connection, f"SELECT pg_try_advisory_xact_lock({IMPORT_KEY})").scalar_one():
        step("Waiting for another import into the organization")
        run(connection, f"SELECT pg_advisory_xact_lock({IMPORT_KEY})")
    for statement in statements.split(";\n"):
        if statement.strip():
            run(connection, statement)


def quoted(text: str) -> str:
    """SQL: a text that is of no row: a sentence, a zone, the name of a file or of a mapping."""
    return "'" + text.replace("'", "''") + "'"
