"""Checks of rows that belong or refer to others.

Foreign keys and triggers of a plain server see to them: rows are wrong that were written while those are off, that were
restored, or that are of distributed tables, whose writers do what triggers do.
"""

from collections.abc import Iterator

from sqlalchemy import ForeignKeyConstraint, Table

from db.admin.triggers.declared import TOUCHES
from db.jobs.doctor.check import Check, Severity
from db.reading.hosts.distribution import distributed_tables
from db.tables.belonging import BELONGINGS, SHOWN_ROWS, Shown, deletion_time

USAGE_KEY = "record.timesheet_id || ' ' || to_char(record.slot_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI\"Z\"')"
"""The text that leads to a row of a table by slots."""


def deleted() -> Iterator[Check]:
    """One check for each way to belong to a row."""
    for belonging in BELONGINGS:
        child, parent = belonging.child.name, belonging.parent.name
        example = "CAST(record.id AS text)" if "id" in belonging.child.c else USAGE_KEY
        yield Check(
            f"{child}-of-deleted-{parent}".replace("_", "-"),
            Severity.error,
            f"Rows of {child} are live although the row of {parent} that they belong to is deleted.",
            f"Set deleted_at of the {child}, or set that of the {parent} to null again.",
            f"""
SELECT {example} AS example
FROM {parent} parent JOIN {child} record ON {belonging.condition("record", "parent")}
WHERE parent.organization_id = :organization_id AND record.deleted_at IS NULL
  AND {deletion_time(belonging.parent, "parent")} IS NOT NULL""",
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


def orphans() -> Iterator[Check]:
    """One check for each table with references, and one of all changes."""
    # Without `organizations`: row-level security hides the rows of a missing one from the owner, too.
    tables = distributed_tables()
    for table in tables:
        keys = [key for key in table.foreign_key_constraints if key.referred_table in tables[1:]]
        if keys:
            yield Check(
                f"{table.name}-without-parents".replace("_", "-"),
                Severity.error,
                f"Rows of {table.name} refer to rows that do not exist: lists leave them out.",
                "Restore the rows that the finding names, or delete those that refer to them.",
                " UNION ALL ".join(_without_parent(table, key) for key in sorted(keys, key=lambda key: str(key.name))),
            )
    yield Check(
        "changes-in-the-future",
        Severity.warning,
        "Rows have an updated_at in the future: clients that poll get them again and again, or miss what changes next.",
        "Set the clock of the writer, and update the rows once their time has passed.",
        " UNION ALL ".join(
            f"SELECT '{table.name} changes at ' || updated_at AS example FROM {table.name}"
            f" WHERE organization_id = :organization_id AND updated_at > now() + interval '5 minutes'"
            for table in tables
            if "updated_at" in table.c
        ),
    )


def _without_parent(table: Table, key: ForeignKeyConstraint) -> str:
    """Finds rows whose parent is missing. An example has the reference: it leads to all of them."""
    pairs = [(each.parent.name, each.column.name) for each in key.elements]
    column = pairs[-1][0]
    joined = " AND ".join(f"parent.{theirs} = record.{own}" for own, theirs in pairs)
    return (
        f"SELECT DISTINCT '{column} ' || record.{column} AS example FROM {table.name} record"
        # With the schema, `only_recent` leaves the parents alone, which may be older.
        f" LEFT JOIN public.{key.referred_table.name} parent ON {joined}"
        f" WHERE record.organization_id = :organization_id AND record.{column} IS NOT NULL"
        " AND parent.organization_id IS NULL"
    )
