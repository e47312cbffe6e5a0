"""The rows of an organization as the tables have them, read by plain SQL. Python alone filters and sorts them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

import psycopg
from psycopg.rows import dict_row

from db.tables.belonging import RECORDS
from db.tables.columns import metadata
from tests.schema.edges import TYPES
from tests.schema.nodes import WITHOUT_ID, key_of

Stored = Mapping[str, Any]
"""One row, by column."""

ORDERS = {
    "team_members": ("joined_at",),
    "timesheets": ("started_at",),
    "idle_times": ("started_at",),
    "manual_requests": ("started_at",),
    "clock_records": ("clock_in_at",),
    "break_times": ("started_at",),
    "screenshots": ("captured_at", "screen_index"),
    "payment_settings": ("effective_from",),
    "invoice_lines": ("position",),
    "invoice_taxes": ("position",),
    "hourly_payment_lines": ("date",),
    "leave_application_days": ("date",),
}
"""The columns that sort the lists of a table before the id. Others are sorted by the time of creation."""

RECORD_TABLES = {belonging.child.name for belonging in RECORDS}
"""Tables of records of people, which are not shown while the person is deleted."""


class StoredRows(NamedTuple):
    """All rows of an organization, by table."""

    tables: Mapping[str, Sequence[Stored]]
    zone: ZoneInfo
    now: datetime

    @property
    def today(self) -> date:
        return self.day(self.now)

    def day(self, moment: datetime) -> date:
        """The day of a time in the organization."""
        return moment.astimezone(self.zone).date()

    def find(self, table: str, id_: UUID | None) -> Stored | None:
        key = key_of(metadata.tables[table])
        return next((row for row in self.tables[table] if row[key] == id_), None)

    def get(self, table: str, id_: UUID) -> Stored:
        row = self.find(table, id_)
        assert row is not None, (table, id_)
        return row

    def is_live(self, table: str, row: Stored) -> bool:
        """Whether a row is shown: it is not deleted, nor is the person whose record it is."""
        is_hidden = table in RECORD_TABLES and self.get("members", row["user_id"])["deleted_at"] is not None
        return row["deleted_at"] is None and not is_hidden

    def live(self, table: str, where: Callable[[Stored], Any] = lambda _: True, **values: Any) -> list[Stored]:
        """The rows that are shown and have these values, in the order of their lists."""
        found = [
            row
            for row in self.tables[table]
            if all(row[name] == value for name, value in values.items()) and self.is_live(table, row) and where(row)
        ]
        order = (*ORDERS.get(table, ("created_at",)), key_of(metadata.tables[table]))
        return sorted(found, key=lambda row: [row[name] for name in order])


def ids_of(rows: Iterable[Stored], column: str) -> list[UUID]:
    """The ids in a column: each once, in the order of their bytes."""
    return sorted({row[column] for row in rows if row[column] is not None})


def read(superuser: psycopg.Connection[Any], own: UUID, now: datetime) -> StoredRows:
    """The rows of the organization `own` now, deleted ones too."""
    names = ["organizations", *TYPES]
    query = "SELECT * FROM {} WHERE organization_id = %s"
    with superuser.cursor(row_factory=dict_row) as cursor:
        tables = {name: cursor.execute(query.format(name).encode(), [own]).fetchall() for name in names}
    (organization,) = tables["organizations"]
    return StoredRows(tables, ZoneInfo(organization["timezone"]), now)


TABLES = {type_: table for table, type_ in TYPES.items()}
"""The table of the rows that a type shows."""

NODE_TYPES = {type_ for type_, table in TABLES.items() if table not in WITHOUT_ID}
"""The types whose rows have an id."""
