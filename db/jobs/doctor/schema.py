"""Checks for indexes, constraints and triggers that the declared tables should have."""

from collections.abc import Iterable, Iterator

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, PrimaryKeyConstraint, Table, UniqueConstraint
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import AddConstraint, Constraint, CreateIndex

from db.admin.triggers.declared import Trigger, cascade_triggers, row_triggers
from db.jobs.doctor.check import DECLARED_TABLES, Check, Severity
from db.reading.distribution.placements import keys_to_distributed, reference_tables

DDL_DIALECT = postgresql.dialect()  # type: ignore[no-untyped-call]  # SQLAlchemy ships it without types


def _quoted(text: str) -> str:
    """`text` as a literal of a statement, in which a colon would begin a parameter."""
    return "'" + text.replace("'", "''").replace(":", "\\:") + "'"


def _values(rows: Iterable[tuple[str, str, str]]) -> str:
    """A list of declared objects: table, name, and the command that creates it."""
    lines = [f"({', '.join(map(_quoted, row))})" for row in rows]
    return "(VALUES\n  " + ",\n  ".join(lines) + ") declared (table_name, name, command)"


def _indexes(table: Table) -> Iterator[tuple[str, str, str]]:
    for index in sorted(table.indexes, key=lambda index: str(index.name)):
        yield table.name, _name(index), _on_one_line(CreateIndex(index))


def _constraints(table: Table, kinds: tuple[type[Constraint], ...]) -> Iterator[tuple[str, str, str]]:
    for constraint in sorted(table.constraints, key=_name):
        if isinstance(constraint, kinds):
            # Isolated, the declared table would lose the constraint.
            yield table.name, _name(constraint), _on_one_line(AddConstraint(constraint, isolate_from_table=False))


def _name(item: Index | Constraint) -> str:
    name = DDL_DIALECT.identifier_preparer.format_index(item) if isinstance(item, Index) else None
    return str(name or DDL_DIALECT.identifier_preparer.format_constraint(item))


def _on_one_line(command: CreateIndex | AddConstraint) -> str:
    return " ".join(str(command.compile(dialect=DDL_DIALECT)).split())


def _missing_triggers(triggers: Iterator[Trigger]) -> str:
    return f"""
SELECT table_name || ' ' || name AS example FROM {_values(triggers)}
WHERE NOT EXISTS (SELECT 1 FROM pg_trigger t
                  WHERE t.tgname = declared.name AND t.tgrelid = to_regclass(declared.table_name))
ORDER BY 1"""


def schema() -> Iterator[Check]:
    indexes = _values(row for table in DECLARED_TABLES.values() for row in _indexes(table))
    keys = (PrimaryKeyConstraint, UniqueConstraint, ForeignKeyConstraint, CheckConstraint)
    impossible = ", ".join(_quoted(_name(key)) for table in reference_tables() for key in keys_to_distributed(table))
    constraints = _values(row for table in DECLARED_TABLES.values() for row in _constraints(table, keys))
    yield Check(
        "missing-indexes",
        Severity.error,
        "Indexes are missing or are not valid, so that lists and reports read whole tables.",
        "Drop what is not valid, and run the commands shown; CREATE INDEX CONCURRENTLY does not block writers.",
        f"""
SELECT command AS example FROM {indexes}
WHERE NOT EXISTS (SELECT 1 FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                  WHERE c.relname = declared.name AND i.indrelid = to_regclass(declared.table_name) AND i.indisvalid)
ORDER BY table_name, name""",
    )
    yield Check(
        "missing-constraints",
        Severity.error,
        "Constraints are missing or were never validated: rows may break what readers rely on.",
        "Correct the rows, and run the commands shown, or ALTER TABLE ... VALIDATE CONSTRAINT.",
        f"""
SELECT command AS example FROM {constraints}
WHERE NOT EXISTS (SELECT 1 FROM pg_constraint c
                  WHERE c.conname = declared.name AND c.conrelid = to_regclass(declared.table_name) AND c.convalidated)
  AND NOT (name IN ({impossible}) AND to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL)
ORDER BY table_name, name""",
    )
    yield Check(
        "missing-triggers",
        Severity.error,
        "Triggers on a row itself are missing: updated_at does not move, or slots move, and pollers miss changes.",
        "Run orgdata migrate, and update the rows that were written meanwhile.",
        _missing_triggers(row_triggers()),
    )
    yield Check(
        "missing-cascades",
        Severity.info,
        "Triggers that delete what belongs to a deleted row are missing: it is the duty of those who write.",
        "Run orgdata migrate --cascades, unless the tables are distributed.",
        _missing_triggers(cascade_triggers()),
    )
