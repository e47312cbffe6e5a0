"""Random documents that walk over edges (hypothesis): from a list of the organization down, each level with rows."""

from collections.abc import Mapping
from typing import Any

from graphql import (
    GraphQLArgument,
    GraphQLField,
    GraphQLObjectType,
    GraphQLSchema,
    get_named_type,
    is_leaf_type,
    is_required_argument,
)
from hypothesis import strategies as st

WIDE, NARROW = 20, 3
"""`limit` of the lists at the top, and of those below."""


@st.composite
def edge_documents(draw: st.DrawFn, schema: GraphQLSchema, literals: Mapping[str, str], *, depth: int) -> str:
    """Valid documents with one root field. `literals` has the values of required arguments by their names."""
    assert schema.query_type is not None
    return "{ " + _edge(draw, schema.query_type, _roots(schema), literals, depth, WIDE) + " }"


def edges_in(document: str) -> int:
    """The number of objects and lists that a document selects."""
    return document.count("{") - 1


def _roots(schema: GraphQLSchema) -> list[str]:
    """The root fields that need no id."""
    assert schema.query_type is not None
    fields = schema.query_type.fields.items()
    return [name for name, field in fields if not {"id", "ids", "user_id"} & _required(field)]


def _required(field: GraphQLField) -> set[str]:
    return {name for name, argument in field.args.items() if is_required_argument(argument)}


def _edge(
    draw: st.DrawFn, parent: GraphQLObjectType, names: list[str], literals: Mapping[str, str], depth: int, limit: int
) -> str:
    name = draw(st.sampled_from(names))
    field = parent.fields[name]
    type_: Any = get_named_type(field.type)
    arguments = [text for key, each in field.args.items() if (text := _argument(key, each, literals, limit))]
    head = f"{name}({', '.join(arguments)})" if arguments else name
    if {"count", "results"} <= type_.fields.keys():
        row: Any = get_named_type(type_.fields["results"].type)
        return f"{head} {{ count results {{ {_selection(draw, row, literals, depth)} }} }}"
    return f"{head} {{ {_selection(draw, type_, literals, depth)} }}"


def _argument(name: str, argument: GraphQLArgument, literals: Mapping[str, str], limit: int) -> str:
    if name == "limit":
        return f"limit: {limit}"
    return f"{name}: {literals[name]}" if is_required_argument(argument) else ""


def _selection(draw: st.DrawFn, type_: GraphQLObjectType, literals: Mapping[str, str], depth: int) -> str:
    leaves = [name for name, field in type_.fields.items() if is_leaf_type(get_named_type(field.type))]
    edges = [name for name in type_.fields if name not in leaves]
    items = draw(st.lists(st.sampled_from(leaves or ["__typename"]), min_size=1, max_size=3, unique=True))
    if depth > 0 and edges:
        for number in range(draw(st.integers(1, 2))):
            edge = _edge(draw, type_, edges, literals, depth - 1, NARROW)
            items.append(f"edge_{number}: {edge}")
    return " ".join(items)
