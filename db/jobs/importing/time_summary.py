"""Time summary: what the timesheets of an import cover, so that a wrong file or zone shows before it is written."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, time

from sqlalchemy import Connection

from db.jobs.importing.statements import ORGANIZATION, run


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
    people: Sequence[tuple[str, int]]
    """The name of each person and the seconds of their entries, the most first."""


DAYS_AND_PEOPLE = """
SELECT o.timezone, min(local)::date, max(local)::date, count(DISTINCT project_id),
       percentile_disc(0.25) WITHIN GROUP (ORDER BY local::time),
       percentile_disc(0.75) WITHIN GROUP (ORDER BY local::time)
FROM import_organization o, import_rows_timesheets r, LATERAL (SELECT r.started_at AT TIME ZONE o.timezone) t (local)
WHERE r.deleted_at IS NULL GROUP BY o.timezone
"""

HOURS = """
SELECT max(m.full_name),
       sum(extract(epoch FROM coalesce(r.ended_at, r.tracked_until) - r.started_at))::bigint AS seconds
FROM import_rows_timesheets r JOIN ({members}) m USING (user_id)
WHERE r.deleted_at IS NULL GROUP BY user_id ORDER BY seconds DESC, 1
"""


def time_summary(connection: Connection, staged: Collection[str]) -> TimeSummary | None:
    """The summary of the typed rows; None if they have no timesheets. `staged`: the tables of the import."""
    if "timesheets" not in staged:
        return None
    row = run(connection, DAYS_AND_PEOPLE).one_or_none()
    if row is None:
        return None
    stored = f"SELECT user_id, full_name FROM members WHERE organization_id = {ORGANIZATION}"
    members = f"{stored} UNION SELECT user_id, full_name FROM import_rows_members" if "members" in staged else stored
    people = [(name, seconds) for name, seconds in run(connection, HOURS.format(members=members))]
    timezone, first_day, last_day, projects, early_start, late_start = row
    return TimeSummary(timezone, first_day, last_day, projects, early_start, late_start, people)
