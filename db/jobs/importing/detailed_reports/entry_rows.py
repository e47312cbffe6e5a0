"""Entry rows: the timesheets and breaks that the staged entries of a report become, as queries.

Entries of a report have no ids. Theirs is a hash of what identifies them, so that each import finds them again, and so
that it can be told from a stored id whether the row came from the same time tracker. Ids of entries that start together
are in the order of the files, since reports count the shared time for the least one.

Stored rows are deleted that an entry of the files no longer has: days of one that got shorter, and what it became when
the report was imported with times of day, or without them. With `--replace`, all entries of some days are deleted that
the files do not have.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import Table

from db.jobs.importing.detailed_reports.intervals import DAY_LENGTH, MAX_ENTRY
from db.jobs.importing.detailed_reports.replaced_days import TimeSpan
from db.jobs.importing.import_table import IMPORT_TABLES
from db.jobs.importing.rows import SourceQuery
from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import ORGANIZATION, quoted
from db.jobs.importing.typed.text_forms import cast_sql
from db.tables.timesheets import TimesheetKind, TimeSource, break_times, timesheets

# A report with times of day does not tell a timer from time that was typed in.
_TIMESHEET = {
    "project_id": "project_id",
    "task_id": "task_id",
    "is_billable": "is_billable",
    "kind": f"CASE WHEN is_manual THEN {quoted(TimesheetKind.manual)} ELSE {quoted(TimesheetKind.automatic)} END",
    "source": quoted(TimeSource.api),
    "note": cast_sql(timesheets.c.note, "note"),
    "tags": "tags",
}
"""The columns of a timesheet besides its id, person and times."""

_PLACED = "known_at + (sum(seconds) OVER (PARTITION BY user_id, known_at ORDER BY file, line))::bigint - seconds"

_MILLISECONDS = "('x' || left(translate(s.id::text, '-', ''), 12))::bit(48)::bigint"

_MOST_PIECES = MAX_ENTRY // DAY_LENGTH

_MOST_NUMBERED = 10_000
"""The highest number of an entry among those of its start that a stored row is compared with."""

_TAKES_THE_PLACE = (
    "would take the place of stored time of another entry: import all files of these days at once, or with --replace if"
    " the files have all entries of their days"
)


def _is_live(row: str) -> str:
    return f"{row}.organization_id = {ORGANIZATION} AND {row}.deleted_at IS NULL"


def _id(milliseconds: str) -> str:
    """SQL: a UUID of version 7 with 74 bits of the hash, the lowest ones."""
    bits = "('x' || right(hash, 20))::bit(80)"
    return f"""
    (lpad(to_hex({milliseconds}), 12, '0') || '7' || lpad(to_hex(substring({bits} FROM 7 FOR 12)::int), 3, '0')
     || to_hex((B'10' || substring({bits} FROM 19))::bit(64)::bigint))::uuid
    """


def _tail(id_: str) -> str:
    """SQL: the hash in an id, which all rows of one entry have."""
    return f"right({id_}::text, 21)"


# Of an entry of several timesheets, the stored one ends with the last of them.
_LENGTH_DIFFERS = f"""
n.seconds <> extract(epoch FROM CASE WHEN s.ended_at - s.started_at < interval '{DAY_LENGTH} s' THEN s.ended_at ELSE (
  SELECT max(p.ended_at) FROM timesheets p
  WHERE p.organization_id = s.organization_id AND p.user_id = s.user_id AND p.started_at >= s.started_at
    AND p.deleted_at IS NULL AND {_tail("p.id")} = {_tail("s.id")}
) END - s.started_at)
"""

# Whether the stored entry is of a client that no file has: some trackers export a file for each client. After a rename
# of the client, the project has the same name.
_IS_OF_ANOTHER_CLIENT = f"""
EXISTS (
  SELECT FROM projects p
  WHERE p.organization_id = {ORGANIZATION} AND p.id = s.project_id AND p.client_id <> n.client_id
    AND p.name <> n.project AND NOT EXISTS (SELECT FROM import_work w WHERE w.client_id = p.client_id)
)
"""


@dataclass(frozen=True)
class EntryRows:
    """The timesheets and breaks that the staged entries of a report become."""

    files: Sequence[str]
    source: str
    """The organization and the time tracker, which ids are made from."""
    missing: Collection[str]
    """The columns of which the report says nothing, so that stored values stay."""
    zone: str
    near: TimeSpan
    """When stored rows of the report start."""
    are_placed: bool = False
    """Whether entries have no times of day."""
    have_breaks: bool = False
    """Whether a line has the break of its entry, too, so that a stored one may be another."""
    replaced: TimeSpan | None = None
    """The days whose entries are deleted that the report does not have, if they are."""
    of_all_people: bool = False
    """Whether also those of people who are not in it are deleted."""

    @property
    def numbering(self) -> str:
        """The statement that numbers the entries of each person and moment."""
        entries = "import_entries JOIN import_work USING (work) JOIN import_people USING (person)"
        if len(self.files) > 1:
            # Entries of several files that have the same content count once. Each is counted among those of its file: a
            # file that has an entry twice has two.
            content = sorted({"project_id", "task_id", "seconds", "note", "is_billable"} - {*self.missing})
            same = ", ".join(["user_id", "known_at", "is_break", *content])
            entries = f"""(
              SELECT *, min(file) OVER (PARTITION BY {same}, repetition) AS first_file FROM (
                SELECT *, row_number() OVER (PARTITION BY {same}, file ORDER BY line) AS repetition FROM {entries}
              ) counted
            ) repeated WHERE file = first_file"""
        # Entries without times of day follow each other.
        return f"""
        CREATE TEMP TABLE import_numbered ON COMMIT DROP AS
        SELECT *, row_number() OVER (PARTITION BY user_id, known_at, is_break ORDER BY file, line) AS number,
               {_PLACED if self.are_placed else "known_at"} AS begin
        FROM {entries}
        """

    def query(self, table: Table) -> SourceQuery:
        """The rows of one of the tables."""
        values = {each: sql for each, sql in _TIMESHEET.items() if table is timesheets and each not in self.missing}
        entry = f"{quoted(f'{self.source}/{table.name}/')} || user_id || '/' || known_at || '.0/' || number - 1"
        hash_ = f"encode(sha256(convert_to({entry}, 'UTF8')), 'hex')"
        # Earlier versions gave all entries that start together the same milliseconds.
        earlier_id = _id("moment")
        # OFFSET 0: a hash is computed once.
        sql = f"""
        SELECT row + piece AS row, file, line, CASE WHEN number > 1 AND EXISTS (
                 SELECT FROM {table.name} o WHERE {_is_live("o")} AND o.id = {earlier_id}
               ) THEN {earlier_id} ELSE {_id("moment + least(number - 1, 999)")} END AS id,
               user_id, to_timestamp(begin + piece * {DAY_LENGTH}) AS started_at,
               to_timestamp(begin + least((piece + 1) * {DAY_LENGTH}, seconds)) AS ended_at
               {"".join(f", {value} AS {column}" for column, value in values.items())}
        FROM (
          SELECT *, {hash_} AS hash,
                 1000 * (CASE WHEN is_manual THEN known_at ELSE begin END + piece * {DAY_LENGTH}) AS moment
          FROM (SELECT *, generate_series(0, (seconds - 1) / {DAY_LENGTH}) AS piece
                FROM import_numbered WHERE is_break = {table is break_times}) pieces OFFSET 0
        ) hashed
        """
        columns = ["id", "user_id", "started_at", "ended_at", *values]
        staged = StagedTable(IMPORT_TABLES[table.name]).staging
        stale, refused = self._stale(table, staged, hash_), self._refused(staged, [*values])
        return SourceQuery(table.name, self.files, columns, sql, stale, refused, self.replaced is not None)

    @property
    def _kind(self) -> str:
        return quoted(TimesheetKind.manual if self.are_placed else TimesheetKind.automatic)

    def _local_day(self, moment: str) -> str:
        return f"({moment} AT TIME ZONE {quoted(self.zone)})::date"

    def _stale(self, table: Table, staged: str, hash_: str) -> str:
        """SQL: the ids of stored rows that are to be deleted."""
        of_people = "true" if self.of_all_people else "s.user_id IN (SELECT user_id FROM import_people)"
        known_day = self._local_day("to_timestamp(known_at)")
        days = f"(SELECT user_id, {known_day} FROM import_numbered)"
        if table is timesheets:
            is_otherwise, is_of_days = f"s.kind <> {self._kind}", f"(user_id, {known_day}) IN {days}"
        else:
            is_otherwise, is_of_days = self._is_other_break(days), "true"
        # The milliseconds of an id tell the number of the entry, unless it is the first one, of an earlier version, or
        # beyond the thousandth.
        return f"""
        WITH spare AS MATERIALIZED (
          SELECT s.id, s.user_id, {_tail("s.id")} AS tail, {is_otherwise} AS is_otherwise,
                 {_MILLISECONDS} AS milliseconds
          FROM {table.name} s
          WHERE {_is_live("s")} AND {self.near.contains("s.started_at", "to_timestamp({})")} AND {of_people}
            AND substring(s.id::text FROM 15 FOR 1) = '7' AND NOT EXISTS (SELECT FROM {staged} e WHERE e.id = s.id)
        )
        SELECT id FROM spare WHERE tail IN (SELECT {_tail("id")} FROM {staged})
        UNION
        SELECT spare.id FROM spare, LATERAL (
          SELECT known_at FROM (
            SELECT known_at, {hash_} AS hash FROM (
              SELECT spare.user_id, milliseconds / 1000 - piece * {DAY_LENGTH} AS known_at, number
              FROM (SELECT nullif(milliseconds % 1000, 0) + 1 AS told) told, generate_series(0, {_MOST_PIECES}) piece,
                   generate_series(coalesce(told, 1), CASE
                     WHEN told = 1000 AND piece = 0 THEN {_MOST_NUMBERED}
                     ELSE coalesce(told, CASE piece WHEN 0 THEN 200 ELSE 10 END)
                   END) number
            ) known OFFSET 0
          ) hashed WHERE spare.id = {_id("milliseconds")} LIMIT 1
        ) own
        WHERE (is_otherwise OR {self.replaced is not None})
          AND ({"false" if self.replaced is None else self.replaced.contains("known_at")}
               OR is_otherwise AND {is_of_days})
        """

    def _is_other_break(self, days: str) -> str:
        """SQL: whether a stored break `s` was imported with its time of day, or without it, and is now the other way.

        An id has the start of a break that was imported with its time of day, else that of its day. Where work begins
        now, the break has become work.
        """
        is_other = f"""
        (extract(epoch FROM s.started_at) {"=" if self.are_placed else "<>"} {_MILLISECONDS} / 1000
           AND (s.user_id, {self._local_day("s.started_at")}) IN {days}
         OR (s.user_id, extract(epoch FROM s.started_at)::bigint) IN (
           SELECT user_id, begin FROM import_numbered WHERE NOT is_break
         ))
        """
        if not self.have_breaks:
            return is_other
        # The break of an entry begins where its stored timesheet ends.
        return f"""{is_other} OR (s.user_id, s.started_at) IN (
          SELECT t.user_id, t.ended_at
          FROM timesheets t JOIN import_numbered n ON n.user_id = t.user_id AND to_timestamp(n.begin) = t.started_at
          WHERE {_is_live("t")} AND NOT n.is_break AND t.ended_at IS NOT NULL
        )"""

    def _refused(self, staged: str, columns: Sequence[str]) -> str | None:
        """SQL: the rows with these columns that would take the place of stored time of other work silently."""
        if self.replaced is not None or "project_id" not in columns:
            return None
        work = [column for column in ("project_id", "task_id") if column in columns]
        is_other = f"({' OR '.join(f's.{column} IS DISTINCT FROM t.{column}' for column in work)})"
        if "note" in columns:
            # Entries without notes are others if both have a project: one that lost its project or task was edited.
            is_other = (
                f"({is_other} AND s.note IS DISTINCT FROM t.note OR s.project_id <> t.project_id AND s.note IS NULL)"
            )
        is_other += f" AND {_LENGTH_DIFFERS}"
        is_other += f" OR {_IS_OF_ANOTHER_CLIENT}"
        and_alike = ""
        if self.are_placed:
            # Without times of day, the number of an entry in its day says little.
            is_other = f"s.project_id <> t.project_id OR {is_other}"
            unlike = "(s.note IS NULL OR s.note IS DISTINCT FROM t.note)" if "note" in columns else "true"
            if "task_id" in columns:
                is_other += f" OR s.task_id <> t.task_id AND {unlike}"
            kinds = [column for column in ("task_id", "is_billable", "tags") if column in columns]
            differs = "".join(f" OR s.{column} IS DISTINCT FROM t.{column}" for column in kinds)
            is_other += f" OR (false{differs}) AND {_LENGTH_DIFFERS} AND {unlike}"
            and_alike = "".join(f" AND o.{each} IS NOT DISTINCT FROM s.{each}" for each in kinds if each != "task_id")
        # An entry that moved up among those that start together, where the files have fewer: its time would be stored
        # twice, and that of the entry in its place would be gone.
        of_r, of_s, of_t = (self._content(row, columns) for row in "rst")
        or_double = f"""OR {of_s} <> {of_t} AND {of_t} IN (
          SELECT {of_r} FROM timesheets r
          WHERE {_is_live("r")} AND {self.near.contains("r.started_at", "to_timestamp({})")}
            AND r.kind = {self._kind} AND r.source = {quoted(TimeSource.api)}
            AND NOT EXISTS (SELECT FROM {staged} e WHERE e.id = r.id)
        )"""
        return f"""
        SELECT t.row, 'Project', m.full_name || ' on ' || {self._local_day("to_timestamp(n.known_at)")},
               {quoted(_TAKES_THE_PLACE)}
        FROM {staged} t JOIN import_numbered n USING (row) JOIN timesheets s ON {_is_live("s")} AND s.id = t.id
        JOIN members m ON m.organization_id = {ORGANIZATION} AND m.user_id = t.user_id
        WHERE s.kind = {self._kind} AND ({is_other}) AND NOT EXISTS (
          SELECT FROM import_numbered o WHERE o.user_id = t.user_id AND o.known_at = n.known_at {and_alike}
            AND o.project_id IS NOT DISTINCT FROM s.project_id
            AND (s.project_id IS DISTINCT FROM t.project_id OR o.task_id IS NOT DISTINCT FROM s.task_id)
        ) {or_double}
        """

    def _content(self, row: str, columns: Sequence[str]) -> str:
        """SQL: the day or the start, length, person and work of a timesheet in one text."""
        told = [column for column in ("user_id", "project_id", "task_id", "note") if column in ("user_id", *columns)]
        length = f"{row}.ended_at - {row}.started_at"
        start = f"{row}.started_at"
        values = [self._local_day(start) if self.are_placed else start, length, *(f"{row}.{column}" for column in told)]
        return f"concat_ws('/', {', '.join(values)})"
