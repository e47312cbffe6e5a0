"""Every field of the schema compiles, in a document of its own, so that graphql-core need not execute it."""

import pytest
from graphql import GraphQLField, GraphQLObjectType, get_named_type, is_leaf_type, is_required_argument, parse, validate

from schema.execution.compiler import compile_operation
from schema.execution.operation import definition_of
from schema.schema import GRAPHQL_SCHEMA

Way = tuple[tuple[str, GraphQLField], ...]


def ways() -> dict[str, Way]:
    """The shortest way from the root to each field, by the name of its type and its own."""
    assert GRAPHQL_SCHEMA.query_type is not None
    found: dict[str, Way] = {}
    known = {GRAPHQL_SCHEMA.query_type}
    left: list[tuple[GraphQLObjectType, Way]] = [(GRAPHQL_SCHEMA.query_type, ())]
    for type_, above in left:
        for name, field in type_.fields.items():
            found[f"{type_.name}.{name}"] = (*above, (name, field))
            below = get_named_type(field.type)
            if isinstance(below, GraphQLObjectType) and below not in known:
                known.add(below)
                left.append((below, (*above, (name, field))))
    return found


WAYS = ways()


def document(way: Way) -> str:
    """A document that selects the field at the end of a way. Required arguments are variables."""
    text, variables = "" if is_leaf_type(get_named_type(way[-1][1].type)) else "{ __typename }", []
    for depth, (name, field) in reversed(list(enumerate(way))):
        arguments = {key: each.type for key, each in field.args.items() if is_required_argument(each)}
        variables += [f"${key}_{depth}: {type_}" for key, type_ in arguments.items()]
        given = ", ".join(f"{key}: ${key}_{depth}" for key in arguments)
        text = f"{name}{f'({given})' if given else ''} {text}"
        text = f"{{ {text} }}"
    return f"query{f'({chr(44).join(variables)})' if variables else ''} {text}"


def test_every_type_of_the_schema_is_reached() -> None:
    types = {
        name
        for name, each in GRAPHQL_SCHEMA.type_map.items()
        if isinstance(each, GraphQLObjectType) and not name.startswith("__")
    }
    assert {name.partition(".")[0] for name in WAYS} == types


@pytest.mark.parametrize("type_name", sorted({name.partition(".")[0] for name in WAYS}))
def test_every_field_of_the_type_compiles(type_name: str) -> None:
    for name, way in WAYS.items():
        if name.partition(".")[0] != type_name:
            continue
        parsed = parse(document(way))
        assert validate(GRAPHQL_SCHEMA, parsed) == [], name
        compiled = compile_operation(GRAPHQL_SCHEMA, parsed, definition_of(parsed, None), {})
        assert compiled.selection.fields, name
