"""The plan that PostgreSQL makes of a statement, as the service runs it: prepared, and in a transaction of its own."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from psycopg import ClientCursor, Connection
from psycopg.adapt import Transformer

from db.reading.parsed_sql import parse_sql
from db.reading.transaction import SET_ORGANIZATION_ID, BoundStatement, transaction_start
from db.tables.columns import ORGANIZATION_ID


def statement_plan(
    connection: Connection[Any],
    organization_id: UUID,
    bound: BoundStatement,
    options: str = "",
    *,
    is_generic: bool = True,
) -> list[Any]:
    """The lines of EXPLAIN with these options, in a read-only transaction of the organization, which is rolled back.

    The service has one plan for all values (`is_generic`). Where its settings are lost, PostgreSQL plans the first runs
    of a prepared statement for their values.
    """
    statement, values = bound
    parsed = parse_sql(statement.sql)
    values = {**statement.constants, **values, ORGANIZATION_ID.key: str(organization_id)}
    given = _in_parentheses(f"%({name})s" for name in parsed.numbers)
    with ClientCursor(connection) as cursor:
        try:
            cursor.execute(transaction_start(SET_ORGANIZATION_ID, statement_timeout=60.0).encode(), values)
            mode = "generic" if is_generic else "custom"
            cursor.execute(f"SET LOCAL plan_cache_mode = force_{mode}_plan".encode())
            _, types = parsed.encode(values, Transformer(connection))
            known = map(connection.adapters.types.get, types)
            names = _in_parentheses("unknown" if each is None else each.name for each in known)
            cursor.execute(f"PREPARE explained{names} AS ".encode() + parsed.sql)
            cursor.execute(f"EXPLAIN {options} EXECUTE explained{given}".encode(), values)
            lines = [row[0] for row in cursor.fetchall()]
            cursor.execute("DEALLOCATE explained")
        finally:
            connection.rollback()
    return lines


def _in_parentheses(texts: Iterable[str]) -> str:
    listed = ", ".join(texts)
    return f"({listed})" if listed else ""
