"""Time summary: what the timesheets of an import cover, so that a wrong file or zone shows before it is written.

What reports count is asked of the report's own SQL, which a caller hands in. It reads copies of the rows of those
people whose time could count less: once as they would be without the timesheets of the import, and once with them.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import ORGANIZATION, quoted, run
from db.tables.timesheets import TimeSource

TrackedSeconds = Callable[[Connection, UUID, Sequence[UUID], datetime, datetime, Mapping[str, str]], Mapping[UUID, int]]
"""The tracked seconds of people between two instants, from the tables that stand for the declared ones."""

ROWS = "import_rows_timesheets"

_LIVE = f"s.organization_id = {ORGANIZATION} AND s.deleted_at IS NULL"

_SECONDS = "sum(extract(epoch FROM coalesce(ended_at, tracked_until) - started_at))::bigint"

OF_EACH = f"SELECT {{column}}, {_SECONDS} FROM {ROWS} WHERE deleted_at IS NULL GROUP BY 1"

DELETED_TIME = f"SELECT user_id, {_SECONDS} FROM timesheets s WHERE {{missing}} GROUP BY 1"

TIME_OF_IMPORT = f"SELECT min(started_at), max(coalesce(ended_at, tracked_until)) FROM {ROWS} WHERE deleted_at IS NULL"

# People with time that overlaps, with breaks, or with idle time that was discarded.
CONCERNED = """
SELECT DISTINCT user_id FROM (
  SELECT user_id, started_at, max(ended_at) OVER (PARTITION BY user_id ORDER BY started_at
                                                  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier_end
  FROM ({timesheets}) sheet
) later WHERE started_at < earlier_end
UNION SELECT user_id FROM ({idle_times}) idle WHERE action IN ('discarded', 'reassigned')
UNION SELECT user_id FROM ({break_times}) rest
"""

COUNTED = {
    "timesheets": "user_id, started_at, coalesce(ended_at, tracked_until) AS ended_at",
    "idle_times": "user_id, action",
    "break_times": "user_id",
}
"""What CONCERNED reads of each table that reports read."""

EQUAL_STARTS = f"""
SELECT EXISTS (SELECT FROM {ROWS} WHERE deleted_at IS NULL AND user_id IN (SELECT user_id FROM import_concerned)
               GROUP BY user_id, started_at HAVING count(*) > 1)
"""

# New entries of a report, and stored ones that it does not have, which differ in nothing but the start: by less than
# two time zones do (or a week, if it corrects entries), on days of the report, or in the order of day and month. There
# may be too many pairs to compare: the first and the last stored entry of each day tell what is near.
MOVED_ENTRIES = f"""
WITH fresh AS MATERIALIZED (
  SELECT user_id, id, {{values}}, started_at AT TIME ZONE timezone AS at FROM {ROWS}, import_organization
  WHERE NOT is_stored AND deleted_at IS NULL
), report AS MATERIALIZED (
  SELECT min(at) AS low, max(at) AS high FROM fresh
), gone AS MATERIALIZED (
  SELECT DISTINCT user_id, {{values}}, started_at AT TIME ZONE timezone AS at FROM timesheets s, import_organization
  WHERE {{kept}} AND source = {quoted(TimeSource.api)} AND user_id IN (SELECT user_id FROM {ROWS})
), days AS MATERIALIZED (
  SELECT user_id, seconds, content, at::date AS day, min(at) AS low, max(at) AS high FROM gone GROUP BY 1, 2, 3, 4
), moved AS (
  SELECT user_id, id, seconds, at::date AS day, days.first, days.last FROM fresh JOIN (
    SELECT user_id, seconds, content, min(day) AS first, max(day) AS last FROM days, report
    WHERE day BETWEEN report.low::date AND report.high::date GROUP BY 1, 2, 3
  ) days USING (user_id, seconds, content)
  UNION ALL
  SELECT user_id, id, seconds, at::date, day, day FROM fresh JOIN (
    SELECT days.* FROM days, report
    WHERE day NOT BETWEEN report.low::date AND report.high::date
      AND days.high > report.low - interval '{{near}}' AND days.low < report.high + interval '{{near}}'
  ) days USING (user_id, seconds, content)
  WHERE days.high > at - interval '{{near}}' AND days.low < at + interval '{{near}}'
  UNION ALL
  SELECT user_id, id, seconds, fresh.at::date, gone.at::date, gone.at::date
  FROM fresh JOIN gone USING (user_id, seconds, content)
  WHERE to_char(gone.at, 'YYYY-MM-DD HH24:MI:SS') = to_char(fresh.at, 'YYYY-DD-MM HH24:MI:SS')
)
SELECT user_id, sum(seconds)::bigint, min(first), max(last) FROM (
  SELECT user_id, seconds, least(min(day), min(first)) AS first, greatest(max(day), max(last)) AS last
  FROM moved GROUP BY user_id, id, seconds
) of_each GROUP BY user_id
"""

# Days for which reports refuse a person.
CROWDED_DAYS = f"""
SELECT user_id, (started_at AT TIME ZONE timezone)::date FROM {ROWS}, import_organization WHERE deleted_at IS NULL
GROUP BY 1, 2 HAVING count(*) > {{cap}} ORDER BY 2, 1
"""

NamedTime = Sequence[tuple[str, int]]
"""The name of each person or project and seconds, the most first."""


@dataclass(frozen=True)
class TimeSummary:
    """Days and times of day are local in `timezone`, that of the organization."""

    timezone: str
    first_day: date
    last_day: date
    projects: int
    early_start: time
    late_start: time
    """Half of the entries start between these times."""
    people: NamedTime
    """The time of each person's entries."""
    project_time: NamedTime
    uncounted: NamedTime
    """The time by which reports count less."""
    starts_are_equal: bool
    """Whether entries of a person with such time start together."""
    stored: NamedTime
    """The time of other entries of these people and days, which are stored and stay."""
    moved: NamedTime
    """The time of entries that are stored with another start, too."""
    moved_days: tuple[date, date] | None
    """The first and the last day that these entries have, here and there."""
    crowded: Sequence[tuple[str, date]]
    """People and days with more timesheets than a report reads."""


STORED_TIME = f"""
SELECT user_id, {_SECONDS} FROM timesheets s, (SELECT timezone FROM import_organization) o
WHERE {{kept}} AND user_id IN (SELECT user_id FROM {ROWS})
  AND started_at >= '{{first}}'::timestamp AT TIME ZONE timezone
  AND started_at < ('{{last}}'::timestamp + interval '1 day') AT TIME ZONE timezone GROUP BY 1
"""

DAYS_AND_PEOPLE = """
SELECT o.timezone, min(local)::date, max(local)::date, count(DISTINCT project_id),
       percentile_disc(0.25) WITHIN GROUP (ORDER BY local::time),
       percentile_disc(0.75) WITHIN GROUP (ORDER BY local::time)
FROM import_organization o, import_rows_timesheets r, LATERAL (SELECT r.started_at AT TIME ZONE o.timezone) t (local)
WHERE r.deleted_at IS NULL GROUP BY o.timezone
"""

# Rows of the import before those that are stored: a name that it changes is the new one.
ROWS_BY_ID = f"""
SELECT DISTINCT ON ({{key}}) {{columns}} FROM (
  SELECT {{columns}}, 1 AS age FROM {{table}} WHERE organization_id = {ORGANIZATION}{{staged}}
) named ORDER BY {{key}}, age
"""


def time_summary(
    connection: Connection,
    organization_id: UUID,
    staged: Mapping[str, StagedTable],
    tracked_seconds: TrackedSeconds | None,
    timesheets_cap: int | None,
) -> TimeSummary | None:
    """The summary of the typed rows; None if they have no timesheets.

    Without `tracked_seconds`, the time that reports do not count is left out; without `timesheets_cap`, crowded days.
    """
    row = run(connection, DAYS_AND_PEOPLE).one_or_none() if "timesheets" in staged else None
    if row is None:
        return None
    people = dict(run(connection, OF_EACH.format(column="user_id")).all())
    projects = dict(run(connection, OF_EACH.format(column="project_id")).all())
    uncounted: Mapping[UUID, int] = {}
    starts_are_equal = False
    if tracked_seconds is not None:
        uncounted, starts_are_equal = _uncounted(connection, organization_id, staged, tracked_seconds, people)
    moved, stored = _moved(connection, staged["timesheets"]), _stored(connection, staged["timesheets"], *row[1:3])
    names = _member_names(connection, staged, {*people, *uncounted, *stored, *(user_id for user_id, *_ in moved)})
    crowded = run(connection, CROWDED_DAYS.format(cap=timesheets_cap)).all() if timesheets_cap else []
    days: tuple[str, date, date, int, time, time] = tuple(row)
    return TimeSummary(
        *days,
        people=_named(names, people),
        project_time=_named(_project_names(connection, staged, projects), projects),
        uncounted=_named(names, uncounted),
        starts_are_equal=starts_are_equal,
        stored=_named(names, stored),
        moved=_named(names, {user_id: each for user_id, each, *_ in moved}),
        moved_days=(min(first for *_, first, _ in moved), max(last for *_, last in moved)) if moved else None,
        crowded=[(names[user_id], day) for user_id, day in crowded],
    )


def _stored(connection: Connection, table: StagedTable, first: date, last: date) -> Mapping[UUID, int]:
    """The seconds of each person that a report does not have, of its days; none where it replaces them."""
    if table.query is None or table.query.is_correction:
        return {}
    return dict(run(connection, STORED_TIME.format(kept=table.kept, first=first, last=last)).all())


def _moved(connection: Connection, table: StagedTable) -> Sequence[Any]:
    """Each person with entries that are stored with another start: id, seconds, first and last day."""
    # Rows of a table have ids, and an organization may send equal ones.
    if table.query is None:
        return []
    content = [f"coalesce({name}::text, '')" for name in ("project_id", "task_id", "note") if name in table.given]
    values = "extract(epoch FROM ended_at - started_at) AS seconds"
    values += f", concat_ws('/', {', '.join(content)}) AS content" if content else ", '' AS content"
    near = "8 days" if table.query.is_correction else "14 hours"
    return run(connection, MOVED_ENTRIES.format(values=values, kept=table.kept, near=near)).all()


def deleted_time(connection: Connection, staged: Mapping[str, StagedTable]) -> NamedTime:
    """The time of each person that the import deletes, because no file has it, or a file says so."""
    table = staged.get("timesheets")
    if table is None:
        return []
    gone = f"SELECT id FROM {table.rows} WHERE deleted_at IS NOT NULL"
    missing = f"{_LIVE} AND s.id IN ({gone})"
    if table.deletes:
        missing = f"({missing}) OR ({table.missing})"
    times = dict(run(connection, DELETED_TIME.format(missing=missing)).all())
    return _named(_member_names(connection, staged, times), times)


def _named(names: Mapping[UUID, str], times: Mapping[UUID, int]) -> NamedTime:
    named = [(names.get(id_, "no project"), seconds) for id_, seconds in times.items()]
    return sorted(named, key=lambda pair: (-pair[1], pair[0]))


def _member_names(connection: Connection, staged: Collection[str], ids: Collection[UUID]) -> Mapping[UUID, str]:
    return _told_apart(_rows_by_id(connection, staged, "members", "full_name", "email"), ids)


def _project_names(connection: Connection, staged: Collection[str], ids: Collection[UUID]) -> Mapping[UUID, str]:
    clients = _rows_by_id(connection, staged, "clients", "name")
    projects = _rows_by_id(connection, staged, "projects", "name", "client_id")
    return _told_apart({id_: (name, *clients.get(client, [None])) for id_, (name, client) in projects.items()}, ids)


def _rows_by_id(
    connection: Connection, staged: Collection[str], table: str, *names: str
) -> Mapping[UUID, Sequence[Any]]:
    key = "user_id" if table == "members" else "id"
    columns = ", ".join((key, *names))
    rows = f" UNION ALL SELECT {columns}, 0 FROM import_rows_{table}" if table in staged else ""
    found = run(connection, ROWS_BY_ID.format(key=key, columns=columns, table=table, staged=rows))
    return {id_: values for id_, *values in found}


def _told_apart(rows: Mapping[UUID, Sequence[Any]], ids: Collection[UUID]) -> Mapping[UUID, str]:
    """The name of each row; of those that share one, with the address of the person, or the client."""
    known = {id_: row for id_, row in rows.items() if id_ in ids}
    counts = Counter(name for name, _ in known.values())
    return {id_: name if counts[name] == 1 else f"{name} ({other or 'none'})" for id_, (name, other) in known.items()}


def _uncounted(
    connection: Connection,
    organization_id: UUID,
    staged: Mapping[str, StagedTable],
    tracked_seconds: TrackedSeconds,
    seconds: Mapping[UUID, int],
) -> tuple[Mapping[UUID, int], bool]:
    """The seconds of each person that reports do not count, and whether entries of such a person start together."""
    low, high = run(connection, TIME_OF_IMPORT).one()
    near = (
        f"s.user_id IN (SELECT user_id FROM {ROWS}) AND s.started_at < '{high}'"
        f" AND s.started_at > TIMESTAMPTZ '{low}' - interval '24 hours'"
    )
    stored, found = {}, {}
    for name, columns in COUNTED.items():
        table = staged.get(name)
        stored[name] = f"FROM {name} s WHERE {near} AND {_LIVE if table is None else table.kept}"
        found[name] = f"SELECT {columns} {stored[name]}"
        if table is not None:
            found[name] += f" UNION ALL SELECT {columns} FROM {table.rows} WHERE deleted_at IS NULL"
    run(connection, f"CREATE TEMP TABLE import_concerned ON COMMIT DROP AS {CONCERNED.format(**found)}")
    people = run(connection, "SELECT user_id FROM import_concerned").scalars().all()
    if not people:
        return {}, False
    of_concerned = "user_id IN (SELECT user_id FROM import_concerned)"

    def add(name: str) -> None:
        if (table := staged.get(name)) is not None:
            columns = ", ".join(table.columns)
            rows = f"SELECT {ORGANIZATION}, {columns} FROM {table.rows} WHERE deleted_at IS NULL AND {of_concerned}"
            run(connection, f"INSERT INTO counted_{name} (organization_id, {columns}) {rows}")
        run(connection, f"ANALYZE counted_{name}")

    tables = {name: f"counted_{name}" for name in stored}
    for name, rows in stored.items():
        run(connection, f"CREATE TEMP TABLE counted_{name} ON COMMIT DROP AS SELECT s.* {rows} AND s.{of_concerned}")
        run(connection, f"CREATE INDEX ON counted_{name} (user_id, started_at)")
        # The report reads those that overlap by an array of their ids, and would go through it for each row.
        run(connection, f"CREATE INDEX ON counted_{name} (organization_id, id)")
    add("idle_times")
    add("break_times")
    before = tracked_seconds(connection, organization_id, people, low, high, tables)
    add("timesheets")
    after = tracked_seconds(connection, organization_id, people, low, high, tables)
    lost = {id_: seconds.get(id_, 0) - after.get(id_, 0) + before.get(id_, 0) for id_ in people}
    uncounted = {id_: each for id_, each in lost.items() if each}
    return uncounted, bool(uncounted) and run(connection, EQUAL_STARTS).scalar_one()
