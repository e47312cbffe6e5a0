"""Introspection as tools ask for it: each document has the shape of the one that a tool sends."""

from typing import Any

import pytest
from graphql import graphql_sync

from schema.schema import GRAPHQL_SCHEMA
from tests.rest_facade.graphql.client import GraphQLClient

META = {"schema": "__Schema", "type": "__Type", "directive": "__Directive", "field": "__Field", "input": "__InputValue"}
KNOWN_TYPES = " ".join(f'{key}: __type(name: "{name}") {{ ...Known }}' for key, name in META.items())
WHOLE_SCHEMA = """
    query IntrospectionQuery {
      __schema {
        description queryType { name } mutationType { name } subscriptionType { name }
        types { ...Full }
        directives { name description isRepeatable locations args(includeDeprecated: true) { ...Input } }
      }
    }
    fragment Full on __Type {
      kind name description
      fields(includeDeprecated: true) {
        name description args(includeDeprecated: true) { ...Input } type { ...Ref } isDeprecated deprecationReason
      }
      inputFields(includeDeprecated: true) { ...Input }
      interfaces { ...Ref }
      enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
      possibleTypes { ...Ref }
    }
    fragment Input on __InputValue {
      name description type { ...Ref } defaultValue isDeprecated deprecationReason
    }
    fragment Ref on __Type { REFERENCE }
""".replace("REFERENCE", "kind name ofType { " * 9 + "kind name" + " }" * 9)

DOCUMENTS = {
    "Apollo Kotlin, what the server knows": f"""
        query PreIntrospection {{ {KNOWN_TYPES} }}
        fragment Known on __Type {{ name fields {{ name args {{ name }} }} }}
    """,
    "a schema browser, the types of introspection": f"""
        query IntrospectionMeta {{
          {KNOWN_TYPES} enumValue: __type(name: "__EnumValue") {{ ...Known }}
          typeKind: __type(name: "__TypeKind") {{ enumValues {{ name }} }}
          location: __type(name: "__DirectiveLocation") {{ enumValues(includeDeprecated: true) {{ name }} }}
        }}
        fragment Known on __Type {{ name fields {{ name args {{ name }} }} }}
    """,
    "StrawberryShake, what the server knows": """
        query introspection_phase_1 {
          schema: __type(name: "__Schema") { name fields { name } }
          directive: __type(name: "__Directive") { name fields { name args { name } } }
        }
    """,
    "Apollo Kotlin and Postman, the schema": WHOLE_SCHEMA,
    "a type beside the schema": """
        { __schema { queryType { name } types { name } } __type(name: "Project") { name fields { name } } }
    """,
}


@pytest.mark.parametrize("document", DOCUMENTS.values(), ids=DOCUMENTS.keys())
async def test_introspection_of_a_tool_is_answered(document: str, graphql_client: GraphQLClient) -> None:
    expected = graphql_sync(GRAPHQL_SCHEMA, document)
    assert expected.errors is None
    answer: dict[str, Any] = (await graphql_client(document)).json()
    assert answer == {"data": expected.data}
