"""Sums that others keep for the service: when members tracked last, and the time of projects as of last night."""

from sqlalchemy import Connection

from db.jobs.importing.statements import ORGANIZATION, run

LAST_TRACKED_TOTALS = f"""
UPDATE members m SET last_tracked_at = last.at
FROM (SELECT user_id, max(tracked_until) AS at FROM timesheets
      WHERE organization_id = {ORGANIZATION} AND deleted_at IS NULL GROUP BY user_id) last
WHERE m.organization_id = {ORGANIZATION} AND m.user_id = last.user_id
"""

# A project that was finished before any time was tracked has no total. Breaks, and idle time that was discarded or
# reassigned, are no time of the project.
PROJECT_TOTALS = f"""
WITH sheets AS (
  SELECT * FROM timesheets
  WHERE organization_id = {ORGANIZATION} AND deleted_at IS NULL AND ended_at <= TIMESTAMPTZ '{{midnight}}'
), spans AS (
  SELECT project_id, ended_at - started_at AS span FROM sheets
  UNION ALL
  SELECT project_id, i.started_at - i.ended_at FROM sheets s JOIN idle_times i ON i.timesheet_id = s.id
  WHERE i.organization_id = {ORGANIZATION} AND i.deleted_at IS NULL AND i.action IN ('discarded', 'reassigned')
  UNION ALL
  SELECT project_id, b.started_at - b.ended_at FROM sheets s JOIN break_times b USING (user_id)
  WHERE b.organization_id = {ORGANIZATION} AND s.started_at <= b.started_at AND b.started_at < s.ended_at
)
UPDATE projects p SET tracked_seconds_total =
  coalesce((SELECT extract(epoch FROM sum(span)) FROM spans WHERE spans.project_id = p.id), 0)
WHERE organization_id = {ORGANIZATION} AND tracked_seconds_total IS NOT NULL
"""


def set_totals(connection: Connection, midnight: str) -> None:
    """Set the totals of the transaction's organization. They do not change `updated_at`."""
    run(connection, LAST_TRACKED_TOTALS)
    run(connection, PROJECT_TOTALS.format(midnight=midnight))
