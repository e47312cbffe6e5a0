"""What migrations should have made, as values of the checks: names of tables, and objects as JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import AddConstraint, Constraint, CreateIndex

from db.admin.roles import WRITER_ROLE, written_tables
from db.admin.triggers.declared import cascade_triggers, row_triggers
from db.reading.hosts.distribution import keys_to_distributed, reference_tables
from db.reading.transaction import SERVICE_ROLE
from db.tables.areas import AREAS
from db.tables.columns import metadata
from db.tables.keys import api_keys
from db.tables.people import organizations
from db.tables.reference import PINNED_LISTS

assert AREAS, "all tables are declared"

TABLES: Sequence[Table] = [table for _, table in sorted(metadata.tables.items())]

PROTECTED_TABLES = [table.name for table in TABLES if table.info.get("tenant") or table is api_keys]
"""The tables with row-level security."""

# As PostgreSQL prints the conditions of the policies.
ORGANIZATION_SETTING = "(NULLIF(current_setting('app.organization_id'::text, true), ''::text))::uuid"
OWN_ROWS = f"(organization_id = COALESCE({ORGANIZATION_SETTING}, organization_not_set()))"
BY_PUBLIC_ID = "(public_id = current_setting('app.public_id'::text, true))"

ADMINISTERED = {api_keys.name: "ALL", "quota_overrides": "ALL", organizations.name: "SELECT"}
"""The tables of which the owner sees all rows, and the command for which it does."""

DDL_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy ships it without types


def _policies() -> Iterator[tuple[str, str, str, str]]:
    """Table, name, command and condition of each policy."""
    for table in PROTECTED_TABLES:
        yield table, "tenant", "ALL", BY_PUBLIC_ID if table == api_keys.name else OWN_ROWS
        if table in ADMINISTERED:
            yield table, "owner", ADMINISTERED[table], "true"


def _indexes(table: Table) -> Iterator[tuple[str, str, str]]:
    """Table, name and command of each index."""
    for index in table.indexes:
        yield table.name, DDL_DIALECT.identifier_preparer.format_index(index), _on_one_line(CreateIndex(index))


def _constraints(table: Table) -> Iterator[tuple[str, str, str]]:
    """Table, name and command of each constraint."""
    for constraint in table.constraints:
        # Isolated, the declared table would lose the constraint.
        yield table.name, _name(constraint), _on_one_line(AddConstraint(constraint, isolate_from_table=False))


def _name(constraint: Constraint) -> str:
    return str(DDL_DIALECT.identifier_preparer.format_constraint(constraint))


def _on_one_line(command: CreateIndex | AddConstraint) -> str:
    return " ".join(str(command.compile(dialect=DDL_DIALECT)).split())


def _json(rows: Iterable[Sequence[str]], *more: str) -> str:
    return json.dumps([dict(zip(("table_name", "name", "command", *more), row, strict=True)) for row in rows])


DECLARED: Mapping[str, Any] = {
    "service_role": SERVICE_ROLE,
    "writer_role": WRITER_ROLE,
    "declared_tables": [table.name for table in TABLES],
    "written_tables": [table.name for table in written_tables()],
    # Those that the writer's role reads besides.
    "read_tables": [organizations.name, *(table.name for table in PINNED_LISTS)],
    "protected_tables": PROTECTED_TABLES,
    "policies": _json(_policies(), "condition"),
    "indexes": _json(row for table in TABLES for row in _indexes(table)),
    "constraints": _json(row for table in TABLES for row in _constraints(table)),
    "undistributed_keys": [_name(key) for table in reference_tables() for key in keys_to_distributed(table)],
    "row_triggers": _json(row_triggers()),
    "cascade_triggers": _json(cascade_triggers()),
}
