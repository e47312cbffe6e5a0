"""What an import reads: rows of tables as texts, each with its file and line; and problems of rows.

Every source yields these: CSV, NDJSON and Parquet files, and the reports of other programs. A column is one of the
table, or a name by which the row or a reference is given instead of an id: `external_id`, `client_external_id`,
`user_email`. A value is text as in a CSV file; None is null. The rows of several tables may alternate: a client, then a
timesheet, then another client.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class SourceTable(NamedTuple):
    """A file has rows of a table, perhaps none. Needed where `columns` are known before the first row.

    With `replace`, a table without rows is emptied; a table that no item names is left alone.
    """

    table: str
    file: str
    line: int
    columns: Sequence[str]


class SourceRow(NamedTuple):
    """A row of a table. A column that it leaves out, while other rows of the table have it, is null."""

    table: str
    file: str
    line: int
    values: Mapping[str, str | None]


class Problem(NamedTuple):
    """A value that is refused, and why. `column` is empty where a whole line is refused.

    The reason is a part of a sentence, such as "is not a date", without the value: problems with the same column and
    reason are of one kind, and of each kind only the first are reported.
    """

    file: str
    line: int
    column: str
    value: str | None
    reason: str


class SourceQuery(NamedTuple):
    """The rows of a table that a query over staged rows has: typed values, and not texts.

    It selects `row`, `file`, which is a position in `files`, `line`, and the columns.
    """

    table: str
    files: Sequence[str]
    columns: Sequence[str]
    sql: str


SourceItem = SourceTable | SourceRow | SourceQuery | Problem
