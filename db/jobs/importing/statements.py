"""Statements of an import: SQL as text without parameters, since it names temporary tables that nothing declares.

All names in it are of declared tables and columns. Values from files are never in it: they are in the temporary tables.
"""

from typing import Any

from sqlalchemy import Connection, CursorResult

ORGANIZATION = "current_setting('app.organization_id')::uuid"
"""SQL: the organization of the transaction."""


def run(connection: Connection, statement: str) -> CursorResult[*tuple[Any, ...]]:
    """Run a statement as it is: percent signs and colons have no meaning of their own."""
    return connection.exec_driver_sql(statement, execution_options={"no_parameters": True})


def quoted(text: str) -> str:
    """SQL: a text of the program itself, such as a sentence."""
    return "'" + text.replace("'", "''") + "'"
