"""Erasure: what identifies a person is replaced in all rows of an organization, in one transaction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, func, insert, select, text

from db.admin.keys import set_organization
from db.errors import OperatorError
from db.jobs.importing.statements import IMPORT_KEY
from db.jobs.retention.erasure_sql import erasures_by_table, mention_counts, mention_pattern
from db.jobs.retention.stored_objects import StoredObject
from db.tables.columns import FORMER_MEMBER
from db.tables.people import MemberStatus, erasures, members


@dataclass(frozen=True)
class ErasureResult:
    """What an erasure changed, or would change."""

    rows: Mapping[str, int]
    """Changed rows by table; tables without any are left out."""
    objects: Sequence[StoredObject]
    """What was listed for deletion."""
    mentions: Mapping[str, int]
    """By `table.column`: rows that name the person and stay as they are, since they are not of the person."""


def erase(
    connection: Connection,
    organization_id: UUID,
    user_id: UUID,
    *,
    list_objects: Callable[[Sequence[StoredObject]], object],
    dry_run: bool = False,
    force: bool = False,
) -> ErasureResult:
    """Erase a person's data in the caller's transaction; a second time changes nothing and records nothing.

    `list_objects` gets the stored objects before a row forgets them, unless this is a `dry_run`, which only counts.
    Raises AccessError for an unknown organization, and OperatorError for an unknown person, or one who is a member
    now (unless `force`).
    """
    set_organization(connection, organization_id)
    values: dict[str, Any] = {"organization": organization_id, "person": user_id}

    def run(sql: str) -> Any:
        return connection.execute(text(sql), {name: value for name, value in values.items() if f":{name}" in sql})

    if not dry_run:
        # Imports into the organization end before, and later ones wait: they see the erasure.
        run(f"SELECT pg_advisory_xact_lock({IMPORT_KEY})")
    columns = members.c
    query = select(columns.full_name, columns.email, columns.status, columns.deleted_at).where(
        columns.organization_id == organization_id, columns.user_id == user_id
    )
    stored = connection.execute(query if dry_run else query.with_for_update()).one_or_none()
    if stored is None:
        raise OperatorError(f"The organization has no member {user_id}.")
    if not force and stored.deleted_at is None and stored.status != MemberStatus.removed.value:
        raise OperatorError(
            f"The person is a member whose status is {stored.status}: remove the membership first, or use --force."
        )
    mention = values["mention"] = mention_pattern(stored.full_name, stored.email)
    is_renamed = (stored.email, stored.full_name) != (None, FORMER_MEMBER)
    changes = erasures_by_table(is_mentioned=mention is not None, is_renamed=is_renamed)
    # Rows without a key are locked, too: a key that a writer stored there meanwhile would be erased, and not listed.
    lock = "" if dry_run else "FOR UPDATE"
    objects = [
        StoredObject(change.table.name, column, row.id, row.key)
        for change in changes
        for column, sql in change.objects
        for row in run(f"{sql} ORDER BY 1 {lock}")
        if row.key is not None
    ]
    if not dry_run and objects:
        list_objects(objects)
    counts = {
        change.table.name: run(change.count).scalar_one() if dry_run else run(change.update).rowcount
        for change in changes
    }
    rows = {table: count for table, count in counts.items() if count}
    if rows and not dry_run:
        record = {"row_counts": rows, "object_count": len(objects), "erased_at": func.statement_timestamp()}
        connection.execute(insert(erasures).values(organization_id=organization_id, user_id=user_id, **record))
    mentions = {name: run(sql).scalar_one() for name, sql in mention_counts()} if mention is not None else {}
    return ErasureResult(rows, objects, {name: count for name, count in mentions.items() if count})
