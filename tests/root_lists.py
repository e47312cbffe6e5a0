"""The lists of the graph's root for which REST has no path, and documents that read them."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import graphql
from graphql import GraphQLField, GraphQLObjectType, OperationDefinitionNode, get_named_type, is_leaf_type, parse

from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import ENDPOINTS
from schema.schema import GRAPHQL_SCHEMA


@cache
def root_lists() -> Mapping[str, GraphQLField]:
    """The lists with pages of the root that no operation reads, by name."""
    assert GRAPHQL_SCHEMA.query_type is not None
    read = {field_path(endpoint)[0] for endpoint in ENDPOINTS}
    unread = {name: field for name, field in GRAPHQL_SCHEMA.query_type.fields.items() if name not in read}
    return {name: field for name, field in unread.items() if _rows(field) and "after" in field.args}


def root_document(name: str, arguments: Mapping[str, object]) -> str:
    """A document that reads a page of the list, with all columns of its rows. Arguments are literals."""
    rows: Any = _rows(root_lists()[name])
    columns = " ".join(key for key, field in rows.fields.items() if is_leaf_type(get_named_type(field.type)))
    given = ", ".join(f"{key}: {value}" for key, value in arguments.items())
    return f"{{ {name}{f'({given})' if given else ''} {{ count next results {{ {columns} }} }} }}"


def dated_document(name: str) -> str:
    """The same, of January 2026 where the list has a range."""
    days = {"start_date": '"2026-01-01"', "end_date": '"2026-01-31"'}
    return root_document(name, {key: day for key, day in days.items() if key in root_lists()[name].args})


def _rows(field: GraphQLField) -> GraphQLObjectType | None:
    page: Any = get_named_type(field.type)
    return get_named_type(page.fields["results"].type) if "results" in getattr(page, "fields", {}) else None


def field_path(endpoint: Endpoint) -> tuple[str, ...]:
    """The names of the fields down to the page, the object or the array."""
    return _path_in(endpoint.document)


@cache
def _path_in(document: str) -> tuple[str, ...]:
    (operation,) = [node for node in parse(document).definitions if isinstance(node, OperationDefinitionNode)]
    names, selections = [], operation.selection_set.selections
    while len(selections) == 1 and isinstance(node := selections[0], graphql.FieldNode) and node.selection_set:
        names.append(node.name.value)
        selections = node.selection_set.selections
    return tuple(names)
