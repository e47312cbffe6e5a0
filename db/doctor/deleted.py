"""Checks for live rows that belong to a deleted row.

On a plain server triggers delete them with it. Distributed tables have no such triggers: there it is the duty of those
who write. Lines of invoices, payments and leave are not here: they are read through their parent only.
"""

from collections.abc import Iterator

from db.doctor.check import Check, Severity
from db.doctor.declared import TABLES
from db.doctor.memberships import USAGE_KEY

BELONGS_TO = {
    # Each table with the columns that reference the rows that its rows belong to.
    "team_members": ("team_id", "user_id"),
    "project_members": ("project_id", "user_id"),
    "tasks": ("project_id",),
    "task_members": ("task_id", "user_id"),
    "idle_times": ("timesheet_id",),
    "activity_slots": ("timesheet_id",),
    "app_usages": ("timesheet_id",),
    "url_usages": ("timesheet_id",),
}


def _orphans(child: str, column: str) -> tuple[str, str]:
    """The referenced table, and the statement that finds live rows of `child` whose row in it is deleted."""
    key = next(key for key in TABLES[child].foreign_keys if key.parent.name == column)
    parent, parent_key = key.column.table.name, key.column.name
    example = "CAST(record.id AS text)" if "id" in TABLES[child].c else USAGE_KEY
    return (
        parent,
        f"""
SELECT {example} AS example
FROM {parent} parent
JOIN {child} record ON record.organization_id = parent.organization_id AND record.{column} = parent.{parent_key}
WHERE parent.organization_id = :organization_id AND parent.deleted_at IS NOT NULL AND record.deleted_at IS NULL""",
    )


def deleted() -> Iterator[Check]:
    """One check for each reference."""
    for child, columns in BELONGS_TO.items():
        for column in columns:
            parent, statement = _orphans(child, column)
            yield Check(
                f"{child}-of-deleted-{parent}".replace("_", "-"),
                Severity.error,
                f"Rows of {child} are live although the row of {parent} that they belong to is deleted.",
                f"Set deleted_at of the {child}, or set that of the {parent} to null again.",
                statement,
            )
