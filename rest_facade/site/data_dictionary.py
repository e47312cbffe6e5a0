"""The data dictionary: a page in Markdown for each area, with every table and column, from the declared tables."""

from collections.abc import Iterator

from sqlalchemy import Column, ForeignKeyConstraint, Table
from sqlalchemy.dialects import postgresql

from db.tables.areas import AREAS
from db.tables.columns import metadata
from rest_facade.site.sources import SourcePage

HEAD = "| column | type | what it is |\n|---|---|---|"

COMMON = ("organization_id", "created_at", "updated_at", "deleted_at")
"""Columns that all tables of organizations have; docs/data.md explains them."""


def dictionary_pages() -> Iterator[SourcePage]:
    for area in AREAS:
        name = area.__name__.rpartition(".")[2]
        declared = [value for value in vars(area).values() if isinstance(value, Table)]
        sections = [_section(table) for table in metadata.sorted_tables if table in declared]
        introduction = "**Bold** columns are required, without a default. [Data model](data.md) has the common columns."
        yield SourcePage(f"data-{name}", "All tables", "\n\n".join([f"# Tables: {name}", introduction, *sections]))


def referenced_tables(table: Table) -> dict[str, Table]:
    """The tables that columns reference, without the organization's."""
    keys = (each for each in table.constraints if isinstance(each, ForeignKeyConstraint))
    found = {key.column_keys[-1]: key.referred_table for key in keys}
    return {column.name: found[column.name] for column in table.columns if column.name in found}


def _section(table: Table) -> str:
    hidden = COMMON if table.info.get("tenant") and "updated_at" in table.c else ()
    rows = [_row(table, column) for column in table.columns if column.name not in hidden]
    return "\n".join([f"## {table.name}", "", str(table.comment), "", HEAD, *rows])


def _row(table: Table, column: Column[object]) -> str:
    needed = not column.nullable and column.server_default is None
    name = f"**`{column.name}`**" if needed else f"`{column.name}`"
    parts = [str(column.comment)]
    if "values" in column.info:
        parts.append(f"One of {', '.join(f'`{value.value}`' for value in column.info['values'])}.")
    target = referenced_tables(table).get(column.name)
    if target is not None:
        parts.append(f"References `{target.name}`.")
    return f"| {name} | {_type(column)} | {' '.join(parts)} |"


def _type(column: Column[object]) -> str:
    kind = str(column.type.compile(postgresql.dialect())).lower()  # type: ignore[no-untyped-call]
    kind = kind.replace(" with time zone", "").replace("timestamp", "timestamptz")
    return f"{kind}, null" if column.nullable else kind
