"""What a client keeps of exports: the rows of each table, by their keys."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson

from db.jobs.exporting.exported_rows import MONTH_CHARACTERS, ExportedRows
from db.jobs.exporting.manifest import ExportFormat
from tests.polling.asking import OpenTransaction, words

Rows = Mapping[tuple[Any, ...], Mapping[str, Any]]


class ExportCopy:
    """The rows of a table: of a full export, and then of those that have what changed."""

    def __init__(self, resource: ExportedRows) -> None:
        self._resource = resource
        self._key = [column.name for column in resource.table.primary_key if column.name != "organization_id"]
        self.name = f"export of {resource.name}"
        self.tables = words(self._statement(is_since=False).sql)
        self.rows: Rows = {}

    def _statement(self, *, is_since: bool) -> Any:
        return self._resource.statement(ExportFormat.ndjson, is_since=is_since)

    async def read(self, transaction: OpenTransaction, since: datetime | None = None) -> Rows:
        """The rows that a full export has, or one that begins at a time."""
        lines = await transaction.rows(self._statement(is_since=since is not None), {"updated_since": since})
        start = 0 if self._resource.month is None else MONTH_CHARACTERS
        rows = [orjson.loads(line[0][start:]) for line in lines]
        return {tuple(row[name] for name in self._key): row for row in rows}

    async def differences(self, transaction: OpenTransaction, since: datetime) -> Mapping[Any, Any]:
        """What the copy has otherwise than a full export after one since a time, by key: both rows."""
        self.rows = {**self.rows, **await self.read(transaction, since)}
        full = await self.read(transaction)
        return {
            key: (self.rows.get(key), full.get(key))
            for key in {**self.rows, **full}
            if self.rows.get(key) != full.get(key)
        }
