"""The local day of a row: in the zone of its list, or, of a row that was read by its id, in the organization's."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Date, cast, null

from resolvers.context import Context
from resolvers.day_bounds import local_date
from resolvers.period import organization_zone
from resolvers.relations.batching import ColumnDependencies, Resolver, batch_resolver

DATE = cast(null(), Date).label("date")
"""A column that `Listing` fills with the local day in the zone of the request."""


def date_of(column: str) -> Resolver:
    """A resolver of the local day of the time in `column`."""

    async def resolve(context: Context, rows: Sequence[Any], _: Mapping[str, Any]) -> Sequence[date]:
        days = [row.date for row in rows]
        if None not in days:
            return days
        zone = await organization_zone(context)
        return [day or local_date(zone, getattr(row, column)) for day, row in zip(days, rows, strict=True)]

    return batch_resolver(resolve, reads=ColumnDependencies(frozenset({"date", column})))
