"""Checks for what triggers do on a plain server, and those who write where tables are distributed.

Rows that belong to a deleted row are deleted with it, and the `updated_at` of a row moves when what it shows changes.
"""

from collections.abc import Iterator

from db.admin.triggers.declared import TOUCHES
from db.jobs.doctor.check import Check, Severity
from db.tables.belonging import BELONGINGS, SHOWN_ROWS, Belonging, Shown, deletion_time

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


def _older(shown: Shown) -> str:
    """Finds rows that are older than what they show. Of what they show in part, only additions and deletions tell."""
    changed_at = "greatest(record.created_at, record.deleted_at)" if shown.of else "record.updated_at"
    return f"""
SELECT DISTINCT CAST(shows.{shown.by.primary_key.columns.keys()[-1]} AS text) AS example
FROM {shown.by.name} shows
JOIN {shown.shown.name} record
  ON record.organization_id = shows.organization_id AND record.{shown.column} = shows.{shown.key}
WHERE shows.organization_id = :organization_id AND shows.updated_at < {changed_at}
  AND NOT EXISTS (SELECT 1 FROM pg_trigger
                  WHERE tgrelid = to_regclass('{shown.shown.name}') AND tgname = '{next(iter(TOUCHES))}')"""


def older_rows() -> Iterator[Check]:
    """One check for each way to be shown in a row."""
    for each in SHOWN_ROWS:
        if not each.is_referred:
            inner, outer = each.shown.name, each.by.name
            yield Check(
                f"{outer}-older-than-{inner}".replace("_", "-"),
                Severity.warning,
                f"Rows of {outer} show rows of {inner} that changed after their updated_at, so that polls miss it.",
                f"Update the rows of {outer} (SET updated_at = now()) in the transaction that changes {inner}.",
                _older(each),
            )
