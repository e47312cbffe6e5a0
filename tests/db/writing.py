"""A writer's session: literal SQL in one transaction of an organization, as a role, without the project's own code."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import namedtuple_row

from db.tables.belonging import Belonging
from db.tables.people import teams


class Session:
    """Runs SQL. `%(o)s` is the organization."""

    def __init__(self, connection: psycopg.Connection[Any], organization_id: UUID | None) -> None:
        self.connection = connection
        self.values: dict[str, Any] = {"o": organization_id}

    def run(self, query: Any, **values: Any) -> list[Any]:
        """The rows of the statement; none of one that returns no rows."""
        cursor = self.connection.execute(query, self.values | values)
        return cursor.fetchall() if cursor.description else []

    def one(self, query: Any, **values: Any) -> Any:
        """The only row of the statement."""
        (row,) = self.run(query, **values)
        return row

    def error(self, query: Any, **values: Any) -> str:
        """What PostgreSQL answers to a statement that it refuses, as psql shows it. The transaction goes on."""
        try:
            with self.connection.transaction():
                self.connection.execute(query, self.values | values)
        except psycopg.Error as error:
            hint = f"\nHINT:  {error.diag.message_hint}" if error.diag.message_hint else ""
            detail = error.diag.message_detail or ""
            shown = f"\nDETAIL:  {detail}" if detail and not detail.startswith("Failing row contains") else ""
            return f"{error.diag.message_primary}{shown}{hint}"
        raise AssertionError(f"PostgreSQL accepts: {query}")


@contextmanager
def session(url: str, organization_id: UUID | None = None, role: str | None = None) -> Iterator[Session]:
    """A transaction of the organization, rolled back at its end."""
    with psycopg.connect(url, row_factory=namedtuple_row) as connection:
        if role is not None:
            connection.execute("SELECT set_config('role', %s, true)", [role])
        if organization_id is not None:
            connection.execute("SELECT set_organization(%s)", [organization_id])
        yield Session(connection, organization_id)
        connection.rollback()


def parent_with_children(writer: Session, belonging: Belonging) -> UUID:
    """A row that rows belong to; where the reference may be null, one row is made to belong to it."""
    child, column, parent = belonging.child, belonging.column, belonging.parent
    key = parent.primary_key.columns.keys()[-1]
    if child.c[column].nullable:
        others = ", source = 'team'" if parent is teams else ""
        writer.run(
            f"UPDATE {child.name} SET {column} = (SELECT id FROM {parent.name} ORDER BY id LIMIT 1){others} WHERE"
            f" ctid IN (SELECT ctid FROM {child.name} ORDER BY id DESC LIMIT 1)"
        )
    found: UUID = writer.run(
        f"SELECT c.{column} AS key FROM {child.name} c JOIN {parent.name} p ON p.{key} = c.{column}"
        " WHERE c.deleted_at IS NULL AND p.deleted_at IS NULL LIMIT 1"
    )[0].key
    return found
