"""Checks of rows that foreign keys and a right clock refuse: they are written while triggers are off, or restored."""

from collections.abc import Iterator

from sqlalchemy import ForeignKeyConstraint, Table

from db.jobs.doctor.check import Check, Severity
from db.reading.hosts.distribution import distributed_tables


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
        f" LEFT JOIN {key.referred_table.name} parent ON {joined}"
        f" WHERE record.organization_id = :organization_id AND record.{column} IS NOT NULL"
        " AND parent.organization_id IS NULL"
    )
