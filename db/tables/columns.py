"""The words in which tables are declared: whose a row is, when it changed, what it points at.

Every tenant table starts its primary key, its foreign keys and its indexes with `organization_id`, so that
a row can't point across organizations and the tables could be distributed by that column unchanged.
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


def bind(name: str, kind: TypeEngine[Any]) -> BindParameter[Any]:
    """A value that comes when the statement runs."""
    return bindparam(name, type_=kind, required=False)


ORGANIZATION = bind("organization_id", Uuid())
"""The organization of the request. Only `db.reading.database` gives it a value, so no caller can name another one."""


def in_organization(table: FromClause) -> ColumnElement[bool]:
    """The first lock of tenancy: `table` restricted to the organization of the request."""
    own: ColumnElement[bool] = table.c.organization_id == ORGANIZATION
    return own


def enum_column(
    name: str, values: type[StrEnum], *, default: StrEnum | None = None, nullable: bool = False
) -> Column[str]:
    """A text column that holds one of `values`. Its CHECK is added by `tenant_table`."""
    return Column(
        name,
        Text,
        nullable=nullable,
        server_default=default.value if default is not None else None,
        info={"values": values},
    )


def event_time(name: str, *, nullable: bool = False) -> Column[Any]:
    """A moment at which something happened in the world, in whole seconds."""
    return Column(name, TIMESTAMP(timezone=True, precision=0), nullable=nullable)


def audit_time(name: str, *, nullable: bool = False) -> Column[Any]:
    """A moment at which a row changed, in microseconds, written by whoever writes the row.

    There is no trigger: triggers hinder distribution.
    """
    return Column(name, DateTime(timezone=True), nullable=nullable, server_default=None if nullable else func.now())


def tenant_table(
    name: str,
    *items: SchemaItem,
    key: tuple[str, ...] = ("id",),
    references: Mapping[str, str] | None = None,
    order: tuple[str, ...] | None = ("created_at", "id"),
) -> Table:
    """A table whose rows belong to organizations.

    `key` completes the primary key behind `organization_id`; `references` maps a column to the `table.column`
    it points at inside the same organization; `order` is the order of its list, which gets an index, as does
    polling by `updated_at`. A table without a list has no order.
    """
    own_key = [Column(column, Uuid, primary_key=True) for column in key]
    table = Table(
        name,
        metadata,
        Column("organization_id", Uuid, primary_key=True),
        *own_key,
        *items,
        audit_time("created_at"),
        audit_time("updated_at"),
        audit_time("deleted_at", nullable=True),
        info={"tenant": True},
    )
    for column in list(table.columns):
        _check(table, column)
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
    if key:
        Index(None, table.c.organization_id, table.c.updated_at, table.c[key[-1]])
    return table


def _check(table: Table, column: Column[Any]) -> None:
    if "values" in column.info:
        values = ", ".join(f"'{value.value}'" for value in column.info["values"])
        table.append_constraint(CheckConstraint(f"{column.name} IN ({values})", name=column.name))
