"""Time summary: what the timesheets of an import cover, so that a wrong file or zone shows before it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from uuid import UUID

from sqlalchemy import Connection

from db.jobs.importing.merging.merge import Merge
from db.jobs.importing.statements import ORGANIZATION, run
from db.jobs.importing.uncounted_time import TrackedSeconds, seconds_of_people, uncounted_time

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

    Without `tracked_seconds`, nobody is told by how much reports count less.
    """
    staged = {merge.spec.name for merge in merges}
    row = run(connection, DAYS_AND_PEOPLE).one_or_none() if "timesheets" in staged else None
    if row is None:
        return None
    staged_names = " UNION SELECT user_id, full_name FROM import_rows_members" if "members" in staged else ""
    seconds = seconds_of_people(connection)
    names = {id_: name for id_, name in run(connection, STORED_NAMES + staged_names) if id_ in seconds}
    uncounted: Mapping[UUID, int] = {}
    starts_are_equal = False
    if tracked_seconds is not None:
        uncounted, starts_are_equal = uncounted_time(connection, organization_id, merges, tracked_seconds)

    def named(times: Mapping[UUID, int]) -> PeopleTime:
        return sorted(((names[id_], each) for id_, each in times.items()), key=lambda pair: (-pair[1], pair[0]))

    timezone, first_day, last_day, projects, early_start, late_start = row
    times = (early_start, late_start, named(seconds), named(uncounted), starts_are_equal)
    return TimeSummary(timezone, first_day, last_day, projects, *times)
