"""Checks for what runs or is open for too long: reports of these days never become final."""

from collections.abc import Iterator

from db.jobs.doctor.check import Check, Severity


def timers() -> Iterator[Check]:
    yield Check(
        "stale-timers",
        Severity.warning,
        "Timesheets run although their tracked_until is more than an hour old: no heartbeat arrives.",
        "Set ended_at to tracked_until, and let the tracker move tracked_until every few minutes.",
        """
SELECT CAST(id AS text) AS example FROM timesheets
WHERE organization_id = :organization_id AND deleted_at IS NULL AND ended_at IS NULL
  AND tracked_until < now() - interval '1 hour'""",
    )
    yield Check(
        "several-timers",
        Severity.warning,
        "Several timesheets of one person run at the same time.",
        "Set ended_at of all but the last of the person's running timesheets.",
        """
SELECT CAST(user_id AS text) AS example FROM timesheets
WHERE organization_id = :organization_id AND deleted_at IS NULL AND ended_at IS NULL
GROUP BY user_id HAVING count(*) > 1""",
    )
    yield Check(
        "time-in-the-future",
        Severity.warning,
        "Timesheets reach into the future: reports count time that has not passed.",
        "Correct ended_at or tracked_until; check the clock and the time zone of the writer.",
        """
SELECT CAST(id AS text) AS example FROM timesheets
WHERE organization_id = :organization_id AND deleted_at IS NULL
  AND coalesce(ended_at, tracked_until) > now() + interval '5 minutes'""",
    )
    yield Check(
        "open-clock-records",
        Severity.warning,
        "Clock records are open for more than a day.",
        "Close them with status auto_closed, and an auto_clock_out_reason.",
        """
SELECT CAST(id AS text) AS example FROM clock_records
WHERE organization_id = :organization_id AND deleted_at IS NULL AND clock_out_at IS NULL
  AND clock_in_at < now() - interval '24 hours'""",
    )
    yield Check(
        "open-breaks",
        Severity.warning,
        "Breaks last for more than a day.",
        "Set ended_at, at the latest to the end of the clock record.",
        """
SELECT CAST(id AS text) AS example FROM break_times
WHERE organization_id = :organization_id AND deleted_at IS NULL AND ended_at IS NULL
  AND started_at < now() - interval '24 hours'""",
    )
