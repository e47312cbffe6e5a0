"""Row fields: the fields of the schema that the database computes from one row of a table.

They are found in the schema itself: a field whose resolver returns rows of a listing or a relation says which table the
rows of its type are of.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from graphql import (
    GraphQLEnumType,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    is_leaf_type,
    is_object_type,
)
from sqlalchemy import BindParameter, Column, ColumnElement, Numeric, Table, Text
from sqlalchemy.sql import Select, visitors

from resolvers.lists.flat_rows import FlatField
from resolvers.relations.strawberry_internals import definition_behind
from resolvers.selected import TableRows
from resolvers.values.json_sql import kind_of
from schema.execution.declared_steps import declared_step

DECIMAL = Numeric(19, 4)

DECIMAL_SCALARS = frozenset({"Amount", "Quantity", "Factor"})

JSON_SCALARS = frozenset({"Texts"})
"""Scalars that show JSON, which rows have as columns anyway."""


def row_fields(schema: GraphQLSchema) -> Mapping[Table, Mapping[str, FlatField]]:
    """The fields of each table by their names. Where several types show rows of a table, their fields are united."""
    found: dict[Table, dict[str, FlatField]] = {}
    for type_, source in _row_types(schema):
        table = _table_of(source)
        if table is not None:
            own = found.setdefault(table, {})
            for name, definition in type_.fields.items():
                field = _flat_field(name, definition, source, table)
                if field is not None:
                    own.setdefault(name, field)
    return found


def _row_types(schema: GraphQLSchema) -> Iterator[tuple[GraphQLObjectType, TableRows]]:
    """Each type whose objects are rows of a source, with the source."""
    for parent in schema.type_map.values():
        if not isinstance(parent, GraphQLObjectType):
            continue
        for definition in parent.fields.values():
            step = declared_step(definition)
            if step is None or not isinstance(step.rows, TableRows):
                continue
            type_: Any = get_named_type(definition.type)
            if step.within is not None:
                type_ = get_named_type(type_.fields[step.within].type)
            if is_object_type(type_):
                yield type_, step.rows


def _table_of(source: TableRows) -> Table | None:
    """The table whose rows a source has: most of its columns are of it. None if it has groups."""
    if not source.has_rows:
        return None
    columns = [column for column in source.columns_by_name.values() if isinstance(column, Column)]
    tables = Counter(column.table for column in columns if isinstance(column.table, Table))
    return max(tables, key=lambda table: tables[table], default=None)


def _flat_field(name: str, definition: GraphQLField, source: TableRows, table: Table) -> FlatField | None:
    """The field, if it is a value that columns of the row are enough for."""
    element: Any = source.columns_by_name.get(definition_behind(definition).python_name)
    type_ = get_named_type(definition.type)
    kind = None if element is None else kind_of(element)
    if declared_step(definition) is not None or kind is None or not is_leaf_type(type_) or type_.name in JSON_SCALARS:
        return None
    is_decimal, is_enum = type_.name in DECIMAL_SCALARS, isinstance(type_, GraphQLEnumType)
    stored = DECIMAL if is_decimal else Text() if is_enum else element.type
    return FlatField(name, element, kind, stored) if _is_of_row(element, table) else None


def _is_of_row(element: ColumnElement[Any], table: Table) -> bool:
    """Whether a value depends on one row of the table, and on nothing else, such as the day of the request."""
    parts = list(visitors.iterate(element))
    columns = [part for part in parts if isinstance(part, Column)]
    given = [part for part in parts if isinstance(part, BindParameter) and part.value is None]
    is_of_table = bool(columns) and all(column.table is table for column in columns)
    return is_of_table and not given and not any(isinstance(part, Select) for part in parts)
