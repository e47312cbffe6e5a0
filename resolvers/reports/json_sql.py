"""SQL of arrays in JSON: rows as objects with the same fields, byte for byte as the service writes them."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Text, func, literal
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.sql.selectable import FromClause

from resolvers.rendering.json_sql import RunsOfRows
from resolvers.rendering.runs import ColumnField, Run


def json_array(
    rows: FromClause,
    columns: Mapping[str, ColumnElement[Any]],
    fields: Sequence[ColumnField],
    order: Sequence[ColumnElement[Any]],
) -> ColumnElement[Any]:
    """An aggregate: the rows as the text of a JSON array of objects, in this order."""
    (text,) = RunsOfRows(columns, [Run(0, tuple(fields))], rows).columns()
    items = func.string_agg(
        literal(f'{{"{fields[0].key}":', Text()) + text.element + "}", aggregate_order_by(literal(",", Text()), *order)
    )
    return literal("[", Text()) + items + "]"
