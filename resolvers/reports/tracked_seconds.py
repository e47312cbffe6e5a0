"""Tracked seconds of people, as time activity counts them, for a job that has rows which are not stored yet."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from db.tables.columns import metadata
from resolvers.lists.list_sql import DATES, DAY_HIGHS, DAY_LOWS, HIGH, LOW
from resolvers.relations.relation import KEYS
from resolvers.reports.time_totals_sql import ShownTime, time_totals

TRACKED = time_totals(ShownTime(frozenset({"tracked_seconds"}), None))


def tracked_seconds(
    connection: Connection,
    organization_id: UUID,
    users: Sequence[UUID],
    low: datetime,
    high: datetime,
    tables: Mapping[str, str],
) -> Mapping[UUID, int]:
    """The tracked seconds of each person from `low` until `high`, in the transaction of its organization.

    `tables`: those that are read instead of declared ones. All of the time is one day: the sums of any days are equal.
    """
    values: dict[str, Any] = {**dict.fromkeys(TRACKED.parameter_names), **TRACKED.constants}
    values |= {"organization_id": organization_id, KEYS.key: list(users), LOW.key: low, HIGH.key: high}
    values |= {DATES.key: [low.date()], DAY_LOWS.key: [low], DAY_HIGHS.key: [high]}
    statement = TRACKED.on_tables({name: tables.get(name, name) for name in metadata.tables})
    return {row.user_id: row.tracked_seconds for row in connection.exec_driver_sql(statement, values)}
