"""Base of the factories: inserts rows as the owner, one transaction per row, with default times."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Column, Connection, Engine, Table, insert
from sqlalchemy.dialects.postgresql import JSONB

from db.admin.tenant import use_organization

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

    def row(self, table: Table, organization_id: UUID, **given: Any) -> UUID:
        """A row of a table without a factory of its own. Columns that must have a value get one by their type."""
        values = {
            column.name: value_of(column)
            for column in table.columns
            if not (column.nullable or column.primary_key or column.server_default or column.name in given)
        }
        return self._row(table, organization_id, values | given)

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


VALUES: dict[type, Any] = {str: "Some text", bool: False, int: 1, float: 1.0, Decimal: 1, date: THEN.date(), dict: {}}
VALUES[datetime] = THEN
NAMES = {"timezone": "UTC", "currency": "EUR", "country": "DE"}
"""Values of the columns that refer to reference tables."""


def value_of(column: Column[Any]) -> Any:
    """A value that the column can hold. Raises ValueError for a column that needs one of its own."""
    kind = dict if isinstance(column.type, JSONB) else column.type.python_type
    if column.name in NAMES:
        return NAMES[column.name]
    if "values" in column.info:
        return next(iter(column.info["values"])).value
    if column.foreign_keys or kind not in VALUES:
        raise ValueError(f"{column} needs a value: give it one, or the table a factory in tests/factories.")
    return VALUES[kind]


def set_row_organization(connection: Connection, organization_id: UUID) -> None:
    """Set the transaction's organization for row-level security, also for one that does not exist yet."""
    use_organization(connection, organization_id)
