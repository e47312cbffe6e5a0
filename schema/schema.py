"""The schema: all areas together. The one graph behind REST and behind internal queries."""

from typing import Any

import strawberry
from graphql import GraphQLSchema
from strawberry.schema.config import StrawberryConfig

from schema.activity import ActivityQuery
from schema.leaves import LeavesQuery
from schema.money import MoneyQuery
from schema.people import PeopleQuery
from schema.scalars import SCALARS
from schema.timesheets import TimesheetsQuery
from schema.work import WorkQuery


@strawberry.type(description="Everything that can be asked about the organization of the request.")
class Query(PeopleQuery, WorkQuery, TimesheetsQuery, ActivityQuery, MoneyQuery, LeavesQuery):
    pass


def value_of(source: Any, name: str) -> object:
    """A field without a resolver: a column of a row, or a key of a JSON column."""
    return source.get(name) if type(source) is dict else getattr(source, name)


SCHEMA = strawberry.Schema(
    Query,
    config=StrawberryConfig(auto_camel_case=False, default_resolver=value_of, scalar_map=SCALARS),
)

# Strawberry keeps the schema that graphql-core executes under this name only.
GRAPH: GraphQLSchema = SCHEMA._schema  # noqa: SLF001
