"""Base of the factories: inserts rows as the owner, one transaction per row, with default times."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Connection, Engine, Table, func, insert, select

THEN = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
"""The default of `created_at` and of other times."""


class Factory:
    """Inserts rows into one database; each method returns the id of its row."""

    def __init__(self, engine: Engine) -> None:
        self.connection = engine.connect()
        self._organization_id: UUID | None = None

    @contextmanager
    def transaction(self, organization_id: UUID) -> Iterator[None]:
        """Insert all rows of the block in one transaction; they must be of one organization."""
        with self.connection.begin():
            set_row_organization(self.connection, organization_id)
            self._organization_id = organization_id
            try:
                yield
            finally:
                self._organization_id = None

    def _row(self, table: Table, organization_id: UUID, values: dict[str, Any]) -> UUID:
        id_ = values.setdefault("id", uuid4())
        self._insert(table, organization_id, values)
        assert isinstance(id_, UUID)
        return id_

    def _insert(self, table: Table, organization_id: UUID, values: dict[str, Any]) -> None:
        times = {"created_at": THEN, "updated_at": values.get("created_at", THEN)}
        row = {"organization_id": organization_id, **times, **values}
        if self._organization_id == organization_id:
            self.connection.execute(insert(table), row)
            return
        with self.transaction(organization_id):
            self.connection.execute(insert(table), row)


def set_row_organization(connection: Connection, organization_id: UUID) -> None:
    """Set the transaction's organization for row-level security, also for one that does not exist yet."""
    connection.execute(select(func.set_config("app.organization_id", str(organization_id), True)))
