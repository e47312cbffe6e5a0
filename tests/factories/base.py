"""How a factory makes a row: as the owner, one transaction a row, with times that a test need not name."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, Engine, Table, func, insert, select

THEN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
"""When everything was created, unless a test says otherwise."""


class Base:
    """Makes rows of one database; each call returns the id of the row."""

    def __init__(self, engine: Engine) -> None:
        self.connection = engine.connect()
        self._writing: UUID | None = None

    @contextmanager
    def together(self, organization_id: UUID) -> Iterator[None]:
        """Many rows of one organization in one transaction."""
        with self.connection.begin():
            act_for(self.connection, organization_id)
            self._writing = organization_id
            try:
                yield
            finally:
                self._writing = None

    def _row(self, table: Table, organization_id: UUID, values: dict[str, Any]) -> UUID:
        id_ = values.setdefault("id", uuid4())
        self._insert(table, organization_id, values)
        assert isinstance(id_, UUID)
        return id_

    def _insert(self, table: Table, organization_id: UUID, values: dict[str, Any]) -> None:
        times = {"created_at": THEN, "updated_at": values.get("created_at", THEN)}
        row = {"organization_id": organization_id, **times, **values}
        if self._writing == organization_id:
            self.connection.execute(insert(table), row)
            return
        with self.together(organization_id):
            self.connection.execute(insert(table), row)


def act_for(connection: Connection, organization_id: UUID) -> None:
    """Let the owner write rows of an organization until the transaction ends."""
    connection.execute(select(func.set_config("app.organization_id", str(organization_id), True)))
