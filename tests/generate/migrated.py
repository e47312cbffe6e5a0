"""A migrated database of its own, for what is made from its catalogue or its answers."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, inspect

from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from db.tables.columns import metadata
from tests.helpers.databases import migrate_at
from tests.helpers.folders import open_folder


@contextmanager
def migrated_database() -> Iterator[str]:
    """The URL of a migrated, empty database on a server that ends with the block."""
    with open_folder() as folder, Server(folder, options={"fsync": "off"}) as server:
        url = ensure_database(server)
        migrate_at(url)
        yield url


CHECKS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'c' AND conrelid <> 0 AND connamespace = current_schema()::regnamespace
"""


def check_changes(connection: Connection) -> list[str]:
    """The statements that give a migrated database the declared CHECK constraints, which Alembic does not compare.

    Both are compared as PostgreSQL writes them: those of the declarations are made in a schema that is rolled back.
    """
    stored = {(table, name): definition for table, name, definition in connection.exec_driver_sql(CHECKS)}
    with connection.begin_nested() as made:
        connection.exec_driver_sql("CREATE SCHEMA declared")
        metadata.create_all(connection.execution_options(schema_translate_map={None: "declared"}))
        connection.exec_driver_sql("SET LOCAL search_path = declared, public")
        declared = {(table, name): definition for table, name, definition in connection.exec_driver_sql(CHECKS)}
        made.rollback()
    connection.execution_options(schema_translate_map=None)
    changes = []
    for table, name in sorted({key for key, _ in stored.items() ^ declared.items()}):
        old, new = stored.get((table, name)), declared.get((table, name))
        if old == f"{new} NOT VALID":
            parts = [f"VALIDATE CONSTRAINT {name}"]
        else:
            parts = [f"DROP CONSTRAINT {name}"] * bool(old) + [f"ADD CONSTRAINT {name} {new} NOT VALID"] * bool(new)
        changes.append(f"ALTER TABLE {table} {', '.join(parts)}")
    return changes


def missing_revision(connection: Connection) -> str | None:
    """The sentence that names the declared tables and columns that a migrated database does not have."""
    found = inspect(connection).get_multi_columns()
    stored = {(table, column["name"]) for (_, table), columns in found.items() for column in columns}
    tables = {table for table, _ in stored}
    declared = {(table.name, column.name) for table in metadata.tables.values() for column in table.columns}
    missing = sorted({f"{table}.{column}" if table in tables else table for table, column in declared - stored})
    if not missing:
        return None
    name = missing[0].replace(".", "_")
    return f"no migration makes {', '.join(missing)} of db/tables: run make migration NAME={name}"
