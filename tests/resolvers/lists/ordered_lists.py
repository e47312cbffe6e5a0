"""The root fields of the schema that are ordered lists, and documents that ask for a page of one."""

import json
from collections.abc import Iterator
from datetime import date

from graphql import is_required_argument

from resolvers.lists.listing import Listing
from resolvers.steps.page import ListPage
from schema.execution.declared_steps import declared_step
from schema.schema import GRAPHQL_SCHEMA


def ordered_lists() -> Iterator[tuple[str, Listing]]:
    """The name and the list of each root field with `order_by` that is no earlier name of another one."""
    assert GRAPHQL_SCHEMA.query_type is not None
    for name, field in GRAPHQL_SCHEMA.query_type.fields.items():
        step = declared_step(field)
        source = step.rows if isinstance(step, ListPage) else None
        if isinstance(source, Listing) and "order_by" in field.args:
            yield name, source


def ordered_document(name: str, order: str, limit: int, day: date, after: str | None = None) -> str:
    """A page in this order; where the list requires a range, of one day."""
    assert GRAPHQL_SCHEMA.query_type is not None
    arguments = GRAPHQL_SCHEMA.query_type.fields[name].args
    days = {key: f'"{day}"' for key, argument in arguments.items() if is_required_argument(argument)}
    position = {} if after is None else {"after": json.dumps(after)}
    values = {"limit": str(limit), "order_by": order} | days | position
    given = ", ".join(f"{key}: {value}" for key, value in values.items())
    return f"{{ {name}({given}) {{ next results {{ __typename }} }} }}"
