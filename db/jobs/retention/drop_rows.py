"""Dropping: the rows that fall out of a retention are deleted in small batches, each a short transaction of its own.

Readers never wait for a batch, and writers only for those rows of it that they change. A batch skips rows that other
transactions hold, and it waits for a lock of the table for LOCK_SECONDS at most. What was dropped stays dropped: a run
that ends early is simply repeated.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from psycopg.errors import DeadlockDetected, LockNotAvailable, QueryCanceled
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from db.admin.tenant import use_organization
from db.errors import OperatorError
from db.jobs.retention.drop_sql import count_statement, drop_statement
from db.jobs.retention.retentions import RetainedTable
from db.jobs.retention.stored_objects import StoredObject, stored_objects

BATCH_PEOPLE = 50
"""People of a batch at most. Until VACUUM, the index also leads to rows that were dropped: a run that is repeated after
an interruption reads those of a few people at a time."""

LOCK_SECONDS, STATEMENT_SECONDS = 2, 20
"""How long a batch waits for a lock, and how long it lasts at most."""

ATTEMPTS = 5
"""How often a batch is tried in all."""

DROP_SETTINGS = {
    "lock_timeout": f"{LOCK_SECONDS}s",
    "statement_timeout": f"{STATEMENT_SECONDS}s",
    "timezone": "UTC",
    "jit": "off",
    # A plan for all values would not know how few rows a batch reads.
    "plan_cache_mode": "force_custom_plan",
}

_FIRST = UUID(int=0), datetime(1, 1, 1, tzinfo=UTC)
"""The place before all rows."""

# Times are whole seconds.
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True)
class DropResult:
    """How many rows were dropped, how many stored objects listed, and whether rows stayed that others hold."""

    rows: int = 0
    objects: int = 0
    has_locked: bool = False


def count_rows(connection: Connection, organization_id: UUID, retained: RetainedTable, before: datetime) -> int:
    """How many rows of a table `drop_rows` would drop, in a transaction that only reads."""
    with connection.begin():
        _set(connection, organization_id, {"transaction_read_only": "on", "jit": "off"})
        values = {"organization": organization_id, "before": before}
        return int(connection.execute(text(count_statement(retained)), values).scalar_one())


def drop_rows(
    connection: Connection,
    organization_id: UUID,
    retained: RetainedTable,
    before: datetime,
    *,
    list_objects: Callable[[Sequence[StoredObject]], object],
    batch_rows: int,
    batch_people: int = BATCH_PEOPLE,
    progress: Callable[[int], object] = lambda _: None,
) -> DropResult:
    """Drop the rows of an organization whose time is before `before`, and return their number.

    `connection` is not in a transaction. `batch_people` is 2 or more. `list_objects` gets the stored objects of a batch
    before that is committed, `progress` the number of its rows afterwards. Raises OperatorError.
    """
    result = DropResult()
    for part in retained.parts:
        user, since = _FIRST
        while True:
            own = {"organization": organization_id, "before": before}
            values = own | {"user": user, "since": since, "rows": batch_rows, "people": batch_people}
            batch, objects, limit = _drop_batch(
                connection, retained, drop_statement(retained, part), values, list_objects
            )
            result = DropResult(
                result.rows + batch.dropped, result.objects + objects, result.has_locked or batch.dropped < batch.found
            )
            progress(batch.dropped)
            is_full = batch.found == limit
            if not is_full and batch.people < batch_people:
                break
            # The next rows may have the same time. If all rows of a full batch are held, the next one is after them.
            user, since = batch.user_id, batch.at + _SECOND if is_full and not batch.dropped else batch.at
    return result


def _drop_batch(
    connection: Connection,
    retained: RetainedTable,
    statement: str,
    values: dict[str, Any],
    list_objects: Callable[[Sequence[StoredObject]], object],
) -> tuple[Any, int, int]:
    """Drop one batch in a transaction. One that meets a lock or lasts too long is tried again with half of its rows.

    Returns the row of the statement, the number of stored objects, and the most rows that the batch could have.
    """
    reason = ""
    for attempt in range(ATTEMPTS):
        rows = max(values["rows"] >> attempt, 1)
        try:
            with connection.begin():
                _set(connection, values["organization"], DROP_SETTINGS)
                row = connection.execute(text(statement), values | {"rows": rows}).one()
                objects = stored_objects(retained.table, row.objects or ())
                if objects:
                    list_objects(objects)
                return row, len(objects), rows
        except DBAPIError as error:
            waits = (LockNotAvailable, QueryCanceled, DeadlockDetected)
            if connection.closed or error.connection_invalidated or not isinstance(error.orig, waits):
                raise
            reason = str(error.orig).strip().splitlines()[0]
    raise OperatorError(
        f"{retained.table.name}: {reason} ({ATTEMPTS} attempts). What was dropped stays dropped; run the command again"
        " later."
    )


def _set(connection: Connection, organization_id: UUID, settings: Mapping[str, str]) -> None:
    """Set the organization and the settings for the transaction, where tables are distributed on their nodes, too."""
    use_organization(connection, organization_id)
    for name, value in settings.items():
        connection.exec_driver_sql(f"SET LOCAL {name} = '{value}'")
