"""SQL of JSON: rows as objects and arrays, byte for byte as the service writes them.

PostgreSQL and orjson write strings, whole numbers, null, UUIDs and dates alike. They write instants differently, see
`utc_text`. PostgreSQL's `json_agg` puts spaces between items, `array_to_json` does not.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, func, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.sql.selectable import FromClause


def json_row(source: FromClause, columns: Sequence[ColumnElement[Any]], name: str) -> Any:
    """A row of `columns` of a row of `source`, to be joined to it: the object of `json_array` has no other keys."""
    return select(*columns).correlate(source).lateral(name)


def json_array(row: Any, order: Sequence[ColumnElement[Any]]) -> ColumnElement[Any]:
    """An aggregate: the rows as a JSON array of objects, whose keys are the names of the columns, in their order."""
    return func.array_to_json(func.array_agg(aggregate_order_by(func.row_to_json(row.table_valued()), *order)))


def utc_text(moment: ColumnElement[Any]) -> ColumnElement[str]:
    """An instant of whole seconds in RFC 3339 with Z."""
    text: ColumnElement[str] = func.to_char(func.timezone("UTC", moment), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    return text


def text_of(json: ColumnElement[Any]) -> ColumnElement[str]:
    """The text of a JSON value. psycopg would parse the value itself."""
    return cast(json, Text)
