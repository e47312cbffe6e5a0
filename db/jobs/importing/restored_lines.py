"""Lines of NDJSON that become rows: COPY into a temporary table, then one INSERT into the table of the rows.

A line is a row as a JSON object. What it leaves out is null.
"""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, Table

from db.admin.engine import copying
from db.jobs.importing.statements import ORGANIZATION, run

# Neither character is in JSON text, so that each line is a value as it is.
COPY = "COPY restored_lines FROM STDIN (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')"


def create_line_table(connection: Connection) -> None:
    """Create the table of the copied lines, which the end of the transaction drops."""
    run(connection, "CREATE TEMP TABLE restored_lines (line json) ON COMMIT DROP")
    # Rows keep their times when those that they show are inserted after them (`db.admin.triggers`).
    run(connection, "SET LOCAL app.restores = 'on'")


def copy_lines(connection: Connection, blocks: Iterable[bytes]) -> None:
    """Copy lines, in blocks of bytes of any size, in place of those that were copied before."""
    run(connection, "TRUNCATE restored_lines")
    with copying(connection, COPY) as copy:
        for block in blocks:
            copy.write(block)


def insert_lines(
    connection: Connection, table: Table, values: Mapping[str, str] | None = None, condition: str = "true"
) -> int:
    """Insert the copied lines into a table; returns the number of rows.

    `values` is the SQL of each column, and `condition` is that of the rows to insert; both read the line as `r`. By
    default all lines are inserted as they are.
    """
    values = values or {name: f"r.{name}" for name in column_names(table)}
    return run(
        connection,
        f"INSERT INTO {table.name} (organization_id, {', '.join(values)})"
        f" SELECT {ORGANIZATION}, {', '.join(values.values())} FROM {records(table)} WHERE {condition}",
    ).rowcount


def records(table: Table) -> str:
    """SQL: the copied lines as records `r` of a table."""
    return f"restored_lines, json_populate_record(NULL::{table.name}, line) r"


def column_names(table: Table) -> list[str]:
    """The columns that a line can have: the organization is given by the transaction."""
    return [column.name for column in table.columns if column.name != "organization_id"]
