"""Every field of the schema compiles, in a document for each type, so that graphql-core need not execute it."""

from graphql import GraphQLField, GraphQLObjectType, get_named_type, is_leaf_type, is_required_argument, parse, validate

from schema.execution.compiler import compile_operation
from schema.execution.operation import definition_of
from schema.schema import GRAPHQL_SCHEMA

Way = tuple[tuple[str, GraphQLField], ...]


def ways() -> dict[GraphQLObjectType, Way]:
    """The shortest way from the root to each type."""
    assert GRAPHQL_SCHEMA.query_type is not None
    found: dict[GraphQLObjectType, Way] = {GRAPHQL_SCHEMA.query_type: ()}
    left = [GRAPHQL_SCHEMA.query_type]
    for type_ in left:
        for name, field in type_.fields.items():
            below = get_named_type(field.type)
            if isinstance(below, GraphQLObjectType) and below not in found:
                found[below] = (*found[type_], (name, field))
                left.append(below)
    return found


WAYS = ways()


def document(type_: GraphQLObjectType) -> str:
    """A document that selects all fields of a type. Required arguments are variables."""
    variables: list[str] = []

    def call(name: str, field: GraphQLField, selection: str) -> str:
        given = []
        for key, argument in field.args.items():
            if is_required_argument(argument):
                given.append(f"{key}: $v{len(variables)}")
                variables.append(f"$v{len(variables)}: {argument.type}")
        return f"{name}{f'({chr(44).join(given)})' if given else ''} {selection}"

    fields = type_.fields.items()
    leaves = {name for name, field in fields if is_leaf_type(get_named_type(field.type))}
    text = " ".join(call(name, field, "" if name in leaves else "{ __typename }") for name, field in fields)
    for name, field in reversed(WAYS[type_]):
        text = call(name, field, f"{{ {text} }}")
    return f"query{f'({chr(44).join(variables)})' if variables else ''} {{ {text} }}"


def test_every_type_of_the_schema_is_reached() -> None:
    types = {
        name
        for name, each in GRAPHQL_SCHEMA.type_map.items()
        if isinstance(each, GraphQLObjectType) and not name.startswith("__")
    }
    assert {type_.name for type_ in WAYS} == types


def test_every_field_compiles() -> None:
    for type_ in WAYS:
        parsed = parse(document(type_))
        assert validate(GRAPHQL_SCHEMA, parsed) == [], type_
        compiled = compile_operation(GRAPHQL_SCHEMA, parsed, definition_of(parsed, None), {})
        assert compiled.selection.fields, type_
