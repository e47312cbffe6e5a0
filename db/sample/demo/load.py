"""Loads a sample organization from its data files: its rows until now, and who is at work now."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Table
from sqlalchemy.exc import DBAPIError

from db.admin.tenant import use_organization
from db.jobs.exporting.exported_rows import EXPORTED_TABLES
from db.jobs.importing.restored_lines import copy_lines, create_line_table, insert_lines
from db.jobs.importing.statements import ORGANIZATION, quoted, run
from db.sample.demo.copies import SHARED_TABLES, copied, copied_members
from db.sample.demo.data_files import DataFile, read_files
from db.sample.demo.movement import Movement
from db.sample.demo.totals import set_totals
from db.tables.people import members, organizations
from db.tables.timesheets import break_times, clock_records, timesheets

LONGEST_SHIFT = timedelta(hours=18)
"""Who is at work now has no other time from so long before."""

STARTS = {timesheets: "started_at", break_times: "started_at", clock_records: "clock_in_at"}
"""Tables of a person's time, and the columns of its start."""

ENDS = {timesheets: "ended_at", break_times: "ended_at"}
"""Tables whose rows are left out while they last, and the columns of their end."""

BEFORE_CLOCK_OUT = {
    "status": "'open'",
    "updated_at": "{created_at}",
    **dict.fromkeys(("clock_out_at", "clock_out_source", "clock_out_note", "clock_out_location"), "NULL"),
}
"""SQL: the values of a clock record whose clock-out is still to come. Such a record is open."""


class Load:
    """A load of the files of a folder into an organization; `limit` is the number of members, by default the file's.

    Fewer are the first of the file; for more, the rows are loaded again and again as copies.
    """

    def __init__(
        self, connection: Connection, organization_id: UUID, folder: Path, now: datetime, *, limit: int | None = None
    ) -> None:
        self._connection = connection
        self._organization_id = organization_id
        self._now = now
        self._limit = limit
        self._history, self._running = read_files(folder), read_files(folder / "running")
        self._timezone = self._history[organizations].rows[0]["timezone"]
        self._busy = sorted({row["user_id"] for table in STARTS for row in _rows(self._running, table)})
        """The people who are at work now."""
        self._incomplete: set[Table] = set()
        """The tables of which rows were left out."""

    def run(self) -> None:
        """Insert all rows. Raises ValueError."""
        use_organization(self._connection, self._organization_id)
        create_line_table(self._connection)
        run(self._connection, "SET LOCAL jit = off")
        # New tables have no statistics: nested loops would read all idle times once for each timesheet.
        run(self._connection, "SET LOCAL enable_nestloop = off")
        run(self._connection, f"SET LOCAL TimeZone = {quoted(self._timezone)}")
        size = len(_rows(self._history, members)) or 1
        for copy in range(-(-(self._limit or 1) // size)):
            for table in EXPORTED_TABLES:
                for files, is_running in ((self._history, False), (self._running, True)):
                    if table in files and not (copy and table in SHARED_TABLES):
                        self._insert(table, files[table], copy, is_running=is_running)
        set_totals(self._connection, f"{self._now:%Y-%m-%d}T00:00:00Z")
        run(self._connection, "SET LOCAL TimeZone TO DEFAULT")
        run(self._connection, "DROP TABLE restored_lines")

    def _insert(self, table: Table, file: DataFile, copy: int, *, is_running: bool) -> None:
        movement = Movement(self._now, self._timezone, is_running)
        values = {name: copied(table.c[name], movement.moved(table.c[name]), copy) for name in sorted(file.columns)}
        conditions = [] if is_running else list(self._past(table, movement))
        if not is_running and table is clock_records:
            values |= self._clock_out(values, movement)
        for column, target, found in self._references(table, values):
            if target is members and column != "user_id":
                values[column] = f"CASE WHEN {found} THEN {values[column]} END"
            else:
                conditions.append(f"(r.{column} IS NULL OR {found})")
        lines = file.lines
        if table is members:
            lines = copied_members(file, copy)[: self._limit and self._limit - copy * len(lines)]
        try:
            copy_lines(self._connection, lines)
            count = insert_lines(self._connection, table, values, " AND ".join(conditions) or "true")
        except DBAPIError as error:
            raise ValueError(f"{file.path}: {error.orig}") from error
        if count < len(file.lines):
            self._incomplete.add(table)

    def _references(self, table: Table, values: Mapping[str, str]) -> Iterator[tuple[str, Table, str]]:
        """The references to rows that may have been left out, with SQL that finds them."""
        for key in table.foreign_key_constraints:
            column, target = key.column_keys[-1], key.referred_table
            if column in values and target in self._incomplete and target is not table:
                keys = (
                    f"SELECT {key.elements[-1].column.name} FROM {target.name} WHERE organization_id = {ORGANIZATION}"
                )
                yield column, target, f"{values[column]} IN ({keys})"

    def _past(self, table: Table, movement: Movement) -> Iterator[str]:
        """Conditions of rows that are not of the future, and do not overlap what a person does now."""
        now = movement.before(self._now)
        yield f"(r.created_at IS NULL OR r.created_at <= {now})"
        if table in ENDS:
            yield f"r.{ENDS[table]} <= {now}"
        if table in STARTS:
            before = f"r.{STARTS[table]} < {movement.before(self._now - LONGEST_SHIFT)}"
            yield f"(r.user_id <> ALL ('{{{','.join(self._busy)}}}') OR {before})"

    def _clock_out(self, values: Mapping[str, str], movement: Movement) -> dict[str, str]:
        """The values of a clock record, without a clock-out that is still to come."""
        is_open = f"r.clock_out_at > {movement.before(self._now)}"
        before = {name: value.format_map(values) for name, value in BEFORE_CLOCK_OUT.items()}
        return {name: f"CASE WHEN {is_open} THEN {before[name]} ELSE {values[name]} END" for name in before}


def _rows(files: Mapping[Table, DataFile], table: Table) -> Sequence[Mapping[str, Any]]:
    return files[table].rows if table in files else ()
