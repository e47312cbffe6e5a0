"""SQL of the days of a report: the parameters with their bounds, and the numbers of the days of an interval."""

from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Date, func, select
from sqlalchemy.dialects.postgresql import ARRAY

from db.tables.columns import bind
from resolvers.lists.list_sql import DAY_HIGHS, DAY_LOWS, HIGH, LOW

DATES = bind("dates", ARRAY(Date()))
"""The days, without those that the zone skipped; DAY_LOWS and DAY_HIGHS have their bounds."""

SECOND = timedelta(seconds=1)

EDGES = select(DATES.label("dates"), DAY_LOWS.label("lows"), DAY_HIGHS.label("highs")).subquery("edges")
"""One row with the days of the range; a day is an item of each array, by its number."""

HAS_DAYS = LOW < HIGH
"""Whether the range has a day. That of a day which the zone skipped has none, but an interval may hold its instant."""


def day_number(moment: ColumnElement[Any]) -> ColumnElement[int]:
    """The number, from 1, of the day with an instant; for one before the range, that of the first day.

    A binary search over the starts of the days, since a join would compare each interval with each day.
    """
    return func.greatest(func.width_bucket(moment, DAY_LOWS), 1)


def day_numbers(begin: ColumnElement[Any], end: ColumnElement[Any]) -> Any:
    """The numbers of the days of an interval that overlaps the range, one row each."""
    return func.generate_series(day_number(begin), func.greatest(day_number(end - SECOND), day_number(begin)))
