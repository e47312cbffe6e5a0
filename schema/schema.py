"""The schema: all areas together. The one graph behind REST and behind internal queries."""

import strawberry
from graphql import GraphQLSchema, print_schema
from strawberry.schema.config import StrawberryConfig

from schema.activity import ActivityQuery
from schema.execution.field_sources import value_of
from schema.leaves import LeavesQuery
from schema.money import MoneyQuery
from schema.people import PeopleQuery
from schema.scalars import SCALAR_MAP
from schema.timesheets import TimesheetsQuery
from schema.work import WorkQuery


@strawberry.type(description="Data of the organization that owns the key of the request.")
class Query(PeopleQuery, WorkQuery, TimesheetsQuery, ActivityQuery, MoneyQuery, LeavesQuery):
    pass


SCHEMA = strawberry.Schema(
    Query,
    config=StrawberryConfig(auto_camel_case=False, default_resolver=value_of, scalar_map=SCALAR_MAP),
)

# Strawberry keeps the schema that graphql-core executes under this name only.
GRAPHQL_SCHEMA: GraphQLSchema = SCHEMA._schema  # noqa: SLF001


def schema_text() -> str:
    """The schema in the schema definition language, with a line feed at its end."""
    return f"{print_schema(GRAPHQL_SCHEMA)}\n"
