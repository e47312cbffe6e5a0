"""`orgdata graphql-schema`: the schema as text."""

from schema.schema import schema_text
from tests.rest_facade.commands.conftest import CommandResult, Run


def test_graphql_schema_is_printed(orgdata: Run) -> None:
    assert orgdata("graphql-schema") == CommandResult(0, schema_text(), "")
