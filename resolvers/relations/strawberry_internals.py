"""What the service needs of Strawberry beyond its documented functions; no other module does.

Relies on internals of Strawberry: `__strawberry_definition__` of declared types and enumerations (`fields`, `values`),
the extension "strawberry-definition" of what graphql-core has, and `Schema._schema`.
`tests/resolvers/relations/test_strawberry_internals.py` fails when they change, and pyproject.toml bounds the version.
"""

from typing import Any

import strawberry
from graphql import GraphQLSchema


def definition_of_class(declared: Any) -> Any:
    """The definition of a class that Strawberry declared; None of another class."""
    return vars(declared).get("__strawberry_definition__")


def definition_behind(element: Any) -> Any:
    """The definition that a field or a type of graphql-core was made from; None of graphql-core's own."""
    return (element.extensions or {}).get("strawberry-definition")


def graphql_core_schema(schema: strawberry.Schema) -> GraphQLSchema:
    """The schema as graphql-core has it."""
    return schema._schema  # noqa: SLF001 - no public attribute has it
