"""Introspection as tools ask for it: each document has the shape of the one that a tool sends."""

from typing import Any

import pytest
from graphql import graphql_sync

from schema.schema import GRAPHQL_SCHEMA
from tests.rest_facade.graphql.client import GraphQLClient


def type_reference(levels: int) -> str:
    """A type and those that it wraps."""
    below = f" ofType {{ {type_reference(levels - 1)} }}" if levels else ""
    return f"kind name{below}"


def schema_query(name: str, *, levels: int, root: str = "", deprecated: str = "", directive: str = "") -> str:
    """The whole schema. `deprecated` are the arguments of input values, `directive` more fields of a directive."""
    inputs = "name description type { ...Ref } defaultValue"
    return f"""
        query {name} {{
          __schema {{
            {root} queryType {{ name }} mutationType {{ name }} subscriptionType {{ name }}
            types {{ ...Full }}
            directives {{ name description locations args{deprecated} {{ ...Input }} {directive} }}
          }}
        }}
        fragment Full on __Type {{
          kind name description
          fields(includeDeprecated: true) {{
            name description args{deprecated} {{ ...Input }} type {{ ...Ref }} isDeprecated deprecationReason
          }}
          inputFields{deprecated} {{ ...Input }}
          interfaces {{ ...Ref }}
          enumValues(includeDeprecated: true) {{ name description isDeprecated deprecationReason }}
          possibleTypes {{ ...Ref }}
        }}
        fragment Input on __InputValue {{ {inputs} {"isDeprecated deprecationReason" if deprecated else ""} }}
        fragment Ref on __Type {{ {type_reference(levels)} }}
    """


META = {"schema": "__Schema", "type": "__Type", "directive": "__Directive", "field": "__Field", "input": "__InputValue"}
KNOWN_TYPES = " ".join(f'{key}: __type(name: "{name}") {{ ...Known }}' for key, name in META.items())
ASKED = "(includeDeprecated: true)"

DOCUMENTS = {
    "Apollo Kotlin, what the server knows": f"""
        query PreIntrospection {{ {KNOWN_TYPES} }}
        fragment Known on __Type {{ name fields {{ name args {{ name }} }} }}
    """,
    "Apollo Kotlin, the schema": schema_query(
        "Introspection", levels=9, root="description", deprecated=ASKED, directive="isRepeatable"
    ),
    "StrawberryShake, what the server knows": """
        query introspection_phase_1 {
          schema: __type(name: "__Schema") { name fields { name } }
          directive: __type(name: "__Directive") { name fields { name args { name } } }
        }
    """,
    "StrawberryShake, the schema": schema_query("introspection_phase_2", levels=7, directive="isRepeatable"),
    "Rover": schema_query("GraphIntrospect", levels=8),
    "Postman": schema_query("IntrospectionQuery", levels=9, root="description", deprecated=ASKED),
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


async def test_whole_schema_is_answered_once(graphql_client: GraphQLClient) -> None:
    twice = "{ one: __schema { types { name } } other: __schema { types { name } } }"
    (error,) = (await graphql_client(twice)).json()["errors"]
    assert error["message"] == "The operation introspects the schema 2 times; once is allowed."
