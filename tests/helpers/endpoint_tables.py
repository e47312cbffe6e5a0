"""The table whose rows an operation shows, or a list that only the graph has."""

from collections.abc import Mapping
from typing import Any

from graphql import get_named_type
from sqlalchemy import Table

from db.tables.columns import metadata
from rest_facade.v1 import ENDPOINTS
from schema.schema import GRAPHQL_SCHEMA
from tests.root_lists import field_path
from tests.schema.edges import TYPES, row_type_of

TABLES: Mapping[str, Table] = {type_: metadata.tables[table] for table, type_ in TYPES.items()}
"""The table of the rows that a type shows."""


def table_of(operation: str) -> Table | None:
    """The table of its rows; None for rows that no table has. A root field of GraphQL has its own name."""
    paths = {endpoint.operation: field_path(endpoint) for endpoint in ENDPOINTS}
    type_: Any = GRAPHQL_SCHEMA.query_type
    for name in paths.get(operation, (operation,)):
        field = type_.fields[name]
        type_ = get_named_type(field.type)
    return TABLES.get(row_type_of(field).name)
