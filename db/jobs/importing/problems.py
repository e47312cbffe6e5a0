"""The problems of an import: the first of each kind, and how many there are.

Those that the database finds are collected in a temporary table, and read from it at the end.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection

from db.errors import printable
from db.jobs.importing.rows import Problem
from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import quoted, run

SHOWN = 50
"""Problems of each kind that are kept; the others are counted."""

MAX_KINDS = 100
"""Kinds that are kept. The others are one."""

OTHERS = ("", "of other kinds")

MOST_PROBLEMS = 100_000
"""Problems after which the rest of the files is not read."""

LONGEST_VALUE = 80
"""Characters of a value that are shown."""


class ProblemLog:
    """Collects problems by kind: column and reason."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], list[Problem]] = {}
        self._counts: Counter[tuple[str, str]] = Counter()
        self.is_cut = False
        """Whether the rest of the files was not read."""

    def add(self, problem: Problem, *, total: int = 1) -> None:
        """Add a problem, which may stand for `total` of its kind."""
        kind = (problem.column, problem.reason)
        if kind not in self._first and len(self._first) >= MAX_KINDS:
            kind = OTHERS
        self._counts[kind] += total
        first = self._first.setdefault(kind, [])
        if len(first) < SHOWN:
            first.append(problem._replace(value=problem.value and problem.value[: LONGEST_VALUE + 1]))

    @property
    def count(self) -> int:
        return self._counts.total()

    def lines(self) -> list[str]:
        """The problems for a reader: a line for each that is kept, and one for the number of the others."""
        lines: list[str] = []
        for kind, first in self._first.items():
            lines += map(describe, first)
            if more := self._counts[kind] - len(first):
                lines.append(printable(f"... and {more:,} more: {' '.join(filter(None, kind))}"))
        return [*lines, f"The rest was not read after {MOST_PROBLEMS:,} problems."] if self.is_cut else lines


def describe(problem: Problem) -> str:
    """One line: file, line, column, value and reason."""
    place = f"{problem.file}:{problem.line}" if problem.line else problem.file
    words = [f"{place}:", problem.column, _shown(problem.value), problem.reason]
    return printable(" ".join(word for word in words if word))


def _shown(value: str | None) -> str:
    if value is None:
        return ""
    text = value if len(value) <= LONGEST_VALUE else f"{value[:LONGEST_VALUE]}..."
    return f'"{text}"' if text.isprintable() else ascii(text)


class RowCheck(NamedTuple):
    """What refuses rows `r` of a table. They are staged or typed rows, as the caller of `add_problems` says."""

    column: str
    reason: str
    condition: str
    """SQL: whether a row is refused."""
    detail: str = "''"
    """SQL: the end of the reason. Only the first ones have theirs, which makes each a kind of its own."""
    value: str = "NULL"
    """SQL: what is shown if no file has the column."""
    join: str = ""
    once: str = "r.row"
    """SQL: what is one problem, where a row is joined with several."""

    def sql(self, rows: str) -> str:
        """SQL: `row`, `value` and `detail` of each of the rows that is refused."""
        found = f"{self.value}::text AS value, {self.detail} AS detail FROM {rows} r{self.join}"
        return f"SELECT DISTINCT ON ({self.once}) r.row, {found} WHERE {self.condition}"


def add_problems(connection: Connection, table: StagedTable, rows: str, checks: Iterable[RowCheck]) -> None:
    """Add a problem for each of the `rows` of a table that a check refuses. Its value is what the file has."""
    found = []
    for check in checks:
        names = table.given_names(check.column)
        shown = names[0] if len(names) == 1 else check.column
        value = ", ".join([*(f"t.{name}::text" for name in names), "f.value"])
        found.append(
            f"SELECT row, {quoted(shown)} AS name, coalesce({value}) AS value, {quoted(check.reason)} AS reason, detail"
            f" FROM ({check.sql(rows)}) f JOIN {table.staging} t USING (row)"
        )
    if found:
        number = "row_number() OVER (PARTITION BY name, reason ORDER BY row)"
        run(
            connection,
            f"INSERT INTO import_problems SELECT {quoted(table.spec.name)}, row, name, value,"
            f" reason || CASE WHEN {number} <= {SHOWN} THEN detail ELSE '' END FROM ({' UNION ALL '.join(found)}) f",
        )


def read_problems(connection: Connection, table: StagedTable, log: ProblemLog) -> None:
    """Move the problems of a table to the log: the first of each kind, and the number of all."""
    found = run(
        connection,
        f"SELECT f.name, t.line, n.name, left(n.value, {LONGEST_VALUE + 1}), n.reason, n.total FROM ("
        "   SELECT *, count(*) OVER kind AS total, row_number() OVER (kind ORDER BY row) AS number FROM import_problems"
        f"  WHERE of_table = {quoted(table.spec.name)} WINDOW kind AS (PARTITION BY name, reason)) n"
        f" JOIN {table.staging} t USING (row) JOIN import_files f USING (file)"
        f" WHERE n.number <= {SHOWN} ORDER BY n.name, n.reason, n.number",
    )
    previous = None
    for file, line, column, value, reason, total in found:
        others = total - SHOWN if total > SHOWN and previous != (column, reason) else 0
        previous = (column, reason)
        log.add(Problem(file, line, reason, column, value), total=1 + others)
