"""Time summary: what the timesheets of an import cover, so that a wrong file or zone shows before it is written.

What reports count is asked of the report's own SQL, which a caller hands in. It reads copies of the rows of those
people whose time could count less: once as they would be without the timesheets of the import, and once with them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from db.jobs.importing.merging.merge import Merge
from db.jobs.importing.statements import ORGANIZATION, run
from db.tables.timesheets import break_times, idle_times, timesheets

TrackedSeconds = Callable[[Connection, UUID, Sequence[UUID], datetime, datetime, Mapping[str, str]], Mapping[UUID, int]]
"""The tracked seconds of people between two instants, from the tables that stand for the declared ones."""

ROWS = "import_rows_timesheets"

SECONDS = f"""
SELECT user_id, sum(extract(epoch FROM coalesce(ended_at, tracked_until) - started_at))::bigint
FROM {ROWS} WHERE deleted_at IS NULL GROUP BY user_id
"""

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

EQUAL_STARTS = f"""
SELECT EXISTS (SELECT FROM {ROWS} WHERE deleted_at IS NULL AND user_id IN (SELECT user_id FROM import_concerned)
               GROUP BY user_id, started_at HAVING count(*) > 1)
"""

PeopleTime = Sequence[tuple[str, int]]
"""The name of each person and seconds, the most first."""


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
    people: PeopleTime
    """The time of each person's entries."""
    uncounted: PeopleTime
    """The time by which reports count less."""
    starts_are_equal: bool
    """Whether entries of a person with such time start together."""


DAYS_AND_PEOPLE = """
SELECT o.timezone, min(local)::date, max(local)::date, count(DISTINCT project_id),
       percentile_disc(0.25) WITHIN GROUP (ORDER BY local::time),
       percentile_disc(0.75) WITHIN GROUP (ORDER BY local::time)
FROM import_organization o, import_rows_timesheets r, LATERAL (SELECT r.started_at AT TIME ZONE o.timezone) t (local)
WHERE r.deleted_at IS NULL GROUP BY o.timezone
"""

STORED_NAMES = f"SELECT user_id, full_name FROM members WHERE organization_id = {ORGANIZATION}"


def time_summary(
    connection: Connection, organization_id: UUID, merges: Sequence[Merge], tracked_seconds: TrackedSeconds | None
) -> TimeSummary | None:
    """The summary of the typed rows; None if they have no timesheets.

    Without `tracked_seconds`, the time that reports do not count is left out.
    """
    staged = {merge.spec.name for merge in merges}
    row = run(connection, DAYS_AND_PEOPLE).one_or_none() if "timesheets" in staged else None
    if row is None:
        return None
    staged_names = " UNION SELECT user_id, full_name FROM import_rows_members" if "members" in staged else ""
    found: Sequence[Any] = run(connection, SECONDS).all()
    seconds = dict(found)
    names = {id_: name for id_, name in run(connection, STORED_NAMES + staged_names) if id_ in seconds}
    uncounted: Mapping[UUID, int] = {}
    starts_are_equal = False
    if tracked_seconds is not None:
        uncounted, starts_are_equal = _uncounted(connection, organization_id, merges, tracked_seconds, seconds)

    def named(times: Mapping[UUID, int]) -> PeopleTime:
        return sorted(((names[id_], each) for id_, each in times.items()), key=lambda pair: (-pair[1], pair[0]))

    timezone, first_day, last_day, projects, early_start, late_start = row
    times = (early_start, late_start, named(seconds), named(uncounted), starts_are_equal)
    return TimeSummary(timezone, first_day, last_day, projects, *times)


def _uncounted(
    connection: Connection,
    organization_id: UUID,
    merges: Sequence[Merge],
    tracked_seconds: TrackedSeconds,
    seconds: Mapping[UUID, int],
) -> tuple[Mapping[UUID, int], bool]:
    """The seconds of each person that reports do not count, and whether entries of such a person start together."""
    low, high = run(connection, TIME_OF_IMPORT).one()
    by_table = {merge.spec.name: merge for merge in merges}
    near = (
        f"s.user_id IN (SELECT user_id FROM {ROWS}) AND s.started_at < '{high}'"
        f" AND s.started_at > TIMESTAMPTZ '{low}' - interval '24 hours'"
    )
    stored, added = {}, {}
    for table in (timesheets, idle_times, break_times):
        merge = by_table.get(table.name)
        others = f"s.organization_id = {ORGANIZATION} AND s.deleted_at IS NULL"
        if merge is not None:
            others = f"{merge.others} AND NOT ({merge.missing})"
            columns = ", ".join(merge.source.table.columns)
            chosen = f"SELECT {ORGANIZATION}, {columns} FROM {merge.source.table.rows} WHERE deleted_at IS NULL"
            added[table.name] = f"(organization_id, {columns}) {chosen}"
        stored[table.name] = f"FROM {table.name} s WHERE {near} AND {others}"
    shown = {
        "timesheets": "user_id, started_at, coalesce(ended_at, tracked_until) AS ended_at",
        "idle_times": "user_id, action",
        "break_times": "user_id",
    }
    found = {name: f"SELECT {columns} {stored[name]}" for name, columns in shown.items()}
    for name in added:
        rows = by_table[name].source.table.rows
        found[name] += f" UNION ALL SELECT {shown[name]} FROM {rows} WHERE deleted_at IS NULL"
    run(connection, f"CREATE TEMP TABLE import_concerned ON COMMIT DROP AS {CONCERNED.format(**found)}")
    people = run(connection, "SELECT user_id FROM import_concerned").scalars().all()
    if not people:
        return {}, False
    of_concerned = "user_id IN (SELECT user_id FROM import_concerned)"
    for name, rows in stored.items():
        run(connection, f"CREATE TEMP TABLE counted_{name} ON COMMIT DROP AS SELECT s.* {rows} AND s.{of_concerned}")
        run(connection, f"CREATE INDEX ON counted_{name} (user_id, started_at)")

    def add(name: str) -> None:
        if name in added:
            run(connection, f"INSERT INTO counted_{name} {added[name]} AND {of_concerned}")
        run(connection, f"ANALYZE counted_{name}")

    tables = {name: f"counted_{name}" for name in stored}
    add("idle_times")
    add("break_times")
    before = tracked_seconds(connection, organization_id, people, low, high, tables)
    add("timesheets")
    after = tracked_seconds(connection, organization_id, people, low, high, tables)
    lost = {id_: seconds.get(id_, 0) - after.get(id_, 0) + before.get(id_, 0) for id_ in people}
    uncounted = {id_: each for id_, each in lost.items() if each}
    return uncounted, bool(uncounted) and run(connection, EQUAL_STARTS).scalar_one()
