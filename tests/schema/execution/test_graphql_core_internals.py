"""Internals of graphql-core: they are what the compiler takes them for."""

from graphql import FieldNode, GraphQLObjectType, OperationDefinitionNode, parse

from schema.execution.graphql_core_internals import SelectedFields, declared_variables, node_of
from schema.schema import GRAPHQL_SCHEMA

DOCUMENT = parse("""
query ($limit: Int!, $all: Boolean!) {
  list: teams(limit: $limit) { ...page count }
  teams(limit: 2) @include(if: $all) { next }
}
fragment page on TeamPage { results { id } count next @skip(if: $all) }
""")


def test_selected_fields_are_those_of_fragments_and_flags() -> None:
    operation = DOCUMENT.definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    assert GRAPHQL_SCHEMA.query_type is not None
    page = GRAPHQL_SCHEMA.type_map["TeamPage"]
    assert isinstance(page, GraphQLObjectType)
    some, every = (False, ["list"], ["results", "count", "next"]), (True, ["list", "teams"], ["results", "count"])
    for everything, roots, keys in (some, every):
        fields = SelectedFields(GRAPHQL_SCHEMA, DOCUMENT, operation, {"all": everything})
        found = fields.of_root(GRAPHQL_SCHEMA.query_type)
        assert [*found] == roots
        assert [*fields.below(page, found["list"])] == keys
        node = node_of(found["list"])
        assert isinstance(node, FieldNode)
        assert node.name.value == "teams"


def test_declared_variables_have_names_and_types() -> None:
    operation = DOCUMENT.definitions[0]
    assert isinstance(operation, OperationDefinitionNode)
    found = declared_variables(GRAPHQL_SCHEMA, operation.variable_definitions or ())
    assert {name: str(each.signature.type) for name, each in found.items()} == {"limit": "Int!", "all": "Boolean!"}
