"""Internals of Strawberry: they are what the service takes them for."""

from db.tables.people import Weekday
from resolvers.people import TEAMS
from resolvers.relations.strawberry_internals import definition_behind, definition_of_class, graphql_core_schema
from schema.people import Team
from schema.schema import GRAPHQL_SCHEMA, SCHEMA


def test_definitions_have_fields_values_and_names() -> None:
    assert [field.python_name for field in definition_of_class(Team).fields][:2] == ["id", "name"]
    assert next(value.name for value in definition_of_class(Weekday).values) == "monday"
    assert definition_of_class(TEAMS.__class__) is None


def test_elements_of_graphql_core_lead_to_their_definitions() -> None:
    query, team = GRAPHQL_SCHEMA.query_type, GRAPHQL_SCHEMA.type_map["Team"]
    assert query is not None
    assert definition_behind(query.fields["teams"]).python_name == "teams"
    assert definition_behind(team).origin is Team
    assert definition_behind(GRAPHQL_SCHEMA.type_map["__Type"]) is None
    assert graphql_core_schema(SCHEMA) is GRAPHQL_SCHEMA
