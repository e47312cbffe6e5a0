"""A migrated database of its own, for what is made from its catalogue or its answers."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, inspect

from db.admin.engine import connect
from db.admin.migrate import migrate
from db.sample.embedded.database import ensure_database
from db.sample.embedded.server import Server
from db.tables.columns import metadata


@contextmanager
def migrated_database() -> Iterator[str]:
    """The URL of a migrated, empty database on a server that ends with the block."""
    with tempfile.TemporaryDirectory(prefix="orgdata-generate-") as name:
        Path(name).chmod(0o755)
        with Server(Path(name), options={"fsync": "off"}) as server:
            url = ensure_database(server)
            with connect(url).connect() as connection:
                migrate(connection)
            yield url


def missing_revision(connection: Connection) -> str | None:
    """The sentence that names the declared tables and columns that a migrated database does not have."""
    stored = {
        (table, column["name"])
        for (_, table), columns in inspect(connection).get_multi_columns().items()
        for column in columns
    }
    tables = {table for table, _ in stored}
    declared = {(table.name, column.name) for table in metadata.tables.values() for column in table.columns}
    missing = sorted({f"{table}.{column}" if table in tables else table for table, column in declared - stored})
    if not missing:
        return None
    name = missing[0].replace(".", "_")
    return f"no migration makes {', '.join(missing)} of db/tables: run make migration NAME={name}"
