"""Checks for what belongs to a timesheet or a clock record, but lies outside of it or contradicts it."""

from collections.abc import Iterator

from db.jobs.doctor.check import Check, Severity, live_rows
from db.jobs.doctor.memberships import USAGE_KEY

SLOTS = {
    # Table: how grave it is, and what readers see.
    "activity_slots": (Severity.error, "reports divide the activity of a timesheet into days by its slots"),
    "app_usages": (Severity.warning, "reports on projects show usage that was not during their time"),
    "url_usages": (Severity.warning, "reports on projects show usage that was not during their time"),
}


def _slots_outside(table: str) -> str:
    # A running timesheet has no end: its slots may be written before its next heartbeat.
    return f"""
SELECT {USAGE_KEY} AS example
FROM {table} record
JOIN timesheets sheet ON sheet.organization_id = record.organization_id AND sheet.id = record.timesheet_id
WHERE record.organization_id = :organization_id AND record.deleted_at IS NULL
  AND (sheet.user_id <> record.user_id OR record.slot_at >= sheet.ended_at
       OR record.slot_at + interval '15 minutes' <= sheet.started_at)"""


def activity() -> Iterator[Check]:
    for table, (severity, consequence) in SLOTS.items():
        yield Check(
            f"{table.replace('_', '-')}-outside-timesheet",
            severity,
            f"Slots of {table} do not overlap their timesheet, or are of another person; {consequence}.",
            "Move the rows to the timesheet of their time, or soft-delete them.",
            _slots_outside(table),
        )
    yield Check(
        "screenshots-outside-timesheet",
        Severity.warning,
        "Screenshots were captured outside their timesheet, or are of another person.",
        "Set timesheet_id to the timesheet of that time, or to null.",
        """
SELECT CAST(shot.id AS text) AS example
FROM screenshots shot
JOIN timesheets sheet ON sheet.organization_id = shot.organization_id AND sheet.id = shot.timesheet_id
WHERE shot.organization_id = :organization_id AND shot.deleted_at IS NULL
  AND (sheet.user_id <> shot.user_id OR shot.captured_at < sheet.started_at OR shot.captured_at > sheet.ended_at)""",
    )
    yield Check(
        "idle-times-outside-timesheet",
        Severity.error,
        "Idle times reach outside their timesheet, so that reports subtract time that was never tracked.",
        "Cut the idle times to their timesheet, or soft-delete them.",
        """
SELECT CAST(idle.id AS text) AS example
FROM idle_times idle
JOIN timesheets sheet ON sheet.organization_id = idle.organization_id AND sheet.id = idle.timesheet_id
WHERE idle.organization_id = :organization_id AND idle.deleted_at IS NULL
  AND (sheet.user_id <> idle.user_id OR idle.started_at < sheet.started_at OR idle.ended_at > sheet.ended_at)""",
    )
    yield Check(
        "breaks-outside-clock-record",
        Severity.warning,
        "Breaks reach outside their clock record, or are of another person, so that worked_seconds is too low.",
        "Cut the breaks to their clock record, or set clock_record_id to null.",
        """
SELECT CAST(rest.id AS text) AS example
FROM break_times rest
JOIN clock_records record ON record.organization_id = rest.organization_id AND record.id = rest.clock_record_id
WHERE rest.organization_id = :organization_id AND rest.deleted_at IS NULL
  AND (record.user_id <> rest.user_id OR rest.started_at < record.clock_in_at
       OR rest.started_at >= record.clock_out_at OR rest.ended_at > record.clock_out_at)""",
    )
    yield Check(
        "input-longer-than-timesheet",
        Severity.error,
        "More seconds of input were captured than the timesheet lasts.",
        "Correct input_seconds of the timesheet: it is at most the time from started_at to ended_at or tracked_until.",
        live_rows("timesheets", "input_seconds > extract(epoch FROM coalesce(ended_at, tracked_until) - started_at)"),
    )
    yield Check(
        "counters-unlike-slots",
        Severity.warning,
        "Counters of ended timesheets are not the sums of their slots: reports show one or the other.",
        "Write input_seconds, active_seconds, keyboard_seconds and mouse_seconds again as the sums of activity_slots.",
        """
SELECT CAST(sheet.id AS text) AS example
FROM timesheets sheet
LEFT JOIN (SELECT timesheet_id, sum(input_seconds) AS input, sum(active_seconds) AS active,
                  sum(keyboard_seconds) AS keyboard, sum(mouse_seconds) AS mouse
           FROM activity_slots WHERE organization_id = :organization_id AND deleted_at IS NULL
           GROUP BY timesheet_id) slots ON slots.timesheet_id = sheet.id
WHERE sheet.organization_id = :organization_id AND sheet.deleted_at IS NULL AND sheet.ended_at IS NOT NULL
  AND (sheet.input_seconds, sheet.active_seconds, sheet.keyboard_seconds, sheet.mouse_seconds)
      <> (coalesce(input, 0), coalesce(active, 0), coalesce(keyboard, 0), coalesce(mouse, 0))""",
    )
