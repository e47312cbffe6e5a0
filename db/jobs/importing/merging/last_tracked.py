"""The time until which members tracked last, which writers of timesheets keep. It does not change `updated_at`."""

from collections.abc import Sequence

from sqlalchemy import Connection

from db.jobs.importing.merging.merge import Merge
from db.jobs.importing.statements import ORGANIZATION, run

LATEST = f"""
UPDATE members m SET last_tracked_at = latest.at
FROM (SELECT u.user_id, max(coalesce(s.ended_at, s.tracked_until)) AS at
      FROM (SELECT DISTINCT user_id FROM import_tracked) u
      LEFT JOIN timesheets s ON s.organization_id = {ORGANIZATION} AND s.user_id = u.user_id AND s.deleted_at IS NULL
      GROUP BY u.user_id) latest
WHERE m.organization_id = {ORGANIZATION} AND m.user_id = latest.user_id AND m.last_tracked_at IS DISTINCT FROM latest.at
"""


def note_tracked_users(connection: Connection, merges: Sequence[Merge]) -> None:
    """Note, before the merge, the members whose timesheets it will change."""
    run(connection, "CREATE TEMP TABLE import_tracked (user_id uuid) ON COMMIT DROP")
    for merge in merges:
        if merge.spec.name == "timesheets":
            rows = merge.source.table.rows
            old = f"SELECT user_id FROM timesheets s WHERE organization_id = {ORGANIZATION}"
            if not merge.replace:
                old += f" AND EXISTS (SELECT FROM {rows} r WHERE r.is_stored AND r.id = s.id)"
            run(connection, f"INSERT INTO import_tracked SELECT DISTINCT user_id FROM {rows} UNION {old}")


def set_last_tracked(connection: Connection) -> None:
    """Set, after the merge, the time of the members that were noted."""
    run(connection, LATEST)
