"""Problems that the database finds: collected in a temporary table, then read by kind."""

from collections.abc import Iterable

from sqlalchemy import Connection

from db.jobs.importing.problem_log import LONGEST_VALUE, SHOWN, ProblemLog
from db.jobs.importing.rows import Problem
from db.jobs.importing.staging import StagedTable
from db.jobs.importing.statements import quoted, run

RefusedRows = tuple[str, str, str]
"""What a check refuses: the column, the reason, and SQL that selects each refused `row`."""


def add_problems(connection: Connection, table: StagedTable, refusals: Iterable[RefusedRows]) -> None:
    """Add a problem for each row that is refused. Its value is what the file has for the column."""
    for column, reason, rows in refusals:
        names = table.given_names(column)
        value = f"coalesce({', '.join(f't.{name}' for name in names)})::text" if names else "NULL"
        shown = names[0] if len(names) == 1 else column
        run(
            connection,
            f"INSERT INTO import_problems SELECT {quoted(table.spec.name)}, t.row, {quoted(shown)}, {value},"
            f" {quoted(reason)} FROM {table.staging} t WHERE t.row IN ({rows})",
        )


def read_problems(connection: Connection, table: StagedTable, log: ProblemLog) -> None:
    """Move the problems of a table to the log: the first of each kind, and the number of all."""
    found = run(
        connection,
        f"SELECT f.name, t.line, n.name, left(n.value, {LONGEST_VALUE + 1}), n.reason, n.total FROM ("
        "   SELECT *, count(*) OVER kind AS total, row_number() OVER (kind ORDER BY row) AS number FROM import_problems"
        f"  WHERE kind = {quoted(table.spec.name)} WINDOW kind AS (PARTITION BY name, reason)) n"
        f" JOIN {table.staging} t USING (row) JOIN import_files f USING (file)"
        f" WHERE n.number <= {SHOWN} ORDER BY n.name, n.reason, n.number",
    )
    previous = None
    for file, line, column, value, reason, total in found:
        others = total - SHOWN if total > SHOWN and previous != (column, reason) else 0
        previous = (column, reason)
        log.add(Problem(file, line, column, value, reason), total=1 + others)
