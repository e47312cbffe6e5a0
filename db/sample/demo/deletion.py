"""Deletion of the rows that belong to a deleted row, as triggers do it in the database."""

from collections.abc import Mapping
from datetime import datetime

from db.sample.demo.area import Row
from db.tables.belonging import BELONGINGS
from db.tables.people import members


def delete_what_belongs(tables: Mapping[str, list[Row]]) -> None:
    """Delete live rows that belong to a deleted row, or to a removed member, at the same time as it."""
    for belonging in BELONGINGS:
        key = belonging.parent.primary_key.columns.keys()[-1]
        is_member = belonging.parent is members
        deleted: dict[object, datetime] = {}
        for parent in tables.get(belonging.parent.name, ()):
            at = (parent["removed_at"] if is_member else None) or parent["deleted_at"]
            if at is not None:
                deleted[parent[key]] = at
        for row in tables.get(belonging.child.name, ()):
            at = deleted.get(row.get(belonging.column))
            if at is not None and row["deleted_at"] is None:
                row |= {"deleted_at": at, "updated_at": at}
