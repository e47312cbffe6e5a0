"""Checks for live rows that belong to a deleted row.

On a plain server triggers delete them with it. Distributed tables have no such triggers: there it is the duty of those
who write.
"""

from collections.abc import Iterator

from db.jobs.doctor.check import Check, Severity
from db.tables.belonging import BELONGINGS, Belonging, deletion_time

USAGE_KEY = "record.timesheet_id || ' ' || to_char(record.slot_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI\"Z\"')"
"""The text that leads to a row of a table by slots."""


def _orphans(belonging: Belonging) -> str:
    """Finds live rows that belong to a deleted row."""
    example = "CAST(record.id AS text)" if "id" in belonging.child.c else USAGE_KEY
    return f"""
SELECT {example} AS example
FROM {belonging.parent.name} parent JOIN {belonging.child.name} record ON {belonging.condition("record", "parent")}
WHERE parent.organization_id = :organization_id AND record.deleted_at IS NULL
  AND {deletion_time(belonging.parent, "parent")} IS NOT NULL"""


def deleted() -> Iterator[Check]:
    """One check for each way to belong to a row."""
    for belonging in BELONGINGS:
        child, parent = belonging.child.name, belonging.parent.name
        yield Check(
            f"{child}-of-deleted-{parent}".replace("_", "-"),
            Severity.error,
            f"Rows of {child} are live although the row of {parent} that they belong to is deleted.",
            f"Set deleted_at of the {child}, or set that of the {parent} to null again.",
            _orphans(belonging),
        )
