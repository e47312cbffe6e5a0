"""Selections of all fields of a type, found by introspection: its values, and its objects and lists one level down."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any
from zlib import crc32

from graphql import GraphQLField, GraphQLObjectType, get_named_type, is_leaf_type, is_required_argument

from db.tables.columns import metadata
from schema.schema import GRAPHQL_SCHEMA
from tests.factories.base import THEN
from tests.schema.field_documents import grouping, is_page, row_type
from tests.schema.nodes import key_of
from tests.schema.values.stored_rows import NODE_TYPES, TABLES

ARGUMENTS: Mapping[str, str] = {
    "start_date": f'"{THEN.date().replace(day=1)}"',
    "end_date": f'"{THEN.date().replace(day=31)}"',
    "date": f'"{THEN.date()}"',
    "limit": "20",
}
"""Values of arguments: required ones, and those of lists."""

TAKEN = ("limit",)
"""Arguments that are taken where they are not required."""

Keep = Callable[[GraphQLObjectType, str], bool]


def all_kept(_: GraphQLObjectType, __: str) -> bool:
    return True


def half(number: int) -> Keep:
    """Keep the values, and one of both halves of the objects and lists."""

    def is_kept(type_: GraphQLObjectType, name: str) -> bool:
        is_value = row_type(type_.fields[name]).name not in NODE_TYPES
        return is_value or crc32(f"{type_.name}.{name}".encode()) % 2 == number

    return is_kept


def key_name(type_: GraphQLObjectType) -> str:
    """The field with the id of a row."""
    return key_of(metadata.tables[TABLES[type_.name]])


def values(type_: GraphQLObjectType) -> str:
    """The selection of the values of a type: its leaves, and those of objects that are no rows."""
    items = []
    for name, field in type_.fields.items():
        below: Any = get_named_type(field.type)
        if is_leaf_type(below):
            items.append(name)
        elif below.name not in NODE_TYPES and not is_page(below):
            items.append(call(name, field, values(below)))
    return " ".join(items)


def everything(type_: GraphQLObjectType, keep: Keep = all_kept, below: Callable[..., str] = values) -> str:
    """The selection of the values of a type, and of its objects and lists with what `below` selects of their types."""
    items = [key_name(type_)] if type_.name in NODE_TYPES else []
    for name, field in type_.fields.items():
        if not keep(type_, name):
            continue
        type_below = row_type(field)
        if is_leaf_type(type_below):
            items.append(name)
        elif type_below.name in NODE_TYPES:
            items.append(call(name, field, below(type_below)))
        else:
            items.append(call(name, field, everything(type_below, keep, below)))
    return " ".join(items)


def call(name: str, field: GraphQLField, selection: str, **more: str) -> str:
    """A field with its arguments and the selection of its objects; of a page, of its rows."""
    needed = {key for key, argument in field.args.items() if is_required_argument(argument)} | set(TAKEN)
    given = {key: ARGUMENTS[key] for key in field.args if key in needed and key in ARGUMENTS} | grouping(field) | more
    head = f"{name}({', '.join(f'{key}: {value}' for key, value in given.items())})" if given else name
    type_: Any = get_named_type(field.type)
    if not is_page(type_):
        return f"{head} {{ {selection} }}"
    next_ = "next " if "next" in type_.fields else ""
    return f"{head} {{ count {next_}results {{ {selection} }} }}"


def roots() -> Iterator[tuple[str, GraphQLField]]:
    """The root fields that need no id."""
    assert GRAPHQL_SCHEMA.query_type is not None
    for name, field in GRAPHQL_SCHEMA.query_type.fields.items():
        required = {key for key, argument in field.args.items() if is_required_argument(argument)}
        # `member` takes one of two ids, neither of which is required.
        if not {"id", "ids", "user_id"} & required and name != "member":
            yield name, field


def wandering(type_: GraphQLObjectType, chance: Random, depth: int) -> str:
    """The selection of the values of a type, and of a few objects and lists, each with the same of its type."""
    if depth == 0:
        return values(type_)
    edges = [name for name, field in type_.fields.items() if row_type(field).name in NODE_TYPES]
    chosen = set(chance.sample(edges, min(len(edges), 3)))

    def is_kept(parent: GraphQLObjectType, name: str) -> bool:
        if row_type(parent.fields[name]).name not in NODE_TYPES:
            return True
        # Groups of totals have several rows beside them: all of these, at each level, are 300,000 fields.
        return name in chosen if parent is type_ else chance.random() < 0.1

    return everything(type_, is_kept, lambda below: wandering(below, chance, depth - 1))


def part(type_: GraphQLObjectType) -> str:
    """The id of a row, and every third of its values."""
    leaves = [name for name, field in type_.fields.items() if is_leaf_type(get_named_type(field.type))]
    return " ".join([key_name(type_), *leaves[crc32(type_.name.encode()) % 3 :: 3]])
