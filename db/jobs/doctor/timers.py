"""Checks for what runs or is open for too long: reports of these days never become final."""

from collections.abc import Iterator

from db.jobs.doctor.check import Check, Severity, live_rows


def timers() -> Iterator[Check]:
    yield Check(
        "stale-timers",
        Severity.warning,
        "Timesheets run although their tracked_until is more than an hour old: no heartbeat arrives.",
        "Set ended_at to tracked_until, and let the tracker move tracked_until every few minutes.",
        live_rows("timesheets", "ended_at IS NULL AND tracked_until < now() - interval '1 hour'"),
    )
    yield Check(
        "several-timers",
        Severity.warning,
        "Several timesheets of one person run at the same time.",
        "Set ended_at of all but the last of the person's running timesheets.",
        live_rows("timesheets", "ended_at IS NULL GROUP BY user_id HAVING count(*) > 1", key="user_id"),
    )
    yield Check(
        "time-in-the-future",
        Severity.warning,
        "Timesheets reach into the future: reports count time that has not passed.",
        "Correct ended_at or tracked_until; check the clock and the time zone of the writer.",
        live_rows("timesheets", "coalesce(ended_at, tracked_until) > now() + interval '5 minutes'"),
    )
    yield Check(
        "open-clock-records",
        Severity.warning,
        "Clock records are open for more than a day.",
        "Close them with status auto_closed, and an auto_clock_out_reason.",
        live_rows("clock_records", "clock_out_at IS NULL AND clock_in_at < now() - interval '24 hours'"),
    )
    yield Check(
        "open-breaks",
        Severity.warning,
        "Breaks last for more than a day.",
        "Set ended_at, at the latest to the end of the clock record.",
        live_rows("break_times", "ended_at IS NULL AND started_at < now() - interval '24 hours'"),
    )
