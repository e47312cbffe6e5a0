"""SQL of percentages."""

from typing import Any

from sqlalchemy import ColumnElement, Integer, and_, case, cast, func

from db.tables.columns import constant

MAX_PERCENT = 2**31 - 1
"""The greatest number of a percentage in GraphQL."""


def percent(part: ColumnElement[Any], whole: ColumnElement[Any]) -> ColumnElement[int]:
    """A number in percent of another one, rounded down; null without a number, or where the whole is not positive."""
    share = func.floor(constant(100) * part / whole)
    bounded = func.greatest(func.least(share, constant(MAX_PERCENT)), constant(-MAX_PERCENT))
    return case((and_(part.is_not(None), whole > constant(0)), cast(bounded, Integer)))
