"""What an export reads of a table: one expression for a row as JSON, or one text for each field, and the month."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from sqlalchemy import Column, ColumnElement, Select, String, Table, Text, case, cast, func, literal
from sqlalchemy import select as sql_select
from sqlalchemy.types import TypeEngine

from db.jobs.exporting.manifest import ExportFormat
from db.reading.statement import Statement
from db.tables.areas import metadata
from db.tables.columns import bind, in_organization
from db.tables.keys import quota_overrides
from db.tables.people import erasures

EXPORTED_TABLES: Sequence[Table] = [
    table for table in metadata.sorted_tables if table.info.get("tenant") and table not in (quota_overrides, erasures)
]
"""Every table of an organization, each after those that it references. Quotas and erasures are of the operator."""

MONTH_COLUMNS = frozenset({"started_at", "slot_at", "clock_in_at", "captured_at"})
"""The columns by whose month (in UTC) rows are divided into files. A table that grows with time has one, not null."""

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""Characters with which a text is a formula to a spreadsheet."""

MONTH_CHARACTERS = len("2026-03")


@dataclass(frozen=True)
class ExportedField:
    """A field of exported rows. `type` is that of a typed file; a computed field is no column of the table."""

    name: str
    type: TypeEngine[Any]
    text: ColumnElement[str]
    """SQL: its text in a CSV file."""
    is_computed: bool


@dataclass(frozen=True, eq=False)
class ExportedRows:
    """The rows of a table with their fields. `json` is SQL: the row as a JSON object."""

    table: Table
    fields: Sequence[ExportedField]
    json: ColumnElement[str]

    @property
    def name(self) -> str:
        return str(self.table.name)

    @cached_property
    def has_derived(self) -> bool:
        """Whether a row can change without a later `updated_at`. Then no watermark tells which rows changed."""
        infos = [column.info for column in self.table.columns]
        return any("derived" in info and "remembered" not in info for info in infos)

    @property
    def month(self) -> Column[Any] | None:
        """The column by whose month the rows are divided."""
        return next((each for each in self.table.columns if each.name in MONTH_COLUMNS and not each.nullable), None)

    @lru_cache  # noqa: B019 - rows of a table live as long as the program
    def statement(self, format_: ExportFormat, *, is_since: bool, escapes_formulas: bool = False) -> Statement:
        """The statement of the rows, tombstones included; with `is_since`, of those that changed since a time.

        They are in the order of the primary key, so that the same rows make the same files. Each row is one line as
        PostgreSQL's COPY writes it: the month, if the rows are divided, and what the file has.
        """
        lines = [self.json] if format_ is ExportFormat.ndjson else [field.text for field in self.fields]
        if escapes_formulas:
            lines = [_escaped(field) for field in self.fields]
        if self.month is not None:
            month = cast(func.to_char(func.timezone("UTC", self.month), "YYYY-MM"), Text)
            lines = [month + lines[0], *lines[1:]] if format_ is ExportFormat.ndjson else [month, *lines]
        labelled: list[Any] = [line.label(f"line_{number}") for number, line in enumerate(lines)]
        select: Select[Any] = sql_select(*labelled)
        select = select.where(in_organization(self.table))
        if is_since and not self.has_derived:
            changed = self.table.c.updated_at
            select = select.where(changed >= bind("updated_since", changed.type))
        return Statement(select.order_by(*self.table.primary_key))


def _escaped(field: ExportedField) -> ColumnElement[str]:
    """SQL: the text of a field, behind an apostrophe where a spreadsheet would take it for a formula."""
    if not isinstance(field.type, String):
        return field.text
    return case((func.left(field.text, 1).in_(FORMULA_STARTS), literal("'") + field.text), else_=field.text)
