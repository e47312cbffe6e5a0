"""Checks for rows of people at a time when they were not members, which reports by membership leave out."""

from collections.abc import Iterator

from db.jobs.doctor.check import Check, Severity, live_rows

USAGE_KEY = "record.timesheet_id || ' ' || to_char(record.slot_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI\"Z\"')"
"""The text that leads to a row of a table by slots."""

IN_REPORTS = {
    # Table: its start, its end, its id.
    "timesheets": ("started_at", "coalesce(record.ended_at, record.tracked_until)", "record.id"),
    "app_usages": ("slot_at", "record.slot_at + interval '15 minutes'", USAGE_KEY),
    "url_usages": ("slot_at", "record.slot_at + interval '15 minutes'", USAGE_KEY),
}
"""Tables of the reports that have a row for each member of the period."""

IN_LISTS = {
    "clock_records": ("clock_in_at", "coalesce(record.clock_out_at, 'infinity')", "record.id"),
    "break_times": ("started_at", "coalesce(record.ended_at, 'infinity')", "record.id"),
    "manual_requests": ("started_at", "record.ended_at", "record.id"),
    "screenshots": ("captured_at", "record.captured_at + interval '1 second'", "record.id"),
}
"""Tables whose rows are listed whatever the membership."""


def _outside(table: str, start: str, end: str, key: str) -> str:
    """Finds rows of `table` that end before their person joined first, or start after their person was removed."""
    return f"""
SELECT CAST({key} AS text) AS example
FROM {table} record JOIN members member USING (organization_id, user_id)
WHERE organization_id = :organization_id AND record.deleted_at IS NULL
  AND (member.deleted_at IS NOT NULL OR member.first_joined_at IS NULL
       OR {end} <= member.first_joined_at OR record.{start} >= member.removed_at)"""


def memberships() -> Iterator[Check]:
    """One check for each table of time, and one for members."""
    yield Check(
        "members-who-never-joined",
        Severity.error,
        "Members have no first_joined_at although they are not just invited, so that no report shows them.",
        "Set first_joined_at to the time of the first membership.",
        live_rows("members", "first_joined_at IS NULL AND status <> 'invited'", key="user_id"),
    )
    remedy = "Correct first_joined_at or removed_at of the member, or the times of the rows."
    for table, columns in {**IN_REPORTS, **IN_LISTS}.items():
        severity, ending = (
            (Severity.error, ", so that reports leave them out") if table in IN_REPORTS else (Severity.warning, "")
        )
        yield Check(
            f"{table.replace('_', '-')}-outside-membership",
            severity,
            f"Rows of {table} are of a time when the person was no member{ending}.",
            remedy,
            _outside(table, *columns),
        )
