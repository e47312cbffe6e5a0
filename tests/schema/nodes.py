"""The root fields that read rows of a table by their ids."""

from collections.abc import Iterator

from graphql import get_named_type
from sqlalchemy import Table

from db.tables.columns import metadata
from schema.schema import GRAPHQL_SCHEMA
from tests.schema.edges import TYPES

WITHOUT_ID = {"invoice_taxes", "hourly_payment_lines", "leave_application_days"}
"""Tables whose rows are shown without an id."""


def nodes() -> Iterator[tuple[Table, str, str]]:
    """Each table of rows with an id, with its root field of one row, and of several."""
    assert GRAPHQL_SCHEMA.query_type is not None
    fields = GRAPHQL_SCHEMA.query_type.fields
    for name, type_ in TYPES.items():
        roots = [root for root, field in fields.items() if get_named_type(field.type).name == type_]
        several = next((root for root in roots if "ids" in fields[root].args), "")
        one = next((root for root in roots if "id" in fields[root].args), "")
        if name not in WITHOUT_ID:
            yield metadata.tables[name], one, several


NODES = {table.name: (one, several) for table, one, several in nodes()}


def key_of(table: Table) -> str:
    return str(list(table.primary_key.columns)[-1].name)
