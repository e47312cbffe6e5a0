"""Comments of tables and columns in the database: those of the declarations. `orgdata migrate` sets them each time."""

from collections.abc import Iterator

from sqlalchemy import Connection, Table, text
from sqlalchemy.schema import SetColumnComment, SetTableComment
from sqlalchemy.sql.ddl import DDLElement

from db.tables.areas import metadata

STORED = """
SELECT relname, NULL AS attname, obj_description(c.oid, 'pg_class') AS description
FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
UNION ALL
SELECT relname, attname, col_description(attrelid, attnum)
FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
"""


_Place = tuple[str, str | None]
"""A table and its column; None: the table itself."""


def ensure_comments(connection: Connection) -> None:
    """Give tables and columns the declared comments. A table whose comments are right is not locked.

    What is declared and not migrated yet is left out, so that `make migration` can write it.
    """
    stored = {(row.relname, row.attname): row.description for row in connection.execute(text(STORED))}
    for table in metadata.sorted_tables:
        for place, comment, command in _declared(table):
            if place in stored and stored[place] != comment:
                connection.execute(command)


def _declared(table: Table) -> Iterator[tuple[_Place, str | None, DDLElement]]:
    yield (table.name, None), table.comment, SetTableComment(table)
    for column in table.columns:
        yield (table.name, column.name), column.comment, SetColumnComment(column)
