"""Entry rows: the timesheets and breaks that the staged entries of a report become, as queries.

Entries of a report have no ids. Theirs is a hash of what identifies them, so that each import finds them again, and so
that it can be told from a stored id whether the row came from the same time tracker.

With `--replace`, stored entries are deleted that the report no longer has: those that were deleted in the time tracker,
or got another start. They are of the people in the report and of its time, from the day of its first entry to that of
its last one. Others stay: a report says nothing about people and days that it does not have.
"""

from collections.abc import Collection, Sequence

from sqlalchemy import Table

from db.jobs.importing.detailed_reports.intervals import DAY_LENGTH, MAX_ENTRY
from db.jobs.importing.rows import SourceQuery
from db.jobs.importing.statements import ORGANIZATION, quoted
from db.jobs.importing.typed.text_forms import cast_sql
from db.tables.timesheets import TimesheetKind, TimeSource, break_times, timesheets

_MOST_AT_ONCE, _MOST_A_DAY = 10, 200
"""Entries of one person with the same start, or of the same day, that are recognized by their ids at most."""

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

_HASH = """encode(sha256(convert_to({prefix} || user_id || '/' || known_at || '.0/' || number - 1, 'UTF8')), 'hex')"""

_MILLISECONDS = "lpad(to_hex(begin * 1000), 12, '0')"

# A UUID of version 7 with 74 bits of the hash, the lowest ones.
_ID = f"""
({_MILLISECONDS} || '7' || lpad(to_hex(substring(('x' || right(hash, 20))::bit(80) FROM 7 FOR 12)::int), 3, '0')
 || to_hex((B'10' || substring(('x' || right(hash, 20))::bit(80) FROM 19))::bit(64)::bigint))::uuid
"""

# An entry that an earlier file has is left out. OFFSET 0: a hash is computed once, and not for each use.
_ENTRIES = """
SELECT row, file, line, {id} AS id, user_id, to_timestamp(started_at) AS started_at, to_timestamp(ended_at) AS ended_at
       {values}
FROM (
  SELECT *, {hash} AS hash, CASE WHEN is_manual THEN known_at ELSE started_at END AS begin
  FROM (
    SELECT *, dense_rank() OVER same AS number, first_value(file) OVER same AS first_file
    FROM import_entries JOIN import_work USING (work) WHERE is_break = {is_break}
    WINDOW same AS (PARTITION BY person, known_at ORDER BY file, line)
  ) numbered JOIN import_people USING (person) WHERE file = first_file OFFSET 0
) hashed
"""

_WITH_STALE = """
WITH entries AS MATERIALIZED ({entries}), period AS (
  SELECT date_trunc('day', to_timestamp(min(known_at)) AT TIME ZONE {zone}) AT TIME ZONE {zone} AS low,
         (date_trunc('day', to_timestamp(max(known_at)) AT TIME ZONE {zone}) + interval '1 day') AT TIME ZONE {zone}
           AS high,
         max(row) AS last_row, max(file) AS last_file
  FROM import_entries
)
SELECT *, NULL::timestamptz AS deleted_at FROM entries
UNION ALL
SELECT last_row + row_number() OVER (), last_file, 0, id, user_id, started_at, ended_at{columns}, statement_timestamp()
FROM period, (
  SELECT *, extract(epoch FROM {begin})::bigint AS begin
  FROM {table} WHERE organization_id = {organization} AND deleted_at IS NULL
) s
WHERE user_id IN (SELECT user_id FROM import_people) AND started_at >= low AND started_at < high
  AND NOT EXISTS (SELECT FROM entries WHERE entries.id = s.id)
  AND CASE WHEN starts_with(translate(id::text, '-', ''), {milliseconds}) THEN EXISTS (
    SELECT FROM (
      SELECT {hash} AS hash
      FROM (SELECT s.begin - piece * {day} AS known_at, number
            FROM generate_series(0, {pieces}) piece, generate_series(1, {numbers}) number) known OFFSET 0
    ) hashed WHERE s.id = {id}
  ) ELSE false END
"""


def entry_query(
    table: Table,
    files: Sequence[str],
    source: str,
    columns: Collection[str],
    *,
    has_times: bool,
    replaced_in: str | None,
) -> SourceQuery:
    """The breaks or timesheets that the staged entries become, as a query.

    `source`: the organization and the time tracker, which ids are made from. `columns`: those of note and tags that the
    report has. `has_times`: whether each entry has times of day. `replaced_in`: the zone of the report, if rows that it
    no longer has are deleted.
    """
    values = {
        column: value
        for column, value in _TIMESHEET.items()
        if table is timesheets and (column not in ("note", "tags") or column in columns)
    }
    names = ["id", "user_id", "started_at", "ended_at", *values]
    hash = _HASH.format(prefix=quoted(f"{source}/{table.name}/"))
    sql = _ENTRIES.format(
        id=_ID,
        hash=hash,
        is_break=table is break_times,
        values="".join(f", {value} AS {column}" for column, value in values.items()),
    )
    if replaced_in is not None:
        names.append("deleted_at")
        zone = quoted(replaced_in)
        day_start = f"date_trunc('day', started_at AT TIME ZONE {zone}) AT TIME ZONE {zone}"
        sql = _WITH_STALE.format(
            entries=sql,
            zone=zone,
            columns="".join(f", {column}" for column in values),
            begin="started_at" if has_times else day_start,
            table=table.name,
            organization=ORGANIZATION,
            milliseconds=_MILLISECONDS,
            hash=hash,
            id=_ID,
            day=DAY_LENGTH,
            pieces=MAX_ENTRY // DAY_LENGTH if has_times else 0,
            numbers=_MOST_AT_ONCE if has_times else _MOST_A_DAY,
        )
    return SourceQuery(table.name, files, names, sql)
