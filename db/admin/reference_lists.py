"""Fills the reference tables from the pinned lists. `orgdata migrate` does it each time."""

from sqlalchemy import Connection, insert, select

from db.tables.reference import PINNED_LISTS


def add_reference_rows(connection: Connection) -> None:
    """Add what the pinned lists have and the tables lack. Nothing is removed: rows may name it."""
    for table, names in PINNED_LISTS.items():
        (key,) = table.primary_key.columns
        if missing := names() - set(connection.scalars(select(key))):
            connection.execute(insert(table), [{key.name: name} for name in sorted(missing)])
