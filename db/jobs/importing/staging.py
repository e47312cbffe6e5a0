"""Staging: the rows of an import as texts in temporary tables, one for each table, filled by COPY."""

from collections import Counter
from collections.abc import Generator, Iterable, Sequence

from sqlalchemy import Connection

from db.admin.engine import copying
from db.jobs.importing.import_table import IMPORT_TABLES
from db.jobs.importing.problems import MOST_PROBLEMS, ProblemLog
from db.jobs.importing.rows import MAX_COLUMNS, Problem, SourceItem, SourceQuery, SourceRow, SourceTable
from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import quoted, run

BATCH_ROWS, BATCH_CHARACTERS = 2_000, 4_000_000
"""Rows of a table, and their text, that are collected before they are copied: the bound of the memory."""

LENGTH_OF_KEY = 64
"""What a value takes besides its text, in characters."""


class Staging:
    """Copies rows into the temporary tables of one transaction."""

    def __init__(self, connection: Connection, log: ProblemLog, *, replace: bool) -> None:
        self._connection, self._log, self._replace = connection, log, replace
        self._tables: dict[str, StagedTable] = {}
        self._batches: dict[str, list[SourceRow]] = {}
        self._characters: Counter[str] = Counter()
        self._files: dict[str, int] = {}
        self._unknown: set[tuple[str, str, str]] = set()
        self._is_nameless = False

    def stage(self, items: Iterable[SourceItem]) -> bool:
        """Copy all rows; returns whether all were read. Reading ends where the rest would only make more problems.

        Queries are kept for `run_queries`: those of a cluster need the image of its tables.
        """
        for item in items:
            self._log.is_cut = self._log.count >= MOST_PROBLEMS
            if self._log.is_cut or self._is_nameless or len(self._unknown) > MAX_COLUMNS:
                if isinstance(items, Generator):
                    # It may be copying entries on this connection, which then waits for their end.
                    items.close()
                return False
            if isinstance(item, SourceRow):
                self._add(item)
            elif isinstance(item, SourceTable):
                self._accept(self._table(item.table), item.columns, item.file, item.line)
            elif isinstance(item, SourceQuery):
                spec, given = IMPORT_TABLES[item.table], dict.fromkeys(item.columns)
                self._tables[item.table] = StagedTable(spec, given, query=item)
            else:
                self._log.add(item)
        for name in self._batches:
            self._flush(name)
        return not self._is_nameless

    def run_queries(self) -> None:
        """Stage the rows of the queries, and finish the tables. A query that changes nothing leaves its table alone."""
        for table in self.tables:
            if table.query is not None and not self._run(table.query, table):
                del self._tables[table.spec.name]
        for table in self._tables.values():
            run(self._connection, f"ANALYZE {table.staging}")
        files = ", ".join(f"({number}, {quoted(name)})" for name, number in self._files.items())
        if files:
            run(self._connection, f"INSERT INTO import_files VALUES {files}")

    @property
    def tables(self) -> list[StagedTable]:
        """The tables that the rows are of, each after those that it references."""
        return [self._tables[name] for name in IMPORT_TABLES if name in self._tables]

    def _add(self, row: SourceRow) -> None:
        batch = self._batches.get(row.table)
        if batch is None:
            self._table(row.table)
            batch = self._batches[row.table] = []
        batch.append(row)
        size = sum([len(value) for value in row.values.values() if value]) + LENGTH_OF_KEY * len(row.values)
        self._characters[row.table] += size
        if len(batch) >= BATCH_ROWS or self._characters[row.table] >= BATCH_CHARACTERS:
            self._flush(row.table)

    def _table(self, name: str) -> StagedTable:
        table = self._tables.get(name)
        if table is None:
            table = self._tables[name] = StagedTable(IMPORT_TABLES[name], replace=self._replace)
            texts = ", ".join(f"{column} text" for column in sorted(table.spec.names))
            run(
                self._connection,
                f"CREATE TEMP TABLE {table.staging}"
                f" (row bigint GENERATED ALWAYS AS IDENTITY, file int, line bigint, shape bigint, {texts})"
                " ON COMMIT DROP",
            )
        return table

    def _run(self, query: SourceQuery, table: StagedTable) -> int:
        """The number of the rows that are new, changed or deleted, at most."""
        numbers = ", ".join(str(self._file(name)) for name in query.files)
        table.count = run(
            self._connection,
            f"CREATE TEMP TABLE {table.staging} ON COMMIT DROP AS SELECT row, (ARRAY[{numbers}]::int[])[file + 1] AS"
            f" file, line, {', '.join(query.columns)} FROM ({query.sql}) q",
        ).rowcount
        deleted = run(self._connection, f"CREATE TEMP TABLE {table.stale} ON COMMIT DROP AS {query.stale}").rowcount
        if query.refused is not None:
            problems = f"SELECT {quoted(query.table)}, q.* FROM ({query.refused}) q"
            run(self._connection, f"INSERT INTO import_problems {problems}")
        return table.count + deleted

    def _flush(self, name: str) -> None:
        batch, self._batches[name], self._characters[name] = self._batches[name], [], 0
        table = self._tables[name]
        shapes: dict[tuple[str, ...], int] = {}
        for row in batch:
            shape = tuple(row.values)
            if shape not in shapes:
                self._accept(table, shape, row.file, row.line)
                shapes[shape] = table.spec.shape(shape)
                table.common_shape &= shapes[shape]
        columns = list(dict.fromkeys(column for shape in shapes for column in shape if column in table.given))
        named = [number for number, column in enumerate(columns) if column in table.spec.names_of_rows]
        command = f"COPY {table.staging} ({', '.join(['file', 'line', 'shape', *columns])}) FROM STDIN"
        with copying(self._connection, command) as copy:
            for row in batch:
                values = [row.values.get(column) for column in columns]
                # With a space around it, a name would be that of another row.
                for number in named:
                    values[number] = (values[number] or "").strip() or None
                copy.write_row([self._file(row.file), row.line, shapes[tuple(row.values)], *values])
        table.count += len(batch)

    def _accept(self, table: StagedTable, columns: Sequence[str], file: str, line: int) -> None:
        """Take the columns of a file; those that the table does not have are problems, one for each file."""
        spec = table.spec
        known = [column for column in columns if column in spec.names]
        unknown = [column for column in columns if column not in spec.names and column not in spec.read_over]
        table.given |= dict.fromkeys(known)
        names = ", ".join(sorted(spec.names))
        reason = f"is not a column of {spec.name}: rename or delete it; the columns are {names}"
        if unknown and not known:
            reason = f"has no column of {spec.name}: a file begins with names of columns, such as {names}"
            unknown, self._is_nameless = [""], True
        for column in unknown:
            if (spec.name, file, column) not in self._unknown:
                self._unknown.add((spec.name, file, column))
                self._log.add(Problem(file, line, reason, column))

    def _file(self, name: str) -> int:
        return self._files.setdefault(name, len(self._files))
