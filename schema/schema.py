"""The GraphQL schema of all areas, behind REST and internal GraphQL."""

import strawberry
from graphql import print_schema
from strawberry.schema.config import StrawberryConfig

from resolvers.relations.strawberry_internals import graphql_core_schema
from schema.activity import ActivityQuery
from schema.conditions import declare_conditions
from schema.fields import TYPES_BY_TABLE, object_type
from schema.leaves import LeavesQuery
from schema.money import MoneyQuery
from schema.people import PeopleQuery
from schema.scalars import SCALAR_MAP
from schema.timesheets import TimesheetsQuery
from schema.work import WorkQuery


@object_type(
    "Data of one organization, which the header X-Organization-Id names. Where a description does not say "
    "what null means, a field is null if the organization has no value for it."
)
class Query(PeopleQuery, WorkQuery, TimesheetsQuery, ActivityQuery, MoneyQuery, LeavesQuery):
    pass


declare_conditions(Query, TYPES_BY_TABLE)

SCHEMA = strawberry.Schema(Query, config=StrawberryConfig(auto_camel_case=False, scalar_map=SCALAR_MAP))

GRAPHQL_SCHEMA = graphql_core_schema(SCHEMA)


def schema_text() -> str:
    """The schema in the schema definition language, with a line feed at its end."""
    return f"{print_schema(GRAPHQL_SCHEMA)}\n"
