"""Declaration of tables: tenant tables, and columns for enums, times and parameters.

The primary key, the foreign keys and the indexes of a tenant table start with `organization_id`. So a row cannot
reference a row of another organization, and the tables can be distributed by that column unchanged.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    BindParameter,
    CheckConstraint,
    Column,
    ColumnElement,
    DateTime,
    ForeignKeyConstraint,
    FromClause,
    Index,
    MetaData,
    Table,
    Text,
    Uuid,
    bindparam,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

from db.tables.value_checks import value_checks

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
        "ck": "%(table_name)s_%(constraint_name)s_check",
        "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
    }
)

NOT_DELETED = text("deleted_at IS NULL")
"""The condition of partial indexes over rows that are not soft-deleted."""

DELETED = text("deleted_at IS NOT NULL")
"""The condition of partial indexes over soft-deleted rows."""


def bind(name: str, kind: TypeEngine[Any]) -> BindParameter[Any]:
    """A parameter: its value is passed when the statement runs."""
    return bindparam(name, type_=kind, required=False)


ORGANIZATION = bind("organization_id", Uuid())
"""The parameter for the organization of the request. `db.reading.database` alone sets its value."""


def in_organization(table: FromClause) -> ColumnElement[bool]:
    """The condition that restricts `table` to the organization of the request (the first check of tenancy)."""
    condition: ColumnElement[bool] = table.c.organization_id == ORGANIZATION
    return condition


def enum_column(
    name: str,
    values: type[StrEnum],
    *,
    default: StrEnum | None = None,
    nullable: bool = False,
    comment: str | None = None,
) -> Column[str]:
    """A text column that holds one of `values`. `tenant_table` adds its CHECK constraint."""
    return Column(
        name,
        Text,
        nullable=nullable,
        server_default=default.value if default is not None else None,
        info={"values": values},
        comment=comment,
    )


def event_time(
    name: str, *, nullable: bool = False, primary_key: bool = False, comment: str | None = None
) -> Column[Any]:
    """The time of an event, in whole seconds."""
    return Column(
        name, TIMESTAMP(timezone=True, precision=0), primary_key=primary_key, nullable=nullable, comment=comment
    )


def audit_time(name: str, *, nullable: bool = False, comment: str | None = None) -> Column[Any]:
    """A time at which a row changed, in microseconds.

    Defaults to the time of the statement unless nullable: the start of a long transaction may be before the last poll.
    """
    default = None if nullable else func.statement_timestamp()
    return Column(name, DateTime(timezone=True), nullable=nullable, server_default=default, comment=comment)


def derived(column: Column[Any]) -> Column[Any]:
    """Mark a column that is computed from other rows: a change of it alone leaves `updated_at`."""
    column.info["derived"] = True
    return column


def immovable(column: Column[Any]) -> Column[Any]:
    """Mark a column that no UPDATE may change: reports of the place that the row left would not show a change."""
    column.info["immovable"] = True
    return column


def tenant_table(
    name: str,
    comment: str,
    *items: SchemaItem,
    key: tuple[str, ...] = ("id",),
    key_comment: str = "UUID that clients treat as opaque.",
    references: Mapping[str, str] | None = None,
    order: tuple[str, ...] | None = ("created_at", "id"),
    is_polled: bool = True,
    has_deleted_index: bool = False,
) -> Table:
    """A table whose rows belong to organizations.

    `key`: the columns of the primary key after `organization_id`. `references`: the `table.column` that a column
    references in the same organization. `order`: the order of the table's list, which gets an index; None without a
    list. `is_polled`: its changes are found by their time, which gets an index. `has_deleted_index`: readers of other
    tables look for its deleted rows (`resolvers.relations.live`), which get an index. `orgdata migrate` writes the
    comments of the table and its columns into the database. Raises ValueError for a column without one.
    """
    own_key = [Column(column, Uuid, primary_key=True, comment=key_comment) for column in key]
    table = Table(
        name,
        metadata,
        Column("organization_id", Uuid, primary_key=True, comment="The organization that the row belongs to."),
        *own_key,
        *items,
        audit_time("created_at", comment="When the row was made."),
        audit_time("updated_at", comment="When the row changed last; a trigger moves it, and clients poll by it."),
        audit_time("deleted_at", nullable=True, comment="When the row was deleted; null: live. Only polling shows it."),
        info={"tenant": True, "has_deleted_index": has_deleted_index},
        comment=comment,
    )
    for column in table.columns:
        if not column.comment:
            raise ValueError(f"{column} has no comment.")
    for column in list(table.columns):
        _add_enum_check(table, column)
    for check in value_checks(table):
        table.append_constraint(check)
    targets = {column: target.split(".") for column, target in (references or {}).items()}
    if name != "organizations":
        table.append_constraint(ForeignKeyConstraint(["organization_id"], ["organizations.organization_id"]))
    for column_name, (target, target_column) in targets.items():
        table.append_constraint(
            ForeignKeyConstraint(
                ["organization_id", column_name], [f"{target}.organization_id", f"{target}.{target_column}"]
            )
        )
    if key and order is not None:
        Index(None, table.c.organization_id, *(table.c[column] for column in order), postgresql_where=NOT_DELETED)
    if key and is_polled:
        Index(None, table.c.organization_id, table.c.updated_at, table.c[key[-1]])
    if has_deleted_index:
        Index(f"{name}_deleted_idx", table.c.organization_id, table.c[key[-1]], postgresql_where=DELETED)
    return table


def _add_enum_check(table: Table, column: Column[Any]) -> None:
    if "values" in column.info:
        values = ", ".join(f"'{value.value}'" for value in column.info["values"])
        table.append_constraint(CheckConstraint(f"{column.name} IN ({values})", name=column.name))
