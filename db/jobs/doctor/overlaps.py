"""Checks for intervals of one person that overlap: PostgreSQL could exclude them only with an extension.

A window function reads each person's intervals in the order of an index and compares every start with the latest end
before it. So a table is read once and not sorted, however many rows it has.
"""

from collections.abc import Iterator

from db.jobs.doctor.check import Check, Severity


def _overlap(table: str, *, of: str, start: str, end: str, touching: bool = False) -> str:
    """Finds rows of `table` that start before an earlier row with the same `of` ended; `touching`: or when it ended."""
    return f"""
SELECT CAST(id AS text) AS example
FROM (SELECT id, {start} AS start,
             max({end}) OVER (PARTITION BY {of} ORDER BY {start}, id
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest_end
      FROM {table} WHERE organization_id = :organization_id AND deleted_at IS NULL) interval_row
WHERE start {"<=" if touching else "<"} latest_end"""


def overlaps() -> Iterator[Check]:
    """Each with an example for the later one of two rows."""
    yield Check(
        "overlapping-timesheets",
        Severity.error,
        "Timesheets of one person overlap: reports count the shared time once, for the one that began earlier.",
        "Soft-delete the row that was sent twice, or end the earlier one where the later one starts.",
        _overlap("timesheets", of="user_id", start="started_at", end="coalesce(ended_at, tracked_until)"),
    )
    yield Check(
        "overlapping-idle-times",
        Severity.error,
        "Idle times of one timesheet overlap: reports count the shared time once, but their list shows it twice.",
        "Soft-delete the row that was sent twice, or end the earlier one where the later one starts.",
        _overlap("idle_times", of="timesheet_id", start="started_at", end="ended_at"),
    )
    yield Check(
        "overlapping-breaks",
        Severity.error,
        "Breaks of one person overlap: reports count the shared time once, but clock records show it twice.",
        "Soft-delete the row that was sent twice, or end the earlier one where the later one starts.",
        _overlap("break_times", of="user_id", start="started_at", end="coalesce(ended_at, 'infinity')"),
    )
    yield Check(
        "overlapping-clock-records",
        Severity.error,
        "Clock records of one person overlap, or one starts while another is open.",
        "Close the earlier record where the later one starts, or soft-delete the one that was sent twice.",
        _overlap("clock_records", of="user_id", start="clock_in_at", end="coalesce(clock_out_at, 'infinity')"),
    )
    yield Check(
        "overlapping-payment-settings",
        Severity.error,
        "Payment settings of one person hold for the same day.",
        "Set effective_to of the earlier row to the day before the later one.",
        _overlap(
            "payment_settings",
            of="user_id",
            start="effective_from",
            end="coalesce(effective_to, 'infinity')",
            touching=True,
        ),
    )
